"""Functions of an integer that repeat themselves, by quotient and rest."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import capax
from capax import select, selector_width, tokens
from capax.compiler.encode.mlp_builder import MlpBuilder
from capax.compiler.encode.relu import by_rest, period_of, rests, taken_off
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.layered_mlp import mlp_of


@given(
    st.integers(2, 12),
    st.integers(25, 300),
    st.integers(-40, 40),
    st.sampled_from(["float32", "float64"]),
    st.sampled_from([0, 1, -3]),
)
def test_every_integer_has_its_output(period: int, count: int, first: int, dtype: str, rise: int) -> None:
    source = np.random.default_rng(period * count)
    pattern = source.integers(-5, 6, period).astype(float).tolist()
    outputs = [pattern[i % period] + rise * (i // period) for i in range(count)]
    chosen = period_of(range(first, first + count), outputs) or period
    mlp = MlpBuilder(1)
    x, y = Direction("x", first, first + count - 1, 0), Direction("y", -math.inf, math.inf, 1)
    value = by_rest(mlp, SignalSum.of(x), first, outputs, chosen, "x", 2.0**22)
    assert value is not None
    mlp.write(value, y)
    stages = mlp.finish()
    assert stages is not None
    hidden = np.zeros((count, 2), dtype)
    hidden[:, 0] = np.arange(first, first + count)
    maps = mlp_of(stages, {x: 0, y: 1}, 2, dtype).maps
    for number, part in enumerate(maps):
        hidden = hidden @ part.weight + part.bias
        hidden = np.maximum(hidden, 0) if number < len(maps) - 1 else hidden
    assert hidden[:, 1].tolist() == outputs


@given(st.integers(2, 130), st.integers(25, 900), st.integers(-40, 40), st.sampled_from(["float32", "float64"]))
def test_noisy_integers_are_divided(least: int, count: int, first: int, dtype: str) -> None:
    """By multiples of the least period, down to a rest that is off by the noise."""
    assume(least < count // 4)
    divisors = rests(count, least)
    assert all(d % least == 0 for d in divisors)
    mlp = MlpBuilder(1)
    x, y = Direction("x", first - 0.5, first + count - 0.5, 0), Direction("y", -math.inf, math.inf, 1)
    _, rest = taken_off(mlp, SignalSum.of(x) - float(first), count - 1, divisors, "x")
    mlp.write(rest, y)
    stages = mlp.finish()
    assert stages is not None
    numbers = np.repeat(np.arange(first, first + count), 3)
    noise = np.tile([-0.2, 0.0, 0.2], count)
    hidden = np.zeros((3 * count, 2), dtype)
    hidden[:, 0] = numbers + noise
    maps = mlp_of(stages, {x: 0, y: 1}, 2, dtype).maps
    for number, part in enumerate(maps):
        hidden = hidden @ part.weight + part.bias
        hidden = np.maximum(hidden, 0) if number < len(maps) - 1 else hidden
    assert np.abs(hidden[:, 1] - (numbers - first) % divisors[-1] - noise).max() < 0.01


def test_period_that_takes_the_fewest_units() -> None:
    assert period_of(range(1001), [float(x % 2) for x in range(1001)]) == 42
    assert period_of(range(65), [float(x % 9 >= 4) for x in range(65)]) == 9
    assert period_of(range(-30, 70), [float(x % 7) for x in range(100)]) == 14


@pytest.mark.parametrize(
    ("codes", "outputs"),
    [
        (range(20), [x % 2 for x in range(20)]),  # few
        (range(100), [x * x for x in range(100)]),  # no period
        (range(100), [x % 60 for x in range(100)]),  # hardly repeated
        ([*range(99), 100], [x % 2 for x in range(100)]),  # a gap
        ([x / 2 for x in range(100)], [x % 2 for x in range(100)]),  # no integers
    ],
)
def test_what_has_no_period_that_pays(codes: list[float], outputs: list[int]) -> None:
    assert period_of(codes, [float(y) for y in outputs]) is None


@pytest.mark.parametrize(("base", "most"), [(2, 1_100), (5, 1_100)])
def test_counts_modulo_a_number_are_small_and_certified(base: int, most: int) -> None:
    """With a unit for each count there would be 2,200 parameters at this length."""
    program = selector_width(select(tokens, "a", "==")) % base
    compiled = capax.compile(program, alphabet="ab", max_length=100)
    assert compiled.size.parameters <= most
    assert compiled.certified_length == 100
