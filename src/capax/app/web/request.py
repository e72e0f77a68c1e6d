"""Requests and replies as JSON, and the parts of a request, read and bounded."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from capax.app.inputs import split_input
from capax.app.web.sandbox.request_budget import MOST_TEXT, MOST_TOKENS, MOST_WORD, too_large
from capax.errors import CapaxError

Request: TypeAlias = dict[str, Any]
"""A request, as it came in: a JSON object."""
Reply: TypeAlias = dict[str, Any]
"""What a job returns to a page or a program: a JSON object."""


def only_known(request: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """Refuses a request with a key that is not read: it would be answered with a default in its place."""
    strange = next((key for key in request if key not in keys), None)
    if strange is not None:
        hint = f"a request may have {', '.join(keys)}" if keys else "a request is empty"
        raise CapaxError("bad-option", f"the request has an unknown key, {strange[:60]!r}", hint=hint)


def text(request: Mapping[str, Any], name: str, most: int = MOST_TEXT, default: str | None = None) -> str:
    """A text of a request."""
    value = request.get(name, default)
    if not isinstance(value, str):
        raise CapaxError("bad-option", f"the request has no text `{name}`")
    if len(value) > most:
        raise too_large(f"`{name}`", len(value), most)
    return value


def maybe(request: Mapping[str, Any], name: str, most: int = MOST_WORD) -> str | None:
    """A text of a request that may be left out; an empty one is."""
    return text(request, name, most) if request.get(name) else None


def whole(request: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None) -> int:
    """A whole number of a request, within bounds."""
    value = request.get(name, default)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise CapaxError("bad-option", f"`{name}` is a whole number from {least:,} to {most:,}, not {value!r:.40}")
    return value


def truth(request: Mapping[str, Any], name: str) -> bool:
    """A yes or no of a request; no if it is left out."""
    value = request.get(name, False)
    if not isinstance(value, bool):
        raise CapaxError("bad-option", f"`{name}` is true or false, not {value!r:.40}")
    return value


def tokens(request: Mapping[str, Any], name: str = "word", most: int = MOST_TOKENS) -> list[Any]:
    """The tokens of an input of a request, split as `split` says."""
    split = split_input(text(request, name, MOST_WORD), text(request, "split", 10, "chars"))
    if len(split) > most:
        raise CapaxError("too-large", f"the input has {len(split):,} tokens; at most {most:,} are shown here")
    return split


def parameters(request: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a theorem or a limit, as texts, just as the command line gives them."""
    values = request.get("given", {})
    if not isinstance(values, dict) or len(values) > 30:
        raise CapaxError("bad-option", "the parameters must be names with values")
    for name, value in values.items():
        if not isinstance(value, (str, int, float)) or len(str(value)) > MOST_WORD:
            raise CapaxError("bad-option", f"the parameter {str(name)[:60]} has a value that cannot be read")
    return {str(name): str(value) for name, value in values.items()}
