"""Floating-point arithmetic: float64, float32, and the rounded systems float16 and bfloat16."""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.interface import Arithmetic
from capax.model.parts import Activation, Array, Norm

_TANH_SCALE: Final = math.sqrt(2 / math.pi)
_erf = np.frompyfunc(math.erf, 1, 1)


def to_float16(x: Array) -> Array:
    """Floats rounded to float16, as float32."""
    return x.astype(np.float16).astype(np.float32)


def to_bfloat16(x: Array) -> Array:
    """Floats rounded to bfloat16 (the upper half of a float32's bits), as float32."""
    if x.dtype == np.float64:
        x = _to_odd(x)
    bits = np.ascontiguousarray(x, np.float32).reshape(x.shape).view(np.uint32)
    rounded = (bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, rounded.view(np.float32))


def _to_odd(x: Array) -> Array:
    """Float64 numbers as float32, inexact ones cut off and their last bit set, so that a second rounding is right."""
    near = x.astype(np.float32)
    with np.errstate(invalid="ignore"):
        cut = np.where(np.abs(near) > np.abs(x), np.nextafter(near, np.float32(0)), near)
        odd = (cut.view(np.uint32) | np.uint32(1)).view(np.float32)
    return np.where((cut == x) | ~np.isfinite(x), near, odd)


class FloatArithmetic(Arithmetic):
    """Operations that are numpy's own, each followed by a rounding in the systems that numpy does not compute in."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dtype: np.dtype[Any] = np.dtype(np.float64 if name == "float64" else np.float32)
        self.unseen = -np.inf
        rounding: dict[str, Callable[[Array], Array]] = {"float16": to_float16, "bfloat16": to_bfloat16}
        self._rounding = rounding.get(name)

    def rounded(self, x: Array) -> Array:
        """The result of an operation as a number of the system."""
        return x if self._rounding is None else self._rounding(x)

    def weights(self, array: Array, what: str) -> Array:
        """The array in the system's type; other numbers than floats are refused, others of the system rounded."""
        if array.dtype.kind != "f":
            raise CapaxError(
                "number-system",
                f"{what} holds {array.dtype} numbers, but the model computes in {self.name}",
                hint="Model.to converts a model to a number system",
            )
        return array if array.dtype == self.dtype and self._rounding is None else self.outside(array)

    def outside(self, values: Array) -> Array:
        """The numbers rounded to the system."""
        return values.astype(self.dtype) if self._rounding is None else self._rounding(values)

    def real(self, x: Array) -> Array:
        """The numbers themselves."""
        return x

    def affine(self, x: Array, weight: Array, bias: Array | None) -> Array:
        """A product, rounded, then a sum, rounded."""
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        # of rows of one number `@` makes no BLAS product, and takes seven times as long
        y = self.rounded(np.dot(rows, weight) if len(weight) == 1 else rows @ weight)
        if bias is not None:
            y += bias
            y = self.rounded(y)
        return y.reshape(*x.shape[:-1], weight.shape[1])

    def add(self, x: Array, y: Array) -> Array:
        """The sum, rounded."""
        return self.rounded(x + y)

    def times(self, x: Array, y: Array) -> Array:
        """The product, rounded."""
        return self.rounded(x * y)

    def scaled(self, q: Array, scale: float | Array) -> Array:
        """The product with the scale, both rounded; a scale of 1 costs nothing."""
        if isinstance(scale, float) and scale == 1:
            return q
        return self.rounded(q * self.outside(np.asarray(scale, np.float64)))

    def scores(self, q: Array, k: Array) -> Array:
        """The matrix product, rounded; of vectors of one number, their products, which take a quarter of its time."""
        keys = k.swapaxes(-1, -2)
        return self.rounded(q * keys if q.shape[-1] == 1 else np.matmul(q, keys))

    def hard_scores(self, q: Array, k: Array) -> Array:
        """q_0 k_0, then + q_1 k_1 and so on, each step rounded, so that equal keys have equal scores.

        In a matrix product the order may depend on the number of keys and queries. What is not a number, or minus
        infinity, is the lowest number: the key is seen.
        """
        keys = np.ascontiguousarray(k.swapaxes(-1, -2))
        total = np.zeros((*q.shape[:-1], k.shape[-2]), self.dtype)
        for c in range(q.shape[-1]):
            term = q[..., c, None] * keys[..., c, None, :]
            total = np.add(total, term, out=total) if c else term
        return np.asarray(np.fmax(self.rounded(total), np.finfo(self.dtype).min))

    def activate(self, x: Array, kind: Activation) -> Array:
        """ReLU (x is overwritten), or GELU computed in float64 for the whole function and rounded once."""
        match kind:
            case "relu":
                return np.maximum(x, 0, out=x)
            case "gelu":
                return self.outside(gelu(x))
            case "gelu-tanh":
                return self.outside(gelu_tanh(x))

    def norm(self, norm: Norm, x: Array) -> Array:
        """(x - mean) / sqrt(variance + epsilon) * gain + bias; every step is rounded. An RMS norm has mean 0."""
        r = self.rounded
        if norm.kind == "layer":
            x = r(x - r(x.mean(axis=-1, keepdims=True)))
        variance = r(np.einsum("...i,...i->...", x, x)[..., None] / self.dtype.type(x.shape[-1]))
        root = r(np.sqrt(r(variance + self.outside(np.asarray(norm.epsilon)))))
        gain, bias = self.weights(norm.gain, "a norm's gain"), self.weights(norm.bias, "a norm's bias")
        return r(r(r(x / root) * gain) + bias)

    def oracle(self, function: Callable[[Array], Array], x: Array) -> Array:
        """The function's result, rounded."""
        return self.outside(np.asarray(function(x.copy()), np.float64))

    def weigh(self, s: Array, top: Array) -> Array:
        """exp(s - top), the difference and the exponential rounded; s is overwritten."""
        np.subtract(s, top, out=s)
        if self._rounding is None:
            return np.exp(s, out=s)
        return self.rounded(np.exp(self.rounded(s)))

    def total(self, w: Array) -> Array:
        """The sum over keys as a matrix product, rounded."""
        ones = np.ones((w.shape[-1], 1), w.dtype)
        return self.rounded(w.reshape(math.prod(w.shape[:-1]), w.shape[-1]) @ ones).reshape(*w.shape[:-1], 1)

    def combine(self, w: Array, v: Array) -> Array:
        """The matrix product, rounded."""
        return self.rounded(np.matmul(w, v))

    def plus(self, x: Array, y: Array) -> Array:
        """The sum, rounded."""
        return self.rounded(x + y)

    def ratio(self, numerator: Array, denominator: Array) -> Array:
        """The quotient, rounded."""
        return self.rounded(numerator / np.where(denominator == 0, 1, denominator))

    def sparse(self, s: Array) -> tuple[Array, Array]:
        """The numbers max(s - t, 0) that sum to 1, and the denominator 1.

        The support is found by sorting in float64; the weights are rounded once.
        """
        top = s.max(axis=-1, keepdims=True)
        fine = s.astype(np.float64) - np.where(np.isfinite(top), top, 0)
        high = -np.sort(-fine, axis=-1)
        sums = np.cumsum(np.where(np.isfinite(high), high, 0), axis=-1)
        count = np.arange(1, s.shape[-1] + 1)
        inside = np.isfinite(high) & (1 + count * high > sums)
        size = np.maximum(inside.sum(axis=-1, keepdims=True), 1)
        threshold = (np.take_along_axis(sums, size - 1, axis=-1) - 1) / size
        return self.outside(np.maximum(fine - threshold, 0)), np.ones((*s.shape[:-1], 1), self.dtype)


def gelu(x: Array) -> Array:
    """x times the normal distribution function at x, in float64."""
    fine = x.astype(np.float64)
    return fine * 0.5 * (1 + np.asarray(_erf(fine / math.sqrt(2)), np.float64))


def gelu_tanh(x: Array) -> Array:
    """The approximation of GELU by a hyperbolic tangent, in float64."""
    fine = x.astype(np.float64)
    return np.asarray(0.5 * fine * (1 + np.tanh(_TANH_SCALE * (fine + 0.044715 * fine**3))))
