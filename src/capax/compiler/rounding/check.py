"""Programs whose answers depend on how the interpreter rounds are refused: no weights could follow it there.

The compiler counts with fractions: the mean of three tenths is a tenth, and k/m times m is k. The interpreter counts
with floats: the one is 0.10000000000000002, and 49 * (1/49) is 0.9999999999999999. As long as such numbers are only
answers, or are compared with numbers that are not near them, nobody sees the difference. Here it is found, operands
first, how far each value may be from the float that the interpreter has for it (its slack), and every comparison,
rounding, look-up and choice whose outcome the slack could change is refused.

Lemma. Means of integers (of multiples of a power of two) have no slack: their sum is exact, and the quotient is the
float nearest to the fraction; so equal fractions are equal floats, and different ones different floats as long as
they are further apart than a few units of rounding. The product of numbers whose zeros are exact has an exact zero.
The difference of two numbers that are the same function of two means of one selector has an exact zero, and the right
sign.
"""

import itertools
import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from capax.compiler.analysis.analysis import Facts, Failed
from capax.compiler.analysis.broadcast_table import spread
from capax.compiler.analysis.evaluate_entry import outcome
from capax.compiler.analysis.values import (
    NEAR,
    TINY,
    Finite,
    Interval,
    ValueSet,
    bounds,
    common_unit,
    is_dyadic,
    rational,
    unit_of,
)
from capax.compiler.rounding.near_ties import are_nearest, is_number, is_whole, numbers_of, size_of, tie
from capax.compiler.rounding.rounding_error import EXACT, UNIT, Measure, Slack
from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, Aggregate, Best, Map, Node, Select, SOpNode, Table
from capax.rasp.ir.types import Atom

EXACT_BELOW = 2.0**53
LOGIC = ("and", "or", "not", "indicator", "where")
FINE = Fraction(1, 2**20)
"""Multiples of this of moderate size are floats."""

BEYOND_ROUNDING = 2.0**-30
"""Results that differ by more than so much of themselves differ by more than rounding."""


def check_rounding(root: SOpNode, facts: Facts) -> None:
    """Refuses a program in which a difference by rounding only could change more than the last digits of an answer."""
    found = Rounding(facts)
    for node in topological(root):
        found.learn(node)
    found.answered(root)


class Rounding:
    """The slacks of the s-ops of a program, found operands first."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.slacks: dict[Node, Slack] = {}
        self.loose: set[Node] = set()  # s-ops that are integers at some places and equal floats at others

    def learn(self, node: Node) -> None:
        """Finds the slack of an s-op, or looks at the comparison of a selector."""
        if isinstance(node, SOpNode):
            self._learn_types(node)
            self.slacks[node] = self.of(node)
        elif isinstance(node, Select):
            self.compared(node, node.key, node.query)
        elif isinstance(node, Best):
            self.compared(node, node.score, node.score)

    def _learn_types(self, node: SOpNode) -> None:
        """Refuses an operation on numbers beyond 2^53 that is exact for integers and rounded for equal floats.

        The mean of one integer is an integer, that of several is a float.
        """
        if isinstance(node, Aggregate) and not self.facts.selectors[node.selector].unique:
            self.loose.add(node)
        if not isinstance(node, Map) or self.loose.isdisjoint(node.args):
            return
        self.loose.add(node)
        sets = [self.facts.values(n) for n in (node, *node.args)]
        if not any(
            isinstance(s, Finite) and any(is_number(v) and abs(v) > EXACT_BELOW for v in s.values) for s in sets
        ):
            return
        for values in self._combinations(node, node.args):
            whole = [
                int(v) if a in self.loose and isinstance(v, float) and v.is_integer() else v
                for a, v in zip(node.args, values, strict=True)
            ]
            if outcome(node, *values)[0] != outcome(node, *whole)[0]:
                raise _refusal(node, max(v for v in values if not isinstance(v, str)))

    def of(self, node: SOpNode) -> Slack:
        """The slack of a node whose operands are known."""
        if isinstance(node, Aggregate):
            return self._aggregate(node)
        if isinstance(node, (Map, Table)):
            return self._elementwise(node, node.args if isinstance(node, Map) else (node.arg,))
        return EXACT

    def answered(self, root: SOpNode) -> None:
        """Refuses answers that rounding changes by more than their last digits."""
        slack, values = self.slacks[root], self.facts.values(root)
        if not slack:
            return
        tried = [float(values.from_zero), 0.0] if isinstance(values, Interval) else values.values
        for value in tried:
            if not isinstance(value, str) and slack.at(value) > max(NEAR * abs(value), TINY):
                raise _refusal(root, value)

    # means

    def _aggregate(self, node: Aggregate) -> Slack:
        given, values = self.slacks[node.value], self.facts.values(node.value)
        n = self.facts.domain.max_length
        if self.facts.selectors[node.selector].unique or n == 1 or self.facts.same_values(node):
            return given
        numbers = numbers_of(values)
        if numbers is None:
            return EXACT
        (low, high), unit = bounds(numbers), unit_of(numbers)
        largest = size_of(numbers)
        result = self.facts.values(node)
        merged = isinstance(result, Finite) and unit / (n * n) <= NEAR * largest
        if not given and not merged and is_whole(numbers) and n * largest < EXACT_BELOW * unit:
            return self._of_default(node, result)
        measure = self._measure(node.value, numbers)
        slack = measure.absolute + measure.relative * largest + (NEAR if merged else 4 * UNIT) * largest
        exact = [] if merged else [v for v in (low, high) if not given.at(float(v)) and _repeats(v, n)]
        if isinstance(result, Interval):
            return Slack(absolute=slack, zero=0.0 if 0 in exact else slack)
        tried = {} if given else self._all_means(numbers, result)
        found = {v: tried.get(v, slack) for v in result.values if is_number(v) and Fraction(v) not in exact}
        return Slack({v: s for v, s in found.items() if s})

    def _of_default(self, node: Aggregate, result: ValueSet) -> Slack:
        """The slack of a default beside an interval of fractions, if it is not the float nearest to its fraction."""
        default = node.default
        if isinstance(result, Finite) or not is_number(default) or float(rational(default)) == default:
            return EXACT
        return Slack({float(rational(default)): 4 * UNIT * abs(default)})

    def _all_means(self, numbers: ValueSet, result: Finite) -> dict[Atom, float]:
        """For each value of a mean how far the interpreter's floats are from it, where all means can be tried."""
        n = self.facts.domain.max_length
        if not isinstance(numbers, Finite) or math.comb(len(numbers) + n, n) > self.facts.domain.budget:
            return {}
        listed = sorted(float(v) for v in result.values if is_number(v))
        found: dict[Atom, float] = dict.fromkeys(result.values, 0.0)
        for count in range(2, n + 1):
            for picked in itertools.combinations_with_replacement(numbers.values, count):
                mean = math.fsum(map(float, picked)) / count
                place = bisect_left(listed, mean)
                near = min(listed[max(place - 1, 0) : place + 1], key=lambda v: abs(v - mean))
                found[near] = max(found[near], abs(near - mean))
        return found

    # element by element

    def _elementwise(self, node: Map | Table, args: tuple[SOpNode, ...]) -> Slack:
        sets = [self.facts.values(a) for a in args]
        known, sums = self.facts.sops[node], self.facts.sums.get(node)
        if sums is not None and isinstance(sums.values, Finite):
            return self._summed(sums.values, sums.rounded, args)
        exact = not any(self.slacks[a] for a in args)
        listed = isinstance(known.values, Finite) and all(isinstance(s, Finite) for s in sets)
        if exact and listed and (known.table is not None or not _shares_mean(node)):
            return EXACT
        if isinstance(known.values, Interval):
            assert isinstance(node, Map)
            return self._interval(node, args)
        if isinstance(node, Map) and known.table is None:
            if node.op in COMPARISONS:
                self.compared(node, *args)
                return EXACT
            if node.op in LOGIC:
                for arg in args if node.op != "where" else args[:1]:
                    if self._has(arg, 0) and self.slacks[arg].at(0):
                        raise _refusal(node, 0)
                return self._either(known.values, *args[1:]) if node.op == "where" else EXACT
            if node.op == "round" and isinstance(sets[0], Interval):
                return self._rounded(node, args[0], sets[0])
            if _shares_mean(node):
                found = self._measure(args[0]).plus(self._measure(args[1]), zero=0.0 if exact else None)
                return Slack({v: found.at(v) for v in known.values.values if is_number(v) and found.at(v)})
        return self._tried(node, args)

    def _summed(self, values: Finite, rounded: frozenset[float], args: tuple[SOpNode, ...]) -> Slack:
        """The slack of a mean times a count whose values are listed."""
        most = max((s for a in args for s in self.slacks[a].listed.values()), default=0.0)
        if not most and not any(self.slacks[a] for a in args):
            return Slack({v: 4 * UNIT * abs(v) for v in rounded})
        by = self.facts.domain.max_length * max(most, *(self.slacks[a].absolute for a in args))
        return Slack(dict.fromkeys(values.values, by + 4 * UNIT * size_of(values)))

    def _either(self, values: Finite, *args: SOpNode) -> Slack:
        slacks = [self.slacks[a] for a in args]
        found = {v: max(s.at(v) for s in slacks) for v in values.values}
        return Slack({v: s for v, s in found.items() if s})

    def _interval(self, node: Map, args: tuple[SOpNode, ...]) -> Slack:
        """The slack of a sum, product, quotient or choice whose values are too many to list."""
        sets = [self.facts.values(a) for a in args]
        exact = [not self.slacks[a] and is_whole(s) for a, s in zip(args, sets, strict=True)]
        if node.op == "where":
            if self._has(args[0], 0) and self.slacks[args[0]].at(0):
                raise _refusal(node, 0)
            if all(not self.slacks[a] and are_nearest(s) for a, s in zip(args[1:], sets[1:], strict=True)):
                return EXACT
            one, two = (self._measure(a) for a in args[1:])
            return Slack({}, max(one.absolute, two.absolute), max(one.relative, two.relative), max(one.zero, two.zero))
        measures = [self._measure(a) for a in args]
        match node.op:
            case "neg" | "pos":
                return self.slacks[args[0]]
            case "+" | "-":
                size = measures[0].size + measures[1].size
                if all(exact) and size < EXACT_BELOW * common_unit(*map(unit_of, sets)):
                    return EXACT
                found = measures[0].plus(measures[1], zero=self._zero_of_sum(node, args))
                return replace(found, grid=self._grid_of_sum(args))
            case "*":
                size = measures[0].size * measures[1].size
                if all(exact) and size < EXACT_BELOW * math.prod(map(unit_of, sets)):
                    return EXACT
                for factor, other in (args, args[::-1]):
                    nearest = not self.slacks[other] and are_nearest(self.facts.values(other))
                    if self._is_power_of_two(factor) and nearest:
                        return EXACT  # of a nearest float it is one
                return measures[0].times(measures[1])
            case _:
                whole = self._is_power_of_two(args[1]) and not self.slacks[args[0]] and are_nearest(sets[0])
                return EXACT if whole or exact[0] else measures[0].over(float(bounds(sets[1])[0]))

    def _is_power_of_two(self, node: SOpNode) -> bool:
        """Whether an s-op is one power of two, or its negative."""
        values = self.facts.values(node)
        number = values.values[0] if isinstance(values, Finite) and len(values) == 1 else 0
        return is_number(number) and bool(number) and abs(math.frexp(number)[0]) == 0.5

    def _zero_of_sum(self, node: Map, args: tuple[SOpNode, ...]) -> float | None:
        """The slack of a sum or difference where it is zero, if that is less than elsewhere."""
        if node.op == "-" and self._together(*args):
            return 0.0
        for constant, other in (args, args[::-1]):
            values = self.facts.values(constant)
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
            values, slack = self.facts.values(whole), self.slacks[other]
            if self.slacks[whole] or not is_whole(values):
                continue
            unit = unit_of(values)
            if not slack and unit % FINE == 0 and size_of(values) + size_of(self.facts.values(other)) < 2**30:
                return FINE
            if not slack or (slack.grid is not None and unit % slack.grid == 0):
                return unit
        return None

    def _rounded(self, node: Map, arg: SOpNode, values: Interval) -> Slack:
        # j/2 with an odd j is unit * s / m: the least such m is a power of two
        power = 2 * (values.unit.numerator & -values.unit.numerator)
        if self.slacks[arg] and power // math.gcd(power, values.unit.denominator) <= values.most:
            raise _refusal(node, 0.5)
        return EXACT

    def _tried(self, node: Map | Table, args: tuple[SOpNode, ...]) -> Slack:
        """The slack of a function of listed values: what it gives when they are a little less or more."""
        found: dict[Atom, float] = {}
        slacks = [self.slacks[a] for a in args]
        alike = isinstance(node, Map) and node.op in ("-", *COMPARISONS) and self._together(*args)
        for values in self._combinations(node, args):
            if not any(s.at(v) for s, v in zip(slacks, values, strict=True)) or (alike and values[0] == values[1]):
                continue  # what is equal is rounded alike
            moves = {a: _moved(v, s.at(v)) for a, v, s in zip(args, values, slacks, strict=True)}
            wanted, _ = outcome(node, *values)
            self.facts.meter.spend(1, node)
            for moved in itertools.product(*moves.values()):
                by_arg = dict(zip(moves, moved, strict=True))
                given, _ = outcome(node, *(by_arg[a] for a in args))
                away = _distance(wanted, given)
                if away is None:
                    raise _refusal(node, values[next(i for i, v in enumerate(values) if slacks[i].at(v))])
                if away and wanted is not None:
                    found[wanted] = max(found.get(wanted, 0.0), away)
        return Slack(found)

    def _combinations(self, node: Map | Table, args: tuple[SOpNode, ...]) -> Iterator[tuple[Atom, ...]]:
        """The values that the operands can have together."""
        known = [self.facts.sops[a] for a in args]
        bases = tuple(dict.fromkeys(b for k in known for b in k.bases))
        sizes = {b: len(self.facts.base_values(b)) for b in bases}
        if all(k.table is not None for k in known) and math.prod(sizes.values()) <= 20 * self.facts.domain.budget:
            columns = [spread(k.table or (), k.bases, bases, sizes) for k in known]
            for entries in zip(*columns, strict=True):
                if not any(isinstance(e, Failed) for e in entries):
                    yield entries
            return
        lists = [self.facts.finite_values(a).values for a in args]
        if math.prod(map(len, lists)) > 20 * self.facts.domain.budget:
            raise self.facts.too_large(node, "a table")
        yield from itertools.product(*lists)

    # comparisons

    def compared(self, node: Node, left: SOpNode, right: SOpNode) -> None:
        """Refuses a comparison if a value of one side can be equal, up to rounding, to one of the other."""
        sides = (left, right)
        sets = [self.facts.values(s) for s in sides]
        slacks = [self.slacks[s] for s in sides]
        if all(isinstance(s, Finite) for s in sets) and not any(slacks):
            return
        if isinstance(node, Map) and self._together(left, right):
            return
        near = tie(sets[0], slacks[0], sets[1], slacks[1])
        if near is not None:
            raise _refusal(node, near)

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
        values = self.facts.values(arg)
        return value in values if isinstance(values, Finite) else values.low <= value <= values.high  # type: ignore[operator]

    def _measure(self, arg: SOpNode, values: ValueSet | None = None) -> Measure:
        values, slack = values or numbers_of(self.facts.values(arg)), self.slacks[arg]
        if values is None:
            return Measure(0.0, 0.0, 0.0, 0.0)
        size = size_of(values)
        if isinstance(values, Interval):
            absolute = max([slack.absolute, *slack.listed.values()])
            return Measure(size, absolute, slack.relative or (0.0 if is_whole(values) else UNIT), slack.zero)
        away = max((float(abs(rational(v) / Fraction(v) - 1)) for v in values.values if v), default=0.0)
        absolute = max((slack.at(v) for v in values.values if v), default=0.0)
        return Measure(size, absolute, away, slack.at(0) if 0 in values else 0.0)


def _refusal(node: Node, value: Atom) -> CapaxError:
    return CapaxError(
        "rests-on-rounding",
        f"`{describe(node)}` depends on how floats are rounded: values near {value} come in several roundings",
        hint="`round` such numbers first, compare them with a margin, or use tokens whose sums are exact (integers)",
        node=node,
    )


def _repeats(value: Fraction, n: int) -> bool:
    """Whether the mean of up to n times a value is exactly the value."""
    return is_dyadic(value) and abs(value.numerator) * n < EXACT_BELOW


def _shares_mean(node: Map | Table) -> bool:
    """Whether a node is a sum or difference of two means over the same keys."""
    if not isinstance(node, Map) or node.op not in ("+", "-"):
        return False
    one, two = node.args
    return isinstance(one, Aggregate) and isinstance(two, Aggregate) and one.selector is two.selector


def _moved(value: Atom, slack: float) -> tuple[Atom, ...]:
    """The value, and a little less and more."""
    if not slack or isinstance(value, str):
        return (value,)
    by = max(slack, math.ulp(value))
    return value, value - by, value + by


def _distance(wanted: Atom | None, given: Atom | None) -> float | None:
    """How far two outcomes are from each other; None if by more than rounding."""
    if wanted is None or given is None or isinstance(wanted, (str, bool)) or isinstance(given, (str, bool)):
        same = type(wanted) is type(given) and wanted == given
        return 0.0 if same else None
    if wanted == given:
        return 0.0
    away = abs(wanted - given)
    return float(away) if away <= BEYOND_ROUNDING * max(1.0, abs(wanted)) else None
