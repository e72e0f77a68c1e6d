"""How much a certificate may claim: each figure, length and flag at the very edge of what was found."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from capax.certify.certificate import Certificate
from capax.certify.recheck import excess_claims as claims
from capax.certify.recheck.excess_claims import CLOSE

HEAD = {"where": "layer 1, head 1", "computes": "x", "gap": 9.0, "spread": 0.5, "leak": 0.25, "underflows": False}
STAGE = {"where": "layer 1, MLP", "units": 3, "margin": 0.5, "error_in": 0.25, "error_out": 0.125}
VERDICT: dict[str, Any] = {
    "numbers": "float32",
    "length": 3,
    "whole": False,
    "breaks": "at length 4: too wide",
    "heads": [{**HEAD, "error": 0.125}],
    "stages": [STAGE],
    "decoding_margin": 0.25,
    "one_quotient": False,
}
FOUND: dict[str, Any] = {"version": 3, "assumptions": ["a"], "types": False, "min_length": 1, "verdicts": [VERDICT]}


def claims_too_much(claimed: dict[str, Any], proved: dict[str, Any]) -> str | None:
    """What one certificate claims beyond another."""
    return claims.claims_too_much(claimed, Certificate.from_json(proved))


def claim(edit: Callable[[dict[str, Any]], object]) -> str | None:
    """What is wrong with the certificate once its verdict was edited."""
    claimed = copy.deepcopy(FOUND)
    edit(claimed["verdicts"][0])
    return claims_too_much(claimed, FOUND)


def test_the_same_is_accepted() -> None:
    assert claims_too_much(FOUND, FOUND) is None


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 10**9])
def test_no_length_beyond_the_one_that_was_found(length: int) -> None:
    wrong = claim(lambda v: v.update(length=length))
    assert wrong == (
        None if length <= 3 else f"it claims length {length} in float32 (proved: 3; at length 4: too wide)"
    )


@pytest.mark.parametrize("length", [0, 1, 2])
def test_no_length_where_none_was_found(length: int) -> None:
    """A model that is refused at every length, and a certificate that claims the shortest one."""
    nothing = {**FOUND, "verdicts": [{**VERDICT, "length": 0}]}
    claimed = {**FOUND, "verdicts": [{**VERDICT, "length": length}]}
    assert (claims_too_much(claimed, nothing) is None) == (length == 0)


@pytest.mark.parametrize(
    ("part", "name", "more"),
    [
        ("heads", "gap", 1),
        ("heads", "spread", -1),
        ("heads", "leak", -1),
        ("heads", "error", -1),
        ("stages", "margin", 1),
        ("stages", "error_in", -1),
        ("stages", "error_out", -1),
    ],
)
def test_figures_may_differ_by_the_order_of_sums_only(part: str, name: str, more: int) -> None:
    """A figure that claims more is refused from CLOSE on; one that claims less is fine."""
    mine = VERDICT[part][0][name]

    def edited(factor: float) -> str | None:
        return claim(lambda v: v[part][0].update({name: mine * factor}))

    assert edited(1 + more * CLOSE * 0.9) is None
    assert edited(1 - more * 0.5) is None
    wrong = edited(1 + more * CLOSE * 1.1)
    assert wrong is not None
    assert f"a {name} of" in wrong


def test_the_margin_of_answers() -> None:
    assert claim(lambda v: v.update(decoding_margin=0.25 * (1 + CLOSE / 2))) is None
    assert claim(lambda v: v.update(decoding_margin=0.2)) is None
    assert claim(lambda v: v.update(decoding_margin=0.25 * (1 + CLOSE * 2))) is not None


def test_no_figure_is_close_to_one_that_is_infinite() -> None:
    """An infinite margin of the weights allows any claim; a finite one does not allow an infinite claim."""
    endless = {**FOUND, "verdicts": [{**VERDICT, "decoding_margin": float("inf")}]}
    assert claims_too_much(FOUND, endless) is None
    assert claims_too_much(endless, endless) is None
    assert claims_too_much(endless, FOUND) == "it claims a decoding_margin of inf for decoding (proved: 0.25)"


def test_claims_of_the_whole_of_types_and_of_zero_leaks() -> None:
    """Each is refused unless it was found, and so is what neither claims nor denies it."""
    for value in (True, None, 1):
        assert claim(lambda v, value=value: v.update(whole=value)) is not None
        assert claim(lambda v, value=value: v["heads"][0].update(underflows=value)) is not None
        assert claims_too_much({**FOUND, "types": value}, FOUND) is not None
    assert claims_too_much({**FOUND, "types": True}, {**FOUND, "types": True}) is None
    assert claims_too_much({**FOUND, "types": False}, {**FOUND, "types": True}) is None


def test_a_verdict_for_each_system_once() -> None:
    other = {**VERDICT, "numbers": "float64"}
    both = {**FOUND, "verdicts": [VERDICT, other]}
    assert claims_too_much(both, both) is None
    assert claims_too_much(both, FOUND) is not None
    assert claims_too_much(FOUND, both) is not None
    assert claims_too_much({**FOUND, "verdicts": [other]}, FOUND) == "it claims length 3 in float64 (proved: 0)"


def test_when_attention_may_divide() -> None:
    """A proof for attention that divides once says nothing of others; one for others holds for that, too."""
    once = {**FOUND, "verdicts": [{**VERDICT, "one_quotient": True}]}
    assert claims_too_much(once, FOUND) is None
    assert claims_too_much(once, once) is None
    hidden = "it claims length 3 in float32 for attention that divides at any time"
    assert claims_too_much(FOUND, once) == hidden
    left_out = {k: v for k, v in VERDICT.items() if k != "one_quotient"}
    damaged = "it is damaged: in float32 it does not say when attention may divide"
    assert claims_too_much({**FOUND, "verdicts": [left_out]}, FOUND) == damaged
    other = {**FOUND, "verdicts": [{**VERDICT, "one_quotient": 1}]}
    assert claims_too_much(other, FOUND) == "it is damaged: its `one_quotient` is not a boolean"
