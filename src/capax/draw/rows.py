"""Rows of a picture from the values of s-ops."""

from collections.abc import Iterable, Sequence

from capax.draw.labels import Labels
from capax.draw.values import ValuesOn
from capax.draw.view import CELLS, Row
from capax.rasp.nodes import Node, SOpNode
from capax.rasp.sequence import format_value
from capax.rasp.types import Atom

_SPACES = {"": '""', " ": "␣", "\t": "⇥", "\n": "↵", "\r": "↵"}
ENDS = 8
"""How many values stand for a sequence that is too long to show."""
LONGEST_WORD = 60
"""A longer word is cut in a title."""


def show(value: Atom) -> str:
    """A value as text that can be seen: spaces and the empty string have signs of their own."""
    text = format_value(value)
    if text in _SPACES:
        return _SPACES[text]
    return "".join(_SPACES.get(c, c) if c in "\t\n\r" else (c if c.isprintable() else "�") for c in text)


def shown_word(tokens: Sequence[Atom]) -> str:
    """A word as a program would write it: characters as a string, anything else as a list; cut if it is long.

    >>> shown_word("abc"), shown_word([3, 1, "two"])
    ('"abc"', '[3, 1, "two"]')
    """
    if all(isinstance(token, str) and len(token) == 1 for token in tokens):
        text = "".join(map(show, tokens[: LONGEST_WORD + 1]))
        return f'"{text}"' if len(text) <= LONGEST_WORD else f'"{text[:LONGEST_WORD]}…"'
    parts: list[str] = []
    room = LONGEST_WORD
    for token in tokens:
        parts.append(f'"{show(token)}"' if isinstance(token, str) and token else show(token))
        room -= len(parts[-1]) + 2
        if room < 0 and len(parts) > 1:
            parts[-1] = "…"
            break
    return f"[{', '.join(parts)}]"


class Rows:
    """Makes the rows of one picture."""

    def __init__(self, labels: Labels, values: ValuesOn, layers: "dict[Node, int]") -> None:
        self.labels = labels
        self.values = values
        self.layers = layers

    def row(self, node: SOpNode, *, formula: str = "", uses: Iterable[SOpNode] = ()) -> Row:
        """The row of an s-op."""
        found = self.values.sequence(node)
        short = len(found) <= CELLS
        name = self.labels.name
        return Row(
            name=name(node),
            values=tuple(map(show, found.values)) if short else (),
            type=found.type,
            size=len(found),
            layer=self.layers.get(node, 0),
            formula=formula,
            uses=tuple((name(u), self.layers.get(u, 0)) for u in uses),
            is_result=node is self.labels.root,
            ends=() if short else tuple(map(show, found.values[:ENDS])),
        )
