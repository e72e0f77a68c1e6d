"""Rows of a picture from the values of s-ops."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from capax.draw.shapes.text_width import JOINER
from capax.draw.view.labels import Labels, bounded
from capax.draw.view.node_values import ValuesOn
from capax.draw.view.view import CELLS, Row
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.sequence import format_value

_SPACES = {"": '""', " ": "␣", "\t": "⇥", "\n": "↵", "\r": "↵"}
ENDS = 8
"""How many values stand for a sequence that is too long to show."""
LONGEST_WORD = 60
"""A longer word is cut in a title."""


def show(value: Atom) -> str:
    """A value as text that can be seen: spaces and the empty string have signs of their own."""
    text = bounded(format_value(value))
    if text in _SPACES:
        return _SPACES[text]
    if text.isprintable():
        return text
    return "".join(_seen(c, text[index - 1] if index else "") for index, c in enumerate(text))


def _seen(character: str, before: str) -> str:
    """A character that can be seen; one that joins or marks the pictogram before it is part of that."""
    if character in _SPACES and character != " ":
        return _SPACES[character]
    joins = character == JOINER or "\U000e0020" <= character <= "\U000e007f"
    return character if character.isprintable() or (joins and before not in ("", " ")) else "�"


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

    def __init__(self, labels: Labels, values: ValuesOn, layers: Mapping[Node, int], items: Mapping[Node, str]) -> None:
        self.labels = labels
        self.values = values
        self.layers = layers
        self.items = items
        self._made: dict[SOpNode, Row] = {}

    def row(self, node: SOpNode, *, formula: str = "", uses: Iterable[SOpNode] = ()) -> Row:
        """The row of an s-op."""
        if node not in self._made:
            self._made[node] = self._row(node)
        plain = self._made[node]
        name = self.labels.name
        used = tuple((name(u), self.layers.get(u, 0)) for u in uses)
        return replace(plain, formula=formula, uses=used) if formula or used else plain

    def _row(self, node: SOpNode) -> Row:
        sequence = self.values.sequence(node)
        short = len(sequence) <= CELLS
        return Row(
            name=self.labels.name(node),
            values=tuple(map(show, sequence.values)) if short else (),
            type=sequence.type,
            size=len(sequence),
            layer=self.layers.get(node, 0),
            is_result=node is self.labels.root,
            ends=() if short else tuple(map(show, sequence.values[:ENDS])),
            item=self.items.get(node, ""),
        )
