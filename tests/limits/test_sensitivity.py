"""The measured slope of Hahn's bound, on models whose sensitivity is known."""

import math

import pytest

from capax import theorems
from capax.limits import limit
from capax.limits.parity_sensitivity import changes, lengths_for, slope

KINDS = ("softmax", "average-hard")


def test_slopes() -> None:
    """Of exact powers; zeros and single points have none."""
    assert slope([(n, 3.0 * n**-1.5) for n in (4, 8, 16)]) == pytest.approx(-1.5)
    assert slope([(4, 1.0)]) is None
    assert slope([(4, 0.0), (8, 0.0), (16, 1.0)]) is None


def test_changes_by_definition() -> None:
    """The largest change over all places, one model run at a time."""
    theorem = theorems.theorem("parity")
    model = theorem.construct(**theorem.settle({"length": 9}))
    zero, one = (token for token in model.vocabulary.tokens if str(token) in "01")
    word = [zero, one, one, zero, zero, one]
    plain = model.run(word).logits[0][-1]
    slow = 0.0
    for place in range(len(word)):
        other = list(word)
        other[place] = one if word[place] == zero else zero
        slow = max(slow, float(abs(model.run(other).logits[0][-1] - plain).max()))
    assert changes(model, word, (zero, one)) == pytest.approx(slow)
    assert slow > 0


def test_a_mean_falls_as_1_over_n() -> None:
    """The model of MAJORITY reads out a mean, which one symbol moves by 1/n exactly; by hard heads nothing is said."""
    theorem = theorems.theorem("majority")
    soft, hard = (theorem.construct(**theorem.settle({"length": 70, "attention": kind})) for kind in KINDS)
    found = limit("parity-sensitivity").run(model=soft)
    assert found["slope of the logarithms"].value == pytest.approx(-1)
    assert found.speaks
    assert not limit("parity-sensitivity").run(model=hard).speaks


def test_lengths() -> None:
    """Doubled, within what the model reads."""
    theorem = theorems.theorem("parity")
    model = theorem.construct(**theorem.settle({"length": 40}))
    assert lengths_for(model, 512) == [4, 8, 16, 32]
    assert lengths_for(model, 16) == [4, 8, 16]


def test_the_parity_model_falls_faster_than_1_over_n() -> None:
    """Its margin is of the order n^-2; the verdict says that recognition is not excluded."""
    theorem = theorems.theorem("parity")
    model = theorem.construct(**theorem.settle({"length": 70}))
    found = limit("parity-sensitivity").run(model=model)
    steep = found["slope of the logarithms"].value
    assert isinstance(steep, float)
    assert -2.1 < steep < -1.7
    assert found.verdict.kind == "measured"
    assert "not excluded" in found.verdict.text
    chart = limit("parity-sensitivity").picture(model=model)
    assert chart is not None
    assert [line.name for line in chart.lines] == ["measured", "1/n"]
    assert chart.lines[0].points[0][0] == pytest.approx(math.log10(4))
