"""CoordinatePairs of coordinates: read and written as one, with pinned ones beside them that nothing touches."""

import numpy as np
import pytest

from capax.certify.exported_models.unpaired import CoordinatePairs, pairs_of
from capax.certify.not_certified import NotCertified
from capax.model.export.hugging_face.norms import EPSILON
from capax.model.export.hugging_face.sizes import HuggingFaceSizes
from capax.model.model import Model
from capax.model.parts import Affine, Norm, Readout
from capax.model.positions import Positions
from capax.model.vocabulary import Classes, Vocabulary

PAIRS = CoordinatePairs(HuggingFaceSizes(8, 1, 8, 1, 1), 4.0, 2, 6)


def rows(*coordinates: float) -> np.ndarray:
    """One row of 8 coordinates."""
    return np.array([coordinates], float)


def test_what_is_pinned() -> None:
    assert PAIRS.pinned().tolist() == [4.0, -4.0, 0, 0, 0, 0, 0, 0]


def test_pairs_are_opposite_and_nothing_else_is_touched() -> None:
    """As they are written, and as maps read them, with twice the weight."""
    fine = rows(0, 0, 1, -1, -3, 3, 0, 0)
    assert PAIRS.written(fine).tolist() == [[1, -3]]
    assert PAIRS.read(Affine(fine.T, np.array([7.0]))).weight.tolist() == [[2], [-6]]
    for wrong in (
        rows(0, 0, 1, 1, 0, 0, 0, 0),
        rows(0, 0, 1, -1, -3, 2, 0, 0),
        rows(1, 0, 1, -1, -3, 3, 0, 0),
        rows(0, 1, 1, -1, -3, 3, 0, 0),
        rows(0, 0, 1, -1, -3, 3, 1, 0),
        rows(0, 0, 1, -1, -3, 3, 0, 1),
    ):
        with pytest.raises(NotCertified, match="a pair is not written as one"):
            PAIRS.written(wrong)
        with pytest.raises(NotCertified, match="a pair is not read as one"):
            PAIRS.read(Affine(wrong.T, np.array([7.0])))


def test_norms_that_do_almost_nothing() -> None:
    """By their kind, gain, bias and epsilon, each exactly; the epsilon may be smaller."""
    gain, bias = np.array([0, 0, 2.0, 2, 2, 2, 0, 0]), np.zeros(8)
    for epsilon, fine in ((0.0, True), (EPSILON / 2, True), (EPSILON, True), (EPSILON * 2, False)):
        assert PAIRS.is_norm(Norm("layer", gain, bias, epsilon), bias) == fine
    assert not PAIRS.is_norm(None, bias)
    assert not PAIRS.is_norm(Norm("layer", gain * 2, bias, 0.0), bias)
    assert not PAIRS.is_norm(Norm("layer", gain, bias + 1, 0.0), bias)
    assert not PAIRS.is_norm(Norm("rms", gain, bias, 0.0), bias)


def pinned_to(pin: float) -> Model:
    """A model without blocks, one pair of whose coordinates is pinned to a number."""
    pairs = CoordinatePairs(PAIRS.sizes, pin, 2, 6)
    gain = np.array([0, 0, 1.0, 1, 1, 1, 0, 0])
    return Model(
        vocabulary=Vocabulary(("a",)),
        embedding=np.zeros((1, 8)),
        positions=Positions((), np.zeros((0, 8)), np.tile(pairs.pinned(), (3, 1))),
        blocks=(),
        readout=Readout(Affine(np.zeros((8, 1)), np.zeros(1)), Norm("layer", gain, np.zeros(8), 0.0)),
        decoding=Classes(("a",)),
        names=tuple("abcdefgh"),
        max_length=3,
    )


@pytest.mark.parametrize("pin", [1.0, 2.0, 2.0**20, 2.0**1000])
def test_pins_are_powers_of_two(pin: float) -> None:
    """Then the gain of a norm divides by the standard deviation of a row without rounding."""
    pairs = pairs_of(pinned_to(pin))
    assert (pairs.pin, pairs.first, pairs.used) == (pin, 2, 6)


@pytest.mark.parametrize("pin", [3.0, 1 + 2.0**-52, 0.0, -0.0, -1.0, -4.0, 0.5, 2.0**-600, 2.0**-1074])
def test_other_pins_are_refused(pin: float) -> None:
    """Pins that are rounded, that have another sign, or that are so small that their squares are zero."""
    with pytest.raises(NotCertified, match="the pinned number is not a power of two"):
        pairs_of(pinned_to(pin))
