"""One-line descriptions of nodes for messages, cut off where they get long."""

from collections.abc import Mapping

from capax.rasp.ir.loop_nodes import LoopResult, State
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Padded,
    Select,
    Table,
    Width,
)
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.strings import string_text
from capax.rasp.ir.triple_nodes import (
    Lift,
    PairAggregate,
    PairWidth,
    SumSelect,
    TripleAnd,
    TripleNot,
    TripleOr,
    sum_text,
)

FULL = Select(Const(1), Const(1), "==")
"""The node of `full_s`."""
LENGTH = Map(
    "round", (Map("/", (Const(1), Aggregate(FULL, Map("indicator", (Map("==", (Indices(), Const(0))),)), 0))),)
)
"""The node of `length`."""

DEEPEST = 6
LONGEST = 90
MOST_ENTRIES = 10
"""A table with more entries is cut."""
WHOLE = 1_000_000
"""A description of up to this length is whole: no table and no text in it is cut."""


def describe(node: Node, names: Mapping[Node, str] | None = None, longest: int = LONGEST) -> str:
    """The node as an expression of the language, shortened with `...`; its parts by their names where they have any.

    With `longest` as WHOLE nothing is shortened.
    """
    deepest = DEEPEST if longest <= LONGEST else 4 * DEEPEST
    text = _Description(names or {}, longest).expression(node, deepest)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def describe_atom(value: object, most: int = 60) -> str:
    """An atom as the language writes it, strings in double quotes; a long one is cut for messages."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 400:
        return f"<integer of {value.bit_length():,} bits>"
    text = string_text(value) if isinstance(value, str) else str(value)
    return text if len(text) <= most else f"{text[: most - 4]}...{text[-1]}"


class _Description:
    """The texts of a node's parts down to a depth, each written once and no further than is shown.

    A part may stand in both operands of a node, of which one is in both operands of the next: written each time that it
    is met, it would be written two to the power of the depth times.
    """

    def __init__(self, names: Mapping[Node, str], longest: int) -> None:
        self._names = names
        self._longest = longest
        self._texts: dict[tuple[Node, int], str] = {}

    def expression(self, node: Node, depth: int) -> str:
        """The node written out, whether it has a name or not."""
        if node is LENGTH or node is FULL:
            return "length" if node is LENGTH else "full_s"
        if depth == 0 and node.operands:
            return "..."
        key = node, depth
        if key not in self._texts:
            inner = [self._part(o, depth - 1) for o in node.operands]
            # What follows the first `longest` characters of a part follows those of the whole.
            entries = None if self._longest >= WHOLE else MOST_ENTRIES
            self._texts[key] = _written(node, inner, self._names, entries)[: self._longest + 1]
        return self._texts[key]

    def _part(self, node: Node, depth: int) -> str:
        return self._names[node] if node in self._names else self.expression(node, depth)


def _written(node: Node, inner: list[str], names: Mapping[Node, str], entries: int | None) -> str:
    """The node written out, with its operands as they are written, and so many entries of tables, or all."""
    match node:
        case Map():
            op = OPS[node.op]
            if not op.is_call:
                inner = [t if o in names else _grouped(t, o) for t, o in zip(inner, node.operands, strict=True)]
            return op.text(inner)
        case Table():
            arg = inner[0] if node.arg in names else _grouped(inner[0], node.arg)
            return _describe_table(node, arg, inner[0], entries)
        case Aggregate() | PairAggregate():
            plain = type(node.default) is int and node.default == 0
            default = "" if plain else f", {_atom(node.default, entries)}"
            return f"aggregate({inner[0]}, {inner[1]}{default})"
        case Width() | PairWidth():
            return f"selector_width({inner[0]})"
        case LoopResult():
            return f"{node.states[node.number].name} after {node.rounds} rounds of ({', '.join(inner)})"
        case Padded():
            return f"{inner[0]} with pads"
        case _ if inner:
            return _written_selector(node, inner)
        case _:
            return _written_leaf(node, entries)


def _atom(value: object, entries: int | None) -> str:
    return describe_atom(value) if entries is not None else describe_atom(value, WHOLE)


def _written_leaf(node: Node, entries: int | None) -> str:
    match node:
        case Input():
            return "tokens" if node.kind == "str" else f"tokens_{node.kind}"
        case Indices():
            return "indices"
        case State():
            return node.name
        case Const():
            return _atom(node.value, entries)
        case _:
            return type(node).__name__


def _written_selector(node: Node, inner: list[str]) -> str:
    match node:
        case Select():
            return f"select({inner[0]}, {inner[1]}, {node.op})"
        case SumSelect():
            return f"select3({', '.join(inner)}, {sum_text(node.modulus, node.op, node.constant)})"
        case Lift():
            return f"on_{node.side}({inner[0]})"
        case And() | Or() | TripleAnd() | TripleOr():
            word = "and" if isinstance(node, (And, TripleAnd)) else "or"
            return f"({inner[0]} {word} {inner[1]})"
        case Not() | TripleNot():
            return f"(not {inner[0]})"
        case Best():
            return f"best({inner[0]}, {inner[1]})"
        case _:
            return type(node).__name__


def _describe_table(node: Table, grouped: str, arg: str, entries: int | None) -> str:
    shown = node.entries[:entries]
    more = ", ..." if len(node.entries) > len(shown) else ""
    keys, values = ([_atom(pair[side], entries) for pair in shown] for side in (0, 1))
    match node.kind:
        case "members":
            return f"{grouped} in [{', '.join(keys)}{more}]"
        case "string":
            return f"{string_text(''.join(str(value) for _, value in shown) + (more and '...'))}[{arg}]"
        case "positions":
            return f"[{', '.join(values)}{more}]"
        case "list":
            return f"[{', '.join(values)}{more}][{arg}]"
        case _:
            pairs = ", ".join(f"{key}: {value}" for key, value in zip(keys, values, strict=True))
            return f"{{{pairs}{more}}}[{arg}]"


def _grouped(text: str, node: Node) -> str:
    simple = not isinstance(node, Map) or OPS[node.op].is_call
    return text if simple or text == "..." else f"({text})"
