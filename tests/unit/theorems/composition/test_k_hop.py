"""k-hop induction: hops by definition, and the sizes at which scores are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError, theorems
from capax.model.run.reference import define
from capax.tasks.k_hop import TASK as K_HOP


@given(st.integers(1, 40), st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_hops(hops: int, word: list[int]) -> None:
    """Any number of hops, with as many layers as the theorem says."""
    model = theorems.theorem("k-hop").build(hops=hops, symbols=4, length=40)
    assert model.depth == int(np.log2(hops)) + 2
    assert {len(block.heads) for block in model.blocks} == {1}
    assert model(word) == K_HOP.reference(word, hops=hops, symbols=4)


def test_hops_in_the_definition() -> None:
    """The slow definition answers the same."""
    model = theorems.theorem("k-hop").build(hops=5, symbols=2, length=8, attention="average-hard")
    word = [0, 1, 0, 0, 1, 1, 0, 1]
    slow = model.decoding.decode(np.array(define(model, word)))
    assert slow == model(word) == K_HOP.reference(word, hops=5, symbols=2)


def test_scores_that_are_not_exact_are_refused() -> None:
    """Too many symbols for the number system."""
    with pytest.raises(CapaxError, match="not exact in float32"):
        theorems.theorem("k-hop").run(symbols=1_000, length=100, dtype="float32")


def test_one_hop_breaks_and_a_million_hops_end() -> None:
    """A single hop fails without its second layer; hops go back or stay, so that a word of n tokens knows at most n."""
    theorem = theorems.theorem("k-hop")
    assert not theorem.broken(hops=1, length=10).holds
    word = [0, 0, 1, 0, 1, 1, 0, 2, 0]
    assert K_HOP.reference(word, hops=9, symbols=3) == K_HOP.reference(word, hops=1 << 20, symbols=3)
    assert theorem.run(hops=1 << 20, length=12).check.holds
