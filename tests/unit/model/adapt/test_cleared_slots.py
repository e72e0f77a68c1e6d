"""Clearing taken out of an MLP: the slots and signs, what is left of it, and that together they do the same."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.model.adapt.cleared_slots import ClearedSlots, without_clears
from capax.model.parts import Affine, Mlp, Origin

WIDTH = 3


def affine(columns: Sequence[Sequence[float]], bias: Sequence[float] | None = None) -> Affine:
    """A map by its columns of weights."""
    weight = np.array(columns, np.float64).T
    return Affine(weight, np.zeros(weight.shape[1]) if bias is None else np.array(bias, np.float64))


def change(mlp: Mlp, x: Any) -> Any:
    """What an MLP adds to rows of the stream."""
    for stage in mlp.maps[:-1]:
        x = np.maximum(x @ stage.weight + stage.bias, 0.0)
    return x @ mlp.maps[-1].weight + mlp.maps[-1].bias


def cleared(found: ClearedSlots, x: Any) -> Any:
    """What the MLP that is left adds, and what the parts take away."""
    total = change(found.mlp, x)
    for slot, sign in found.parts:
        total[:, slot] -= sign * np.maximum(sign * x[:, slot], 0.0)
    return total


FIRST = affine([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [1, 1, 0]], [0, 0, 0, -1])
"""Units with slot 0, its negative, slot 1, and a sum that is no slot."""
CARRY = affine(np.eye(4).tolist())
CLEARS = affine([[-1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]])
"""Takes slot 0 from itself, and writes the sum to slot 2."""
ROWS = np.array([[0.0, 0.0, 0.0], [2.5, -1.0, 4.0], [-3.0, 4.5, 0.5], [1.0, 1.0, -1.0]])


@pytest.mark.parametrize("stages", [(FIRST,), (FIRST, CARRY), (FIRST, CARRY, CARRY)])
def test_a_slot_that_is_taken_from_itself(stages: tuple[Affine, ...]) -> None:
    """Through any number of stages: both parts are found, and their units are gone."""
    mlp = Mlp((*stages, CLEARS))
    found = without_clears(mlp)
    assert sorted(found.parts) == [(0, -1), (0, 1)]
    assert [stage.outputs for stage in found.mlp.maps] == [1] * len(stages) + [WIDTH]
    assert np.array_equal(change(mlp, ROWS), cleared(found, ROWS))
    assert (ROWS[:, 0] + cleared(found, ROWS)[:, 0] == 0).all()


def test_one_part_is_enough_for_a_slot_of_one_sign() -> None:
    mlp = Mlp((FIRST, affine([[0, 0, 0, 0], [0, 0, -1, 0], [0, 0, 0, 2]])))
    found = without_clears(mlp)
    assert found.parts == ((1, 1),)
    assert np.array_equal(change(mlp, ROWS), cleared(found, ROWS))


@pytest.mark.parametrize(
    "last",
    [
        pytest.param(affine([[-1, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 2]]), id="more is written to the slot"),
        pytest.param(affine([[-2, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]), id="twice the slot is taken"),
        pytest.param(affine([[1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]), id="the slot is doubled"),
        pytest.param(affine([[0, 0, 0, 0], [-1, 1, 0, 0], [0, 0, 0, 2]]), id="it is taken from another slot"),
        pytest.param(affine([[-1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]], [0.5, 0, 0]), id="a bias is added"),
        pytest.param(affine([[-1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]), id="nothing else is left"),
    ],
)
def test_what_is_no_clearing_stays(last: Affine) -> None:
    mlp = Mlp((FIRST, last))
    found = without_clears(mlp)
    assert found.mlp is mlp
    assert found.parts == ()


@pytest.mark.parametrize(
    "stages",
    [
        pytest.param((affine([[2, 0, 0], [-1, 0, 0], [0, 1, 0], [1, 1, 0]]),), id="twice the slot is held"),
        pytest.param((affine([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [1, 1, 0]], [1, 0, 0, 0]),), id="a bias before"),
        pytest.param((FIRST, affine([[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])), id="doubled later"),
        pytest.param((FIRST, affine([[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])), id="negated later"),
    ],
)
def test_units_that_do_not_hold_the_slot_clear_nothing(stages: tuple[Affine, ...]) -> None:
    mlp = Mlp((*stages, CLEARS))
    assert without_clears(mlp).mlp is mlp


def test_two_units_with_one_part_are_left_alone() -> None:
    """They take the slot away twice."""
    first = affine([[1, 0, 0], [1, 0, 0], [0, 1, 0]])
    mlp = Mlp((first, affine([[-1, -1, 0], [0, 0, 0], [0, 0, 1]])))
    assert without_clears(mlp).mlp is mlp


def test_another_activation_carries_nothing() -> None:
    mlp = Mlp((FIRST, CLEARS), activation="gelu")
    assert without_clears(mlp).mlp is mlp


def test_names_of_units_stay_with_them() -> None:
    names = tuple(Origin(name) for name in ("x", "-x", "y", "sum"))
    found = without_clears(Mlp((FIRST, CARRY, CLEARS), units=(names, names)))
    assert [[unit.what for unit in stage] for stage in found.mlp.units] == [["sum"], ["sum"]]


@given(st.data())
def test_whatever_is_taken_out_the_sum_is_the_same(data: st.DataObject) -> None:
    """Random maps of -1, 0 and 1, so that some of them clear; on random rows."""
    few = st.sampled_from([0.0, 0.0, 1.0, -1.0])
    units = data.draw(st.integers(2, 5))
    sizes = [WIDTH, *[units] * data.draw(st.integers(1, 2)), WIDTH]
    maps = [
        affine(
            [[data.draw(few) for _ in range(rows)] for _ in range(columns)], [data.draw(few) for _ in range(columns)]
        )
        for rows, columns in itertools.pairwise(sizes)
    ]
    mlp = Mlp(tuple(maps))
    rows = np.array(data.draw(st.lists(st.tuples(*[st.integers(-9, 9)] * WIDTH), min_size=1, max_size=4)), np.float64)
    assert np.array_equal(change(mlp, rows), cleared(without_clears(mlp), rows))
