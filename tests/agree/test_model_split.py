"""Attention in exact integers that parties compute together is the whole computation, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.arithmetic.select import arithmetic
from capax.model.model import Model
from capax.model.parts import Array, Head
from capax.model.run.forward import apply_mlp, embed, mlp_sublayer
from capax.model.run.run import run_rows
from capax.model.run.split import after_attention, finish, merge, partial
from tests.support.models import Draw, Shape, with_heads, words

SHAPE = Shape(norms=False, pairs=False, grain=1, reach=3, scales=(1.0, 2.0))


def together(model: Model, rows: list[int], party: list[int], order: list[int]) -> Array:
    """The last stream, each head's sums being computed by the parties that hold the places, and merged in an order."""
    a = arithmetic(model.numbers)
    x = embed(model, a, np.array([rows]))
    if model.input_mlp is not None:
        x = a.add(x, apply_mlp(model.input_mlp, a, x))
    places = np.arange(len(rows))
    for block in model.blocks:
        means = []
        for head in block.heads:
            assert isinstance(head, Head)
            parts = []
            for one in order:
                mine = places[np.array(party) == one]
                at = {"keys_at": mine, "queries_at": places, "sink": one == 0}
                parts.append(partial(model, head, x[0][mine], x[0], **at))
            means.append(finish(model, merge(parts)))
        x = after_attention(model, block, x[0], means)[None]
        x = mlp_sublayer(model, block, a, x)
    return x[0]


@pytest.mark.parametrize("numbers", ["integer:8,10,8", "integer:12,6,5;-9:1,2,3,5,8,13,21,34,55,64,64,60"])
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_split_of_the_keys_merges_to_the_whole(numbers: str, data: st.DataObject) -> None:
    model = Draw(SHAPE, data.draw(st.integers(0, 2**32 - 1))).model().to(numbers)
    rows = model.read(data.draw(words(1, 9)))
    parties = data.draw(st.integers(1, 4))
    party = data.draw(st.lists(st.integers(0, parties - 1), min_size=len(rows), max_size=len(rows)))
    order = data.draw(st.permutations(range(parties)))
    trace: dict[str, Array] = {}
    run_rows(model, np.array([rows]), trace)
    assert (together(model, rows, party, order) == trace["resid_post"][0]).all()


def test_floats_are_not_split() -> None:
    model = Draw(SHAPE, 1).model()
    with pytest.raises(CapaxError, match="not exact"):
        partial(model, None, None, None, keys_at=None, queries_at=None)  # type: ignore[arg-type]


def test_a_split_of_a_word_whose_sums_do_not_fit_is_refused() -> None:
    shape = Shape(kinds=("softmax",), norms=False, pairs=False, grain=1)
    model = with_heads(shape).to("integer:28,30,28")
    head = next(head for block in model.blocks for head in block.heads)
    assert isinstance(head, Head)
    x = np.zeros((1, model.width), np.int64)
    partial(model, head, x, x, keys_at=np.array([5]), queries_at=np.array([0]))
    with pytest.raises(CapaxError, match="int64"):
        partial(model, head, x, x, keys_at=np.array([500]), queries_at=np.array([0]))
