"""Rounding as generators: each stage by plain loops over coordinates, and against float32 in any order of summation."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from capax.auditor.bounds.chain import (
    CURVES,
    ActivationStage,
    CenterStage,
    LinearStage,
    ResidualStage,
    ScaleStage,
    ShiftStage,
    Stage,
    run,
    slope,
)
from capax.auditor.bounds.table_errors import (
    NoisyVectors,
    gamma,
    mean_error,
    noisy_run,
    root_error,
    sum_error,
    table_errors,
)
from capax.auditor.bounds.tables import Tables
from capax.auditor.spec import SpecStates
from capax.model.parts import ACTIVATIONS, Array
from tests.support.audited import Kind, asked, random_model

D, U = 4, 2.0**-8
"""A coarse unit, so that every term counts."""


def test_gamma_is_the_error_of_that_many_roundings() -> None:
    for k in (1, 5, 40):
        exact = Fraction(k) * Fraction(U) / (1 - k * Fraction(U))
        assert gamma(k, U) == pytest.approx(float(exact), rel=1e-14)


def plain_sum(additions: int, size: float, value: float) -> float:
    """The lemma of sums: products, then additions that are wrong by a partial sum."""
    partial = max((size + value) / 2, (size - value) / 2) + gamma(additions, U) * size
    return float(U * size + gamma(additions, U) * partial)


def test_sums_of_products_stay_within_their_error_whatever_the_order_and_the_roundings() -> None:
    """An opponent adds any two numbers next, and moves each product and each sum by one unit, up or down."""
    rng, worst = np.random.default_rng(6), 0.0
    for _ in range(300):
        k = int(rng.integers(1, 12))
        terms = rng.standard_normal(k) + rng.choice([0.0, 3.0])
        sign = rng.choice([-1.0, 1.0])
        left = [t + sign * U * abs(t) for t in terms.tolist()]
        while len(left) > 1:
            order = np.argsort(np.abs(left)) if rng.random() < 0.5 else rng.permutation(len(left))
            total = left[order[0]] + left[order[1]]
            left = [x for j, x in enumerate(left) if j not in order[:2]] + [total + sign * U * abs(total)]
        error = abs(left[0] - sum(terms.tolist()))
        bound = float(sum_error(k - 1, np.abs(terms).sum(), np.abs(terms.sum()), U))
        assert error <= bound * (1 + 1e-12)
        assert bound == pytest.approx(plain_sum(k - 1, float(np.abs(terms).sum()), abs(float(terms.sum()))))
        worst = max(worst, error / bound)
    assert worst > 0.5


def test_means_and_roots_have_the_roundings_of_their_sums_and_quotients() -> None:
    x = np.array([0.5, -2.0, 1.0])
    right = (plain_sum(2, 3.5, 0.5) + 4 * U * (0.5 + gamma(3, U) * 3.5)) / 3
    assert float(mean_error(np.abs(x), np.array([0.5]), U)[0]) == pytest.approx(right)
    assert root_error(4, U) == (5 + 4) / 2 * U + 8 * U + U / 2


def plain(stage: Stage, v: Array, g: Array) -> tuple[Array, list[Array], Array]:
    """The value, the generators that are sent on or shared, and each coordinate's own error; for one vector."""
    size, at = [sum(abs(c[i]) for c in g) for i in range(D)], range(D)
    match stage:
        case LinearStage(w, b):
            value = [sum(v[i] * w[i, o] for i in at) + b[o] for o in at]
            sent = [[sum(c[i] * w[i, o] for i in at) for o in at] for c in g]
            sizes = [sum((abs(v[i]) + size[i]) * abs(w[i, o]) for i in at) + abs(b[o]) for o in at]
            values = [abs(value[o]) + sum(size[i] * abs(w[i, o]) for i in at) for o in at]
            own = [plain_sum(4, s, x) for s, x in zip(sizes, values, strict=True)]
        case ShiftStage(b):
            value, sent = [v[i] + b[i] for i in at], list(g)
            own = [U * (abs(value[i]) + size[i]) for i in at]
        case CenterStage():
            total, most = abs(sum(v)) + sum(size), sum(abs(v[i]) + size[i] for i in at)
            shift = (plain_sum(3, most, total) + 4 * U * (total + gamma(4, U) * most)) / D
            value, moved = [v[i] - sum(v) / D for i in at], [c - sum(c) / D for c in g]
            sent = [*moved, np.full(D, shift)]
            own = [2 * U * (abs(value[i]) + sum(abs(c[i]) for c in moved) + shift) for i in at]
        case ScaleStage(gain, b, epsilon):
            root = np.sqrt(sum(x * x for x in v) / D + epsilon)
            n = [v[i] / root for i in at]
            sent = [[(c[i] - n[i] * sum(c[k] * n[k] for k in at) / D) / root * gain[i] for i in at] for c in g]
            sent.append([13 * U * n[i] * gain[i] for i in at])
            length = np.sqrt(sum(s * s for s in size))
            least = root - length / 2
            second = 2.5 * length**2 / (2 * least**2)
            value = [n[i] * gain[i] + b[i] for i in at]
            own = [6 * U * abs(n[i] * gain[i]) + U * abs(value[i]) + 1.01 * second * abs(gain[i]) for i in at]
        case ActivationStage(kind):
            value, bent = CURVES[kind](v), slope(kind, v)
            sent = [c * bent for c in g]
            if kind == "relu":
                own = [size[i] if abs(v[i]) <= size[i] else 0.0 for i in at]
            else:
                own = [0.6 * size[i] ** 2 + 10 * U * (abs(v[i]) + size[i]) for i in at]
        case _:
            raise AssertionError(stage)
    return np.array(value), [np.array(c) for c in sent], np.array(own)


def stages(rng: np.random.Generator) -> list[Stage]:
    """One of each kind but the residual."""
    linear = LinearStage(rng.standard_normal((D, D)), rng.standard_normal(D))
    scale = ScaleStage(rng.standard_normal(D), rng.standard_normal(D), 0.3)
    return [linear, ShiftStage(rng.standard_normal(D)), CenterStage(), scale, *map(ActivationStage, ACTIVATIONS)]


@pytest.mark.parametrize("seed", range(3))
def test_a_stage_sends_generators_on_and_adds_its_own(seed: int) -> None:
    """Two vectors at once, with coordinates near the kink of ReLU and away from it."""
    rng = np.random.default_rng(seed)
    v, g = rng.standard_normal((2, D)), rng.uniform(-0.06, 0.06, (2, 3, D))
    v[0, 0] = g[0, 0, 0] / 2
    for stage in stages(rng):
        result = noisy_run((stage,), NoisyVectors(v, g), U)
        for k in range(2):
            value, sent, own = plain(stage, v[k], g[k])
            assert np.allclose(result.value[k], value, rtol=1e-12, atol=1e-14), stage
            assert np.allclose(result.noise[k], [*sent, *np.diag(own)], rtol=1e-11, atol=1e-15), stage
            assert np.allclose(result.size[k], np.abs([*sent, *np.diag(own)]).sum(axis=0))


def test_a_residual_adds_the_generators_of_its_input_to_those_of_its_chain() -> None:
    rng = np.random.default_rng(5)
    linear, _, center, *_ = stages(rng)
    v, g = rng.standard_normal(D), rng.uniform(-0.06, 0.06, (3, D))
    result = noisy_run((ResidualStage((center, linear)),), NoisyVectors(v, g), U)
    inner = noisy_run((center, linear), NoisyVectors(v, g), U)
    noise = inner.noise.copy()
    for c in range(3):
        noise[c] += g[c]
    value = v + inner.value
    own = U * (np.abs(value) + np.abs(g).sum(axis=0) + np.abs(inner.noise).sum(axis=0))
    assert np.allclose(result.value, value)
    assert np.allclose(result.noise, [*noise, *np.diag(own)], rtol=1e-11, atol=1e-15)


def test_a_root_that_may_vanish_has_an_unlimited_error() -> None:
    stage = ScaleStage(np.ones(D), np.zeros(D), 1e-6)
    near = noisy_run((stage,), NoisyVectors(np.full(D, 1e-3), np.full((1, D), 0.1)), U)
    assert np.isinf(near.size).all()


def float32(stage: Stage, x: Array, rng: np.random.Generator) -> Array:
    """A stage in float32 with the coordinates summed in some order."""
    order, f = rng.permutation(D), np.float32
    x = x.astype(f)[order]
    mean = f(0)
    match stage:
        case LinearStage(w, b):
            total = np.zeros(D, f)
            for k, i in enumerate(order):
                total += x[k] * w.astype(f)[i]
            return total + b.astype(f)
        case CenterStage():
            for t in x:
                mean += t
            return (x - mean / f(D))[np.argsort(order)]
        case ScaleStage(gain, b, epsilon):
            for t in x:
                mean += t * t
            return (x / np.sqrt(mean / f(D) + f(epsilon)))[np.argsort(order)] * gain.astype(f) + b.astype(f)
        case ShiftStage(b):
            return x[np.argsort(order)] + b.astype(f)
        case _:
            raise AssertionError(stage)


def test_float32_stays_within_the_generators_in_any_order() -> None:
    rng = np.random.default_rng(9)
    for _ in range(25):
        for stage in stages(rng)[:4]:
            x = rng.standard_normal(D).astype(np.float32).astype(np.float64)
            stage = type(stage)(
                *(
                    a.astype(np.float32).astype(np.float64) if isinstance(a, np.ndarray) else float(np.float32(a))
                    for a in (getattr(stage, name) for name in stage.__slots__)
                )
            )
            size = noisy_run((stage,), NoisyVectors(x, np.zeros((1, D))), 2.0**-24).size
            for _ in range(3):
                assert (np.abs(float32(stage, x, rng) - run((stage,), x)) <= size).all(), stage


def test_the_tables_of_a_model_start_with_the_rounding_of_its_embedding() -> None:
    """With no stage before the heads: three roundings of the sum, two of the position's row; then the heads' maps."""
    model = random_model(np.random.default_rng(3), Kind(norm=None))
    question = asked(model, SpecStates(np.array([[0, 0]]), 0, np.array([0])), "last")
    tables = Tables(question, 3)
    errors = table_errors(question, tables, U)
    assert model.positions.table is not None
    for at in range(tables.total):
        for a in range(2):
            x = tables.embedded[at, a]
            right = 3 * U * np.abs(x) + 2 * U * np.abs(model.positions.table[at])
            assert np.allclose(errors.stream[at, a], right)
            head, own = tables.heads[0], errors.heads[0]
            for noisy, map in ((own.key, head.key), (own.value, head.value), (own.query, head.query)):
                size = (np.abs(x) + right) @ np.abs(map.weight) + np.abs(map.bias)
                value = np.abs(x @ map.weight + map.bias) + right @ np.abs(map.weight)
                local = [plain_sum(5, a, b) for a, b in zip(size, value, strict=True)]
                assert np.allclose(noisy.size[at, a], right @ np.abs(map.weight) + local)
                assert np.allclose(noisy.value[at, a], x @ map.weight + map.bias)
    assert errors.u == U


def test_position_functions_are_summed_with_their_roundings() -> None:
    """One product for each function, and three roundings more: of the function, and of the sums with what is there."""
    model = random_model(np.random.default_rng(4), Kind(norm=None))
    weight = np.random.default_rng(5).standard_normal((2, 5))
    functions = replace(model.positions, functions=("i", "1"), weight=weight, table=None)
    question = asked(replace(model, positions=functions), SpecStates(np.array([[0, 0]]), 0, np.array([0])), "last")
    tables = Tables(question, 3)
    errors = table_errors(question, tables, U)
    for at in range(tables.total):
        for a in range(2):
            sizes = [sum(abs(f * weight[k, i]) for k, f in enumerate((at, 1))) for i in range(5)]
            right = 3 * U * np.abs(tables.embedded[at, a]) + gamma(5, U) * np.array(sizes)
            assert np.allclose(errors.stream[at, a], right, rtol=1e-12)
