"""Match2: both forms, the margins of the argument, and how large a modulus each number system carries."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError
from capax.model.model import Model
from capax.model.run.reference import define
from capax.tasks.match2 import TASK
from capax.theorems.matching.match2 import FORMS, circle
from capax.theorems.matching.pair_id import integers, needed
from tests.support.modulus_range import carries, reach

LENGTH = 40


def builder(form: str):  # type: ignore[no-untyped-def]
    """The model of a form for some tokens and words of 40."""

    def build(tokens: Sequence[int], modulus: int) -> Model:
        return FORMS[form](tokens, modulus, LENGTH)

    return build


@pytest.mark.parametrize(
    ("form", "numbers", "largest"),
    [
        ("trigonometric", "float64", 10**7),
        ("trigonometric", "float32", 1_000),
        ("trigonometric", "float16", 20),
        ("trigonometric", "bfloat16", 5),
        ("integer", "float64", 2 * 10**7),
        ("integer", "float32", 2_000),
        ("integer", "float16", 20),
        ("integer", "bfloat16", 5),
    ],
)
def test_the_range_of_moduli(form: str, numbers: str, largest: int) -> None:
    """What the theorem's limits say holds with a little to spare, and fifty times more does not."""
    build = builder(form)
    assert reach(build, TASK, LENGTH, numbers, most=largest) == largest
    assert not carries(build, TASK, 50 * largest + 1, LENGTH, numbers, samples=60)


@given(st.integers(3, 60), st.data())
def test_the_margins_of_the_argument(modulus: int, data: st.DataObject) -> None:
    """The weight on matches is at most 1/6 without a match and at least 6/13 with one, as the proof says."""
    word = data.draw(st.lists(st.integers(1, modulus), min_size=1, max_size=12))
    right = TASK.reference(word, modulus=modulus)
    for build in FORMS.values():
        model = build(sorted(set(word)), modulus, 12)
        column = model.names.index("weight on matches")
        weights = model.run(word, trace=True)["resid_post"].reshape(len(word), -1)[:, column]
        for weight, answer in zip(weights, right, strict=True):
            assert weight >= 6 / 13 if answer else weight <= 1 / 6


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5))
def test_the_definition_agrees(word: list[int]) -> None:
    """The slow definition of a model answers the same, in floats and in exact integers."""
    for model in (FORMS["trigonometric"](range(1, 7), 6, 5), integers(range(1, 7), 6, needed(6))):
        slow = [round(row[0]) for row in define(model, word)]
        assert slow == model(word) == TASK.reference(word, modulus=6)


def test_the_scale_of_the_proof() -> None:
    """1 - cos(2 pi / M) >= 8 / M^2 for M >= 2: equality at M = 2."""
    assert all(1 - math.cos(2 * math.pi / m) >= 8 / m**2 - 1e-15 for m in range(2, 5_000))


def test_a_text_is_not_a_number() -> None:
    """Who gives the digits of a number as a text is told so."""
    with pytest.raises(CapaxError) as raised:
        circle(range(1, 6), 5, 9)("12")
    assert raised.value.code == "unknown-token"
    assert "--as ints" in str(raised.value.hint)
    with pytest.raises(CapaxError) as raised:
        circle(range(1, 6), 5, 9)("x")
    assert "--as ints" not in str(raised.value.hint)
