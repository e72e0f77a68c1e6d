"""Functions of one number by ReLU units, run in the number system with noise on the input."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from capax.compiler.encode.mlp_builder import MlpBuilder
from capax.compiler.encode.relu import exact_staircase, from_reciprocal, restored, staircase, step
from capax.compiler.encode.signals import Direction, SignalGroup, SignalSum, Unit
from capax.compiler.layout.layered_mlp import mlp_of, split_by_depth
from capax.errors import CapaxError

dtypes = st.sampled_from(["float32", "float64"])


def run(
    make: Callable[[MlpBuilder, SignalSum], SignalSum], inputs: Any, low: float, high: float, dtype: str, most: int = 99
) -> Any:
    """What a mlp writes for each input, computed with weights of the number system, split into MLPs of a depth."""
    mlp = MlpBuilder(1)
    x, y = Direction("x", low, high, 0), Direction("y", -math.inf, math.inf, 1)
    mlp.write(make(mlp, SignalSum.of(x)), y)
    stages = mlp.finish()
    assert stages is not None
    stream = np.zeros((len(inputs), 2), dtype)
    stream[:, 0] = inputs
    slots = {x: 0, y: 1}
    for piece in split_by_depth(stages, most):
        for direction in piece.writes:
            slots.setdefault(direction, len(slots))
        stream = np.concatenate([stream, np.zeros((len(inputs), len(slots) - stream.shape[1]), dtype)], axis=1)
        mlp = mlp_of(piece, slots, len(slots), dtype)
        hidden = stream
        for number, part in enumerate(mlp.maps):
            hidden = hidden @ part.weight + part.bias
            hidden = np.maximum(hidden, 0) if number < len(mlp.maps) - 1 else hidden
        stream = stream + hidden
    return stream[:, 1]


def noisy(places: list[float], gap: float, seed: int) -> tuple[Any, Any]:
    """Each place many times with noise of up to a fifth of the gap, and the numbers of the places."""
    source = np.random.default_rng(seed)
    numbers = np.repeat(np.arange(len(places)), 8)
    return np.array(places)[numbers] + gap * source.uniform(-0.2, 0.2, len(numbers)), numbers


@given(st.integers(-50, 50), st.sampled_from([0.25, 0.1, 1, 3]), dtypes, st.integers(0, 99))
def test_step(low: int, gap: float, dtype: str, seed: int) -> None:
    """Exactly 0 below and exactly 1 above, whatever the noise."""
    inputs, above = noisy([low - gap, low, low + gap, low + 2 * gap], gap, seed)
    answers = run(lambda c, x: step(c, x, low, low + gap, "step"), inputs, low - 9, low + 9, dtype)
    assert answers.tolist() == (above >= 2).tolist()


def test_steps_that_no_float_can_take() -> None:
    """Values too near to each other for their size are refused."""
    mlp = MlpBuilder(1)
    x = SignalSum.of(Direction("x", 0, 2e9, 0))
    with pytest.raises(CapaxError) as raised:
        step(mlp, x, 1e9, 1e9 + 1e-3, "step")
    assert raised.value.code == "too-many-values"


places_and_outputs = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(-9, 9)), min_size=2, max_size=9, unique_by=lambda pair: pair[0]
).map(sorted)


@given(places_and_outputs, dtypes, st.integers(0, 99), st.sampled_from([1, 2, 99]))
def test_staircase(points: list[tuple[int, int]], dtype: str, seed: int, most: int) -> None:
    """The output of the place, without noise, also with MLPs of one stage after another."""
    places, outputs = [p / 4 for p, _ in points], [float(o) for _, o in points]
    inputs, numbers = noisy(places, 0.25, seed)
    answers = run(lambda c, x: staircase(c, x, places, outputs, "stairs"), inputs, -6, 6, dtype, most)
    assert answers.tolist() == [outputs[n] for n in numbers]


@given(places_and_outputs, dtypes)
def test_exact_staircase(points: list[tuple[int, int]], dtype: str) -> None:
    """The same on integers, in one stage."""
    places, outputs = [p for p, _ in points], [o / 2 for _, o in points]
    assume(len(set(outputs)) > 1)
    mlp = MlpBuilder(1)
    found = exact_staircase(mlp, SignalSum.of(Direction("x", -20, 20, 0)), places, outputs, "stairs", 2.0**22)
    assert found is not None
    assert found.level == 1
    answers = run(
        lambda c, x: exact_staircase(c, x, places, outputs, "stairs", 2.0**22) or SignalSum(), places, -20, 20, dtype
    )
    assert answers.tolist() == outputs


def test_staircases_that_would_not_be_exact() -> None:
    """Outputs that are no small binary fractions, or too large, are left to steps."""
    mlp, x = MlpBuilder(1), SignalSum.of(Direction("x", 0, 9, 0))
    assert exact_staircase(mlp, x, [0, 1, 2], [0.0, 0.1, 0.0], "stairs", 2.0**22) is None
    assert exact_staircase(mlp, x, [0, 1, 5000], [0.0, 1e7, 0.0], "stairs", 2.0**22) is None


def test_a_staircase_from_the_middle_where_one_from_the_left_is_too_large() -> None:
    """Squares up to 1,000: every number has terms of one side, whose sums are exact."""
    mlp, x = MlpBuilder(1), SignalSum.of(Direction("x", -1000, 1000, 0))
    codes = list(range(-1000, 1001))
    stairs = exact_staircase(mlp, x, codes, [float(c * c) for c in codes], "stairs", 2.0**22)
    assert stairs is not None
    ((group, factor),) = stairs.terms.items()
    assert isinstance(group, SignalGroup)
    assert factor == 1
    for code in (-1000, -999, -1, 0, 1, 500, 1000):
        assert value_of(stairs, float(code)) == code * code


def test_a_staircase_that_ends_flat_has_units_where_it_starts() -> None:
    """x < 2 over 1, ..., 1,000 is relu(2 - x): no large terms that cancel beside a number with noise."""
    mlp, x = MlpBuilder(1), SignalSum.of(Direction("x", 1, 1000, 0))
    codes = list(range(1, 1001))
    stairs = exact_staircase(mlp, x, codes, [float(c < 2) for c in codes], "stairs", 2.0**22)
    assert stairs is not None
    ((unit, factor),) = stairs.terms.items()
    assert isinstance(unit, Unit)
    assert (factor, value_of(unit.reads, 1.0), value_of(unit.reads, 1000.0)) == (1, 1, -998)
    assert [value_of(stairs, float(code)) for code in (1, 2, 3, 1000)] == [1, 0, 0, 0]


def value_of(total: SignalSum, x: float) -> float:
    """The value of a sum of units over one direction."""
    values = [total.constant]
    for signal, factor in total.terms.items():
        if isinstance(signal, SignalGroup):
            values.append(factor * value_of(signal.inner, x))
        elif isinstance(signal, Unit):
            values.append(factor * max(value_of(signal.reads, x), 0.0))
        else:
            values.append(factor * x)
    return sum(values)


def test_equal_sums_are_one_group() -> None:
    mlp, x = MlpBuilder(1), Direction("x", 0, 9, 0)
    one, two = (mlp.relu(SignalSum.of(x) - 1.0, "a") + SignalSum.of(x) for _ in range(2))
    assert mlp.group(one, "b", 0, 17).key() == mlp.group(two, "c", 0, 17).key()
    assert mlp.group(one, "b", 0, 17).key() != mlp.group(one, "b", 0, 18).key()


@settings(max_examples=40)
@given(st.integers(1, 300), dtypes)
@example(1, "float32")
def test_from_reciprocal(most: int, dtype: str) -> None:
    """The count from 1/(count + 1), near enough to be restored."""
    counts = np.arange(most + 1)
    weights = (1 / (counts + 1.0)).astype(dtype)
    answers = run(lambda c, w: from_reciprocal(c, w, most, "count"), weights, 1 / (most + 1), 1, dtype)
    assert abs(answers - counts).max() < 0.2


@settings(max_examples=40)
@given(st.integers(1, 2000), st.sampled_from([1 / 8, 1 / 16, 1 / 100]), dtypes)
def test_rough_counts(most: int, off: float, dtype: str) -> None:
    """Off by no more than is said, but for rounding, by about the square root as many units."""
    counts = np.arange(most + 1)
    weights = (1 / (counts + 1.0)).astype(dtype)
    made: list[SignalSum] = []

    def rough(mlp: MlpBuilder, w: SignalSum) -> SignalSum:
        made.append(from_reciprocal(mlp, w, most, "count", off))
        return made[-1]

    answers = run(rough, weights, 1 / (most + 1), 1, dtype)
    rounding = 2e-6 * most if dtype == "float32" else 1e-9
    assert abs(answers - counts).max() <= off + rounding
    group = next(iter(made[0].terms))
    units = len(group.inner.terms) if isinstance(group, SignalGroup) else 1
    assert units <= 2 + 1 / (4 * off) + np.sqrt(2 * most / off)


@settings(max_examples=40)
@given(st.integers(-9, 9), st.integers(1, 400), dtypes, st.integers(0, 99), st.sampled_from([1, 3, 99]))
def test_restored(low: int, count: int, dtype: str, seed: int, most: int) -> None:
    """The nearest integer, exactly."""
    whole = [float(v) for v in range(low, low + count + 1)]
    inputs, numbers = noisy(whole, 1.0, seed)
    answers = run(
        lambda c, x: restored(c, x, low, low + count, "number"), inputs, low - 1, low + count + 1, dtype, most
    )
    assert answers.tolist() == [whole[n] for n in numbers]


@given(st.integers(2, 1000), dtypes)
def test_counts_are_restored(most: int, dtype: str) -> None:
    """A width from the weight of a sink to the exact integer."""
    counts = np.unique(np.linspace(0, most, 40).astype(int))
    weights = (np.float64(1) / (counts + 1)).astype(dtype)
    answers = run(
        lambda c, w: restored(c, from_reciprocal(c, w, most, "count", 1 / 8), 0, most, "count"),
        weights,
        1 / (most + 1),
        1,
        dtype,
    )
    assert answers.tolist() == counts.tolist()
