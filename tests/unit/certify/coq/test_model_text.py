"""A model's numbers as Coq text: exact, the same each time, and refused where the proofs do not cover them."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError, Model
from capax.certify.coq.model_text import dyadic, model_text, require_covered
from tests.support.coq_models import HISTOGRAM, compiled


@pytest.fixture(scope="module")
def model() -> Model:
    """A compiled histogram."""
    return compiled(HISTOGRAM, "ab")


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_dyadic_is_exact(value: float) -> None:
    """m * 2^e is the number, and m fits the 24 digits of binary32."""
    m, e = dyadic(value)
    assert m * 2.0**e == value
    assert abs(m) < 2**24
    assert m % 2 == 1 or (m, e) == (0, 0)


def test_text_has_every_number_of_the_model(model: Model) -> None:
    """As many pairs as the arrays have numbers, and one for the scale of each head."""
    numbers = sum(array.size for _, array in model.arrays())
    pairs = re.findall(r"\((-?\d+), (-?\d+)\)", model_text(model))
    assert len(pairs) == numbers + 1
    values = {float(v) for _, array in model.arrays() for v in array.ravel()} | {256.0}
    assert {int(m) * 2.0 ** int(e) for m, e in pairs} == values


def test_text_is_the_same_each_time(model: Model) -> None:
    """Nothing in it depends on the run."""
    assert model_text(model) == model_text(replace(model))


def test_other_number_systems_are_refused(model: Model) -> None:
    """The theorems are about binary32."""
    with pytest.raises(CapaxError, match="float64") as error:
        require_covered(model.to("float64"))
    assert error.value.code == "not-in-coq"


def test_other_positions_are_refused(model: Model) -> None:
    """The Coq definition knows 1, i and i^2."""
    positions = replace(model.positions, functions=("i/n",), weight=model.embedding[:1] * 0)
    with pytest.raises(CapaxError, match="i/n"):
        require_covered(replace(model, positions=positions))


def test_long_words_are_refused(model: Model) -> None:
    """The theorem on sums has a greatest number of terms."""
    require_covered(replace(model, max_length=1000))
    with pytest.raises(CapaxError, match="words of more than 1,000 tokens"):
        require_covered(replace(model, max_length=1001))
