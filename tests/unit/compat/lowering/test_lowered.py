"""Functions as tables, and the values that s-ops of a dialect can have."""

import math
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.compat.lowering.functions import same
from capax.compat.lowering.lowered import Lowered, constant, making_room, represented, tabulated
from capax.compat.lowering.sop_values import Range, distinct, means, totals
from capax.errors import CapaxError
from capax.rasp.ir import build

VALUES: tuple[Any, ...] = (None, True, 2, -1, 0.5, "a", "None", (1, "x"))
TOKENS = Lowered(build.inputs["tokens_asis"], (0, 1, 2))
PLACES = Lowered(build.indices, (0, 1, 2))


@given(st.lists(st.sampled_from(VALUES), min_size=27, max_size=27))
def test_any_function_of_three_s_ops(outputs: list[Any]) -> None:
    """A table gives what the function gives, whatever the kinds of values, None among them."""
    table = dict(zip(product(range(3), repeat=3), outputs, strict=True))
    found = tabulated([TOKENS, PLACES, TOKENS], lambda x, y, z: table[x, y, z])
    for word in product(range(3), repeat=3):
        answers = [found.value(atom) for atom in found.sop(list(word))]
        assert all(same(a, table[x, i, x]) for i, (a, x) in enumerate(zip(answers, word, strict=True)))


@given(st.lists(st.sampled_from(VALUES), min_size=3, max_size=3), st.sampled_from(VALUES))
def test_one_more_value_finds_room(outputs: list[Any], extra: Any) -> None:
    """The old values are still told apart, and the new one has an atom of its own."""
    found = making_room(tabulated([TOKENS], lambda x: outputs[x]), extra)
    atoms = list(found.sop([0, 1, 2]))
    assert all(same(found.value(a), v) for a, v in zip(atoms, outputs, strict=True))
    assert same(found.value(found.atom(extra)), extra)


@given(st.lists(st.sampled_from([0, 1, 3, -2, 0.5, True]), min_size=1, max_size=4), st.integers(1, 5))
def test_means_and_sums_by_their_definition(values: list[Any], most: int) -> None:
    """Every mean and every sum of up to so many values is listed, and nothing else."""
    picks = [p for n in range(1, most + 1) for p in combinations_with_replacement(values, n)]
    found = means(distinct(values), most)
    assert not isinstance(found, Range)
    assert {float(v) for v in found} == {math.fsum(p) / len(p) for p in picks}
    sums = totals(distinct(values), most)
    if isinstance(sums, Range):
        assert any(isinstance(v, float) for v in values)
        assert all(sums.low <= sum(p) <= sums.high for p in picks)
    else:
        assert set(sums) == {sum(p) for p in picks}


@pytest.mark.parametrize("value", VALUES)
def test_constants(value: Any) -> None:
    """A constant of any kind is given back."""
    found = constant(value)
    assert same(found.value(found.sop("a")[0]), value)


def test_equal_values_that_a_function_tells_apart_are_refused() -> None:
    """1 and True are one value to a table."""
    mixed = represented(build.inputs["tokens_asis"], [1, True], none=False)
    with pytest.raises(CapaxError) as caught:
        tabulated([mixed], str)
    assert caught.value.code == "not-compilable"


def test_a_range_cannot_be_tabulated() -> None:
    """The refusal says what to do."""
    with pytest.raises(CapaxError) as caught:
        tabulated([Lowered(build.indices, Range(0, 1))], str)
    assert caught.value.code == "too-many-values"
    assert caught.value.hint is not None
    assert "operators" in caught.value.hint
