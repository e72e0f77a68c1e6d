"""Models with a loop: the order of their blocks, the loop written out, and what cannot hold one."""

from dataclasses import replace

import pytest

import capax
from capax import CapaxError, library
from capax.model.io.file import from_bytes, to_bytes
from capax.model.loop import ModelLoop, block_order, refuse_loop, unrolled_model
from capax.model.model import Model

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like

WORDS = ["2", "01", "112", "0112", "21102", "01120112"]


@pytest.fixture(scope="module")
def model() -> Model:
    """Carry look-ahead on words of up to 8 digits: two blocks in the loop, one after it."""
    return capax.compile(library.add_by_lookahead, alphabet="012", max_length=8, words=20, certify=False).model


def test_words_of_different_lengths_run_for_different_rounds(model: Model) -> None:
    """In one batch as alone."""
    assert model.batch(WORDS) == [model(word) for word in WORDS]
    names = [name for name, _ in block_order(model, 3)]
    assert names[:4] == ["rounds.0.blocks.0", "rounds.0.blocks.1", "rounds.1.blocks.0", "rounds.1.blocks.1"]
    assert [name for name, _ in block_order(model, 1)] == ["blocks.2"]


def test_a_trace_has_every_round(model: Model) -> None:
    """The stream after each of them, and none on a word of one token."""
    trace = model.run("0112", trace=True).activations
    assert "rounds.1.blocks.1.resid_post" in trace
    assert "rounds.2.blocks.1.resid_post" not in trace
    assert not any(name.startswith("rounds") for name in model.run("2", trace=True).activations)


def test_the_loop_written_out_gives_the_same_answers(model: Model) -> None:
    """On the lengths that have as many rounds; the blocks are the same values in each round."""
    flat = unrolled_model(model, 7)
    assert flat.loop is None
    assert (flat.min_length, flat.max_length) == (5, 8)
    assert flat.blocks[0] is flat.blocks[2]
    assert [flat(word) for word in WORDS[-2:]] == [model(word) for word in WORDS[-2:]]
    with pytest.raises(CapaxError):
        unrolled_model(model, 9)
    with pytest.raises(CapaxError, match="the picture of a model with a loop"):
        refuse_loop(model, "the picture")


def test_a_loop_travels_in_the_file(model: Model) -> None:
    """With its rule; a damaged one is refused."""
    assert from_bytes(to_bytes(model), "a file").loop == model.loop
    for loop in ((0, 0, "length"), (2, 1, 3), (0, 1, "often"), (0, 1, -1)):
        with pytest.raises(CapaxError):
            ModelLoop(*loop)  # type: ignore[arg-type]
    with pytest.raises(CapaxError):
        replace(model, loop=ModelLoop(0, 99, "length"))


def test_the_size_counts_shared_weights_once(model: Model) -> None:
    """And beside them the model with the loop written out, at its greatest length."""
    size = model.size
    assert size.loop is not None
    assert size.loop.unrolled == unrolled_model(model, 8).size.parameters
    assert size.parameters + 2 * size.loop.block_parameters == size.loop.unrolled


def test_generation_has_no_loops(model: Model) -> None:
    """The number of rounds would grow with the word."""
    with pytest.raises(CapaxError) as error:
        model.generate("01", 1)
    assert error.value.code == "not-generative"


def test_torch_has_a_real_loop(model: Model) -> None:
    """Words of different lengths in one batch, and the way back."""
    pytest.importorskip("torch")
    module = model.to_torch()
    assert module.batch(WORDS) == model.batch(WORDS)
    assert Model.from_torch(module) == model
