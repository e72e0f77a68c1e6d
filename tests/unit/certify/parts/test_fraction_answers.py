"""Answers that are decoded as fractions: the margin is that of the decoding itself."""

import copy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import aggregate, indicator, indices, select, tokens, where
from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.parts.fraction_answers import fraction_margins, fractions_of
from capax.certify.recheck.recheck import recheck
from capax.model.model import Model
from capax.model.parts import Affine, Head
from capax.model.vocabulary import Fractions


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([1.0, 0.5, 1 / 3, 3.0]), st.floats(-1, 1))
def test_within_the_margin_the_answer_is_decoded(most: int, top: int, unit: float, part: float) -> None:
    decoding = Fractions(most, unit)
    share = Fraction(top, most)
    answer = float(share * decoding.exact_unit)
    known = fractions_of(decoding, [answer], WorkBudget(), typed=True)
    assert Fraction(int(known.numerators[0]), int(known.denominators[0])) == share
    point = np.array([float(share)])
    margin = float(fraction_margins(most, known, np.array([0]), point, point)[0])
    assert 0 < margin < 1 / (2 * most * share.denominator)
    assert decoding.decode(point[:, None] + part * margin)[0] == answer


@pytest.mark.parametrize("answer", [0.3, "a", float("inf"), 1])
def test_other_answers_are_refused(answer: object) -> None:
    with pytest.raises(NotCertified, match="not among"):
        fractions_of(Fractions(4), [answer], WorkBudget(), typed=True)  # type: ignore[list-item]


def test_whole_answers_are_integers() -> None:
    assert fractions_of(Fractions(1, 2.0, whole=True), [4, -2], WorkBudget(), typed=True).numerators.tolist() == [2, -1]
    with pytest.raises(NotCertified, match="not among"):
        fractions_of(Fractions(1, whole=True), [4.0], WorkBudget(), typed=True)


def test_integers_are_answers_where_types_do_not_count() -> None:
    assert fractions_of(Fractions(4), [1, 0.25], WorkBudget(), typed=False).denominators.tolist() == [1, 4]


def test_a_long_share_is_certified_as_far_as_its_numbers_reach() -> None:
    """Sums of 0.3 are rounded, in some order by as much as there are terms."""
    share = aggregate(select(indices, indices, "<="), where(tokens == "a", 0.3, 0.0))
    compiled = capax.compile(share, alphabet="ab", max_length=300, words=20)
    assert isinstance(compiled.model.decoding, Fractions)
    lengths = {v.numbers: v.length for v in compiled.certificate.verdicts}
    assert lengths["float64"] == 300
    assert 100 <= lengths["float32"] < 300


SHARE = aggregate(select(indices, indices, "<="), indicator(tokens == "a"))


@pytest.mark.parametrize("longest", [300, pytest.param(1000, marks=pytest.mark.deep)])
def test_sums_of_integers_that_are_divided_once_are_certified_at_the_whole_length(longest: int) -> None:
    """The certificate says what it assumes of attention; a shorter one does not need that."""
    compiled = capax.compile(SHARE, alphabet="ab", max_length=longest, words=5)
    own = compiled.certificate.verdict_in("float32")
    assert own is not None
    assert (own.length, own.whole, own.one_quotient) == (longest, True, True)
    assert "in float32 and float64, attention adds up" in compiled.certificate.assumptions[-1]
    assert recheck(compiled.model).holds
    short = capax.compile(SHARE, alphabet="ab", max_length=20, words=5).certificate
    assert not any(v.one_quotient for v in short.verdicts if v.numbers != "bfloat16")
    assert short.length_in("float32") == 20


def test_a_certificate_that_hides_what_it_assumes_is_refused() -> None:
    model = capax.compile(SHARE, alphabet="ab", max_length=300, words=5).model
    claimed = copy.deepcopy(model.provenance.certificate)
    for verdict in claimed["verdicts"]:
        verdict["one_quotient"] = False
    assert "divides at any time" in str(recheck(with_certificate(model, claimed)).counterexample)
    claimed = {**model.provenance.certificate, "assumptions": claimed["assumptions"][:-1]}
    assert recheck(with_certificate(model, claimed)).counterexample == "its assumptions differ"


def with_certificate(model: Model, claimed: Any) -> Model:
    """The model with another certificate in its file."""
    return replace(model, provenance=replace(model.provenance, certificate=claimed))


def test_attention_that_divides_first_is_wrong_on_some_word() -> None:
    """So the assumption is needed: weights of 1/1,000 in float32 add up to another share."""
    most = 1000
    weight = np.float32(1) / np.float32(most)
    sums = np.cumsum(np.full(most, weight, np.float32), dtype=np.float32)
    shares = [Fraction(float(s)).limit_denominator(most) for s in sums]
    assert any(share != Fraction(k, most) for k, share in enumerate(shares, 1))


@pytest.mark.parametrize("change", [1 + 2.0**-20, 1 - 2.0**-12, 3.0])
def test_values_whose_sums_are_rounded_are_not_certified_so_far(change: float) -> None:
    """Attack: numbers beside 0 and 1 are no integers, or stand for another share."""
    model = capax.compile(SHARE, alphabet="ab", max_length=300, words=5).model
    block = model.blocks[0]
    head = block.heads[0]
    assert isinstance(head, Head)
    value = Affine(head.value.weight * np.float32(change), head.value.bias)
    changed = replace(model, blocks=(replace(block, heads=(replace(head, value=value), *block.heads[1:])),))
    report = recheck(changed)
    assert not report.holds
