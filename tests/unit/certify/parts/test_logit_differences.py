"""Margins of classes: no logits within the bounds, rounded in any way that is allowed, are nearer."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.parts.logit_differences import class_margins
from capax.model.parts import Affine


@given(st.integers(0, 9999), st.sampled_from([0.0, 2.0**-20, 2.0**-6]), st.integers(1, 3), st.integers(2, 5))
def test_margins_bound_what_float32_computes(seed: int, noise: float, width: int, classes: int) -> None:
    """Whatever numbers within the bounds are read: the computed lead of the right logit is no less than claimed."""
    source = np.random.default_rng(seed)
    weight = source.normal(size=(width + 1, classes)).astype(np.float32) * 2.0 ** source.integers(0, 12)
    weight[source.integers(width + 1)] = 0  # a direction that is not read
    bias = source.normal(size=classes).astype(np.float32) * 2.0 ** source.integers(0, 12)
    read = np.nonzero(weight.any(axis=1))[0]
    middle = source.normal(size=(len(read), 6)).astype(np.float32).astype(np.float64)
    right = source.integers(0, classes, 6)
    arithmetic = IntervalArithmetic("float32", {})
    margins = class_margins(Affine(weight, bias), right, middle - noise, middle + noise, arithmetic)
    for _ in range(20):
        x = (middle + noise * source.choice([-1.0, 1.0, source.uniform(-1, 1)], middle.shape)).astype(np.float32)
        x = np.clip(x, middle - noise, middle + noise).astype(np.float32)
        inside = (np.abs(x.astype(np.float64) - middle) <= noise).all(axis=0)
        logits = _rounded(x, weight[read], bias, source)
        lead = np.where(np.arange(classes)[:, None] == right, np.inf, logits[right, np.arange(6)] - logits).min(axis=0)
        assert (lead[inside] >= 2 * margins[inside]).all()


def _rounded(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, source: np.random.Generator) -> np.ndarray:
    """Sums of products in float32, in a random order; as exact numbers."""
    terms = [(weight[i][:, None] * x[i]).astype(np.float32) for i in range(len(x))]
    terms.append(np.broadcast_to(bias[:, None], terms[0].shape))
    total = np.zeros(terms[0].shape, np.float32)
    for number in source.permutation(len(terms)):
        total = (total + terms[number]).astype(np.float32)
    return total.astype(np.float64)


def test_what_moves_all_logits_alike_does_not_matter() -> None:
    """A doubt about a number that all classes read nearly alike costs the difference of their weights only."""
    weight, bias = np.array([[1000.0, 1001.0]]), np.zeros(2)
    low, high = np.array([[1.0]]), np.array([[1.5]])
    margins = class_margins(Affine(weight, bias), np.array([1]), low, high, IntervalArithmetic("float64", {}))
    assert 0.4999 < margins[0] <= 0.5
