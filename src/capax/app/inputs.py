"""From the INPUT argument of the command line to a word."""

import json
import sys
from collections.abc import Callable
from typing import Any

from capax.errors import CapaxError


def read_input(text: str, split: str) -> list[Any]:
    """The tokens of an INPUT argument; `-` reads standard input."""
    if text == "-":
        text = sys.stdin.read().removesuffix("\n").removesuffix("\r")
    return split_input(text, split)


def split_input(text: str, split: str) -> list[Any]:
    """The tokens of a text, split as chars, words, ints, floats or json."""
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
        return list(value)
    if not isinstance(value, list):
        raise CapaxError("bad-input", "a JSON input is a list or a string", value=text)
    return value
