"""What element-wise s-op gives these values? A term, or choices between terms by tests: a small decision tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np

from capax.decompiler.feature import Bank, Feature, constant, kind_of, mapped, values_of
from capax.model.parts import Array
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import Aggregate, Const, Map, Node, SOpNode, Table
from capax.rasp.ir.triple_parts import OPPOSITE
from capax.rasp.ir.types import Atom

K = TypeVar("K", bound=Any)
DEEPEST: Final = 4
"""A tree asks at most so many questions in a row."""
MOST_TESTS: Final = 3000
MOST_TERMS: Final = 500
BRANCHES: Final = 6
"""After so many first questions the search for a better tree ends."""
DIGITS: Final = "0123456789"
MOST_SUMMANDS: Final = 4000
"""At most so many s-ops are tried as a part of a sum whose last digit is the answer."""
LARGEST_TABLE: Final = 12
"""A table over one s-op has at most so many entries; one over two strings at most four times as many."""


@dataclass(frozen=True, slots=True, eq=False)
class SmallSOp:
    """An s-op that is right on the rows it was made for, and its size."""

    node: SOpNode
    cost: float


@dataclass
class TreeSearch:
    """A target, one atom for each row, and the terms and tests that may make it up."""

    target: Sequence[Atom]
    bank: Bank
    base: Sequence[Feature]
    terms: list[Feature] = field(init=False)
    tests: list[Feature] = field(init=False)
    wrong: Array = field(init=False)
    truth: Array = field(init=False)

    def __post_init__(self) -> None:
        atoms = list(dict.fromkeys((type(a).__name__, a) for a in self.target))
        kinds = {kind_of(a) for _, a in atoms}
        rows = len(self.target)
        aim = np.array([self._number(a) for a in self.target])
        terms = [constant(a, rows, self.bank.strings) for _, a in atoms if len(atoms) <= 12]
        own = [f for f in self.bank.of_kind(*kinds) if (np.abs(f.values - aim) < 1e-9).any()]
        self.terms = [*terms, *own[:MOST_TERMS], *(self._digits(aim) if kinds == {"str"} else ())]
        self.wrong = (
            np.stack([np.abs(f.values - aim) > 1e-9 for f in self.terms]) if self.terms else np.zeros((0, rows))
        )
        self.tests = [f for f in self.bank.of_kind("bool") if 0 < f.values.sum() < rows][:MOST_TESTS]
        truth = np.stack([f.values for f in self.tests]) if self.tests else np.zeros((0, rows))
        self.truth = truth > 0

    def _number(self, atom: Atom) -> float:
        return float(self.bank.strings.code(atom) if isinstance(atom, str) else atom)

    def _digits(self, aim: Array) -> list[Feature]:
        """The digits of numbers from 0 to 9, as strings; and of last digits of sums, where they give every digit."""
        strings = self.bank.strings
        codes = np.array([strings.code(c) if c in strings.listed else -1 for c in DIGITS])
        terms = []
        for f in self.bank.of_kind("int"):
            inside = f.values.min() >= 0 and f.values.max() <= 9
            if inside and _is_bounded(f.node) and (codes[f.values.astype(int)] == aim).any():
                terms.append(f)
        terms = [*terms[:MOST_TERMS], *self._last_digits(aim, codes)]
        return [
            Feature(
                Table("string", tuple(enumerate(DIGITS)), f.node),
                "str",
                codes[f.values.astype(int)].astype(np.float64),
                f.cost + 2.0,
            )
            for f in terms
        ]

    def _last_digits(self, aim: Array, codes: Array) -> Iterator[Feature]:
        """The sums `(f + g) % 10` that are right wherever the target is a digit."""
        at = np.flatnonzero(np.isin(aim, codes[codes >= 0]))
        if not len(at):
            return
        ten = constant(10, len(aim), self.bank.strings)
        some = self.bank.of_kind("int")[:MOST_SUMMANDS]
        table = np.stack([f.values for f in some]).astype(np.int64) if some else np.zeros((0, len(aim)), np.int64)
        for g in (f for f in self.base if f.kind == "int"):
            right = (codes[(table[:, at] + g.values[at].astype(np.int64)) % 10] == aim[at]).all(axis=1)
            for k in np.flatnonzero(right).tolist():
                total = mapped("+", "int", some[k].values + g.values, some[k], g)
                yield mapped("%", "int", total.values % 10, total, ten)

    def term(self, rows: Array) -> SmallSOp | None:
        """The smallest single term that is right on some rows."""
        right = ~self.wrong[:, rows].any(axis=1)
        at = np.flatnonzero(right)
        options = [SmallSOp(self.terms[i].node, self.terms[i].cost) for i in at.tolist()]
        return min(options, key=lambda t: t.cost) if options else None

    def tree(self, rows: Array, deep: int = DEEPEST) -> SmallSOp | None:
        """A small tree that is right on some rows (by number); None if none was found."""
        leaf = self.term(rows)
        if leaf is not None or deep == 0 or not self.tests:
            return leaf
        truth = self.truth[:, rows]
        wrong = self.wrong[:, rows].astype(np.float32)
        yes = truth.astype(np.float32) @ wrong.T < 0.5
        no = (~truth).astype(np.float32) @ wrong.T < 0.5
        inner = np.asarray(truth.any(axis=1) & ~truth.all(axis=1))
        costs = np.array([t.cost for t in self.terms])
        yes_cost = np.where(yes, costs, np.inf).min(axis=1)
        no_cost = np.where(no, costs, np.inf).min(axis=1)
        test_cost = np.array([t.cost for t in self.tests])
        whole = np.where(inner, yes_cost + no_cost + test_cost, np.inf)
        at = int(whole.argmin())
        if np.isfinite(whole[at]):
            then, other = (self.terms[int(np.where(side[at], costs, np.inf).argmin())] for side in (yes, no))
            return self._choice(self.tests[at], SmallSOp(then.node, then.cost), SmallSOp(other.node, other.cost))
        tabled = self._table(rows)
        return tabled if tabled is not None else self._split(rows, deep, truth, inner, yes_cost, no_cost)

    def _split(self, rows: Array, deep: int, truth: Array, inner: Array, yes: Array, no: Array) -> SmallSOp | None:
        """The best of a few trees whose first test leaves one side to a single term."""
        sides = []
        for cost, side in ((yes, True), (no, False)):
            held = (truth if side else ~truth).sum(axis=1)
            score = np.where(inner & np.isfinite(cost), held / (2.0 + np.array([t.cost for t in self.tests])), 0.0)
            sides += [(float(score[i]), int(i), side) for i in np.argsort(-score)[:BRANCHES] if score[i] > 0]
        best: SmallSOp | None = None
        for _, i, side in sorted(sides, reverse=True)[:BRANCHES]:
            mine = truth[i] if side else ~truth[i]
            rest = self.tree(rows[~mine], deep - 1)
            leaf = self.term(rows[mine])
            if rest is None or leaf is None:
                continue
            whole = self._choice(self.tests[i], *((leaf, rest) if side else (rest, leaf)))
            if best is None or whole.cost < best.cost:
                best = whole
        return best

    def _choice(self, test: Feature, then: SmallSOp, other: SmallSOp) -> SmallSOp:
        """One of two by a test; written as logic where the values are truth values."""
        cost = 1.0 + test.cost + then.cost + other.cost
        match _truth(then.node), _truth(other.node):
            case True, False:
                return SmallSOp(test.node, test.cost)
            case False, True:
                return SmallSOp(_negated(test.node), test.cost + 1)
            case True, None:
                return SmallSOp(Map("or", (test.node, other.node)), cost - 1)
            case None, False:
                return SmallSOp(Map("and", (test.node, then.node)), cost - 1)
            case False, None:
                return SmallSOp(Map("and", (_negated(test.node), other.node)), cost - 1)
            case None, True:
                return SmallSOp(Map("or", (_negated(test.node), then.node)), cost - 1)
        return SmallSOp(Map("where", (test.node, then.node, other.node)), cost)

    def _table(self, rows: Array) -> SmallSOp | None:
        """A table over one base s-op with few values, or over two strings, if the target is a function of it."""
        names = [self.target[i] for i in rows.tolist()]
        options = [t for f in self.base if (t := self._single(f, rows, names)) is not None]
        if not options:
            texts = [f for f in self.base if f.kind == "str"]
            pairs = [(f, g) for f in texts for g in texts if f is not g]
            options = [t for f, g in pairs if (t := self._double(f, g, rows, names)) is not None]
        return min(options, key=lambda t: t.cost) if options else None

    def _single(self, f: Feature, rows: Array, names: Sequence[Atom]) -> SmallSOp | None:
        if f.kind == "float":
            return None
        entries = _function(f.values[rows].tolist(), names)
        if entries is None or len(entries) > LARGEST_TABLE:
            return None
        listed = tuple((self._atom(f, key), value) for key, value in sorted(entries.items()))
        return SmallSOp(Table("dict", listed, f.node), f.cost + 1.0 + 0.5 * len(entries))

    def _double(self, f: Feature, g: Feature, rows: Array, names: Sequence[Atom]) -> SmallSOp | None:
        keys = list(zip(f.values[rows].tolist(), g.values[rows].tolist(), strict=True))
        entries = _function(keys, names)
        if entries is None or len(entries) > 4 * LARGEST_TABLE:
            return None
        joined = Map("+", (f.node, g.node))
        texts = [(f"{self._atom(f, a)}{self._atom(g, b)}", value) for (a, b), value in sorted(entries.items())]
        if len({text for text, _ in texts}) < len(texts):
            return None
        cost = f.cost + g.cost + 2.0 + 0.5 * len(texts)
        if all(isinstance(value, bool) for _, value in texts):
            yes, no = ([t for t in texts if t[1] is truth] for truth in (True, False))
            kind = yes if len(yes) <= len(no) else no
            members: SOpNode = Table("members", tuple((text, True) for text, _ in kind), joined)
            return SmallSOp(members if kind is yes else Map("not", (members,)), cost)
        return SmallSOp(Table("dict", tuple(texts), joined), cost)

    def _atom(self, f: Feature, number: float) -> Atom:
        match f.kind:
            case "str":
                return self.bank.strings.listed[int(number)]
            case "bool":
                return bool(number)
        return int(number)


def _is_bounded(node: SOpNode) -> bool:
    """Whether an s-op has the same few values in words of any length, by its form."""
    match node:
        case Const() | Table() | Map(op="%") | Map(op="indicator"):
            return True
        case Map(op="where", args=(_, then, other)):
            return _is_bounded(then) and _is_bounded(other)
        case Aggregate():
            return _is_bounded(node.value)
    return False


def _negated(node: SOpNode) -> SOpNode:
    """The opposite of a test."""
    if isinstance(node, Map) and node.op in OPPOSITE:
        return Map(OPPOSITE[node.op], node.args)
    return Map("not", (node,))


def _truth(node: SOpNode) -> bool | None:
    value = getattr(node, "value", None) if type(node).__name__ == "Const" else None
    return value if isinstance(value, bool) else None


def _function(keys: Sequence[K], values: Sequence[Atom]) -> dict[K, Atom] | None:
    """The map from keys to values, if there is one."""
    entries: dict[K, Atom] = {}
    for key, value in zip(keys, values, strict=True):
        if entries.setdefault(key, value) != value or type(entries[key]) is not type(value):
            return None
    return entries


def explain(target: Sequence[Atom], bank: Bank, base: Sequence[Feature]) -> SmallSOp | None:
    """The smallest s-op that was found for a target, one atom for each row; None if none was."""
    return TreeSearch(target, bank, base).tree(np.arange(len(target)))


def truth_of(target: Array, bank: Bank, base: Sequence[Feature], rows: Array | None = None) -> Feature | None:
    """An s-op that is true in the rows of a target and in no other, of all rows or of some; None if none was found."""
    search = TreeSearch([bool(x) for x in target], bank, base)
    tree = search.tree(np.arange(len(target)) if rows is None else np.flatnonzero(rows))
    if tree is None:
        return None
    known: dict[Node, Feature] = {f.node: f for f in base}
    root: Node = tree.node
    for node in postorder([root], lambda n: () if n in known else n.operands):
        column = known.get(node) or values_of(node, known, bank.strings)
        if column is not None:
            known[node] = column
    values = known[tree.node].values if tree.node in known else np.asarray(target, np.float64)
    return Feature(tree.node, "bool", values, tree.cost)


def indicator(truth: Feature) -> Feature:
    """A truth value as 1 or 0."""
    return mapped("indicator", "int", truth.values, truth)
