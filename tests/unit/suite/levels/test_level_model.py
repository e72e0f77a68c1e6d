"""Whether a model is right with room: for sums in its own order, and in another one."""

import numpy as np

from capax.model.interpretability.lens_model import LensModel, run, words_of_length
from capax.suite.levels.level_model import Soundness, reversed_order, rounding_differences
from capax.suite.programs.suite_program import compiled_case, written_programs

LENS = compiled_case(next(one for one in written_programs("family") if one.id == "first-equals-here")).lens
WORDS = words_of_length(LENS, 5, 100)


def test_the_reverse_order_is_the_same_function() -> None:
    """The logits in float64 are the same; no tensor with directions is as it was."""
    turned = reversed_order(LENS.in_numbers("float64"))
    assert np.allclose(run(turned, WORDS).logits, run(LENS.in_numbers("float64"), WORDS).logits, atol=1e-9)
    assert not np.array_equal(turned.array("embed.W_E"), LENS.array("embed.W_E"))


def cancelling(large: float) -> LensModel:
    """The model with three directions more, in which each token has a large number, its negative, and 1.

    The logits read all three with weight 1: what they get is 1 in the one order of the sum, and 0 in the other.
    """
    more = np.tile(np.array([large, -large, 1.0]), (len(LENS.tokens), 1))
    read = np.ones((3, LENS.config["d_vocab_out"]))
    tensors = {
        "embed.W_E": np.concatenate([LENS.array("embed.W_E"), more], 1),
        "unembed.W_U": np.concatenate([LENS.array("unembed.W_U"), read]),
    }
    for name, array in LENS.tensors.items():
        last = name.rpartition(".")[2]
        if last in {"W_pos", "W_O", "b_O", "W_out", "b_out"}:
            tensors[name] = np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, 3)])
        elif last in {"W_Q", "W_K", "W_V", "W_in"}:
            tensors[name] = np.pad(array, [(0, 0)] * (array.ndim - 2) + [(0, 3), (0, 0)])
    return LENS.changed({name: array.astype(np.float32) for name, array in tensors.items()}, d_model=LENS.width + 3)


def test_sums_that_are_right_in_one_order_alone_are_seen() -> None:
    """Large numbers that cancel; without them both orders are near to float64."""
    assert max(rounding_differences(cancelling(1.0), [WORDS])) < 1e-5
    assert max(rounding_differences(cancelling(2.0**30), [WORDS])) >= 1.0


def test_room_is_asked_of_both_orders() -> None:
    """A margin of 1 is ten times a rounding of 0.1, in each order."""
    assert Soundness(9, 0, 1.0, 0.1, 0.1).sound
    assert not Soundness(9, 0, 1.0, 0.0, 0.2).sound
    assert not Soundness(9, 0, 1.0, 0.2, 0.0).sound
    assert not Soundness(9, 1, 1.0, 0.0, 0.0).sound
