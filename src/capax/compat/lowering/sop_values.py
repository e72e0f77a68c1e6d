"""Which values an s-op can have: a list, or a range of numbers where they are too many to list."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, Const, Map, Node, SOpNode
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.types import plain_atom

MOST_VALUES = 20_000
"""More values than this are not listed."""


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`; `whole` if only integers."""

    low: float
    high: float
    whole: bool = False


Listing: TypeAlias = tuple[Any, ...]
Values: TypeAlias = Listing | Range


def plain(value: Any) -> Any:
    """The value, as a plain str, bool, int or float if it is one of numpy's or of a subclass."""
    atom = plain_atom(value)
    return value if atom is None else atom


def distinct(values: Iterable[Any]) -> Listing:
    """Each value once, without None; 1, 1.0 and True are kept apart, since functions can tell them apart."""
    by_print = {(type(v), repr(v)): v for v in map(plain, values) if v is not None}
    return tuple(by_print.values())


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, or a boolean."""
    return isinstance(value, (int, float)) and math.isfinite(value)


def numeric(values: Values) -> bool:
    """Whether all values are numbers, and there are any."""
    return isinstance(values, Range) or (bool(values) and all(map(is_number, values)))


def as_range(values: Values) -> Range | None:
    """The range in which numbers lie; None if they are not numbers."""
    if isinstance(values, Range):
        return values
    if not numeric(values):
        return None
    return Range(min(values), max(values), all(isinstance(v, int) for v in values))


def joined(one: Values, two: Values) -> Values | None:
    """The values of both; None if a range would have to hold something that is no number."""
    if not isinstance(one, Range) and not isinstance(two, Range):
        return distinct([*one, *two])
    a, b = as_range(one), as_range(two)
    if a is None or b is None:
        return one if two == () else two if one == () else None
    return Range(min(a.low, b.low), max(a.high, b.high), a.whole and b.whole)


def means(values: Values, most: int) -> Values:
    """The means of 1 to `most` numbers of a list: a single number is itself, the mean of several is a float."""
    if isinstance(values, Range):
        return Range(values.low, values.high)
    sums = _sums(values, most)
    if sums is None:
        return Range(min(values), max(values))
    # as the language has it: the sum, rounded once if it is no integer, divided by the count
    of_several = [(s.numerator if s.denominator == 1 else float(s)) / n for n, group in sums for s in group]
    listed = distinct([*values, *of_several])
    return listed if len(listed) <= MOST_VALUES else Range(min(values), max(values))


def totals(values: Values, most: int) -> Values:
    """The sums of 1 to `most` numbers; sums of floats, which are rounded, are given as a range."""
    span = as_range(values)
    assert span is not None
    wide = Range(min(span.low, most * span.low), max(span.high, most * span.high), span.whole)
    if isinstance(values, Range) or not span.whole:
        return wide
    sums = _sums(values, most)
    if sums is None:
        return wide
    listed = distinct([*values, *sorted({int(s) for _, group in sums for s in group})])
    return listed if len(listed) <= MOST_VALUES else wide


MOST_SUMS = 2_000_000
"""So many additions are done at most to list sums."""


def _sums(values: Sequence[Any], most: int) -> list[tuple[int, list[Fraction]]] | None:
    """For each count from 2 on, the sums of so many of the values; None if they are too many."""
    exact = {Fraction(v) for v in values}
    unit = math.lcm(*(v.denominator for v in exact))
    whole = sorted(int(v * unit) for v in exact)
    by_count: list[tuple[int, list[Fraction]]] = []
    sums, work, listed = set(whole), 0, 0
    for count in range(2, most + 1):
        if whole[-1] - whole[0] == len(whole) - 1:
            sums = set(range(count * whole[0], count * whole[-1] + 1))
        else:
            work += len(sums) * len(whole)
            if work > MOST_SUMS:
                return None
            sums = {s + v for s in sums for v in whole}
        listed += len(sums)
        if len(sums) > MOST_VALUES or listed > 20 * MOST_VALUES:
            return None
        by_count.append((count, [Fraction(s, unit) for s in sums]))
    return by_count


_EXACT: dict[str, Callable[[Range, Range], Range]] = {
    "+": lambda a, b: Range(a.low + b.low, a.high + b.high, a.whole and b.whole),
    "-": lambda a, b: Range(a.low - b.high, a.high - b.low, a.whole and b.whole),
    "*": lambda a, b: _corners([x * y for x in (a.low, a.high) for y in (b.low, b.high)], a.whole and b.whole),
}


def _corners(ends: list[float], whole: bool) -> Range:
    return Range(min(ends), max(ends), whole)


def image(template: SOpNode, arguments: dict[Node, Values]) -> Values | None:
    """The values of an operation on ranges of arguments; None where nothing is known, or where it could fail."""
    known: dict[Node, Values | None] = dict(arguments)
    for node in topological(template):
        if node in known:
            continue
        if isinstance(node, Const):
            known[node] = (node.value,)
        elif isinstance(node, Map):
            known[node] = _image_of(node, [known[a] for a in node.args])
    return known[template]


def _image_of(node: Map, args: list[Values | None]) -> Values | None:
    ranges = [None if a is None else as_range(a) for a in args]
    if OPS[node.op].reads_truth or node.op in ("==", "!="):
        return OPS[node.op].possible_values
    if node.op == "where":
        return None if args[1] is None or args[2] is None else joined(args[1], args[2])
    numbers = [r for r in ranges if r is not None]
    if len(numbers) < len(ranges):
        return None
    match node.op:
        case "neg":
            return Range(-numbers[0].high, -numbers[0].low, numbers[0].whole)
        case "pos":
            return numbers[0]
        case "round":
            return Range(round(numbers[0].low), round(numbers[0].high), True)
        case "/" if numbers[1].low > 0 or numbers[1].high < 0:
            return _corners([x / y for x in _ends(numbers[0]) for y in _ends(numbers[1])], False)
        case op if op in COMPARISONS:
            return (False, True)
        case op if op in _EXACT:
            return _EXACT[op](*numbers)
    return None


def _ends(values: Range) -> tuple[float, float]:
    return values.low, values.high
