"""The parts of a request, read and bounded."""

from collections.abc import Mapping
from typing import Any

from capax.app.inputs import split_input
from capax.app.web.sandbox.allowance import MOST_TEXT, MOST_TOKENS, MOST_WORD, too_large
from capax.errors import CapaxError


def only_known(asked: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """Refuses a request with a key that is not read: it would be answered with a default in its place."""
    strange = next((key for key in asked if key not in keys), None)
    if strange is not None:
        hint = f"a request has {', '.join(keys)} or some of these" if keys else "a request has nothing in it"
        raise CapaxError("bad-option", f"the request has a key that is not known here, {strange[:60]!r}", hint=hint)


def text(asked: Mapping[str, Any], name: str, most: int = MOST_TEXT, default: str | None = None) -> str:
    """A text of a request."""
    value = asked.get(name, default)
    if not isinstance(value, str):
        raise CapaxError("bad-option", f"the request has no text `{name}`")
    if len(value) > most:
        raise too_large(f"`{name}`", len(value), most)
    return value


def maybe(asked: Mapping[str, Any], name: str, most: int = MOST_WORD) -> str | None:
    """A text of a request that may be left out; an empty one is."""
    return text(asked, name, most) if asked.get(name) else None


def whole(asked: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None) -> int:
    """A whole number of a request, within bounds."""
    value = asked.get(name, default)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise CapaxError("bad-option", f"`{name}` is a whole number from {least:,} to {most:,}, not {value!r:.40}")
    return value


def truth(asked: Mapping[str, Any], name: str) -> bool:
    """A yes or no of a request; no if it is left out."""
    value = asked.get(name, False)
    if not isinstance(value, bool):
        raise CapaxError("bad-option", f"`{name}` is true or false, not {value!r:.40}")
    return value


def tokens(asked: Mapping[str, Any], name: str = "word", most: int = MOST_TOKENS) -> list[Any]:
    """The tokens of an input of a request, split as `split` says."""
    found = split_input(text(asked, name, MOST_WORD), text(asked, "split", 10, "chars"))
    if len(found) > most:
        raise CapaxError("too-large", f"the input has {len(found):,} tokens; at most {most:,} are shown here")
    return found


def parameters(asked: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a theorem or a limit, as texts, just as the command line gives them."""
    given = asked.get("given", {})
    if not isinstance(given, dict) or len(given) > 30:
        raise CapaxError("bad-option", "the parameters are names with values")
    for name, value in given.items():
        if not isinstance(value, (str, int, float)) or len(str(value)) > MOST_WORD:
            raise CapaxError("bad-option", f"the parameter {str(name)[:60]} has no value that could be read")
    return {str(name): str(value) for name, value in given.items()}
