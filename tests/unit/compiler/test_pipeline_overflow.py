"""Numbers that no float can hold are refused, and those at the edge are certified."""

import math
from fractions import Fraction

import pytest

import capax
from capax import CapaxError
from capax.certify.certify_budget import WorkBudget
from capax.certify.values.means import are_sums, totals


@pytest.mark.parametrize(
    "text", ["indices + 10^400", "1.5 if indices == 0 else 10^310", "length * 10^308", "indices / 10^400"]
)
def test_numbers_that_no_float_can_hold(text: str) -> None:
    with pytest.raises(CapaxError, match="no float can hold") as raised:
        capax.compile(capax.Program.from_text(f"answer = {text};"), alphabet="ab", max_length=4)
    assert raised.value.code == "number-too-large"


def test_floats_that_overflow_are_infinities_as_the_interpreter_has_them() -> None:
    program = capax.Program.from_text("answer = indices * 1e308 * 10;")
    compiled = capax.compile(program, alphabet="ab", max_length=4)
    assert list(compiled("aba")) == list(program("aba")) == [0.0, math.inf, math.inf]
    assert compiled.check.holds
    assert compiled.label == "checked by test only"


def test_tokens_that_no_float_can_hold() -> None:
    with pytest.raises(CapaxError, match="no float can hold") as raised:
        capax.compile(capax.tokens, alphabet=[1, 10**400], max_length=2)
    assert raised.value.code == "bad-alphabet"


def test_integers_that_no_float_tells_apart() -> None:
    """2^53 and 2^53 + 1 are one float, and two tokens."""
    equal = capax.selector_width(capax.select(capax.tokens_asis, capax.tokens_asis, "=="))
    compiled = capax.compile(equal, alphabet=[2**53, 2**53 + 1], max_length=4)
    assert compiled.model([2**53, 2**53 + 1, 2**53]) == [2, 1, 2]
    assert compiled.certified_length == 4


def test_units_beyond_floats() -> None:
    """5e-324 is 2^-1074, whose denominator no float can hold."""
    assert are_sums([0.0, 5e-324], 2, Fraction(1, 2**1074)).shape == (2, 2)
    assert totals([0.0, 5e-324], 2, WorkBudget(), "x") is None


def test_a_model_beyond_the_budget_is_refused_before_its_weights_are_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("capax.compiler.layout.network.PER_BUDGET", 1)
    even = capax.selector_width(capax.select(capax.tokens, "b", "==")) % 2 == 0
    with pytest.raises(CapaxError, match="parameters; the budget allows 1,000") as raised:
        capax.compile(even, alphabet="ab", max_length=300, budget=1000)
    assert raised.value.code == "too-many-values"
