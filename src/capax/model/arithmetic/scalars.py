"""Arithmetic on single numbers, for the definition: what each number system rounds, and when.

Floats are Python floats, which hold every float32, float16 and bfloat16 exactly; sums of products are computed in
float64 and rounded once. Fixed-point numbers and integers are fractions, so that everything before a rounding is exact.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, assert_never

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.exact import nearest_exponential
from capax.model.numbers import Fixed, Float, Integer, parse
from capax.model.parts import Activation, Norm

Number: TypeAlias = Any
"""A float in the floating-point systems, a Fraction in the others."""

Row: TypeAlias = list[Number]


class Scalars(Protocol):
    """The operations of a number system on single numbers and rows of them."""

    def read(self, stored: Any) -> Number:
        """The number that an entry of a model's array stands for."""
        ...

    def outside(self, value: float) -> Number:
        """A number of the system for one that comes from outside."""
        ...

    def dot(self, xs: Row, ys: Row, bias: Number | None) -> Number:
        """The sum of products, plus a bias."""
        ...

    def hard_score(self, xs: Row, ys: Row) -> Number:
        """The score of hard attention: in floats the products are added up one by one, each step rounded."""
        return self.dot(xs, ys, None)

    def keep(self, x: Number) -> Number:
        """A query, a key or a stream's coordinate as it is stored."""
        return x

    def keep_value(self, x: Number) -> Number:
        """A value's coordinate as it is stored."""
        return x

    def add(self, x: Number, y: Number) -> Number:
        """The sum of a stream and what is added to it."""
        ...

    def scaled(self, x: Number, scale: float) -> Number:
        """A query's coordinate times the scale of the scores."""
        ...

    def triple(self, xs: Row, ys: Row, zs: Row) -> Number:
        """The sum of triple products."""
        ...

    def weight(self, score: Number, top: Number) -> Number:
        """A softmax numerator."""
        ...

    def mean(self, weights: Row, values: Row) -> Number:
        """The mean of values under weights that need not sum to 1."""
        ...

    def activate(self, x: Number, kind: Activation) -> Number:
        """A hidden unit after its activation."""
        ...

    def norm(self, norm: Norm, xs: Row) -> Row:
        """A row after a norm."""
        ...


def scalars(numbers: str) -> Scalars:
    """The arithmetic on single numbers of a number system, given by its name."""
    match parse(numbers):
        case Float(name=name):
            return FloatScalars(name)
        case Fixed() as fixed:
            return FixedScalars(fixed)
        case Integer() as integer:
            return IntegerScalars(integer)
        case other:
            assert_never(other)


def _clipped(x: Fraction, bits: int) -> Fraction:
    half = 1 << (bits - 1)
    if -half <= x <= half - 1:
        return x
    return Fraction(-half if x < 0 else half - 1)


class FloatScalars(Scalars):
    """Floats; every operation is rounded to the system."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, x: float) -> float:
        """The nearest number of the system, ties to even."""
        match self.name:
            case "float64":
                return x
            case "float32" | "float16":
                with np.errstate(over="ignore"):  # too large is infinite
                    return float(np.dtype(self.name).type(x))
        if math.isnan(x) or math.isinf(x) or x == 0:
            return x
        # A bfloat16 has 8 significant bits, and the exponents of a float32.
        unit = 2.0 ** (max(math.frexp(x)[1], -125) - 8)
        near = round(Fraction(x) / Fraction(unit)) * unit
        return math.copysign(math.inf, x) if abs(near) >= 2.0**128 else near

    def read(self, stored: Any) -> Number:
        return self.fit(float(stored))

    def outside(self, value: float) -> Number:
        return self.fit(float(value))

    def dot(self, xs: Row, ys: Row, bias: Number | None) -> Number:
        total = self.fit(sum(x * y for x, y in zip(xs, ys, strict=True)))
        return total if bias is None else self.fit(total + bias)

    def hard_score(self, xs: Row, ys: Row) -> Number:
        kind = np.float64 if self.name == "float64" else np.float32
        total = kind(0)
        with np.errstate(all="ignore"):
            for x, y in zip(xs, ys, strict=True):
                total = total + kind(x) * kind(y)
        lowest = float(np.finfo(kind).min)
        score = self.fit(float(total))
        return lowest if math.isnan(score) else max(score, lowest)

    def add(self, x: Number, y: Number) -> Number:
        return self.fit(x + y)

    def scaled(self, x: Number, scale: float) -> Number:
        return self.fit(x * self.fit(scale))

    def triple(self, xs: Row, ys: Row, zs: Row) -> Number:
        return self.dot([self.fit(x * y) for x, y in zip(xs, ys, strict=True)], zs, None)

    def weight(self, score: Number, top: Number) -> Number:
        return self.fit(math.exp(self.fit(score - top)))

    def mean(self, weights: Row, values: Row) -> Number:
        total = self.fit(float(sum(weights)))
        num = self.fit(float(sum(float(w) * v for w, v in zip(weights, values, strict=True))))
        return self.fit(num / total) if total else 0.0

    def activate(self, x: Number, kind: Activation) -> Number:
        return max(x, 0.0) if kind == "relu" else self.fit(scalar_gelu(kind)(x))

    def norm(self, norm: Norm, xs: Row) -> Row:
        fit = self.fit
        if norm.kind == "layer":
            mean = fit(sum(xs) / len(xs))
            xs = [fit(x - mean) for x in xs]
        variance = fit(sum(x * x for x in xs) / len(xs))
        root = fit(math.sqrt(fit(variance + fit(norm.epsilon))))
        rows = zip(xs, norm.gain, norm.bias, strict=True)
        return [fit(fit(fit(x / root) * self.read(g)) + self.read(b)) for x, g, b in rows]


class FixedScalars(Scalars):
    """Fractions with denominator 2^F; everything is exact up to the one rounding that `fit` does."""

    def __init__(self, system: Fixed) -> None:
        self.system = system
        self.unit = Fraction(1, 1 << system.fraction)

    def fit(self, x: Fraction) -> Fraction:
        """The nearest number of the system, ties to even, saturated."""
        half = 1 << (self.system.bits - 1)
        units = round(x * self.unit.denominator)
        return Fraction(min(max(units, -half), half - 1), self.unit.denominator)

    def read(self, stored: Any) -> Number:
        return int(stored) * self.unit

    def outside(self, value: float) -> Number:
        return self.fit(Fraction(float(value)))

    def dot(self, xs: Row, ys: Row, bias: Number | None) -> Number:
        return self.fit(_products(xs, ys) + (bias or 0))

    def add(self, x: Number, y: Number) -> Number:
        return self.fit(x + y)

    def scaled(self, x: Number, scale: float) -> Number:
        return x if scale == 1 else self.fit(x * self.outside(scale))

    def triple(self, xs: Row, ys: Row, zs: Row) -> Number:
        return self.fit(sum((x * y * z for x, y, z in zip(xs, ys, zs, strict=True)), Fraction(0)))

    def weight(self, score: Number, top: Number) -> Number:
        return nearest_exponential(int((score - top) / self.unit), self.system.fraction) * self.unit

    def mean(self, weights: Row, values: Row) -> Number:
        total = sum(weights)
        return self.fit(_products(weights, values) / total) if total else Fraction(0)

    def activate(self, x: Number, kind: Activation) -> Number:
        return max(x, Fraction(0)) if kind == "relu" else self.outside(scalar_gelu(kind)(float(x)))

    def norm(self, norm: Norm, xs: Row) -> Row:
        if norm.kind == "layer":
            mean = self.fit(Fraction(sum(xs)) / len(xs))
            xs = [x - mean for x in xs]
        # In units of 2^-2F, so that the root is in units of 2^-F.
        variance = round((_products(xs, xs) / len(xs) + Fraction(norm.epsilon)) / self.unit**2)
        low = math.isqrt(variance)
        root = max(low + (variance > low * low + low), 1) * self.unit
        rows = zip(xs, norm.gain, norm.bias, strict=True)
        return [self.fit(self.fit(x / root) * self.read(g) + self.read(b)) for x, g, b in rows]


class IntegerScalars(Scalars):
    """Integers, as fractions; weights come from the system's table."""

    def __init__(self, system: Integer) -> None:
        self.system = system

    def read(self, stored: Any) -> Number:
        return Fraction(int(stored))

    def outside(self, value: float) -> Number:
        if float(value) != round(float(value)):
            raise CapaxError("number-system", "a function of the position is not an integer", hint="use floats")
        return self.keep(Fraction(float(value)))

    def dot(self, xs: Row, ys: Row, bias: Number | None) -> Number:
        return _products(xs, ys) + (bias or 0)

    def keep(self, x: Number) -> Number:
        return _clipped(x, self.system.bits)

    def keep_value(self, x: Number) -> Number:
        return _clipped(x, self.system.value_bits)

    def add(self, x: Number, y: Number) -> Number:
        return self.keep(x + y)

    def scaled(self, x: Number, scale: float) -> Number:
        return x * Fraction(scale)

    def triple(self, xs: Row, ys: Row, zs: Row) -> Number:
        return sum((x * y * z for x, y, z in zip(xs, ys, zs, strict=True)), Fraction(0))

    def weight(self, score: Number, top: Number) -> Number:
        row = min(max(int(score) - self.system.low, 0), len(self.system.table) - 1)
        return Fraction(self.system.table[row])

    def mean(self, weights: Row, values: Row) -> Number:
        total = sum(weights)
        return Fraction(round(_products(weights, values) / total)) if total else Fraction(0)

    def activate(self, x: Number, kind: Activation) -> Number:
        assert kind == "relu", "checked before"
        return self.keep(max(x, Fraction(0)))

    def norm(self, norm: Norm, xs: Row) -> Row:
        raise AssertionError("norms are refused before a run")


def _products(xs: Sequence[Fraction], ys: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(xs, ys, strict=True)), Fraction(0))


def scalar_gelu(kind: Activation) -> Callable[[float], float]:
    """The exact GELU or its approximation by a hyperbolic tangent, as a function of one float."""
    return _by_erf if kind == "gelu" else _by_tanh


def _by_erf(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def _by_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
