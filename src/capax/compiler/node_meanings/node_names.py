"""What the source says of nodes, and names of nodes for signals, heads and stages: short, readable, no two alike."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SelectorNode

LONGEST = 48
"""A node whose expression is longer gets a name."""
MOST = 400
"""An expression is written out up to this length before it is measured."""


@dataclass(frozen=True, slots=True)
class SourceNotes:
    """The names that the source gives nodes, those of its statements as text, and where nodes stand in it."""

    names: Mapping[Node, str]
    statements: Mapping[Node, str]
    locations: Mapping[Node, str]

    def for_rewritten(self, became: Mapping[Node, Node]) -> "SourceNotes":
        """The same of the nodes that these became."""

        def moved(notes: Mapping[Node, str]) -> dict[Node, str]:
            return {became.get(node, node): note for node, note in notes.items()}

        return SourceNotes(moved(self.names), moved(self.statements), moved(self.locations))


def titles_of(source: SourceNotes, spec: OutputSpec) -> dict[Node, str]:
    """The names of the nodes below the root of a spec, no two alike."""
    names = node_names(topological(spec.root), source.names, source.statements)
    if spec.root is not spec.value and spec.value in names:
        names[spec.root] = f"{names[spec.value]}:typed"
    return names


def node_names(order: Sequence[Node], titles: Mapping[Node, str], statements: Mapping[Node, str]) -> dict[Node, str]:
    """The names of the nodes of a graph, in topological order, that are not simply written out.

    `titles` are names from the source, and `statements` those that the program has as text, where they are unique. A
    node without a title is written out if that is short. Otherwise it has the name of its statement, or is numbered as
    a part of the titled node that it is for: `balance.1`.
    """
    names: dict[Node, str] = {}
    taken = set(statements.values())
    for node in order:
        if node in titles:
            names[node] = statements.get(node) or _free(_numbered(titles[node]), taken)
            taken.add(names[node])
    owners = _owners(order, names)
    for node in order:
        if node in names or not node.operands:
            continue
        text = describe(node, names, MOST)
        long = len(text) > LONGEST or "..." in text or text in taken
        if node in statements and (long or isinstance(node, SelectorNode)):
            names[node] = statements[node]
        elif long:
            names[node] = _free((f"{owners[node]}{k}" for k in itertools.count(1)), taken)
        taken.add(names.get(node, text))
    return names


def _numbered(title: str) -> Iterator[str]:
    """A title, and the same with numbers."""
    yield title
    yield from (f"{title}_{count}" for count in itertools.count(2))


def _free(names: Iterable[str], taken: set[str]) -> str:
    return next(name for name in names if name not in taken)


def _owners(order: Sequence[Node], names: Mapping[Node, str]) -> dict[Node, str]:
    """What the number of each unnamed node follows: the nearest named node above it, with a dot; or a letter."""
    owners: dict[Node, str] = {}
    for node in reversed(order):
        own = f"{names[node]}." if node in names else owners.setdefault(node, "s")
        for operand in node.operands:
            owners.setdefault(operand, own)
    return owners
