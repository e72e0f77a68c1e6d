"""The stream before the first sublayer: functions of the position as each number system holds them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor, exactly
from capax.certify.not_certified import NotCertified
from capax.certify.parts.stream_bounds import embedded, shorter_together
from capax.certify.systems import ROUNDOFF, SYSTEMS, cast
from capax.certify.values.axes import Axes
from capax.model.positions import Positions
from capax.rasp.ir.nodes import Const, Indices, Map
from tests.support.perturbed import compiled

LONGEST = 4


def stream(function: str, *systems: str) -> IntervalTensor:
    """What the first slot holds, of a model that adds a function of the position to it and nothing else."""
    model = compiled("reverse").model
    weight = np.eye(1, model.width, dtype=np.float32)
    positions = replace(
        model, positions=Positions((function,), weight), embedding=np.zeros_like(model.embedding), max_length=LONGEST
    )
    axes = Axes(Indices(), model.vocabulary.tokens, LONGEST)
    sizes = {a: len(v) for a, v in axes.values.items()}
    return embedded(positions, axes, IntervalArithmetic(systems, sizes))[0]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("function", ["i", "1/(i+1)", "sqrt(1/(i+1))"])
def test_a_function_of_the_position_is_rounded_to_the_system(function: str, system: str) -> None:
    slot = stream(function, system)
    assert slot.axes == (Indices(),)
    values = Positions((function,), np.zeros((1, 1))).values(LONGEST)[:, 0]
    rounded = cast(values, system)
    assert (slot.low <= rounded).all()
    assert (rounded <= slot.high).all()
    assert (slot.high - slot.low <= 32 * ROUNDOFF[system] * rounded).all()
    assert function != "i" or np.array_equal(slot.low, slot.high)


def test_one_proof_for_several_systems_wants_the_same_positions_in_all() -> None:
    """1/3 is another number in each of them: what is proved of one says nothing of the others."""
    both = ("float32", "float64")
    assert stream("i", *both).high.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert stream("i", *SYSTEMS).high.tolist() == [0.0, 1.0, 2.0, 3.0]
    for systems in (both, both[::-1], SYSTEMS):
        with pytest.raises(NotCertified, match=f"positions are not the same numbers in {' and '.join(systems)}"):
            stream("1/(i+1)", *systems)


@pytest.mark.parametrize(
    ("function", "why", "fine"),
    [
        ("i^99", "has a number that is not finite", "float64"),
        ("sin(i*1e-39)", "has denormal numbers", "float64"),
        ("i/n", "depends on the length of the word", None),
    ],
)
def test_positions_that_are_no_plain_numbers_are_refused(function: str, why: str, fine: str | None) -> None:
    """In each system that has no such numbers; float64 has more of them."""
    for system in SYSTEMS:
        if system == fine:
            stream(function, system)
            continue
        with pytest.raises(NotCertified, match=why):
            stream(function, system)


@given(st.integers(2, 6), st.integers(1, 4), st.booleans())
def test_units_stay_functions_of_what_they_share_where_that_is_shorter(base: int, count: int, apart: bool) -> None:
    """The digits of one number at most: together they have as many combinations as numbers; each alone has few."""
    number = Indices()
    digits = [Map("+", (Const(place), number)) for place in range(count)]  # any nodes that tell the axes apart
    arithmetic = IntervalArithmetic("float32", {number: 50, **dict.fromkeys(digits, base)})
    units = [exactly((number,), np.arange(50.0) // base**k % base) for k in range(count)]
    by_values = [exactly((digit,), np.arange(float(base))) for digit in digits]
    weight = np.eye(count) if apart else np.ones((count, 1))
    chosen = shorter_together(units, by_values, weight, arithmetic)
    expected = by_values if apart or base**count <= 50 else units
    assert all(one is two for one, two in zip(chosen, expected, strict=True))
