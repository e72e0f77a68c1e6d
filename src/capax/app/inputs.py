"""From the INPUT argument of the command line to a word."""

import json
from collections.abc import Callable
from typing import Any, Final

from capax.app.process.streams import is_text, read_stdin
from capax.errors import CapaxError


def read_input(text: str, split: str) -> list[Any]:
    """The tokens of an INPUT argument; `-` reads standard input."""
    if text == "-":
        text = read_stdin().removesuffix("\n")
    return split_input(text, split)


MOST_TOKENS: Final = 4_000_000
"""A longer input is refused: a program on it takes about a gigabyte."""


def split_input(text: str, split: str) -> list[Any]:
    """The tokens of a text, split as chars, words, ints, floats or json."""
    if split == "chars":
        refuse_long(len(text))
    tokens = _split(text, split)
    refuse_long(len(tokens))
    return tokens


def refuse_long(tokens: int) -> None:
    """Refuses an input of too many tokens."""
    if tokens > MOST_TOKENS:
        what = f"the input has {tokens:,} tokens; at most {MOST_TOKENS:,} are taken"
        raise CapaxError("too-large", what, hint="many inputs go into a file, one in each line: run --batch FILE")


def _split(text: str, split: str) -> list[Any]:
    match split:
        case "chars":
            return list(text)
        case "words":
            return text.split()
        case "ints":
            return _numbers(text, int, "an integer")
        case "floats":
            return _numbers(text, float, "a number")
        case "json":
            return _json(text)
        case _:
            raise CapaxError(
                "bad-option",
                f"unknown way to split an input: {split}",
                hint="use chars, words, ints, floats or json",
            )


def are_numbers(split: str) -> bool:
    """Whether tokens that are split so need not be text: `tokens` then is what they are, not their text."""
    return split in ("ints", "floats", "json")


def _numbers(text: str, read: Callable[[str], Any], what: str) -> list[Any]:
    tokens = text.replace(",", " ").split()
    for token in tokens:
        try:
            read(token)
        except ValueError:
            raise CapaxError("bad-input", f"`{token}` is not {what}", value=text) from None
    return [read(token) for token in tokens]


def _json(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CapaxError("bad-input", f"the input is not JSON: {error}", value=text) from None
    if isinstance(value, str):
        value = list(value)
    if not isinstance(value, list):
        raise CapaxError("bad-input", "a JSON input is a list or a string", value=text)
    refuse_broken(value)
    return value


def refuse_broken(tokens: list[Any]) -> None:
    """Refuses tokens that are not text: JSON can write halves of a character, which no text holds."""
    for position, token in enumerate(tokens):
        if isinstance(token, str) and not is_text(token):
            raise CapaxError("bad-input", f"the token {token!r:.60} at position {position} is not a character of UTF-8")
