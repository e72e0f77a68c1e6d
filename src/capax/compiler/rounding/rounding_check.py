"""Pass: programs whose answers depend on how the interpreter rounds are rejected, since no weights could follow it.

The compiler counts with fractions: the mean of three tenths is a tenth, and k/m times m is k. The interpreter counts
with floats: the one is 0.10000000000000002, and 49 * (1/49) is 0.9999999999999999. As long as such numbers are only
answers, or are compared with numbers that are not near them, nobody sees the difference. Here it is found, operands
first, how far each value may be from the float that the interpreter has for it (its slack), and every comparison,
rounding, look-up and choice whose outcome the slack could change is rejected.

Lemma. Means of integers (of multiples of a power of two) have no slack: their sum is exact, and the quotient is the
float nearest to the fraction; so equal fractions are equal floats, and different ones different floats as long as
they are further apart than a few units of rounding. The product of numbers whose zeros are exact has an exact zero.
The difference of two numbers that are the same function of two means of one selector has an exact zero, and the right
sign.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial

from capax.budget import Budget
from capax.compiler.analysis.analysis import Analysis, Failed
from capax.compiler.analysis.operation_tables import broadcast, evaluate_entry
from capax.compiler.analysis.value_sets import (
    NEAR,
    TINY,
    Finite,
    Interval,
    ValueSet,
    bounds,
    common_unit,
    rational,
    unit_of,
)
from capax.compiler.domain import spend
from capax.compiler.rounding.near_ties import (
    Rounded,
    all_means,
    are_nearest,
    distance,
    is_number,
    is_whole,
    moves,
    numbers_of,
    repeats,
    share_of,
    shares_mean,
    size_of,
    tie,
)
from capax.compiler.rounding.rounding_error import EXACT, UNIT, Measure, Slack, nonzero_slack, rounded_by
from capax.compiler.rounding.settled import apart, rests_on_rounding, same_on_all_words, slack_on_all_words
from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, Aggregate, Best, Map, Node, Select, SOpNode, Table
from capax.rasp.ir.triple_nodes import MEANS, PairAggregate, selector_of
from capax.rasp.ir.types import Atom

EXACT_BELOW = 2.0**53
LOGIC = ("and", "or", "not", "indicator")
FINE = Fraction(1, 2**20)
"""Multiples of this of moderate size are floats."""


@dataclass(frozen=True, slots=True, eq=False)
class RoundingBounds:
    """For each s-op how far its values may be from the floats of the interpreter."""

    slacks: Mapping[Node, Slack]
    untied: frozenset[Node] = frozenset()
    """Comparisons of which it was assumed that no word makes both sides equal but for rounding."""


def check_rounding(
    roots: SOpNode | Sequence[SOpNode], analysis: Analysis, budget: Budget, untied: frozenset[Node] = frozenset()
) -> RoundingBounds:
    """How far values may be from the interpreter's floats; a program whose answers could change by that is rejected.

    Unless they could change by one of the comparisons `untied` alone, whose sides are assumed to be the same number on
    no word (or to be it exactly).
    """
    check = RoundingCheck(analysis, budget, untied)
    roots = (roots,) if isinstance(roots, SOpNode) else roots
    for node in topological(*roots):
        check.learn(node)
    for root in roots:
        check.answered(root)
    return RoundingBounds(check.slacks, frozenset(check.assumed))


class RoundingCheck:
    """The slacks of the s-ops of a program, found operands first."""

    def __init__(self, analysis: Analysis, budget: Budget, untied: frozenset[Node] = frozenset()) -> None:
        self.analysis = analysis
        self.untied, self.assumed = untied, set[Node]()
        self.budget = budget
        self.slacks: dict[Node, Slack] = {}
        self.loose: set[Node] = set()  # s-ops that are integers at some positions and equal floats at others

    def learn(self, node: Node) -> None:
        """Finds the slack of an s-op, or looks at the comparison of a selector."""
        try:
            if isinstance(node, SOpNode):
                self._learn_types(node)
                self.slacks[node] = self._slack(node)
            elif isinstance(node, Select):
                self._compared(node, node.key, node.query)
            elif isinstance(node, Best):
                self._compared(node, node.score, node.score)
        except CapaxError as error:
            if error.code != "rests-on-rounding" or not self._decided(node):
                raise
            if isinstance(node, SOpNode):
                self.slacks[node] = slack_on_all_words(node, self.analysis) or EXACT

    def _decided(self, node: Node) -> bool:
        """Whether rounding changes no outcome of a node: seen on all words, or assumed of sides that are the same."""
        if same_on_all_words(node, self.analysis):
            return True
        if node in self.untied and apart(node, self.analysis, self.slacks):
            self.assumed.add(node)
        return node in self.assumed

    def _learn_types(self, node: SOpNode) -> None:
        """Rejects an operation on numbers beyond 2^53 that is exact for integers and rounded for equal floats.

        The mean of one integer is an integer, that of several is a float.
        """
        if isinstance(node, MEANS) and not self.analysis.selectors[selector_of(node)].unique:
            self.loose.add(node)
        if not isinstance(node, Map) or self.loose.isdisjoint(node.args):
            return
        self.loose.add(node)
        sets = [self.analysis.values(n) for n in (node, *node.args)]
        if not any(
            isinstance(s, Finite) and any(is_number(v) and abs(v) > EXACT_BELOW for v in s.values) for s in sets
        ):
            return
        for values in self._combinations(node, node.args):
            whole = [
                int(v) if a in self.loose and isinstance(v, float) and v.is_integer() else v
                for a, v in zip(node.args, values, strict=True)
            ]
            if evaluate_entry(node, *values)[0] != evaluate_entry(node, *whole)[0]:
                raise rests_on_rounding(node, max(v for v in values if not isinstance(v, str)))

    def _slack(self, node: SOpNode) -> Slack:
        """The slack of a node whose operands are known."""
        seen = slack_on_all_words(node, self.analysis)
        if seen is not None and isinstance(node, (Map, Table)) and not same_on_all_words(node, self.analysis):
            near = (v for o in node.operands for v in self.slacks[o].listed)
            raise rests_on_rounding(node, next(near, 0.0))
        if seen is not None:
            return seen
        if isinstance(node, (Aggregate, PairAggregate)):
            # of what depends on position and length alone, the floats themselves are listed
            return self._aggregate(node) if self.analysis.positions.of(node) is None else EXACT
        if isinstance(node, (Map, Table)):
            return self._of_merged(node, self._elementwise(node, node.args if isinstance(node, Map) else (node.arg,)))
        return EXACT

    def _of_merged(self, node: SOpNode, slack: Slack) -> Slack:
        """The slack of what stands for several floats: theirs, and how far they are from it."""
        listed = dict(slack.listed)
        for value, near in self.analysis.merged.get(node, {}).items():
            listed[near] = max(listed.get(near, slack.at(near)), slack.at(value) + abs(value - near))
        return replace(slack, listed=listed)

    def answered(self, root: SOpNode) -> None:
        """Rejects answers that rounding changes by more than their last digits."""
        slack, values = self.slacks[root], self.analysis.values(root)
        if not slack:
            return
        tried = [float(values.from_zero), 0.0] if isinstance(values, Interval) else values.values
        for value in tried:
            if not isinstance(value, str) and slack.at(value) > max(NEAR * abs(value), TINY):
                raise rests_on_rounding(root, value)

    # means

    def _most(self, node: Aggregate | PairAggregate) -> int:
        """How many values a mean may be of."""
        return self.analysis.domain.max_length ** (2 if isinstance(node, PairAggregate) else 1)

    def _aggregate(self, node: Aggregate | PairAggregate) -> Slack:
        """The slack of an aggregate; the first of these cases that applies.

        1. Only one value is averaged, or equal ones: as the value itself. 2. There are no numbers: none. 3. All sums
        are exact, so that each mean is the nearest float: only the default can have slack. 4. Otherwise a bound for
        all means, less for the ends of the range and for means that can all be tried.
        """
        own, n = self.slacks[node.value], self._most(node)
        same = isinstance(node, Aggregate) and self.analysis.same_values(node)
        if self.analysis.selectors[selector_of(node)].unique or n == 1:
            return own
        if same:
            return self._repeated(node.value, own)
        numbers = numbers_of(self.analysis.values(node.value))
        if numbers is None:
            return EXACT
        largest, unit = size_of(numbers), unit_of(numbers)
        means = self.analysis.values(node)
        merged = isinstance(means, Finite) and unit / (n * n) <= NEAR * largest
        if not own and not merged and is_whole(numbers) and n * largest < EXACT_BELOW * unit:
            return self._of_default(node, means)
        return self._bounded_means(node, numbers, merged)

    def _repeated(self, value: SOpNode, own: Slack) -> Slack:
        """The slack of means of equal values: sums of what is not exact are rounded, and so are their quotients."""
        values = self.analysis.values(value)
        if isinstance(values, Interval):
            return own if is_whole(values) else replace(own, relative=own.relative + 4 * UNIT)
        n = self.analysis.domain.max_length
        rounded = [v for v in values.values if is_number(v) and not repeats(Fraction(v), n)]
        more = {v: own.at(v) + rounded_by(v, n) for v in rounded}
        return replace(own, listed={**own.listed, **{v: by for v, by in more.items() if by}})

    def _bounded_means(self, node: Aggregate | PairAggregate, numbers: ValueSet, merged: bool) -> Slack:
        """The slack of rounded means of numbers; `merged` means are near each other, and one value stands for them."""
        own, means, largest = self.slacks[node.value], self.analysis.values(node), size_of(numbers)
        n = self._most(node)
        measure = self._measure(node.value, numbers)
        slack = measure.absolute + measure.relative * largest + (NEAR if merged else 4 * UNIT) * largest
        exact = [] if merged else [v for v in bounds(numbers) if not own.at(float(v)) and repeats(v, n)]
        if isinstance(means, Interval):
            share = None if merged else share_of(numbers, own)
            if share is not None:
                return Slack(relative=share + 4 * UNIT)
            return Slack(absolute=slack, zero=0.0 if 0 in exact else slack)
        tried = {} if own else all_means(numbers, means, n, self.analysis.domain.budget)
        inner = [v for v in means.values if is_number(v) and Fraction(v) not in exact]
        return nonzero_slack({v: tried.get(v, slack) for v in inner})

    def _of_default(self, node: Aggregate | PairAggregate, result: ValueSet) -> Slack:
        """The slack of a default beside an interval of fractions, if it is not the float nearest to its fraction."""
        default = node.default
        if isinstance(result, Finite) or not is_number(default) or float(rational(default)) == default:
            return EXACT
        return Slack({float(rational(default)): 4 * UNIT * abs(default)})

    # element by element

    def _elementwise(self, node: Map | Table, args: tuple[SOpNode, ...]) -> Slack:
        """The slack of an element-wise node; the first of these cases that applies.

        1. A product that stands for a sum: which of its values floats miss is known. 2. Listed values of operands
        without slack: none, except for sums of means, whose list is not made entry by entry. 3. Values in an interval:
        by the operation. 4. A table: by trying. 5. Listed values without a table: by the operation, else by trying.
        """
        sums, known = self.analysis.sums.get(node), self.analysis.sops[node]
        if sums is not None and isinstance(sums.values, Finite):
            return self._summed(sums.values, sums.rounded, args)
        exact = not any(self.slacks[a] for a in args)
        listed = all(isinstance(self.analysis.values(n), Finite) for n in (node, *args))
        if exact and listed and (known.table is not None or not shares_mean(node)):
            return EXACT
        if isinstance(known.values, Interval):
            assert isinstance(node, Map)
            return self._interval(node, args)
        if isinstance(node, Table) or known.table is not None:
            return self._tried(node, args)
        return self._without_table(node, args, known.values)

    def _without_table(self, node: Map, args: tuple[SOpNode, ...], values: Finite) -> Slack:
        """The slack of an operation with listed values, of operands that are independent or too many to list."""
        first = self.analysis.values(args[0])
        if node.op in COMPARISONS:
            self._compared(node, *args)
            return EXACT
        if node.op in LOGIC:
            for arg in args:
                self._tested(node, arg)
            return EXACT
        if node.op == "where":
            self._tested(node, args[0])
            branches, merged = [self.slacks[a] for a in args[1:]], self.analysis.merged.get(node, ())
            return nonzero_slack({v: max(s.at(v) for s in branches) for v in (*values.values, *merged)})
        if node.op == "round" and isinstance(first, Interval):
            return self._rounded(node, args[0])
        if shares_mean(node):
            exact = not any(self.slacks[a] for a in args)
            slack = self._measure(args[0]).plus(self._measure(args[1]), zero=0.0 if exact else None)
            return nonzero_slack({v: slack.at(v) for v in values.values if is_number(v)})
        return self._tried(node, args)

    def _tested(self, node: Map, arg: SOpNode) -> None:
        """Rejects a truth value that rounding could change: zero is false, and nothing near it is."""
        if self._has(arg, 0) and self.slacks[arg].at(0):
            raise rests_on_rounding(node, 0)

    def _summed(self, values: Finite, rounded: frozenset[float], args: tuple[SOpNode, ...]) -> Slack:
        """The slack of a mean times a count whose values are listed."""
        most = max((s for a in args for s in self.slacks[a].listed.values()), default=0.0)
        if not most and not any(self.slacks[a] for a in args):
            return Slack({v: 4 * UNIT * abs(v) for v in rounded})
        by = self.analysis.domain.max_length * max(most, *(self.slacks[a].absolute for a in args))
        return Slack(dict.fromkeys(values.values, by + 4 * UNIT * size_of(values)))

    def _interval(self, node: Map, args: tuple[SOpNode, ...]) -> Slack:
        """The slack of a sum, product, quotient or choice whose values are too many to list.

        An operation on floats that are multiples of a power of two is exact while its result is below 2^53 units, and
        so is one by a power of two on nearest floats. Otherwise the slacks of the operands add up.
        """
        match node.op:
            case "where":
                return self._choice(node, args)
            case "round":
                return self._rounded(node, args[0])
            case "neg" | "pos":
                return self.slacks[args[0]]
            case "+" | "-":
                return self._sum(node, args)
            case "*":
                return self._product(args)
            case _:
                assert node.op == "/", node.op
                return self._quotient(args)

    def _choice(self, node: Map, args: tuple[SOpNode, ...]) -> Slack:
        self._tested(node, args[0])
        if all(self._is_nearest(a) for a in args[1:]):
            return EXACT
        one, two = (self._measure(a) for a in args[1:])
        return Slack({}, max(one.absolute, two.absolute), max(one.relative, two.relative), max(one.zero, two.zero))

    def _sum(self, node: Map, args: tuple[SOpNode, ...]) -> Slack:
        one, two = (self._measure(a) for a in args)
        unit = common_unit(*(unit_of(self.analysis.values(a)) for a in args))
        if all(self._is_exact(a) for a in args) and one.size + two.size < EXACT_BELOW * unit:
            return EXACT
        return replace(one.plus(two, zero=self._zero_of_sum(node, args)), grid=self._grid_of_sum(args))

    def _product(self, args: tuple[SOpNode, ...]) -> Slack:
        one, two = (self._measure(a) for a in args)
        unit = math.prod(unit_of(self.analysis.values(a)) for a in args)
        if all(self._is_exact(a) for a in args) and one.size * two.size < EXACT_BELOW * unit:
            return EXACT
        if any(self._is_power_of_two(a) and self._is_nearest(b) for a, b in (args, args[::-1])):
            return EXACT
        return one.times(two)

    def _quotient(self, args: tuple[SOpNode, ...]) -> Slack:
        dividend, divisor = args
        if self._is_exact(dividend) or (self._is_power_of_two(divisor) and self._is_nearest(dividend)):
            return EXACT
        return self._measure(dividend).over(float(bounds(self.analysis.values(divisor))[0]))

    def _is_exact(self, node: SOpNode) -> bool:
        """Whether an s-op has no slack, and multiples of one power of two as values."""
        return not self.slacks[node] and is_whole(self.analysis.values(node))

    def _is_nearest(self, node: SOpNode) -> bool:
        """Whether an s-op has no slack, and floats nearest to their fractions as values."""
        return not self.slacks[node] and are_nearest(self.analysis.values(node))

    def _is_power_of_two(self, node: SOpNode) -> bool:
        """Whether an s-op is one power of two, or its negative."""
        values = self.analysis.values(node)
        number = values.values[0] if isinstance(values, Finite) and len(values) == 1 else 0
        return is_number(number) and bool(number) and abs(math.frexp(number)[0]) == 0.5

    def _zero_of_sum(self, node: Map, args: tuple[SOpNode, ...]) -> float | None:
        """The slack of a sum or difference where it is zero, if that is less than elsewhere."""
        if node.op == "-" and self._together(*args):
            return 0.0
        for constant, other in (args, args[::-1]):
            values = self.analysis.values(constant)
            if isinstance(values, Finite) and len(values) == 1:
                number = float(values.values[0])
                return self.slacks[other].at(-number if node.op == "+" else number) + 2 * UNIT * abs(number)
        return None

    def _grid_of_sum(self, args: tuple[SOpNode, ...]) -> Fraction | None:
        """A number at whose multiples a sum is exact.

        It is the unit of the one operand, if that is exact, and if the other is exact at multiples of that unit: if the
        sum is such a multiple then the other operand is one. Nearest floats are exact at multiples of any small power
        of two.
        """
        for whole, other in (args, args[::-1]):
            values, slack = self.analysis.values(whole), self.slacks[other]
            if self.slacks[whole] or not is_whole(values):
                continue
            unit = unit_of(values)
            if not slack and unit % FINE == 0 and size_of(values) + size_of(self.analysis.values(other)) < 2**30:
                return FINE
            if not slack or (slack.grid is not None and unit % slack.grid == 0):
                return unit
        return None

    def _rounded(self, node: Map, arg: SOpNode) -> Slack:
        values, slack = self.analysis.values(arg), self.slacks[arg]
        assert isinstance(values, Interval)
        # j/2 with an odd j is unit * s / m: the least such m is a power of two
        power = 2 * (values.unit.numerator & -values.unit.numerator)
        may_be_half = power // math.gcd(power, values.unit.denominator) <= values.most
        off = max(slack.absolute + slack.relative * size_of(values), slack.zero, *slack.listed.values(), 0.0)
        if slack and (may_be_half or off >= 0.25):
            raise rests_on_rounding(node, 0.5)
        return EXACT

    def _tried(self, node: Map | Table, args: tuple[SOpNode, ...]) -> Slack:
        """The slack of a function of listed values: what it gives when they are a little less or more."""
        distances: dict[Atom, float] = {}
        slacks = [self.slacks[a] for a in args]
        alike = isinstance(node, Map) and node.op in ("-", *COMPARISONS) and self._together(*args)
        moved_by = [lru_cache(None, typed=True)(partial(moves, slack)) for slack in slacks]
        different = list(dict.fromkeys(args))
        first = [args.index(a) for a in different]
        order = [different.index(a) for a in args]  # an operand that stands twice moves once
        for values in self._combinations(node, args):
            choices = [moved_by[i](values[i]) for i in first]
            if all(len(choice) == 1 for choice in choices) or (alike and values[0] == values[1]):
                continue  # what is equal is rounded alike
            expected, _ = evaluate_entry(node, *values)
            spend(self.budget, 1, node)
            for moved in itertools.islice(itertools.product(*choices), 1, None):  # the first is what was expected
                near, _ = evaluate_entry(node, *(moved[i] for i in order))
                away = distance(expected, near)
                if away is None:
                    raise rests_on_rounding(node, values[next(i for i, v in enumerate(values) if slacks[i].at(v))])
                if away and expected is not None:
                    distances[expected] = max(distances.get(expected, 0.0), away)
        return Slack(distances)

    def _combinations(self, node: Map | Table, args: tuple[SOpNode, ...]) -> Iterator[tuple[Atom, ...]]:
        """The values that the operands can have together."""
        known = [self.analysis.sops[a] for a in args]
        bases = tuple(dict.fromkeys(b for k in known for b in k.bases))
        sizes = {b: len(self.analysis.base_values(b)) for b in bases}
        if all(k.table is not None for k in known) and math.prod(sizes.values()) <= 20 * self.analysis.domain.budget:
            columns = [broadcast(k.table or (), k.bases, bases, sizes) for k in known]
            for entries in zip(*columns, strict=True):
                if not any(isinstance(e, Failed) for e in entries):
                    yield entries
            return
        lists = [self.analysis.finite_values(a).values for a in args]
        if math.prod(map(len, lists)) > 20 * self.analysis.domain.budget:
            raise self.analysis.too_large(node, "a table")
        yield from itertools.product(*lists)

    # comparisons

    def _compared(self, node: Node, left: SOpNode, right: SOpNode) -> None:
        """Rejects a comparison if a value of one side can be equal, up to rounding, to one of the other."""
        sides = (left, right)
        sets = [self.analysis.values(s) for s in sides]
        slacks = [self.slacks[s] for s in sides]
        if all(isinstance(s, Finite) for s in sets) and not any(slacks):
            return
        if isinstance(node, Map) and self._together(left, right):
            return
        near = tie(Rounded(sets[0], slacks[0]), Rounded(sets[1], slacks[1]))
        if near is not None:
            raise rests_on_rounding(node, near)

    def _together(self, one: SOpNode, two: SOpNode) -> bool:
        """Whether two s-ops are the same function of two means over the same keys, or the same s-op.

        The function adds, multiplies and divides by the same numbers, so both are rounded alike: they are equal if the
        means are, and otherwise apart as the means are.
        """
        if one is two:
            return True
        if isinstance(one, Aggregate) and isinstance(two, Aggregate):
            return one.selector is two.selector and not self.slacks[one] and not self.slacks[two]
        if not isinstance(one, Map) or not isinstance(two, Map) or one.op != two.op:
            return False
        if one.op not in ("+", "-", "*", "/", "neg", "pos"):
            return False
        differ = [(a, b) for a, b in zip(one.args, two.args, strict=True) if a is not b]
        return len(differ) == 1 and self._together(*differ[0])

    def _has(self, arg: SOpNode, value: Atom) -> bool:
        values = self.analysis.values(arg)
        return value in values if isinstance(values, Finite) else values.low <= value <= values.high  # type: ignore[operator]

    def _measure(self, arg: SOpNode, values: ValueSet | None = None) -> Measure:
        values, slack = values or numbers_of(self.analysis.values(arg)), self.slacks[arg]
        if values is None:
            return Measure(0.0, 0.0, 0.0, 0.0)
        size = size_of(values)
        if isinstance(values, Interval):
            absolute = max([slack.absolute, *slack.listed.values()])
            return Measure(size, absolute, slack.relative or (0.0 if is_whole(values) else UNIT), slack.zero)
        away = max((float(abs(rational(v) / Fraction(v) - 1)) for v in values.values if v), default=0.0)
        absolute = max((slack.at(v) for v in values.values if v), default=0.0)
        return Measure(size, absolute, away, slack.at(0) if 0 in values else 0.0)
