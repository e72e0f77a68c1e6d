"""Comparisons of positions as masks, and as scores of windows: keys whose offset j - i is one of a few numbers.

With offsets between `low` and `high`, K numbers, let d = i + high - j: a key is selected where d is in a set D of
numbers from 0 to K - 1.

Lemma (polynomial). The product of (d - r) (d - r - 1) over neighbours r, r + 1 in D and of (d - r)^2 over others is 0
on D and a positive integer elsewhere. Where a mask hides what is beyond an end of D, the factor of that end may be
there once. As a polynomial in i and j it needs a product for each power of j. All terms are integers, so it is exact as
long as their sum is small.
Lemma (remainders). Let blocks have B >= K - 1 positions, and e be the block of i + high less the block of j. Where d is
in D, e is 0 or 1; and where e is 0 or 1, d is from 1 - B to 2 B - 1, so it is in D if and only if d % 2 B is. So
e (e - 1) / 2 + [d % 2 B not in D] is 0 where keys are selected and at least 1 elsewhere.
Lemma (least dimension). A head whose score is 0 on the K last positions and negative on all before has a dimension of
at least K + 1: a key that K queries in a row select, but not the next, is orthogonal to those and not to that one, so
that the queries of K + 1 positions in a row are independent.
"""

import math
from collections.abc import Callable, Container, Sequence
from functools import partial

from capax.compiler.analysis.analysis import Analysis, Failed
from capax.compiler.analysis.value_sets import is_integer
from capax.compiler.attention.selector_score import SelectorScore
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.signals import SignalSum, add_all
from capax.model.parts import Mask
from capax.rasp.analysis.offsets import Offsets, Range, shift_of
from capax.rasp.analysis.offsets import offsets_of as all_offsets_of
from capax.rasp.ir.nodes import Indices, SelectorNode, SOpNode
from capax.rasp.ir.types import Atom

_MASKS: dict[tuple[Range, ...], Mask] = {
    ((-math.inf, math.inf),): "none",
    ((-math.inf, 0),): "causal",
    ((-math.inf, -1),): "strict past",
    ((0, math.inf),): "future",
    ((1, math.inf),): "strict future",
}


def mask_of(seen: Offsets) -> Mask | None:
    """The mask that shows exactly these offsets, if there is one."""
    return _MASKS.get(seen.ranges)


def offsets_of(selector: SelectorNode, analysis: Analysis) -> Offsets | None:
    """The offsets that comparisons of shifted positions select together; None where a selector has others."""
    return all_offsets_of(selector, partial(_shift, analysis=analysis))


def _shift(node: SOpNode, analysis: Analysis) -> int | None:
    """c where the node is the position plus an integer c, on words of the domain."""
    shift = shift_of(node)
    known = analysis.sops[node]
    if shift is not None or known.bases != (Indices(),) or known.table is None:
        return shift
    first = known.table[0]
    if isinstance(first, (Failed, str)) or not is_integer(first):
        return None
    same = all(not isinstance(e, (Failed, str)) and e - i == first for i, e in enumerate(known.table))
    return int(first) if same else None


def is_window(builder: FeatureBuilder, selector: SelectorNode) -> bool:
    """Whether a selector asks for a few offsets between positions, much fewer than the positions."""
    offsets = offsets_of(selector, builder.analysis)
    return offsets is not None and 2 * (offsets.high - offsets.low) + 1 < builder.domain.max_length


def window_score(
    builder: FeatureBuilder, window: Offsets, seen: Offsets, *, room: float, shifted: bool
) -> SelectorScore | None:
    """The score of a few offsets, where it needs fewer products than orders of positions; None where it does not.

    A mask hides all offsets but the `seen` ones. The terms of the score sum up to at most `room`. A `shifted` score is
    right up to a number of each query.
    """
    longest = builder.domain.max_length
    if not -longest < window.low <= window.high < longest or window.size == 1:
        return None
    largest = min(4 * builder.domain.exact_below, room)  # sums of integers below are exact, in any order
    score = _by_powers(builder, window, seen, largest)
    if score is None:
        score = _by_remainders(builder, window, seen, largest)
    return SelectorScore(score.pairs, key=score.key) if score is not None and shifted else score


# polynomials


def _by_powers(builder: FeatureBuilder, window: Offsets, seen: Offsets, largest: float) -> SelectorScore | None:
    """The score as a polynomial of the positions; None where it would not be exact."""
    longest = builder.domain.max_length
    sign, roots = -1, _roots([-offset for offset in window], once=seen.high == window.high)
    if seen.low == window.low and len(other := _roots(list(window), once=True)) < len(roots):
        sign, roots = -1 if len(other) % 2 == 0 else 1, [-root for root in other]
    powers = _expanded(roots)
    for centre in (0, longest // 2):
        furthest = 2 * max(centre, longest - 1 - centre)
        if sum(abs(p) * furthest**t for t, p in enumerate(powers)) < largest:
            return _polynomial(builder, [sign * p for p in powers], centre)
    return None


def _roots(numbers: Sequence[int], *, once: bool) -> list[int]:
    """The roots of a polynomial that is 0 at some numbers and positive at all others, greatest first.

    With `once` it need not be positive below all of them.

    >>> _roots([0, 1, 2], once=False), _roots([0, 1, 2], once=True)
    ([2, 1, 0, 0], [2, 1, 0])
    """
    roots: list[int] = []
    waiting = sorted(numbers)
    while waiting:
        root = waiting.pop()
        roots.append(root)
        if waiting and waiting[-1] == root - 1:
            roots.append(waiting.pop())
        elif waiting or not once:
            roots.append(root)
    return roots


def _expanded(roots: Sequence[int]) -> list[int]:
    """The coefficients of the product of all (d - root), from the constant on.

    >>> _expanded([0, 1])
    [0, -1, 1]
    """
    powers = [1]
    for root in roots:
        powers = [b - root * a for a, b in zip([*powers, 0], [0, *powers], strict=True)]
    return powers


def _polynomial(builder: FeatureBuilder, powers: Sequence[int], centre: int) -> SelectorScore:
    """The score that is a polynomial of i - j: a product for each power of the key's position."""
    position = [SignalSum(constant=1.0)]
    for t in range(1, len(powers)):
        name = f"{'indices' if not centre else f'(indices - {centre})'}{f'^{t}' if t > 1 else ''}"
        column = builder.stream_feature(Indices(), partial(_power, centre=centre, exponent=t), name)
        position.append(column)
    score = SelectorScore()
    for b, key in enumerate(position):
        factors = [float(p * math.comb(t, b) * (-1) ** b) for t, p in enumerate(powers)]
        query = add_all(position[t - b] * factors[t] for t in range(b, len(powers)))
        if not b:
            score += SelectorScore(query=query)
        elif query.terms:
            score += SelectorScore(((query, key),))
        else:
            score += SelectorScore(key=key * query.constant)
    return score


def _power(position: Atom, *, centre: int, exponent: int) -> float:
    return float((int(position) - centre) ** exponent)


# remainders


def _by_remainders(builder: FeatureBuilder, window: Offsets, seen: Offsets, largest: float) -> SelectorScore | None:
    """The score by blocks of positions, and by remainders within two of them; None where an order is smaller."""
    longest, high = builder.domain.max_length, int(window.high)
    room = math.sqrt(largest / 2) - 2  # for the numbers of blocks
    if room < 1:
        return None
    block = max(high - int(window.low), math.ceil(longest / room))
    ends = [end for bounds in (~window).ranges for end in bounds if end in seen and -longest < end < longest]
    if 2 * block + 1 >= min(longest, sum(longest - abs(end) for end in ends)):
        return None
    near = _near(builder, {high - offset for offset in window}, high, 2 * block)
    return near + _far(builder, high, block)


def _near(builder: FeatureBuilder, chosen: Container[int], high: int, period: int) -> SelectorScore:
    """The score that is -1 where the remainder of i + high - j is none of the chosen ones."""

    def leaves(rest: int) -> SignalSum:
        """Whether the position leaves a remainder; that it leaves 0 is what is left of the others."""
        if rest:
            name = f"indices % {period} == {rest}"
            return builder.stream_feature(Indices(), partial(_leaves, period=period, rest=rest), name)
        return add_all([SignalSum(constant=1.0), *(-leaves(other) for other in range(1, period))])

    rests = [leaves(rest) for rest in range(period)]
    others = [d for d in range(period) if d not in chosen]
    outside = [add_all(rests[(query + high - d) % period] for d in others) for query in range(period)]
    pairs = tuple((rests[query], outside[0] - outside[query]) for query in range(1, period))
    return SelectorScore(pairs, key=-outside[0])


def _leaves(position: Atom, *, period: int, rest: int) -> float:
    return float(int(position) % period == rest)


def _far(builder: FeatureBuilder, high: int, block: int) -> SelectorScore:
    """The score -e (e - 1) / 2 for the difference e of the blocks of i + high and of j."""

    def number(offset: int, name: str, output: Callable[[int], float]) -> SignalSum:
        """A function of the block of a position and an offset."""
        of = f"(indices + {offset}) // {block}" if offset else f"indices // {block}"
        return builder.stream_feature(Indices(), lambda i: output((int(i) + offset) // block), name.format(of))

    mine, theirs = (number(offset, "{}", float) for offset in (high, 0))
    squares = (
        number(high, "{0} ({0} - 1) / 2", lambda a: a * (a - 1) / 2),
        number(0, "{0} ({0} + 1) / 2", lambda b: b * (b + 1) / 2),
    )
    return SelectorScore(((mine, theirs),), -squares[0], -squares[1])
