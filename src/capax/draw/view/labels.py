"""What the nodes of a program are called in a picture, and which element-wise results are shown."""

from collections import defaultdict
from collections.abc import Mapping
from string import ascii_lowercase

from capax.rasp.analysis.schedule import Layer, Schedule
from capax.rasp.ir.describe import FULL, LENGTH, LONGEST, describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import And, Const, Indices, Input, Map, Node, Not, Or, SOpNode, Table
from capax.rasp.ir.triple_nodes import AnySelector, TripleAnd, TripleNot, TripleOr

WHOLE = 4000
"""The longest text of a selector or s-op."""
MOST_PARTS = 300
"""A text of more parts is cut early, since writing it whole takes long."""


MOST_LETTERS = 300
"""A name or value of more characters is cut in pictures, everywhere."""


def bounded(text: str) -> str:
    """The text; of a very long one the start, and how long it is."""
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}… ({len(text):,} characters)"


class Labels:
    """Names for the nodes of a schedule: the ones they were given; `head1.2` for what a head gives."""

    def __init__(self, schedule: Schedule, *, everything: bool = False) -> None:
        self.root = schedule.root
        self.names_by_node: Mapping[Node, str] = {node: bounded(name) for node, name in schedule.names.items()}
        self._everything = everything
        self._users = _users(schedule.root)
        self._fixed = _fixed(schedule.root)
        self._names = {LENGTH: "length", FULL: "full_s"} | dict(self.names_by_node)
        for layer in schedule.layers:
            self._name_outputs(layer)
        self._sizes = text_sizes(schedule.root, self._names)
        self._texts: dict[Node, str] = {}

    def _name_outputs(self, layer: Layer) -> None:
        for number, head in enumerate(layer.heads, 1):
            nameless = [o for o in head.outputs if o not in self._names]
            for index, output in enumerate(nameless):
                letter = ascii_lowercase[index % 26] if len(nameless) > 1 else ""
                self._names[output] = f"head{layer.number}.{number}{letter}"

    def name(self, node: Node) -> str:
        """A node's name, or what it computes."""
        return self._names.get(node) or self._text(node)

    def _text(self, node: Node) -> str:
        """What a node computes: whole, or cut where the parts that it shares with itself would make it huge."""
        if node not in self._texts:
            longest = WHOLE if self._sizes.get(node, 1) <= MOST_PARTS else LONGEST
            self._texts[node] = _bare(describe(node, self._names, longest), node)
        return self._texts[node]

    def title(self) -> str:
        """What the whole program is called: its name, `program` for an s-op without one."""
        plain = (
            self.root in self.names_by_node
            or isinstance(self.root, (AnySelector, Input, Indices))
            or self.root is LENGTH
        )
        return self.name(self.root) if plain else "program"

    def where(self, selector: AnySelector) -> str:
        """What the named parts of a selector are: `same = select(tokens, tokens, ==), first = ...`."""
        parts: dict[Node, str] = {}
        seen: set[Node] = set()
        stack: list[Node] = [*reversed(selector.operands)]
        while stack:
            part = stack.pop()
            if isinstance(part, AnySelector) and part not in seen:
                seen.add(part)
                if part in self._names:
                    parts[part] = f"{self._names[part]} = {self.formula(part)}"
                stack += reversed(part.operands)
        return ", ".join(parts.values())

    def formula(self, node: Node) -> str:
        """What a node computes, in terms of what has a name; empty where that is its name already."""
        if node is FULL:
            return "select(1, 1, ==)"
        if node is LENGTH:
            return f"round({describe(LENGTH.operands[0], self._names)})"
        text = self._text(node)
        return "" if text == self.name(node) else text

    def is_shown(self, node: SOpNode) -> bool:
        """Whether an element-wise result has a row: not a constant, and not a nameless part of one other step."""
        if self._everything:
            return not isinstance(node, Const)
        if node is self.root or (node in self._names and node not in self._fixed):
            return True
        users = self._users[node]
        return node not in self._fixed and not (len(users) == 1 and isinstance(users[0], (Map, Table)))

    def uses(self, node: SOpNode) -> list[SOpNode]:
        """The shown s-ops that an element-wise result is made from, through what is hidden."""
        sources: dict[SOpNode, None] = {}
        seen: set[Node] = set()  # a hidden part may be reached in many ways
        stack: list[Node] = [*reversed(node.operands)]
        while stack:
            part = stack.pop()
            if part in seen:
                continue
            seen.add(part)
            if isinstance(part, (Map, Table)) and not self.is_shown(part):
                stack += reversed(part.operands)
            elif isinstance(part, SOpNode) and not isinstance(part, Const):
                sources[part] = None
        return list(sources)


def _bare(text: str, node: Node) -> str:
    """The text without the parentheses around a whole selector."""
    joined = isinstance(node, (And, Or, Not, TripleAnd, TripleOr, TripleNot))
    return text[1:-1] if joined and text.startswith("(") and text.endswith(")") else text


def text_sizes(root: Node, names: Mapping[Node, str]) -> dict[Node, int]:
    """How many parts the text of each node has; what has a name is one part."""
    sizes: dict[Node, int] = {}
    for node in topological(root):
        sizes[node] = 1 + sum(1 if operand in names else sizes[operand] for operand in node.operands)
    return sizes


def _users(root: Node) -> dict[Node, list[Node]]:
    users: dict[Node, list[Node]] = defaultdict(list)
    for node in topological(root):
        for operand in dict.fromkeys(node.operands):
            users[operand].append(node)
    return users


def _fixed(root: Node) -> set[Node]:
    """The nodes that are made from constants alone."""
    fixed: set[Node] = set()
    for node in topological(root):
        if isinstance(node, Const) or (isinstance(node, (Map, Table)) and fixed.issuperset(node.operands)):
            fixed.add(node)
    return fixed
