"""Discrete networks: what they compute, beside a slow definition."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.lab.discrete.examples import Lexicon
from capax.lab.discrete.network import DiscreteNetwork, used
from tests.support.discrete_networks import networks, slow_outputs


@settings(max_examples=60)
@given(networks(), st.data())
def test_a_network_answers_as_its_slow_definition(pair: tuple[DiscreteNetwork, Lexicon], data: st.DataObject) -> None:
    """Words of different lengths in one array, -1 after their end."""
    network, lexicon = pair
    letters = st.integers(0, len(lexicon.tokens) - 1)
    words = data.draw(st.lists(st.lists(letters, min_size=1, max_size=lexicon.max_length), min_size=1, max_size=8))
    tokens = np.array([word + [-1] * (lexicon.max_length - len(word)) for word in words])
    outputs = network.run(tokens).tolist()
    assert [row[: len(word)] for row, word in zip(outputs, words, strict=True)] == [
        slow_outputs(network, word) for word in words
    ]


@settings(max_examples=60)
@given(networks(), st.integers(0, 2**32 - 1))
def test_an_answer_depends_on_variables_in_use_only(pair: tuple[DiscreteNetwork, Lexicon], seed: int) -> None:
    """Other variables may have any codes."""
    network, lexicon = pair
    random = np.random.default_rng(seed)
    tokens = random.integers(0, len(lexicon.tokens), (5, lexicon.max_length))
    needed = used(network, network.readout.first, network.readout.second)
    values = network.variables(tokens)[:2]
    while len(values) < len(network.parts) + 2:
        values = network.variables(tokens, values)[: len(values) + 1]
        if len(values) - 1 not in needed:
            values[-1] = random.integers(0, network.codes, values[-1].shape)
    readout = network.readout
    joint = values[readout.first] * network.codes + values[readout.second]
    assert np.array_equal(np.array(readout.entries)[joint], network.run(tokens))
