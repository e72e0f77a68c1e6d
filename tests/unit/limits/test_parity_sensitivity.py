"""The measured slope of Hahn's bound, on models whose sensitivity is known."""

import math
from dataclasses import replace

import numpy as np
import pytest

from capax import theorems
from capax.limits import limit
from capax.limits.parity_sensitivity import changes, lengths_for, slope
from capax.model.vocabulary import Nearest

KINDS = ("softmax", "average-hard")


def test_slopes() -> None:
    """Of exact powers; zeros and single points have none."""
    assert slope([(n, 3.0 * n**-1.5) for n in (4, 8, 16)]) == pytest.approx(-1.5)
    assert slope([(4, 1.0)]) is None
    assert slope([(4, 0.0), (8, 0.0), (16, 1.0)]) is None


def test_changes_by_definition() -> None:
    """The largest change over all places but the last, one model run at a time; and that of the last alone."""
    theorem = theorems.theorem("parity")
    model = theorem.construct(**theorem.settle({"length": 9}))
    zero, one = (token for token in model.vocabulary.tokens if str(token) in "01")
    word = [zero, one, one, zero, zero, one]
    plain = model.run(word).logits[0][-1]
    each = []
    for place in range(len(word)):
        other = list(word)
        other[place] = one if word[place] == zero else zero
        each.append(float(abs(model.run(other).logits[0][-1] - plain).max()))
    assert changes(model, word, (zero, one)) == pytest.approx(max(each[:-1]))
    assert changes(model, word, (zero, one), last=True) == pytest.approx(each[-1])
    assert max(each[:-1]) > 0


def test_the_last_symbol_is_not_what_the_bound_is_about() -> None:
    """A model that also reads its last symbol past the head: that change stays, and the others fall as 1/n."""
    theorem = theorems.theorem("majority")
    model = theorem.construct(**theorem.settle({"length": 70, "attention": "softmax"}))
    rows = {str(token): row for row, token in enumerate(model.vocabulary.tokens)}
    apart = model.embedding[rows["1"]] - model.embedding[rows["0"]]
    weight = model.readout.map.weight + 2.0**60 * np.outer(apart, np.eye(model.readout.map.outputs)[0])
    read = replace(model.readout, map=replace(model.readout.map, weight=weight))
    found = limit("parity-sensitivity").run(model=replace(model, readout=read))
    assert found["slope of the logarithms"].value == pytest.approx(-1)
    last, other = (found[name].value for name in ("by the last symbol, n = 64", "largest change, n = 64"))
    assert isinstance(last, float)
    assert isinstance(other, float)
    assert last > 20 * other


def test_a_mean_falls_as_1_over_n() -> None:
    """The model of MAJORITY reads out a mean, which one symbol moves by 1/n exactly; by hard heads nothing is said."""
    theorem = theorems.theorem("majority")
    soft, hard = (theorem.construct(**theorem.settle({"length": 70, "attention": kind})) for kind in KINDS)
    found = limit("parity-sensitivity").run(model=soft)
    assert found["slope of the logarithms"].value == pytest.approx(-1)
    assert not found.vacuous
    assert limit("parity-sensitivity").run(model=hard).vacuous


@pytest.mark.parametrize("name", ["parity", "majority"])
def test_changes_stand_beside_the_scale_of_the_readout(name: str) -> None:
    """A readout times 2^10 changes what is measured by as much, and what is relative to it not at all."""
    theorem = theorems.theorem(name)
    model = theorem.construct(**theorem.settle({"length": 10}))
    scale = float(np.abs(model.readout.map.weight).max())
    larger = replace(model.readout.map, weight=model.readout.map.weight * 1024, bias=model.readout.map.bias * 1024)
    decoding = model.decoding
    if isinstance(decoding, Nearest):
        decoding = replace(decoding, places=tuple(1024 * place for place in decoding.places))
    times = replace(model, readout=replace(model.readout, map=larger), decoding=decoding)
    one, two = (limit("parity-sensitivity").run(model=m, longest=8) for m in (model, times))
    assert one["scale"].value == scale
    for row in ("largest change, n = 8", "least margin, n = 8"):
        assert two[row].value == pytest.approx(1024 * one[row].value)
        assert one[row].value > 0 or (name == "majority" and "margin" in row)  # a tie has the margin 0
    for row in ("change / scale, n = 8", "margin / scale, n = 8"):
        assert two[row].value == pytest.approx(one[row].value)
        assert 0 <= one[row].value < 1
    assert one["change / scale, n = 8"].value == pytest.approx(one["largest change, n = 8"].value / scale)
    assert one["margin / scale, n = 8"].value == pytest.approx(one["least margin, n = 8"].value / scale)


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
