"""Of which type an answer is: a program that computes it beside the answer.

1, 1.0 and True are equal, and a transformer computes with numbers. Yet the language tells them apart: the mean of
several integers is a float, a single one stays an integer. Which of them an s-op gives at a position is again an s-op,
no deeper than the first: it reads the same selectors.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias, TypeGuard, assert_never

from capax.rasp.analysis.offsets import offsets_of
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import conjuncts, operands_of, topological, with_operands
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
    Or,
    Padded,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import OPS, expanded
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth
from capax.rasp.ir.types import Atom

FLOAT, INT, BOOL = 0, 1, 2
"""The codes of the types of numbers."""

TYPES: Final[dict[int, type]] = {FLOAT: float, INT: int, BOOL: bool}
_NAMES: Final = {"int": INT, "float": FLOAT, "bool": BOOL}

Kind: TypeAlias = "int | SOpNode | None"
"""A code, an s-op that gives the code at each position, or None for what is a string wherever it is anything."""


class Unknown(Exception):  # noqa: N818 - it is an answer, not an error
    """No program for the type is known."""


def cast(value: Atom, code: int) -> Atom:
    """A number as a value of the type with a code; strings stay as they are."""
    if isinstance(value, str):
        return value
    number: Atom = TYPES[code](value)
    return number if number == value else value


def kind_of(root: SOpNode, tokens: Sequence[Atom]) -> Kind:
    """The type of an s-op's numbers on words of some tokens; raises `Unknown` where no program gives it."""
    known: dict[Node, Kind] = {}
    for node in topological(root):
        if isinstance(node, SOpNode):
            known[node] = _kind(node, known, tokens)
    return known[root]


def written(root: SOpNode, tokens: Sequence[Atom]) -> dict[Node, Node]:
    """Every node below a root, where numbers that are written into strings, as in "%s" % x, have a type of their own.

    A float is written with its point, an integer without: `x * 1.0` and `round(x)` are what they are by themselves.
    """
    known: dict[Node, Kind] = {}
    new: dict[Node, Node] = {}
    for node in topological(root):
        new[node] = with_operands(node, new)
        if isinstance(node, SOpNode):
            known[node] = _kind(node, known, tokens)
        if isinstance(node, Map) and node.op == "%" and known[node.args[0]] is None:
            text, number = new[node].parts[1]
            new[node] = _by_kind(text, number, known[node.args[1]])
    return new


def _by_kind(text: SOpNode, number: SOpNode, kind: Kind) -> SOpNode:
    """A number in a text, as what it is."""
    forms = {
        FLOAT: Map("*", (number, Const(1.0))),
        INT: Map("round", (number,)),
        BOOL: Map("==", (number, Const(1))),
    }
    texts = {code: Map("%", (text, form)) for code, form in forms.items()}
    if not isinstance(kind, SOpNode):
        return Map("%", (text, number)) if kind is None else texts[kind]
    rest = Map("where", (_is(kind, INT), texts[INT], texts[BOOL]))
    return Map("where", (_is(kind, FLOAT), texts[FLOAT], rest))


def _kind(node: SOpNode, known: dict[Node, Kind], tokens: Sequence[Atom]) -> Kind:
    match node:
        case Const():
            return _code(node.value)
        case Input():
            return _of_tokens(tokens) if node.kind == "asis" else _NAMES.get(node.kind)
        case Indices() | Width() | PairWidth():
            return INT
        case State():
            return kind_of_state(node)
        case Padded():
            return known[node.value]
        case LoopResult():
            raise Unknown
        case Table():
            return _of_table(node)
        case Aggregate():
            return _of_aggregate(node, known[node.value])
        case PairAggregate():
            return _of_pairs(node, known[node.value])
        case Map():
            expansion = expanded(node)
            if expansion is None:
                return _of_map(node, [known[a] for a in node.args])
            inside = dict(known)
            for part in topological(expansion):
                if isinstance(part, SOpNode) and part not in inside:
                    inside[part] = _kind(part, inside, tokens)
            return inside[expansion]
        case _:
            raise AssertionError(node)


def kind_of_state(state: State) -> Kind:
    """The type of a state, which is one and the same for all its values."""
    kinds = {_code(value) for value in state.values}
    if len(kinds) != 1:
        raise Unknown
    return kinds.pop()


def _code(value: Atom) -> Kind:
    if isinstance(value, str):
        return None
    return BOOL if isinstance(value, bool) else INT if isinstance(value, int) else FLOAT


def _of_tokens(tokens: Sequence[Atom]) -> Kind:
    return _looked_up([(t, t) for t in tokens], Input("asis"))


def _of_table(node: Table) -> Kind:
    if node.kind == "members":
        return BOOL
    if node.kind in ("list", "string") and len({_code(v) for _, v in node.entries}) > 1:
        raise Unknown  # a position from the end is another key of the same entry
    return _looked_up(node.entries, node.arg)


def _looked_up(entries: Sequence[tuple[Atom, Atom]], arg: SOpNode) -> Kind:
    codes = [_code(value) for _, value in entries]
    numbers = {c for c in codes if c is not None}
    if len(numbers) <= 1:
        return next(iter(numbers), None)
    keys = [key for key, _ in entries]
    if len(set(keys)) < len(keys):
        raise Unknown  # two equal keys, such as 1 and 1.0
    pairs = tuple((k, INT if c is None else c) for k, c in zip(keys, codes, strict=True))
    return Table("map", pairs, arg)


def _of_map(node: Map, args: list[Kind]) -> Kind:
    match OPS[node.op].result:
        case "bool" | "int" | "float" as name:
            return _NAMES[name]
        case "branch":
            return _either(node.args[0], args[1], args[2])
        case "number" | "power" if None in args:
            return None
        case "number":
            return _exact(args)
        case "power":
            exact = _exact(args)
            if exact == FLOAT or not _may_be_negative(node.args[1]):
                return exact
            return _either(Map("<", (node.args[1], Const(0))), FLOAT, exact)
        case None:
            raise Unknown
        case result:
            assert_never(result)


def _may_be_negative(exponent: SOpNode) -> bool:
    if isinstance(exponent, Const):
        return not isinstance(exponent.value, str) and exponent.value < 0
    return not isinstance(exponent, (Indices, Width))


def _exact(args: list[Kind]) -> Kind:
    """An integer if all operands are integers or booleans, else a float."""
    kind: Kind = INT
    for arg in args:
        if arg == FLOAT:
            return FLOAT
        if isinstance(arg, SOpNode):
            kind = _either(_is(arg, FLOAT), FLOAT, kind)
    return kind


def _is(kind: SOpNode, code: int) -> SOpNode:
    return Map("==", (kind, Const(code)))


def _either(condition: SOpNode, then: Kind, otherwise: Kind) -> Kind:
    if then is None or otherwise is None or then == otherwise:
        return otherwise if then is None else then
    return Map("where", (condition, _node(then), _node(otherwise)))


def _node(kind: Kind) -> SOpNode:
    return kind if isinstance(kind, SOpNode) else Const(INT if kind is None else kind)


def _of_aggregate(node: Aggregate, kind: Kind) -> Kind:
    default = _code(node.default)
    if kind is None:
        return default
    single: Kind = kind
    if kind == BOOL and default in (None, BOOL):
        return BOOL  # several booleans have no mean
    if isinstance(kind, SOpNode):
        single = Aggregate(node.selector, kind, INT if default is None else default)
    elif at_most_one(node.selector) and default not in (None, kind):
        return Aggregate(node.selector, Const(kind), default)
    if at_most_one(node.selector) or (single == FLOAT and default in (None, FLOAT)):
        return single
    width = _count(node.selector)
    if single == default or (default is None and isinstance(single, int)):
        return Map("where", (Map("<", (width, Const(2))), _node(single), Const(FLOAT)))
    several = _either(Map("==", (width, Const(0))), default, FLOAT)
    return _either(Map("==", (width, Const(1))), single, several)


def _of_pairs(node: PairAggregate, kind: Kind) -> Kind:
    default = _code(node.default)
    if kind is None:
        return default
    single: Kind = kind
    if isinstance(kind, SOpNode):
        single = PairAggregate(node.triples, kind, INT if default is None else default)
    width = PairWidth(node.triples)
    several = _either(Map("==", (width, Const(0))), default, FLOAT)
    return _either(Map("==", (width, Const(1))), single, several)


def _count(selector: SelectorNode) -> SOpNode:
    """How many keys are selected: the position tells, where all up to it are."""
    if selector is Select(Indices(), Indices(), "<="):
        return Map("+", (Indices(), Const(1)))
    return Indices() if selector is Select(Indices(), Indices(), "<") else Width(selector)


def at_most_one(selector: SelectorNode) -> bool:
    """Whether the form of a selector alone tells that no query selects two keys."""
    waiting = [selector]
    while waiting:
        part = waiting.pop()
        match part:
            case Best():
                return True
            case And():
                waiting += [part.left, part.right]
            case Select(op="==", key=Indices()):
                return True
            case Select(op="==", key=Width(selector=order)) if is_total_order(order):
                return True
    return False


STRICT = ("<", ">")


def is_total_order(selector: SelectorNode) -> bool:
    """Whether a selector is a strict order of the positions: by a key, ties by the next key, and at last by position.

    `select(x, x, <) or (select(x, x, ==) and rest)`, where `rest` is such an order, is one; so is a comparison of
    positions.
    """
    parts = [operands_of(part, And) for part in operands_of(selector, Or)]
    while True:
        if len(parts) == 1 and len(parts[0]) == 1:
            last = parts[0][0]
            if isinstance(last, Or):
                parts = [operands_of(part, And) for part in operands_of(last, Or)]
                continue
            return isinstance(last, Select) and last.op in STRICT and last.key is last.query is Indices()
        rest = _among_ties(parts)
        if rest is None:
            return False
        parts = rest


def _among_ties(parts: list[list[SelectorNode]]) -> list[list[SelectorNode]] | None:
    """What orders the positions with equal first keys, if one part compares that key and all others ask for a tie."""
    first = next((p[0] for p in parts if len(p) == 1 and _compares_itself(p[0])), None)
    if first is None:
        return None
    equal = Select(first.key, first.query, "==")
    others = [p for p in parts if p != [first]]
    if len(others) != len(parts) - 1 or any(equal not in p for p in others):
        return None
    return [[leaf for leaf in p if leaf is not equal] for p in others]


def _compares_itself(node: SelectorNode) -> TypeGuard[Select]:
    return isinstance(node, Select) and node.op in STRICT and node.key is node.query


def selects_self(node: SelectorNode) -> bool:
    """Whether every query surely selects its own position."""
    return all(
        part is FULL
        or (isinstance(part, Select) and part.key is part.query and part.op in ("==", "<=", ">="))
        or ((offsets := offsets_of(part)) is not None and 0 in offsets)
        for part in conjuncts(node)
    )
