"""Directions of the position that are sums of others: left out, and every answer stays."""

from dataclasses import replace
from itertools import product

import numpy as np

import capax
from capax.model.adapt.make_plain import PlainModel, make_plain
from capax.model.adapt.summed_positions import without_summed_positions
from capax.model.export.llama.weights import first_direction, over_width
from capax.model.model import Model


def hops() -> Model:
    """The 2-hop program with a first token: it has i, i^2 and (i - 1)^2."""
    shared = {"alphabet": "abc", "max_length": 9, "causal": True, "certify": False}
    plain = make_plain(capax.compile(capax.library.hop2, words=20, **shared).model, selective=True)  # type: ignore[arg-type]
    assert isinstance(plain, PlainModel)
    return plain.model


def test_a_square_of_a_difference_is_left_out() -> None:
    """One direction fewer, not more; the logits are the same on all words up to 4 letters and on some of 9."""
    model = hops()
    first = first_direction(model)
    assert first is not None
    smaller = without_summed_positions(model, 5, first)
    assert set(model.names) - set(smaller.names) == {"(indices - 1)^2"}
    words = ["".join(w) for n in range(1, 5) for w in product("abc", repeat=n)] + [
        "abcabcabc",
        "ccccccccc",
        "aabbccaab",
    ]
    for one, two in zip(model.run(words).logits, smaller.run(words).logits, strict=True):
        assert np.array_equal(one, two)


def test_what_blocks_write_or_tokens_hold_stays() -> None:
    """The same column in a token's row, or one that a block writes, holds more than the table says."""
    model = hops()
    first, number = first_direction(model), model.names.index("(indices - 1)^2")
    assert first is not None
    embedding, bias = model.embedding.copy(), model.blocks[0].bias.copy()
    embedding[0, number] = bias[number] = 1
    kept = (replace(model, embedding=embedding), replace(model, blocks=(replace(model.blocks[0], bias=bias),)))
    assert all("(indices - 1)^2" in without_summed_positions(other, 1, first).names for other in kept)


def test_only_widths_that_do_not_fit_ask_for_fewer_directions() -> None:
    """Three directions count positions: 13 fit the width 16, and 14 would need 64."""
    assert [over_width(n) for n in (1, 13, 14, 61, 62)] == [0, 12, 1, 48, 1]
