"""Models built by hand are certified where their heads have a gap, and else the reason is told."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from capax import CapaxError, aggregate, indicator, indices, select, tokens, where
from capax.certify.recheck.handmade import certify_model
from capax.certify.recheck.recheck import recheck
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Readout, Sink
from capax.model.positions import Positions
from capax.model.vocabulary import Classes, Vocabulary
from examples.previous_token import build
from tests.support.perturbed import changed

BEFORE = select(indices, indices - 1, "==")
WAS = [aggregate(BEFORE, indicator(tokens == x), 0) for x in "abc"]
PREVIOUS = where(WAS[0] == 1, "a", where(WAS[1] == 1, "b", where(WAS[2] == 1, "c", "-")))
LONGEST = 12


def by_hand(scale: float = 256.0) -> Model:
    """The token before: a head with the score -(i - 1 - j)^2, and a sink at -1/2 with zeros."""
    d = 8  # is a, is b, is c, was a, was b, was c, place, its square
    query = np.zeros((d, 3))
    query[6] = [2, 2, 0]
    query[7] = [0, -1, 0]
    key = np.zeros((d, 3))
    key[6, 0], key[7, 2] = 1, 1
    head = Head(
        query=Affine(query, np.array([-2.0, -1.0, -1.0])),
        key=Affine(key, np.array([0.0, 1.0, 0.0])),
        value=Affine(np.eye(d, 3), np.zeros(3)),
        output=np.eye(3, d, k=3),
        sink=Sink(np.array([0.0, 0.0, 0.5]), np.zeros(3)),
        scale=scale,
    )
    place = np.zeros((2, d))
    place[0, 6], place[1, 7] = 1, 1
    return Model(
        vocabulary=Vocabulary(("a", "b", "c")),
        embedding=np.eye(3, d),
        positions=Positions(("i", "i^2"), place),
        blocks=(Block((head,), np.zeros(d)),),
        # what was three tokens at once cannot happen, but is not excluded: the first of them wins, as in the program
        readout=Readout(Affine(np.eye(d, 4, k=-3) * [4, 2, 1, 0], np.array([0.0, 0.0, 0.0, 0.5]))),
        decoding=Classes(("a", "b", "c", "-")),
        names=tuple(f"x{k}" for k in range(d)),
    ).to("float32")


def lengths(model: Model) -> dict[str, Any]:
    return {v["numbers"]: v["length"] for v in model.provenance.certificate["verdicts"]}


def test_a_model_built_by_hand_is_certified() -> None:
    model = certify_model(by_hand(), PREVIOUS, [[WAS]], max_length=LONGEST)
    assert lengths(model)["float32"] == lengths(model)["float64"] == LONGEST
    assert recheck(model).holds
    assert model("abcab") == list("-abca")
    assert model.provenance.certificate["verdicts"][0]["heads"][0]["gap"] == 128, "the sink stands in the middle"


def test_its_weights_are_held() -> None:
    model = certify_model(by_hand(), PREVIOUS, [[WAS]], max_length=LONGEST)
    for array in ("query.bias", "key.weight", "value.weight", "sink.key", "output"):
        place = int(np.flatnonzero(dict(model.arrays())[f"blocks.0.heads.0.{array}"])[0])
        assert not recheck(changed(model, f"blocks.0.heads.0.{array}", place, -1.0)).holds, array


def test_a_head_without_a_gap_is_not_certified_with_the_reason() -> None:
    flat = by_hand(scale=0.125)
    verdict = certify_model(flat, PREVIOUS, [[WAS]], max_length=LONGEST).provenance.certificate["verdicts"][0]
    assert verdict["length"] < LONGEST
    assert verdict["breaks"]
    model = certify_model(by_hand(), aggregate(select(indices, indices, "=="), tokens), [[[]]], max_length=3)
    assert set(lengths(model).values()) == {0}
    assert model.provenance.certificate["verdicts"][0]["breaks"]


def test_the_example_has_no_sink_and_says_so() -> None:
    """Its first query sees nothing and reads zeros: that is no default that the check knows."""
    previous = aggregate(BEFORE, tokens, "-")
    made = certify_model(build(), previous, [[[previous]]], max_length=4)
    assert set(lengths(made).values()) == {0}
    assert made.provenance.certificate["verdicts"][0]["breaks"]


def test_what_is_said_must_be_in_the_program() -> None:
    model = by_hand()
    for heads, longest in (([[[aggregate(BEFORE, indices)]]], 4), ([[[tokens]]], 4), ([[WAS]], None), ([[WAS]], 0)):
        with pytest.raises(CapaxError) as caught:
            certify_model(model, PREVIOUS, heads, max_length=longest)
        assert caught.value.code == "not-certified"
    with pytest.raises(CapaxError):
        certify_model(model, BEFORE, [[WAS]], max_length=4)


def test_a_model_keeps_its_own_length() -> None:
    model = certify_model(replace(by_hand(), max_length=5), PREVIOUS, [[WAS]], max_length=99)
    assert model.max_length == 5
    assert lengths(model)["float32"] == 5


def test_words_of_one_token_alone() -> None:
    """The least of all greatest lengths."""
    model = certify_model(by_hand(), PREVIOUS, [[WAS]], max_length=1)
    assert model.max_length == 1
    assert lengths(model)["float32"] == 1
    assert recheck(model).holds
