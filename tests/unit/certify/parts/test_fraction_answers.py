"""Answers that are decoded as fractions: the margin is that of the decoding itself."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import aggregate, indicator, indices, select, tokens
from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.parts.fraction_answers import fraction_margins, fractions_of
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


def test_integers_are_answers_where_types_do_not_count() -> None:
    assert fractions_of(Fractions(4), [1, 0.25], WorkBudget(), typed=False).denominators.tolist() == [1, 4]


def test_a_long_share_is_certified_as_far_as_its_numbers_reach() -> None:
    share = aggregate(select(indices, indices, "<="), indicator(tokens == "a"))
    compiled = capax.compile(share, alphabet="ab", max_length=300, words=20)
    assert isinstance(compiled.model.decoding, Fractions)
    lengths = {v.numbers: v.length for v in compiled.certificate.verdicts}
    assert lengths["float64"] == 300
    assert 100 <= lengths["float32"] < 300
