"""What the figures of a certificate say, and what is told where a model is not certified."""

import math
from typing import Any

import pytest

import capax
from capax import aggregate, indices, select, tokens, where
from capax.certify.certificate import ASSUMPTIONS, LengthVerdict
from capax.certify.systems import SYSTEMS
from tests.support.perturbed import PROGRAMS, compiled


def verdicts(made: Any) -> dict[str, LengthVerdict]:
    return {v.numbers: v for v in made.certificate.verdicts}


def test_leaks_in_real_numbers_and_underflow_in_floats_are_kept_apart() -> None:
    """Scores 256 apart: a leak in the reals, none in float32, and a harmless one in float64.

    One proof holds in both, so the bound on the error is that of the leak.
    """
    found = verdicts(compiled("reverse"))
    head, wide = found["float32"].heads[1], found["float64"].heads[1]
    assert head.gap == wide.gap == 256
    assert head.leak == wide.leak == pytest.approx(5 * math.exp(-256))
    assert (head.underflows, wide.underflows) == (True, False)
    assert 0 < head.error == wide.error < 1e-100
    assert found["float64"].whole


def test_a_model_of_float64_underflows_there() -> None:
    head = verdicts(compiled("reverse", "float64"))["float64"].heads[1]
    assert head.gap == 2048
    assert head.underflows
    assert head.error == 0


def test_margins() -> None:
    found = verdicts(compiled("sort"))["float32"]
    assert 0.499 < found.decoding_margin <= 0.5
    assert [s.where for s in found.stages if "layer" in s.where] == [f"layer 1, MLP, stage {k}" for k in (1, 2)]
    noisy = next(s for s in found.stages if "layer" in s.where)
    assert noisy.error_in > 0
    assert noisy.margin > 0
    assert found.stages[-1].error_out < noisy.error_in, "steps remove noise"


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_head_and_stage_has_figures(name: str) -> None:
    made = compiled(name)
    for numbers in SYSTEMS:
        found = verdicts(made)[numbers]
        if found.length:
            assert len(found.heads) == sum(len(b.heads) for b in made.model.blocks)
            assert all(h.gap > 0 for h in found.heads)
            assert all(h.spread >= 0 and h.leak >= 0 and h.error >= 0 for h in found.heads)
            assert found.decoding_margin > 0
    once = [v.numbers for v in made.certificate.verdicts if v.one_quotient]
    assert made.certificate.assumptions[: len(ASSUMPTIONS)] == ASSUMPTIONS
    assert [text.split(",")[0] for text in made.certificate.assumptions[len(ASSUMPTIONS) :]] == (
        [f"in {' and '.join(once)}"] if once else []
    )


def test_what_breaks_first_is_told_with_the_length_before_it() -> None:
    """In bfloat16 a shift by two places is right only while places have few digits."""
    program, alphabet, _ = PROGRAMS["shift with a default"]
    made = capax.compile(program, alphabet=alphabet, max_length=20)
    assert made.label == "certified in float32 up to length 20"
    found = verdicts(made)["bfloat16"]
    assert 2 <= found.length < 20
    assert not found.whole
    assert found.breaks.startswith(f"at length {2 * found.length}: layer 1, head 1: "), "coarser numbers, by halves"
    assert found.where == "layer 1, head 1"
    assert found.help == "float32, in which these weights are certified up to length 20"
    assert len(found.heads) == 1


def test_the_label_of_a_model_that_is_not_certified_at_its_whole_length() -> None:
    share = aggregate(select(indices, indices, "<="), where(tokens == "a", 0.3, 0.0))  # sums of 0.3 are rounded
    made = capax.compile(share, alphabet="ab", max_length=400, words=20)
    assert made.label == f"certified up to length {made.certified_length}, checked by test only beyond"
    assert 0 < made.certified_length < 400
    found = verdicts(made)["float32"]
    assert "nearer to another value" in found.breaks
    assert found.where == "the readout"
