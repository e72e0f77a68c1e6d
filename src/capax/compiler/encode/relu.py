"""Functions of one number by ReLU units: steps, staircases, and the restoring of noisy integers.

Lemma (step). For low < high let h = high - (high - low)/4 and g = 2/(high - low). Then relu(1 - relu(g (h - x))) is
exactly 0 for x <= low + (high - low)/4 and exactly 1 for x >= h, also in floating point: the inner unit is 0 or at
least 1 there, and 1 - 0 and max(1 - t, 0) are exact. So a step removes noise of up to a quarter of its gap.
Lemma (exact staircase). Over integers x, relu(x - t) is an integer, so a sum of such units with integer coefficients is
exact as long as its terms stay below the integers that the number system has.
Lemma (rest). Let f(x) = f(x + P) for all integers x from 0 to n, as x % 9 has it. With q = x // P, a staircase of n / P
jumps, f(x) is f of the rest x - P q: about 2 n / P + P units instead of n. P may be any multiple of the least period.
Likewise f(x) = f(x - P q) + c q where f(x + P) = f(x) + c, as x // 2 has it.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from capax.compiler.encode.mlp_builder import MlpBuilder
from capax.compiler.encode.signals import SignalSum, add_all
from capax.errors import CapaxError

MOST_STEPS = 24
"""An integer is taken apart into digits with at most about so many values, or into two."""
PER_REST = 60
"""About how many weights one more division costs."""
MANY_STEPS = 24
"""A staircase with more steps on a noisy number is built on the restored integer where there is one."""


def step(mlp: MlpBuilder, x: SignalSum, low: float, high: float, name: str) -> SignalSum:
    """0 where x <= low and 1 where x >= high, exactly, for x with noise of up to a quarter of the gap."""
    gap = high - low
    if gap <= 2.0**-20 * max(abs(low), abs(high)):
        raise CapaxError(
            "too-many-values",
            f"{name}: the values {low!r} and {high!r} are too near to each other to be told apart",
            hint="use smaller numbers, or numbers further apart",
        )
    inner = mlp.relu((x - (high - gap / 4)) * (-2 / gap), name)
    return mlp.relu(-inner + 1.0, name)


def staircase(mlp: MlpBuilder, x: SignalSum, codes: Sequence[float], outputs: Sequence[float], name: str) -> SignalSum:
    """The output of the code that x is near to, by steps in the middle between codes; removes noise."""
    parts = [SignalSum(constant=outputs[0])]
    for i in range(1, len(codes)):
        if outputs[i] != outputs[i - 1]:
            parts.append(step(mlp, x, codes[i - 1], codes[i], name) * (outputs[i] - outputs[i - 1]))
    return mlp.group(add_all(parts), name, min(outputs), max(outputs))


def on_grid(outputs: Sequence[float], unit: float) -> list[float]:
    """Outputs that are no small binary fractions, as multiples of a power of two so large that no sum is rounded.

    Rounded, a sum of n steps is off by up to n units of its terms; a multiple of the grid is off by half of it, which
    is a few units.

    >>> on_grid([0.0, 1 / 3, 1.0], 2.0**-8)
    [0.0, 0.3359375, 1.0]
    """
    if _power_of_two_unit(outputs) is not None:
        return list(outputs)
    rises = abs(outputs[0]) + sum(abs(b - a) for a, b in itertools.pairwise(outputs))
    grid = 2.0 ** math.ceil(math.log2(2 * unit * rises))
    return [round(output / grid) * grid for output in outputs]


def exact_staircase(
    mlp: MlpBuilder, x: SignalSum, codes: Sequence[int], outputs: Sequence[float], name: str, exact_below: float
) -> SignalSum | None:
    """The same over integers without noise, by one stage of units; None where it would not be exact.

    Units rise from the left, or from the right where they are fewer so: a function that ends flat then has no large
    terms there. Where sums become too large they rise from the middle to both sides: there each number has terms of one
    side only.
    """
    middle = len(codes) // 2
    parts = _from_an_end(codes, outputs, exact_below)
    if parts is None and middle:
        right = _rises(codes[middle:], outputs[middle:], exact_below)
        left = _rises(*_mirrored(codes[: middle + 1], outputs[: middle + 1]), exact_below)
        parts = None if left is None or right is None else [(-1, left), (1, right)]
    if parts is None:
        return None
    start = outputs[0] if parts[0][0] == 1 else outputs[-1] if len(parts) == 1 else outputs[middle]
    signed = {sign: x * sign for sign, _ in parts}
    units = [mlp.relu(signed[sign] - t, name) * c for sign, changes in parts for t, c in sorted(changes.items())]
    return mlp.group(add_all([SignalSum(constant=start), *units]), name, min(outputs), max(outputs))


def _from_an_end(
    codes: Sequence[int], outputs: Sequence[float], exact_below: float
) -> list[tuple[int, dict[int, float]]] | None:
    """The rises from the left, or from the right if there are fewer; None where neither is exact."""
    left = _rises(codes, outputs, exact_below)
    right = _rises(*_mirrored(codes, outputs), exact_below)
    if right is not None and (left is None or len(right) < len(left)):
        return [(-1, right)]
    return None if left is None else [(1, left)]


def _mirrored(codes: Sequence[int], outputs: Sequence[float]) -> tuple[list[int], Sequence[float]]:
    return [-code for code in reversed(codes)], outputs[::-1]


def _rises(codes: Sequence[int], outputs: Sequence[float], exact_below: float) -> dict[int, float] | None:
    """The coefficients of units that are 0 up to a code, by that code; None where sums would not be exact."""
    changes: dict[int, float] = {}
    for i in range(1, len(codes)):
        rise = outputs[i] - outputs[i - 1]
        if rise:
            changes[codes[i] - 1] = changes.get(codes[i] - 1, 0.0) + rise
            changes[codes[i]] = changes.get(codes[i], 0.0) - rise
    changes = {t: c for t, c in changes.items() if c and t < codes[-1]}
    unit = _power_of_two_unit(changes.values())
    exact = unit is not None and sum(abs(c) * (codes[-1] - t) for t, c in changes.items()) / unit < exact_below
    return changes if exact else None


def _power_of_two_unit(values: object) -> float | None:
    """The largest power of two (at most 1) of which all are multiples, or None if it is tiny."""
    denominators = [Fraction(v).denominator for v in values]  # type: ignore[attr-defined]
    largest = max(denominators, default=1)
    return 1 / largest if largest <= 2**16 else None


def least_period(codes: Sequence[float], outputs: Sequence[float]) -> int | None:
    """The least period of a function of many consecutive integers, or of its rises; None where it has none that pays.

    With the period p of its rises f(x + p) is f(x) and the same number for all x, as for x // 10.

    >>> least_period(range(90), [x % 7 for x in range(90)]), least_period(range(90), [x // 10 for x in range(90)])
    (7, 10)
    """
    count = len(outputs)
    if count <= MANY_STEPS or any(code != codes[0] + i for i, code in enumerate(codes)) or codes[0] != int(codes[0]):
        return None
    return next((p for p in range(2, count // 4) if _rises_alike(outputs, p)), None)


def _rises_alike(outputs: Sequence[float], period: int) -> bool:
    """Whether outputs rise by the same number from each integer to that a period later."""
    rise = outputs[period] - outputs[0]
    return all(b - a == rise for a, b in zip(outputs, outputs[period:], strict=False))


def period_of(codes: Sequence[float], outputs: Sequence[float]) -> int | None:
    """The period by which a function of consecutive integers takes the fewest units; None where it has none that pays.

    >>> period_of(range(101), [float(x % 2) for x in range(101)])
    12
    """
    count, least = len(outputs), least_period(codes, outputs)
    if least is None:
        return None
    units, period = min((2 * (count // p) + p, p) for p in range(least, count, least))
    return period if 2 * units < count else None


def rests(count: int, least: int) -> list[int]:
    """By what a noisy integer below `count` is divided, one after the other, to get a rest of which it is a function.

    All are multiples of the least period. About the fewest weights: stages of a and of b units have a * b between them.
    Functions with one period have one rest, and share the steps on it.

    >>> rests(4951, 7), rests(101, 2)
    ([1512, 252, 42, 7], [24, 4])
    """
    best: tuple[float, list[int]] | None = None
    for last in range(least, min(count, max(least, MOST_STEPS) + 1), least):
        for length in range(1, 5):
            base = max(2, math.ceil((count / last) ** (1 / length) - 2.0**-20))
            weights = [last * base**place for place in range(length - 1, -1, -1)]
            tops = [count, *weights]
            steps = [(above - 1) // below for above, below in itertools.pairwise(tops)]
            cost = sum((s + 3) ** 2 for s in steps) + (last + 3) ** 2 + PER_REST * length
            if best is None or cost < best[0]:
                best = cost, [w for w, s in zip(weights, steps, strict=True) if s]
    assert best is not None
    return best[1]


def stair_period(outputs: Sequence[float]) -> int | None:
    """P for which f(x + P) - f(x) is one number that is not 0, by which f takes the fewest units; None if none pays.

    The outputs are those of consecutive integers.

    >>> stair_period([float(x // 2) for x in range(101)])
    12
    """
    count = len(outputs)
    if count <= MANY_STEPS:
        return None
    rises = [b - a for a, b in itertools.pairwise(outputs)]
    least = next((p for p in range(2, count // 4) if all(map(float.__eq__, rises, rises[p:]))), None)
    if least is None or outputs[least] == outputs[0]:
        return None
    # a unit for each change of the slope
    bends = list(itertools.accumulate((a != b for a, b in itertools.pairwise([0.0, *rises])), initial=0))
    units, period = min((2 * (count // p) + bends[p - 1], p) for p in range(least, count, least))
    return period if 3 * units < 2 * bends[-1] else None


def by_rest(
    mlp: MlpBuilder, x: SignalSum, first: int, outputs: Sequence[float], period: int, name: str, exact_below: float
) -> SignalSum | None:
    """The output for each integer from `first` on, for x without noise; None where it would not be exact."""
    rise = outputs[period] - outputs[0]
    unit = _power_of_two_unit(outputs) if rise else 1.0
    if unit is None or (rise and sum(map(abs, (*outputs[:period], outputs[-1]))) / unit >= exact_below):
        return None
    codes = range(len(outputs))
    offset = x - float(first)
    label = f"{name} // {period}"
    quotient = exact_staircase(mlp, offset, codes, [float(c // period) for c in codes], label, exact_below)
    if quotient is None:
        return None
    whole = mlp.unit(quotient, label)
    rest = mlp.group(offset - whole * float(period), f"{name} % {period}", 0.0, period - 1.0)
    value = exact_staircase(mlp, rest, range(period), outputs[:period], name, exact_below)
    if value is None or not rise:
        return value
    return mlp.group(value + whole * rise, name, min(outputs), max(outputs))


def from_reciprocal(mlp: MlpBuilder, w: SignalSum, most: int, name: str, off: float = 0.0) -> SignalSum:
    """k where w is 1/(k + 1), for k up to `most`, or a number that is off by at most `off`.

    k is a convex function of w: the lines through some of the points (1/m, m - 1), m = k + 1. Between the points for m
    and M lines are too high, by (K - m)(M - K)/K at K = k + 1, which is at most (M - m)^2 / (4 m): so points that are
    the square root of 8 m off apart will do, about sqrt(most / (2 off)) of them. All terms are positive, so nothing
    cancels; noise of w grows by a factor of order k.
    """
    ends = _knots(most + 1, off)
    # the slope from m to M is m M: where it changes, by m times the distance of the points before and after
    around = zip([0, *ends], ends, ends[1:], strict=False)
    parts = [mlp.relu(-w + 1 / m, name) * float(m * (after - before)) for before, m, after in around]
    lower = off if len(ends) < most + 1 else 0.0
    return mlp.group(add_all(parts) - lower, f"{name} (noisy)", -lower, float(most) + lower)


def _knots(last: int, off: float) -> list[int]:
    """Integers from 1 to the last, between which lines through 1/m are off by at most twice `off`."""
    ends = [1]
    while ends[-1] < last:
        ends.append(min(last, ends[-1] + max(1, math.isqrt(int(8 * off * ends[-1])))))
    return ends


def restored(mlp: MlpBuilder, x: SignalSum, low: int, high: int, name: str) -> SignalSum:
    """The integer between low and high nearest to x, exactly, for x with noise below 1/4.

    In digits, so that the units are few: first the highest digit by steps, then the next of what is left, and so on.
    """
    count = high - low
    if count <= MANY_STEPS:
        return staircase(mlp, x, range(low, high + 1), [float(v) for v in range(low, high + 1)], name)
    weights = place_values(count)
    digits, rest = taken_off(mlp, x - float(low), count, weights, name)
    bits = _bits(mlp, rest, 1, weights[-1] - 1, f"{name}, low digit")
    parts = [mlp.group(add_all(bits), f"{name}, low digit", 0.0, float(len(bits)))]
    parts += [digit * float(weight) for digit, weight in zip(digits, weights, strict=True)]
    return mlp.group(add_all(parts) + float(low), name, float(low), float(high))


def place_values(count: int) -> list[int]:
    """What the digits but the lowest are worth, highest first, where integers from 0 to a number are taken apart.

    There are two digits, or as many as it takes for a base of at most `MOST_STEPS`.

    >>> place_values(100), place_values(4950)
    ([11], [324, 18])
    """
    length = 2
    while MOST_STEPS**length <= count:
        length += 1
    base = digit_base(count) if length == 2 else math.ceil((count + 1) ** (1 / length) - 2.0**-20)
    return [base**place for place in range(length - 1, 0, -1)]


def taken_off(
    mlp: MlpBuilder, x: SignalSum, count: int, weights: Sequence[int], name: str
) -> tuple[list[SignalSum], SignalSum]:
    """The digits with some place values of an integer from 0 to `count`, without noise, and what is left of x."""
    digits: list[SignalSum] = []
    for weight in weights:
        bits = _bits(mlp, x, weight, count // weight, f"{name}, digit of {weight}")
        digits.append(mlp.group(add_all(bits), f"{name}, digit of {weight}", 0.0, float(len(bits))))
        x = mlp.group(x - digits[-1] * float(weight), f"{name}, rest of {weight}", -0.5, weight - 0.5, noisy=True)
        count = weight - 1
    return digits, x


def _bits(mlp: MlpBuilder, x: SignalSum, weight: int, count: int, name: str) -> list[SignalSum]:
    """Whether an integer is at least 1, 2, ... up to `count` times a number."""
    return [step(mlp, x, t * weight - 1, t * weight, name) for t in range(1, count + 1)]


def digit_base(count: int) -> int:
    """The base in which the integers from 0 to a number have two digits."""
    return math.isqrt(count) + 1


def digit_bits(
    mlp: MlpBuilder, x: SignalSum, low: int, high: int, name: str
) -> tuple[list[SignalSum], list[SignalSum]]:
    """For both digits of x - low, without noise, whether they are at least 1, 2 and so on."""
    count = high - low
    base = digit_base(count)
    tops = range(base, count + 1, base)
    high_bits = [step(mlp, x, low + t - 1, low + t, f"{name}, high digit") for t in tops]
    first = mlp.group(add_all(high_bits), f"{name}, high digit", 0.0, float(len(tops)))
    rest = mlp.group(x - float(low) - first * float(base), f"{name}, rest", -0.5, base - 0.5)
    return high_bits, [step(mlp, rest, u - 1, u, f"{name}, low digit") for u in range(1, base)]
