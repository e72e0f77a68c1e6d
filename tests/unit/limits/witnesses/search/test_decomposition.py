"""Indistinguishable decompositions: their members look alike to the whole model, and the sums are those of players."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.limits.protocols.autoregressive import Station
from capax.limits.witnesses.check.fooling_check import check_witness
from capax.limits.witnesses.check.read_witness import read_witness
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.limits.witnesses.search.decomposition import advanced, classes, decompose, embedded, is_toy, largest, sums
from capax.limits.witnesses.search.fool import fool
from capax.model.model import Model
from capax.model.run.run import run_rows
from capax.tasks.inputs.sequential_tables import SequentialLayout

SEEDS = st.integers(0, 10**6)


def toy(
    m: int, queries: int, seed: int, numbers: str = "integer:4,2,2", dim: int = 1
) -> tuple[Model, SequentialLayout]:
    """A random two-layer model of a toy size."""
    layout = SequentialLayout(m, (queries,))
    shape = ToyShape(2, 1, dim, 6, 8, numbers, "causal", reach=2)
    values = range(layout.size(1))
    declared = {"task": "sequential-composition", "n": m, "queries": str(queries)}
    return random_model(shape, values, values, layout.length, seed, declared), layout


@settings(max_examples=12, deadline=None)
@given(SEEDS, st.sampled_from([("integer:4,2,2", 1), ("integer:6,2,3", 2)]))
def test_members_look_alike(seed: int, kind: tuple[str, int]) -> None:
    """For each z_1 of the set and all i_0 and w, the model gives one row of logits for all z_2 of the set."""
    model, layout = toy(2, 2, seed, *kind)
    assert is_toy(model, layout)
    found = decompose(model, layout, lambda: False)
    sizes = [size for _, size in found.steps]
    assert sizes[0] == 256
    for z_1 in found.first:
        for i_0 in range(2):
            for w in range(2):
                words = [[*z_2, *z_1, i_0, w] for z_2 in found.second]
                logits = run_rows(model, np.array([model.read(word) for word in words]))[:, -1]
                assert (logits == logits[0]).all()
    if found.pair is not None:
        one, two = found.pair
        assert one[4:] == two[4:]
        assert one[:4] != two[:4]


def test_larger_toys_give_a_witness_that_holds() -> None:
    model, _ = toy(3, 2, 0)
    found = fool(model, "sequential-composition", {}, seed=0, used=lambda: 0.0)
    assert found.witness is not None
    assert found.witness["kind"] == "indistinguishable"
    assert found.demonstration is not None
    assert found.demonstration.steps[0][1] == 6**6
    assert check_witness(read_witness(json.dumps(found.witness), "w"), model).holds
    one, two = found.witness["inputs"]
    forged = found.witness | {"inputs": [one, [*two[:-1], 1 - two[-1]]]}
    assert not check_witness(read_witness(json.dumps(forged), "w"), model).holds


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.integers(1, 3), st.integers(1, 3))
def test_sums_are_those_of_players(seed: int, keys: int, queries: int) -> None:
    """The arrays of all tables hold what single players say and become."""
    model, _ = toy(2, 2, seed)
    random = np.random.default_rng(seed)
    words = random.integers(0, 4, (5, keys)), random.integers(0, 4, (1, queries))
    at = np.arange(keys), np.arange(keys, keys + queries)
    streams = [embedded(model, w, a, 8) for w, a in zip(words, at, strict=True)]
    said = sums(model, 0, streams[0], at[0], streams[1], at[1])
    own = sums(model, 0, streams[1], at[1], streams[1], at[1])
    after = advanced(model, 0, np.broadcast_to(streams[1], (5, queries, 6)), said + own)
    for number, row in enumerate(words[0].tolist()):
        speaker = Station("one", model, row, at[0].tolist(), 8)
        listener = Station("two", model, words[1][0].tolist(), at[1].tolist(), 8)
        question, _ = listener.say_state()
        parts = speaker.partials(0, listener.stream, listener.at)
        assert (np.concatenate([parts[0].num, parts[0].den], axis=1) == said[number]).all()
        listener.receive(speaker.reply(0, question, listener.at)[0])
        listener.advance(0, [keys])
        assert (listener.stream == after[number]).all()


def test_classes_are_of_equal_rows() -> None:
    rows = np.array([[1, 2], [3, 4], [1, 2], [1, 2], [3, 5]])
    assert largest(classes(rows)).tolist() == [0, 2, 3]


@pytest.mark.parametrize(("m", "queries", "layers"), [(3, 3, 2), (2, 2, 1), (2, 2, 3)])
def test_what_is_no_toy_is_left_alone(m: int, queries: int, layers: int) -> None:
    layout = SequentialLayout(m, (queries,))
    values = range(layout.size(1))
    shape = ToyShape(layers, mask="causal")
    model = random_model(shape, values, values, layout.length, 0, None)
    assert not is_toy(model, layout)
