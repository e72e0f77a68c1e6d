"""Certificates of loops, by induction: right models pass at every length, and no changed weight does."""

from dataclasses import replace

import numpy as np
import pytest

import capax
from capax import library
from capax.certify.recheck.recheck import recheck
from capax.model.io.file import from_bytes, to_bytes
from capax.model.loop import ModelLoop
from capax.model.model import Model
from capax.model.parts import Affine


@pytest.fixture(scope="module")
def model() -> Model:
    """The model of carry look-ahead, with a part before, in and after its loop."""
    return capax.compile(library.add_by_lookahead, alphabet="012", max_length=12, words=20).model


def test_a_certificate_is_proved_again_from_the_file(model: Model) -> None:
    """The file has the loop, the states and the certificate."""
    again = from_bytes(to_bytes(model), "a file")
    assert again == model
    report = recheck(again)
    assert report.holds
    assert report.figures["certified length in float32"] == 12


def _changed(model: Model, block: int, by: float) -> Model:
    """The model with one weight of an MLP changed: the largest of the last map."""
    part = model.blocks[block]
    assert part.mlp is not None
    last = part.mlp.maps[-1]  # type: ignore[union-attr]
    weight = np.array(last.weight)
    weight[np.unravel_index(np.abs(weight).argmax(), weight.shape)] += by
    mlp = replace(part.mlp, maps=(*part.mlp.maps[:-1], Affine(weight, last.bias)))  # type: ignore[union-attr]
    blocks = (*model.blocks[:block], replace(part, mlp=mlp), *model.blocks[block + 1 :])
    return replace(model, blocks=blocks)


@pytest.mark.parametrize("by", [0.01, -1.0, 0.5])
def test_changed_weights_of_the_shared_block_are_rejected(model: Model, by: float) -> None:
    """A hundredth of a code is more than the invariant allows."""
    assert model.loop is not None
    for block in range(model.loop.first, model.loop.end):
        assert not recheck(_changed(model, block, by)).holds


def test_a_head_that_looks_elsewhere_is_rejected(model: Model) -> None:
    """Keys and queries of the shared block, exchanged."""
    assert model.loop is not None
    number = next(i for i in range(model.loop.first, model.loop.end) if model.blocks[i].heads)
    head = model.blocks[number].heads[0]
    turned = replace(head, query=head.key, key=head.query)  # type: ignore[call-arg, union-attr]
    block = replace(model.blocks[number], heads=(turned, *model.blocks[number].heads[1:]))
    blocks = (*model.blocks[:number], block, *model.blocks[number + 1 :])
    assert not recheck(replace(model, blocks=blocks)).holds


def test_claims_about_states_are_not_trusted(model: Model) -> None:
    """Another slot, a code changed, a value left out, another rule for the rounds."""
    claims, loop = model.provenance.loop, model.loop
    assert claims is not None
    assert loop is not None
    first = claims[0]
    others = [
        (replace(first, slot=(first.slot + 1) % model.width), *claims[1:]),
        (replace(first, codes=tuple(c + 1 for c in first.codes)), *claims[1:]),
        (replace(first, values=first.values[1:], codes=first.codes[1:]), *claims[1:]),
    ]
    for changed in others:
        assert not recheck(replace(model, provenance=replace(model.provenance, loop=changed))).holds
    assert not recheck(replace(model, loop=ModelLoop(loop.first, loop.end, "length"))).holds


def test_the_blocks_of_the_loop_are_those_that_were_proved(model: Model) -> None:
    """A loop over fewer blocks, or over one more, is another model."""
    loop = model.loop
    assert loop is not None
    assert loop.end < len(model.blocks)
    assert not recheck(replace(model, loop=ModelLoop(loop.first, loop.end + 1, loop.rounds))).holds
    if loop.end - loop.first > 1:
        assert not recheck(replace(model, loop=ModelLoop(loop.first + 1, loop.end, loop.rounds))).holds
