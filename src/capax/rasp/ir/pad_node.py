"""Pause tokens: how many follow a word, and the word with them.

Pads give room, not depth: positions that hold values of pairs of letters, or of nodes of a graph. They are declared
last, around a whole program, so that every other pass sees the program without them, on longer words.
"""

from collections.abc import Sequence
from typing import Any

from capax.errors import CapaxError
from capax.rasp.ir.nodes import Padded

PAD = "_"
"""The usual pause token."""
MOST_POWER = 3
"""The number of pads grows with at most this power of the length."""
MOST_PADS = 1_000_000


def pads_at(node: Padded, size: int) -> int:
    """How many pause tokens follow a word of a length."""
    count: int = node.factor * size**node.power
    if count > MOST_PADS:
        what = f"a word of {size:,} letters would have {count:,} pads; at most {MOST_PADS:,} are added"
        raise CapaxError("word-length", what, hint="give a shorter word")
    return count


def padded(node: Padded, tokens: Sequence[Any]) -> list[Any]:
    """A word with its pause tokens."""
    return [*tokens, *[node.token] * pads_at(node, len(tokens))]


def count_text(node: Padded) -> str:
    """The number of pads as the language writes it.

    >>> from capax import length, pad, tokens
    >>> [count_text(pad(tokens, c).node) for c in (3, length, 2 * length, length ** 2)]
    ['3', 'length', '2 * length', 'length ^ 2']
    """
    letters = {0: "", 1: "length"}.get(node.power, f"length ^ {node.power}")
    if not letters:
        return str(node.factor)
    return letters if node.factor == 1 else f"{node.factor} * {letters}"
