"""Refinement: the readout that is solved for is the best one, and damaged networks are mended."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.lab.discrete.examples import DiscreteExamples, Lexicon
from capax.lab.discrete.network import CountHead, DiscreteNetwork, PairTable, Selection
from capax.lab.discrete.refine import refine, solve
from tests.support.discrete_networks import networks


@settings(max_examples=40)
@given(networks(), st.integers(0, 2**32 - 1))
def test_no_entry_of_the_solved_readout_can_be_better(pair: tuple[DiscreteNetwork, Lexicon], seed: int) -> None:
    """Of the same two variables; and what is known from a network like it changes nothing."""
    network, lexicon = pair
    random = np.random.default_rng(seed)
    shape = 6, lexicon.max_length
    examples = DiscreteExamples(random.integers(0, len(lexicon.tokens), shape), random.integers(0, 3, shape), 3)
    solved = solve(network, examples)
    right = examples.right(solved.network)
    readout = solved.network.readout
    for entry, output in product(random.integers(0, len(readout.entries), 10).tolist(), range(3)):
        entries = (*readout.entries[:entry], output, *readout.entries[entry + 1 :])
        assert examples.right(replace(network, readout=replace(readout, entries=entries))) <= right
    again = solve(network, examples, solved)
    assert (again.network, again.score) == (solved.network, solved.score)


@pytest.mark.parametrize("relation", ["<", "table"])
def test_a_damaged_histogram_is_mended(relation: str) -> None:
    """A head that counts other keys is changed to count equal tokens, and a second head is not used."""
    random = np.random.default_rng(0)
    tokens = random.integers(0, 3, (60, 4))
    counts = (tokens[:, :, None] == tokens[:, None, :]).sum(axis=2)
    examples = DiscreteExamples(tokens, counts - 1, 4)
    damaged = CountHead(Selection(1, 0, relation, "before", (1, 2, 1, 2, 3, 0)))
    network = DiscreteNetwork(6, ((damaged, damaged),), PairTable(0, 0, (0,) * 36))
    mended = refine(network, examples, rounds=4)
    assert examples.accuracy(mended) == 1.0
    assert mended.readout.first == mended.readout.second >= 2
    head = mended.parts[mended.readout.first - 2]
    assert isinstance(head, CountHead)
    assert (head.selection.relation, head.selection.view) == ("==", "all")
    assert refine(network, examples, rounds=4, stop=lambda: True).layers == network.layers
