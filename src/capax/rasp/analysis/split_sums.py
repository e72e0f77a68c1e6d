"""Sums of large numbers, digit by digit: each digit is averaged by itself, and its sum is a small integer.

A program sums up by a mean times the number of keys in it: `length * aggregate(full_s, x)`. Of large x the mean has
more digits than float32. With x = d0 + B d1 + B^2 d2 + ... the sum is that of the d0, plus B times that of the d1, and
so on. Which digits and positions go together matters: a word of decimal digits has one number with a tens digit that is
not 0, so the tens sum up to 9 at most. Compiler and certificate both use these ranges.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, cast

from capax.errors import CapaxError
from capax.rasp.analysis.position_values import is_positional
from capax.rasp.ir.graph import postorder, rebuild
from capax.rasp.ir.nodes import Aggregate, Const, Input, Map, Node, SelectorNode, SOpNode, Table, Width
from capax.rasp.ir.types import Atom
from capax.rasp.meaning import reference

MOST_CELLS = 50_000
"""So many values, over all tokens, lengths and positions, are gone through."""

LARGE = 2**21
"""Sums are split where their noise, or that of their means, may be as large as their difference."""

PER_SUM = 8
"""A sum is rounded about so often beside once for each number."""

LARGEST = 2**40
"""Larger numbers are left as they are: the product of mean and number must round to the sum."""

PER_DIGIT = 10
"""About how many values of a sum one more digit is worth."""


@dataclass(frozen=True, slots=True)
class SumRange:
    """The least and the greatest sum of the values at the keys of a query."""

    low: int
    high: int


@lru_cache(maxsize=512)
def sum_ranges(node: Aggregate, tokens: tuple[Atom, ...], longest: int) -> dict[int, SumRange] | None:
    """For each number of selected keys the range of the sum of their values, on words of up to a length.

    None where the selector reads tokens, the values are no integers that depend on the position and its token, or there
    are too many to go through.
    """
    rows = _values(node.value, tokens, longest) if is_positional(node.selector) else None
    if rows is None:
        return None
    count = Width(node.selector)
    total = Map("*", (count, Aggregate(node.selector, Input("asis"), 0)))
    ranges: dict[int, SumRange] = {}
    for columns in rows:
        counts = cast(Any, reference.evaluate(count, (0,) * len(columns)))
        lows, highs = (cast(Any, reference.evaluate(total, tuple(map(end, columns)))) for end in (min, max))
        for keys, low, high in zip(counts, lows, highs, strict=True):
            known = ranges.get(keys, SumRange(round(low), round(high)))
            ranges[keys] = SumRange(min(known.low, round(low)), max(known.high, round(high)))
    return ranges


def _values(node: SOpNode, tokens: Sequence[Atom], longest: int) -> list[list[tuple[int, ...]]] | None:
    """For each length and each position the values that a node has there, one for each token; None if not integers."""
    if not _is_local(node) or len(tokens) * longest * (longest + 1) // 2 > MOST_CELLS:
        return None
    try:
        words = ([reference.evaluate(node, (t,) * n) for t in tokens] for n in range(1, longest + 1))
        rows = [list(zip(*(w.values for w in cast(Any, of_length)), strict=True)) for of_length in words]
    except CapaxError:
        return None
    numbers = (v for columns in rows for values in columns for v in values)
    return rows if all(type(v) is int and abs(v) <= LARGEST for v in numbers) else None


def _is_local(node: SOpNode) -> bool:
    """Whether a node's value depends on the token at a position and on that position, and on nothing else."""
    if is_positional(node):
        return False
    inner = postorder([cast(Node, node)], lambda n: () if is_positional(n) else n.operands)
    if not all(is_positional(n) or isinstance(n, (Input, Map, Table)) for n in inner):
        return False
    if any(isinstance(n, Table) and n.kind == "positions" for n in inner):
        return False
    return any(is_positional(n) and not isinstance(n, Const) for n in inner)


def split_sums(root: SOpNode, tokens: Sequence[Atom], longest: int | None) -> dict[Node, Node]:
    """What every node below a root becomes: sums of large numbers go by digits.

    A sum is taken for the integer that it is. That keeps the value of its `round`, and that of an answer up to
    rounding; others are left.
    """
    if longest is None:
        return {}

    def step(node: Node) -> Node:
        if isinstance(node, Map) and node.op == "round":
            return _by_digits(node.args[0], tuple(tokens), longest) or node
        return node

    changed = rebuild(root, step)
    last = changed[root]
    assert isinstance(last, SOpNode)
    changed[root] = _by_digits(last, tuple(tokens), longest) or last
    return changed


def _by_digits(node: SOpNode, tokens: tuple[Atom, ...], longest: int) -> SOpNode | None:
    """The sum of large numbers that a node is, by digits; None where it is no such sum."""
    if not isinstance(node, Map) or node.op != "*":
        return None
    for mean, count in (node.args, node.args[::-1]):
        if not isinstance(mean, Aggregate) or isinstance(mean.default, str):
            continue
        rows = _values(mean.value, tokens, longest) if is_positional(mean.selector) else None
        if rows is None or not _counts(mean.selector, count, longest):
            continue
        numbers = {v for columns in rows for values in columns for v in values}
        ranges = sum_ranges(mean, tokens, longest) or {}
        largest = max((max(abs(r.low), abs(r.high)) for r in ranges.values()), default=0)
        apart = max(map(abs, numbers)) * longest * (longest - 1)  # the largest mean, in least differences of means
        if max(apart, largest * (longest + PER_SUM)) > LARGE:
            return _cheapest(mean, count, numbers, tokens, longest)
    return None


def _counts(selector: SelectorNode, count: SOpNode, longest: int) -> bool:
    """Whether an s-op is the number of keys of a selector that reads no token."""
    if count is Width(selector):
        return True
    if not is_positional(count):
        return False
    words = [(0,) * n for n in range(1, longest + 1)]
    try:
        return all(reference.evaluate(count, w) == reference.evaluate(Width(selector), w) for w in words)
    except CapaxError:
        return False


def _cheapest(mean: Aggregate, count: SOpNode, numbers: set[int], tokens: tuple[Atom, ...], longest: int) -> SOpNode:
    """The sum by digits to the base for which the sums of digits have the fewest values."""
    costs: list[tuple[int, int]] = []
    for base in (2, 3, 4, 5, 8, 10, 16, 32, 64, 100):
        ranges = [sum_ranges(d, tokens, longest) or {} for d in _digits(mean, numbers, base)]
        spans = [max(r.high for r in s.values()) - min(r.low for r in s.values()) for s in ranges if s]
        costs.append((sum(spans) + PER_DIGIT * len(spans), base))
    base = min(costs)[1]
    digits = _digits(mean, numbers, base)
    terms = [Map("round", (Map("*", (count, digit)),)) for digit in digits]
    scaled = [Map("*", (Const(base**place), term)) if place else term for place, term in enumerate(terms)]
    return reduce(lambda one, two: Map("+", (one, two)), reversed(scaled))


def _digits(mean: Aggregate, numbers: set[int], base: int) -> list[Aggregate]:
    """The means of the digits of what is averaged, lowest first; the highest has the sign."""
    count, largest = 1, max(map(abs, numbers))
    while base**count <= largest:
        count += 1
    digits: list[Aggregate] = []
    for place in range(count):
        above = {v: v // base**place for v in numbers}
        table = tuple((v, above[v] if place == count - 1 else above[v] % base) for v in sorted(numbers))
        digits.append(Aggregate(mean.selector, Table("dict", table, mean.value), 0))
    return digits
