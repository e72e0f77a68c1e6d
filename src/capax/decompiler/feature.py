"""S-ops as columns of numbers: what is known at each position, and a bank of what can be made of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from capax.model.parts import Array
from capax.rasp.ir.nodes import Aggregate, Const, Input, Map, Node, SOpNode, Table
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.types import Atom

Kind: TypeAlias = Literal["bool", "int", "float", "str"]
MOST_FEATURES: Final = 12_000
"""A bank does not grow beyond about this many s-ops."""
MOST_SUBSET: Final = 7
"""Sets of values are tried for s-ops with at most this many."""


class Feature:
    """An s-op with its value in every row (a float; a string's is its number in a sorted list), and its size.

    The node of an operation is made when it is asked for: most are tried for their values, and never used.
    """

    __slots__ = ("_made", "cost", "kind", "values")

    def __init__(self, made: "SOpNode | tuple[str, tuple[Feature, ...]]", kind: Kind, values: Array, cost: float):
        """With its node, or with the operation and the s-ops that it is made of."""
        self._made = made
        self.kind: Kind = kind
        self.values = values
        self.cost = cost

    @property
    def node(self) -> SOpNode:
        """The s-op."""
        if isinstance(self._made, tuple):
            op, args = self._made
            self._made = Map(op, tuple(arg.node for arg in args))
        return self._made


@dataclass(frozen=True, slots=True)
class Strings:
    """The strings of a question in order: a string's code is its number."""

    listed: tuple[str, ...]

    def code(self, text: str) -> int:
        """The number of a string."""
        return self.listed.index(text)


def kind_of(atom: Atom) -> Kind:
    """The kind of an atom."""
    match atom:
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
    return "str"


@dataclass
class Bank:
    """S-ops of small size over some base s-ops, one for each column of values that they give."""

    strings: Strings
    features: list[Feature] = field(default_factory=list)
    _known: dict[tuple[str, bytes], int] = field(default_factory=dict)

    def add(self, feature: Feature) -> bool:
        """Adds an s-op, unless one with its values is there that is no larger; whether it was added."""
        if not np.isfinite(feature.values).all():
            return False
        key = feature.kind, np.round(feature.values, 9).tobytes()
        at = self._known.get(key)
        if at is None:
            if len(self.features) >= MOST_FEATURES:
                return False
            self._known[key] = len(self.features)
            self.features.append(feature)
            return True
        if feature.cost < self.features[at].cost:
            self.features[at] = feature
        return False

    def add_all(self, features: Iterable[Feature]) -> list[Feature]:
        """Adds s-ops; those that are new."""
        return [feature for feature in features if self.add(feature)]

    def of_kind(self, *kinds: Kind) -> list[Feature]:
        """The s-ops of some kinds, small ones first."""
        return sorted((f for f in self.features if f.kind in kinds), key=lambda f: f.cost)


def constant(value: Atom, rows: int, strings: Strings) -> Feature:
    """The s-op that has one value everywhere."""
    number = strings.code(value) if isinstance(value, str) else float(value)
    return Feature(Const(value), kind_of(value), np.full(rows, float(number)), 1.0)


def mapped(op: str, kind: Kind, values: Array, *args: Feature) -> Feature:
    """An operation on s-ops, whose values have been computed."""
    return Feature((op, args), kind, values, 1.0 + sum(a.cost for a in args))


def values_of(node: Node, known: Mapping[Node, Feature], strings: Strings) -> Feature | None:
    """The column of an element-wise node over known ones; None where an operand is not known, or for other nodes."""
    rows = len(next(iter(known.values())).values)
    if isinstance(node, Const):
        known_string = not isinstance(node.value, str) or node.value in strings.listed
        return constant(node.value, rows, strings) if known_string else None
    if not isinstance(node, Map | Table) or any(o not in known for o in node.operands):
        return None
    args = [known[o] for o in node.operands]
    results = _applied(node, [[_atom(f, x, strings) for x in f.values.tolist()] for f in args])
    if any(isinstance(x, str) and x not in strings.listed for x in results):
        return None
    kinds = {kind_of(x) for x in results}
    kind: Kind = kinds.pop() if len(kinds) == 1 else "float"
    values = np.array([strings.code(x) if isinstance(x, str) else x for x in results], np.float64)
    return Feature(node, kind, values, 1.0 + sum(a.cost for a in args))


def _applied(node: Map | Table, atoms: list[list[Atom]]) -> list[Atom]:
    """The values of an operation or a table, row by row."""
    if isinstance(node, Map):
        return [OPS[node.op].apply(*row) for row in zip(*atoms, strict=True)]
    table = dict(node.entries)
    return [x in table if node.kind == "members" else table.get(x, 0) for x in atoms[0]]


def _atom(f: Feature, number: float, strings: Strings) -> Atom:
    match f.kind:
        case "str":
            return strings.listed[int(number)]
        case "bool":
            return bool(number)
        case "int":
            return int(number)
    return number


def grown(base: Sequence[Feature], strings: Strings) -> Bank:
    """The bank of s-ops over some base ones: sums, differences, comparisons, choices, a few steps deep."""
    bank = Bank(strings)
    bank.add_all(base)
    rows = len(base[0].values)
    simple = bank.add_all(_derived(base, rows))
    numbers = [f for f in (*base, *simple) if f.kind in ("int", "float")]
    first = bank.add_all(_sums(numbers, numbers, rows))
    small = [f for f in (*base, *simple) if f.kind != "bool"]
    truths = [f for f in base if f.kind == "bool"]
    truths += bank.add_all(_tests(small, strings, rows))
    truths += bank.add_all(_compared(numbers))
    truths += bank.add_all(_same_texts([f for f in base if f.kind == "str"]))
    joint = bank.add_all(_joint(base, rows))
    bank.add_all(_tests(joint[:200], strings, rows, base))
    marked = bank.add_all(_marked([*numbers, *first], truths))
    bank.add_all(_chosen(truths, [*numbers, *first], rows))
    more = bank.add_all(_tests([*first, *marked[:200]], strings, rows))
    bank.add_all(_logic(truths[:60], [*truths[:60], *more[:60]]))
    second = bank.add_all(_sums(first[:160], numbers, rows, steps=True))
    bank.add_all(_tests(second[:300], strings, rows))
    return bank


def _joint(base: Sequence[Feature], rows: int) -> Iterator[Feature]:
    """A number, and another one added to it where a test holds."""
    numbers = [f for f in base if f.kind == "int"]
    zero = constant(0, rows, Strings(()))
    for p in (f for f in base if f.kind == "bool"):
        for f in numbers:
            some = mapped("where", "int", np.where(p.values > 0, f.values, 0.0), p, f, zero)
            others = mapped("where", "int", np.where(p.values > 0, 0.0, f.values), p, zero, f)
            for part in (some, others):
                yield from (mapped("+", "int", g.values + part.values, g, part) for g in numbers)


def _derived(base: Sequence[Feature], rows: int) -> Iterator[Feature]:
    """The digits of tokens that are integers; what a mean tells: of how many positions, and how often a value."""
    one, ten = (constant(value, rows, Strings(())) for value in (1, 10))
    indices = next((f for f in base if type(f.node).__name__ == "Indices"), None)
    for f in base:
        if f.kind == "bool":
            yield mapped("indicator", "int", f.values, f)
        if f.kind == "int" and isinstance(f.node, Input) and f.values.max() >= 10:
            yield mapped("//", "int", f.values // 10, f, ten)
            yield mapped("%", "int", f.values % 10, f, ten)
        if f.kind != "float" or not isinstance(f.node, Aggregate):
            continue
        with np.errstate(all="ignore"):
            inverse = 1 / f.values
        if np.isfinite(inverse).all() and np.abs(inverse - inverse.round()).max() < 1e-6:
            yield mapped("round", "int", inverse.round(), mapped("/", "float", inverse, one, f))
        if indices is not None:
            here = mapped("+", "int", indices.values + 1, indices, one)
            many = here.values * f.values
            if np.abs(many - many.round()).max() < 1e-6:
                yield mapped("round", "int", many.round(), mapped("*", "float", many, here, f))


def _sums(left: Sequence[Feature], right: Sequence[Feature], rows: int, *, steps: bool = False) -> Iterator[Feature]:
    """Sums and differences, and neighbours: x + 1, x - 1, -x, x % 2."""
    for f in left:
        for g in right:
            if f.kind == g.kind and f is not g:
                yield mapped("-", f.kind, f.values - g.values, f, g)
                yield mapped("+", f.kind, f.values + g.values, f, g)
    for f in left:
        if f.kind == "int":
            for value in (1, 2):
                c = constant(value, rows, Strings(()))
                yield mapped("+", "int", f.values + value, f, c)
                yield mapped("-", "int", f.values - value, f, c)
            for modulus in (2, 3, 10):
                yield mapped("%", "int", f.values % modulus, f, constant(modulus, rows, Strings(())))
        if not steps:
            yield mapped("neg", f.kind, -f.values, f)


def _tests(some: Sequence[Feature], strings: Strings, rows: int, tables: Sequence[Feature] = ()) -> Iterator[Feature]:
    """Comparisons of an s-op with a constant, those of tables among them; for few values also whether it is one."""
    listed = {value for f in (*some, *tables) if isinstance(f.node, Table) for _, value in f.node.entries}
    whole = [0, 1, -1, 2, *sorted(x for x in listed if type(x) is int and not -1 <= x <= 2)]
    for f in some:
        if f.kind == "str":
            yield from _members(f, strings, rows)
    for numbers, kind in ((whole[:8], "int"), ([0, 0.5, 1], "float")):
        for value in numbers:
            c = constant(value, rows, strings)
            for f in some:
                if f.kind == kind:
                    for op, truth in _comparisons(f.values, c.values):
                        yield mapped(op, "bool", truth, f, c)


def _members(f: Feature, strings: Strings, rows: int) -> Iterator[Feature]:
    codes = np.unique(f.values).astype(int).tolist()
    for code in codes:
        c = constant(strings.listed[code], rows, strings)
        yield mapped("==", "bool", (f.values == code) * 1.0, f, c)
        yield mapped("!=", "bool", (f.values != code) * 1.0, f, c)
    if 3 < len(codes) <= MOST_SUBSET:
        for bits in range(1, 2 ** len(codes) - 1):
            chosen = [code for k, code in enumerate(codes) if bits >> k & 1]
            if len(chosen) > 1:
                entries = tuple((strings.listed[code], True) for code in chosen)
                values = np.isin(f.values, chosen) * 1.0
                yield Feature(Table("members", entries, f.node), "bool", values, f.cost + 1.0 + 0.5 * len(chosen))


def _comparisons(a: Array, b: Array) -> Iterator[tuple[str, Array]]:
    same = np.abs(a - b) < 1e-9
    less = (a < b) & ~same
    yield from (("==", same * 1.0), ("<", less * 1.0), (">", ~(less | same) * 1.0))
    yield from (("!=", ~same * 1.0), ("<=", (less | same) * 1.0), (">=", ~less * 1.0))


def _compared(numbers: Sequence[Feature]) -> Iterator[Feature]:
    """Comparisons of two s-ops."""
    for at, f in enumerate(numbers):
        for g in numbers[:at]:
            for op, truth in _comparisons(f.values, g.values):
                yield mapped(op, "bool", truth, f, g)


def _same_texts(texts: Sequence[Feature]) -> Iterator[Feature]:
    """Whether two strings are the same."""
    for at, f in enumerate(texts):
        for g in texts[:at]:
            yield mapped("==", "bool", (f.values == g.values) * 1.0, f, g)
            yield mapped("!=", "bool", (f.values != g.values) * 1.0, f, g)


def _marked(numbers: Sequence[Feature], truths: Sequence[Feature]) -> Iterator[Feature]:
    """Truth values as numbers, and added to numbers."""
    for p in truths[:80]:
        as_number = mapped("indicator", "int", p.values, p)
        yield as_number
        for f in numbers[:60]:
            if f.kind == "int":
                yield mapped("+", "int", f.values + p.values, f, as_number)
                yield mapped("-", "int", f.values - p.values, f, as_number)


def _chosen(truths: Sequence[Feature], numbers: Sequence[Feature], rows: int) -> Iterator[Feature]:
    """A number where a test holds, and a constant elsewhere."""
    for p in truths[:60]:
        for value in (0, -1):
            c = constant(value, rows, Strings(()))
            for f in numbers[:80]:
                if f.kind == "int":
                    values = np.where(p.values > 0, c.values, f.values)
                    yield mapped("where", "int", values, p, c, f)
                    other = np.where(p.values > 0, f.values, c.values)
                    yield mapped("where", "int", other, p, f, c)


def _logic(left: Sequence[Feature], right: Sequence[Feature]) -> Iterator[Feature]:
    for p in left:
        for q in right:
            if p is not q:
                yield mapped("and", "bool", p.values * q.values, p, q)
                yield mapped("or", "bool", np.maximum(p.values, q.values), p, q)
