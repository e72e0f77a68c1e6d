"""Pass: the values of every s-op and the uniqueness of every selector, operands first.

An s-op is a function of its bases: the token, the position, and the aggregates and widths below it. As long as the
combinations of values of the bases are few, the function is kept as a table over them, so that operands with
something in common stay together (`a / (a + b)`, `x - x`). Where they are many, only a set of values is kept.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from capax.budget import Budget
from capax.compiler.analysis.analysis import (
    FAILED,
    TOKEN,
    Analysis,
    Entry,
    Failed,
    PossibleError,
    SelectorAnalysis,
    SOpAnalysis,
    always_fails,
    distinct_rows,
    may_be_boolean,
    may_be_float,
    union,
)
from capax.compiler.analysis.counted_sums import CountedSums, counted_sum
from capax.compiler.analysis.exhaustion import Exhaustion
from capax.compiler.analysis.linear import Linear, linear
from capax.compiler.analysis.means_together import paired
from capax.compiler.analysis.operation_tables import (
    broadcast,
    combinations,
    evaluate_entry,
    possible_together,
    samples_of_kinds,
)
from capax.compiler.analysis.triples import sum_may_fail, triple_analysis
from capax.compiler.analysis.value_sets import (
    Finite,
    Interval,
    ValueSet,
    finite,
    interval_of,
    is_numeric,
    means,
    no_float,
    stand_ins_of_floats,
    sum_of_ranges,
)
from capax.compiler.domain import Domain, spend
from capax.errors import CapaxError
from capax.rasp.analysis.key_limits import most_keys, tells_positions_apart
from capax.rasp.analysis.linear_bounds import is_position
from capax.rasp.analysis.output_types import is_total_order, selects_self
from capax.rasp.analysis.position_values import position_values
from capax.rasp.ir.describe import FULL, describe
from capax.rasp.ir.graph import conjuncts, topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import (
    COMPARISONS,
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
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, SumSelect, TripleNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import read_token

MOST_JOINT = 4096
"""Tables over several bases have at most this many entries."""


def analyse(
    roots: SOpNode | Sequence[SOpNode],
    domain: Domain,
    budget: Budget,
    *,
    floats: bool = False,
    words: Exhaustion | None = None,
    merge: bool = True,
) -> Analysis:
    """The analysis of all nodes below one root or several; with `floats` the interpreter's floats are listed, if few.

    With `words`, what would be an interval is what it is on them; with `merge`, one float may stand for others.
    """
    start = Analysis(domain, floats, {}, {}, {}, {}, {}, words=words, merge=merge and not floats)
    return _Analyser(start, budget).run([roots] if isinstance(roots, SOpNode) else roots)


def extended(analysis: Analysis, root: SOpNode, budget: Budget) -> Analysis:
    """The same analysis with the nodes below a further root; the errors that are possible there are left out."""
    return replace(_Analyser(analysis, budget).run([root]), possible_errors=analysis.possible_errors)


class _Analyser:
    """The analysis while it grows, operands first; `view` is what is known so far."""

    def __init__(self, start: Analysis, budget: Budget) -> None:
        self.domain, self.floats, self.budget = start.domain, start.floats, budget
        self.sums: dict[Node, CountedSums] = dict(start.sums)
        self.possible_errors: list[PossibleError] = list(start.possible_errors)
        self.sops: dict[Node, SOpAnalysis] = dict(start.sops)
        self.selectors: dict[Node, SelectorAnalysis] = dict(start.selectors)
        self.linear: dict[Node, Linear] = dict(start.linear)
        self.merged: dict[Node, Mapping[float, float]] = dict(start.merged)
        self.booleans: set[Node] = set(start.booleans)
        self.bases: dict[SOpNode, Finite] = dict(start.bases)
        self.positions = start.positions
        self.words = start.words
        self.view = replace(start, sops=self.sops, selectors=self.selectors, linear=self.linear, sums=self.sums)
        self.view = replace(self.view, bases=self.bases, merged=self.merged)
        if not self.bases:
            # tokens in the alphabet's order; 1 and 1.0 are read as different strings
            self.bases[TOKEN] = Finite(self.domain.alphabet)
            self.bases[Indices()] = Finite(tuple(range(self.domain.max_length)))
            for base in (TOKEN, Indices()):
                self.sops[base] = _tabulated((base,), list(self.bases[base].values))

    def run(self, roots: Sequence[SOpNode]) -> Analysis:
        """The analysis with all nodes below some roots."""
        self.positions = position_values(tuple(roots), self.domain.max_length)
        for error in self.positions.errors:
            self._may_fail(error.data["node"], error)
        try:
            for node in topological(*roots):
                self._learn(node)
        except CapaxError as error:
            error.data = {**error.data, "sums": bool(self.sums), "merged": bool(self.merged)}
            raise
        return replace(
            self.view,
            booleans=frozenset(self.booleans),
            possible_errors=tuple(self.possible_errors),
            positions=self.positions,
        )

    def _learn(self, node: Node) -> None:
        if (node in self.sops and node not in (TOKEN, Indices())) or node in self.selectors:
            return
        spend(self.budget, 1, node)
        if isinstance(node, SelectorNode):
            self.selectors[node] = self._selector(node)
            return
        if isinstance(node, TripleNode):
            self.selectors[node] = triple_analysis(node, self.selectors, self.domain)
            if isinstance(node, SumSelect) and sum_may_fail(node, self.domain):
                self.possible_errors.append(PossibleError(node, "sum-of-non-integers", "a sum of other values"))
            return
        assert isinstance(node, SOpNode)
        if (position_form := linear(node, self.linear)) is not None:
            self.linear[node] = position_form
        if may_be_boolean(node, self.booleans, self.domain.alphabet):
            self.booleans.add(node)
        self.sops[node] = known = self._fitting(node)
        spend(self.budget, len(known.table or ()), node)
        if isinstance(known.values, Finite) and not known.values.values:
            raise always_fails(node)
        if isinstance(known.values, Finite) and len({isinstance(v, str) for v in known.values.values}) == 2:
            self.possible_errors.append(PossibleError(node, "mixed-types", "strings beside numbers"))

    def _fitting(self, node: SOpNode) -> SOpAnalysis:
        """The analysis of an s-op, all of whose numbers a float can hold; by words where its values are many."""
        try:
            known = self._sop(node)
            return known if self.words is None or isinstance(known.values, Finite) else self._by_words(node, self.words)
        except OverflowError:
            raise no_float(f"`{describe(node)}` has values", node) from None
        except CapaxError as error:
            if self.words is None or error.code != "too-many-values" or isinstance(node, Table):
                raise
            return self._by_words(node, self.words)

    def _by_words(self, node: SOpNode, words: Exhaustion) -> SOpAnalysis:
        """The values that an s-op of numbers has on all words."""
        spend(self.budget, len(words.column(node)) // 10, node)
        listed = words.values(node)
        if not all(is_numeric(s) for s in (listed, *(self.sops[o].values for o in node.operands if o in self.sops))):
            raise self.view.too_large(node, "a list of its values (strings beside numbers)")
        return SOpAnalysis(listed) if isinstance(node, Map) else self._base(node, listed)

    # s-ops

    def _sop(self, node: SOpNode) -> SOpAnalysis:
        match node:
            case Input():
                return _tabulated((TOKEN,), [self._read(node, t) for t in self.bases[TOKEN].values])
            case Indices():
                return _tabulated((node,), list(self.bases[node].values))
            case Const():
                return SOpAnalysis(Finite((node.value,)), (), (node.value,))
            case State():
                return self._base(node, finite(node.values))
            case Table():
                if node.kind == "positions":
                    self._note_length(node)
                return self._unary(node)
            case Map():
                return self._map(node)
            case Aggregate() | Width() if (listed := self._positional(node)) is not None:
                return self._base(node, listed)
            case Aggregate():
                return self._base(node, self._aggregated(node))
            case Width():
                return self._base(node, self._counts(node))
            case PairAggregate():
                return self._base(node, self._averaged_pairs(node))
            case PairWidth():
                most = 1 if self.selectors[node.triples].unique else self.domain.max_length**2
                return self._base(node, Finite(tuple(range(most + 1))))
            case _:
                raise AssertionError(node)

    def _positional(self, node: SOpNode) -> Finite | None:
        """The values of an s-op that depends on position and length alone, where they are known and numbers only."""
        rows = self.positions.of(node)
        if rows is None or (isinstance(node, Aggregate) and not is_numeric(self.sops[node.value].values)):
            return None
        spend(self.budget, len(rows), node)
        listed = finite(rows)
        return listed if listed.numeric else None

    def _read(self, node: Input, token: Atom) -> Entry:
        try:
            return read_token(node.kind, token, 0)
        except CapaxError as error:
            self._may_fail(node, error)
            return FAILED

    def _base(self, node: SOpNode, values: ValueSet) -> SOpAnalysis:
        if isinstance(values, Interval):
            return SOpAnalysis(values)
        self.bases[node] = values
        return SOpAnalysis(values, (node,), tuple(values.values))

    def _may_fail(self, node: Node, error: CapaxError) -> None:
        if not any(p.node is node and p.code == error.code for p in self.possible_errors):
            self.possible_errors.append(PossibleError(node, error.code, error.what))

    def _apply(self, node: SOpNode, *args: Entry) -> Entry:
        if any(isinstance(a, Failed) for a in args):
            return FAILED
        value, errors = evaluate_entry(node, *(a for a in args if not isinstance(a, Failed)))
        for error in errors:
            self._may_fail(node, error)
        return FAILED if value is None else value

    def _note_length(self, node: Table) -> None:
        """Notes that words of another length than a list that stands for an s-op fail, or that all do."""
        size = len(node.entries)
        lists = [known for known in self.sops if isinstance(known, Table) and known.kind == "positions"]
        if size > self.domain.max_length or any(len(known.entries) != size for known in lists):
            raise always_fails(node)
        self._may_fail(node, CapaxError("word-length", f"the list has {size} values, for words of that length"))

    def _unary(self, node: Table) -> SOpAnalysis:
        arg = self.sops[node.arg]
        if node.kind in ("list", "string") and may_be_float(node.arg, self.selectors):
            self._apply(node, 0.0)  # no index
        if arg.table is None:
            if isinstance(arg.values, Interval):
                raise self.view.too_large(node.arg, "a table")
            return SOpAnalysis(_known([self._apply(node, x) for x in arg.values.values]))
        return _tabulated(arg.bases, [self._apply(node, x) for x in arg.table])

    def _sum(self, node: Map) -> SOpAnalysis | None:
        """The analysis of a product that stands for a sum, or of the integers nearest to one; else None."""
        counts = node.op == "*" and not self.floats
        sums = counted_sum(node, self.view.values, self.linear, self.domain) if counts else None
        if sums is not None and (sums.whole or isinstance(sums.values, Finite)):
            self.sums[node] = sums
            return self._base(node, sums.values)
        if (
            node.op == "round"
            and node.args[0] in self.sums
            and isinstance(listed := self.view.values(node.args[0]), Finite)
        ):
            return self._base(node, finite(round(v) for v in listed.values if not isinstance(v, str)))
        return None

    def _map(self, node: Map) -> SOpAnalysis:
        if (sums := self._sum(node)) is not None:
            return sums
        args = [self.sops[a] for a in node.args]
        bases = tuple(dict.fromkeys(b for a in args for b in a.bases))
        size = math.prod(len(self.bases[b]) for b in bases)
        limit = max(self.domain.budget, MOST_JOINT) if self.floats or len(bases) == 1 else MOST_JOINT
        if all(a.table is not None for a in args) and size <= limit:
            return _tabulated(bases, self._merge(node, bases, self._joint(node, bases, args)))
        if node in self.linear:
            return SOpAnalysis(self.linear[node].values(self.domain.max_length))
        if (rows := paired(self.view, bases, args)) is not None:
            return SOpAnalysis(_known(self._merge(node, (), [self._apply(node, *row) for row in rows])))
        if (listed := self._positional(node)) is not None:
            return SOpAnalysis(listed)
        return SOpAnalysis(self._independent(node, [a.values for a in args]))

    def _merge(self, node: Map, bases: tuple[SOpNode, ...], results: list[Entry]) -> list[Entry]:
        """The results with one float for those that differ by rounding only, but for columns (of tokens, positions)."""
        if not self.view.merge or set(bases) in ({TOKEN}, {Indices()}):
            return results
        stand = stand_ins_of_floats(v for v in results if isinstance(v, (int, float)))
        if stand:
            self.merged[node] = stand
        return [stand.get(v, v) if isinstance(v, float) else v for v in results] if stand else results

    def _joint(self, node: Map, bases: tuple[SOpNode, ...], args: list[SOpAnalysis]) -> list[Entry]:
        sizes = {b: len(self.bases[b]) for b in bases}
        spend(self.budget, math.prod(sizes.values()), node)
        columns = [broadcast(a.table or (), a.bases, bases, sizes) for a in args]
        together, possible = possible_together(bases, self.bases, self.positions)
        if together:
            happens = broadcast(possible, together, bases, sizes)
            columns[0] = [e if ok else FAILED for e, ok in zip(columns[0], happens, strict=True)]
        if node.op == "where":
            return [
                FAILED if a is FAILED or b is FAILED or c is FAILED else b if a else c
                for a, b, c in zip(*columns, strict=True)
            ]
        return [self._apply(node, *entries) for entries in zip(*columns, strict=True)]

    def _independent(self, node: Map, args: list[ValueSet]) -> ValueSet:
        """The values of an operation whose operands are taken to be independent."""
        if node.op in COMPARISONS or node.op in ("and", "or", "not"):
            self._try_types(node, args)
            return Finite((False, True))
        if node.op == "where":
            return union(args[1], args[2], self.view, node)
        if node.op in ("+", "-") and (shared := self._shared_mean(node)) is not None:
            return shared
        integers = sum_of_ranges(node.op, args) if node.op in ("+", "-") else None
        if integers and len(integers) <= 2 * self.domain.budget:
            return integers
        if node.op == "round" and isinstance(args[0], Interval):
            low, high = round(args[0].low), round(args[0].high)
            if high - low > self.domain.budget and not args[0].integral:
                raise self.view.too_large(node.args[0], "a list of integers")
            return Finite(tuple(range(low, high + 1))) if high - low <= self.domain.budget else args[0]
        listed = self._listed(node, args)
        return self._interval(node, args) if listed is None else listed

    def _listed(self, node: Map, args: list[ValueSet]) -> Finite | None:
        """The values of an operation for all combinations of its operands' values; None where they are too many."""
        lists = [a.values for a in args if isinstance(a, Finite)]
        if len(lists) < len(args) or math.prod(map(len, lists)) > 20 * self.domain.budget:
            return None
        spend(self.budget, math.prod(map(len, lists)), node)
        results = self._merge(node, (), [self._apply(node, *c) for c in combinations(node.args, args)])
        listed = _known(results)
        return listed if len(listed) <= 2 * self.domain.budget else None

    def _try_types(self, node: Map, args: list[ValueSet]) -> None:
        """Notes the errors that a comparison has on some pair of kinds of values."""
        for sample in samples_of_kinds(args):
            self._apply(node, *sample)

    def _interval(self, node: Map, args: list[ValueSet]) -> Interval:
        if node.op not in ("+", "-", "*", "neg", "pos", "/") or not all(is_numeric(a) for a in args):
            raise self.view.too_large(node, "a table")
        sums = counted_sum(node, self.view.values, self.linear, self.domain) if node.op == "*" else None
        if sums is not None and isinstance(sums.values, Interval):
            return sums.values
        by = self._divisor(node, args[1]) if node.op == "/" else Fraction(1)
        return interval_of(node.op, args, by)

    def _divisor(self, node: Map, values: ValueSet) -> Fraction:
        """The one number by which an interval is divided."""
        if not isinstance(values, Finite) or len(values) != 1 or not values.values[0]:
            raise self.view.too_large(node, "a table")
        return Fraction(values.values[0])

    def _shared_mean(self, node: Map) -> ValueSet | None:
        """The values of a sum or difference of two means over the same keys: the means of the sum or difference."""
        one, two = node.args
        if not isinstance(one, Aggregate) or not isinstance(two, Aggregate) or one.selector is not two.selector:
            return None
        joint = Map(node.op, (one.value, two.value))
        values = self.sops[joint].values if joint in self.sops else self._map(joint).values
        if not is_numeric(values) or not isinstance(values, Finite) or not values.values:
            return None
        n = most_keys(one.selector, self.domain.alphabet, self.domain.max_length)
        averaged = means(values, n, self.domain.budget)
        if self.selectors[one.selector].filled:
            return averaged
        default = self._apply(node, one.default, two.default)
        return None if isinstance(default, Failed) else union(averaged, Finite((default,)), self.view, node)

    # aggregates and widths

    def _counts(self, node: Width) -> ValueSet:
        selector = self.selectors[node.selector]
        longest = self.domain.max_length
        most = 1 if selector.unique else most_keys(node.selector, self.domain.alphabet, longest)
        return Finite(tuple(range(int(selector.filled), most + 1)))

    def _aggregated(self, node: Aggregate) -> ValueSet:
        selector, values = self.selectors[node.selector], self.sops[node.value].values
        if not selector.unique and self.view.same_values(node):
            self._note_average(node, values)
        elif not selector.unique:
            values = self._means(node, values)
        return values if selector.filled else union(values, Finite((node.default,)), self.view, node)

    def _averaged_pairs(self, node: PairAggregate) -> ValueSet:
        selector, values = self.selectors[node.triples], self.sops[node.value].values
        if not selector.unique:
            values = self._means(node, values)
        return union(values, Finite((node.default,)), self.view, node)

    def _means(self, node: Aggregate | PairAggregate, values: ValueSet) -> ValueSet:
        tokens, longest = self.domain.alphabet, self.domain.max_length
        n = longest**2 if isinstance(node, PairAggregate) else most_keys(node.selector, tokens, longest)
        if isinstance(values, Interval):
            # a mean of fractions s/m: its denominator divides a product of up to n of the denominators
            if values.most > 1:
                raise self.view.too_large(node, "a list of its values (a mean of means)")
            return Interval(values.low, values.high, values.unit, n)
        self._note_average(node, values)
        numbers = [v for v in values.values if not isinstance(v, str) and math.isfinite(v)]
        if not numbers or n <= 1:
            return values
        if any(abs(v) > 2**53 for v in numbers):
            raise self.view.too_large(node, "means of integers beyond 2^53, which are rounded,")
        averaged = means(finite(numbers), n, self.domain.budget)
        others = [v for v in values.values if isinstance(v, str) or not math.isfinite(v)]
        return union(averaged, finite(others), self.view, node) if others else averaged

    def _note_average(self, node: Aggregate | PairAggregate, values: ValueSet) -> None:
        """Notes that several values may be averaged that are no numbers."""
        if not is_numeric(values) or node.value in self.booleans:
            what = "several values that are not numbers"
            self.possible_errors.append(PossibleError(node, "average-of-non-numbers", what))

    # selectors

    def _selector(self, node: SelectorNode) -> SelectorAnalysis:
        match node:
            case Select():
                return self._select(node)
            case And():
                left, right = self.selectors[node.left], self.selectors[node.right]
                equal = [c.key for c in conjuncts(node) if isinstance(c, Select) and c.op == "=="]
                # both may be filled by different keys, except when each selects the query's own position
                filled = left.filled and right.filled and selects_self(node.left) and selects_self(node.right)
                return SelectorAnalysis(left.unique or right.unique or self._tell_apart(equal), filled)
            case Or():
                left, right = self.selectors[node.left], self.selectors[node.right]
                return SelectorAnalysis(False, left.filled or right.filled)
            case Not():
                return SelectorAnalysis(False, False)
            case Best():
                return SelectorAnalysis(True, self.selectors[node.selector].filled)
            case _:
                raise AssertionError(node)

    def _select(self, node: Select) -> SelectorAnalysis:
        self._try_select(node)
        unique = node.op == "==" and self._tell_apart([node.key])
        filled = node is FULL or selects_self(node)
        ranks = isinstance(node.key, Width) and is_total_order(node.key.selector)  # 0, ..., n - 1, each once
        if node.op == "==" and (ranks or isinstance(node.key, Indices)):
            form, longest = self.linear.get(node.query), self.domain.max_length
            filled = filled or is_position(node.query) or (form is not None and form.is_position(longest))
        return SelectorAnalysis(unique or self.domain.max_length == 1, filled)

    def _try_select(self, node: Select) -> None:
        """Notes a comparison of order between a string and a number."""
        if node.op in ("==", "!="):
            return
        sets = [self.sops[node.key].values, self.sops[node.query].values]
        kinds = [{isinstance(v, str) for v in s.values} if isinstance(s, Finite) else {False} for s in sets]
        if kinds[0] | kinds[1] == {True, False}:
            self.possible_errors.append(PossibleError(node, "type-mismatch", "a string is compared with a number"))

    def _tell_apart(self, keys: Sequence[SOpNode]) -> bool:
        """Whether equality with some keys leaves one."""
        columns = [self.sops[k].table or () for k in keys if self.sops[k].bases == (Indices(),)]
        return any(map(tells_positions_apart, keys)) or distinct_rows(columns)


def _tabulated(bases: tuple[SOpNode, ...], table: list[Entry]) -> SOpAnalysis:
    return SOpAnalysis(_known(table), bases, tuple(table))


def _known(entries: Sequence[Entry]) -> Finite:
    return finite(e for e in entries if not isinstance(e, Failed))
