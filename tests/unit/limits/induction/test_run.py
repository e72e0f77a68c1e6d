"""The induction over epochs, at toy sizes: its sets are what the definition asks for."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.limits.induction.epochs import Walk, candidate_keys, first_level, frozen, next_level
from capax.limits.induction.run import drawn, run_induction
from capax.limits.induction.transcript import Exchange
from capax.limits.protocols.autoregressive import blocks_of, split_run
from capax.limits.witnesses.models.toy_model import ToySizes, toy_model
from capax.model.model import Model
from capax.tasks.sequential_composition import layout_of

TOY = {"tables": 12, "starts": 2, "keep": 2, "seed": 0, "shown": 1}


def model_of(queries: str, seed: int, n: int = 2, dim: int = 1) -> Model:
    """A random model with as many layers as tables."""
    layers = layout_of(n, queries).steps
    sizes = ToySizes(n, queries=queries, layers=layers, dim=dim, numbers="integer:4,2,2")
    return toy_model("sequential-composition", "random", sizes, seed)


def said(model: Model, queries: str, word: list[int], level: int, n: int = 2) -> list[tuple[Any, ...]]:
    """All bytes that players >= level send to players < level in epochs <= level: from a run of the players."""
    blocks = blocks_of(layout_of(n, queries))
    names = [name for name, _, _ in blocks]
    messages, _, _ = split_run(model, word, [count for _, _, count in blocks], names)
    return [
        (m.round, m.sender, m.receiver, m.data)
        for m in messages
        if not m.free and m.round <= level and int(m.sender) >= level > int(m.receiver)
    ]


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["2", "1,2", "2,1", "2x1", "1x2"]))
def test_the_sets_are_indistinguishable(seed: int, queries: str) -> None:
    """At each level, for each kept input below it, the players' own messages are the same for all members of R."""
    model, layout = model_of(queries, seed), layout_of(2, queries)
    exchange = Exchange(model, layout)
    tables = {p: drawn(layout.size(p - 1), 12, 0, p) for p in range(1, layout.steps + 1)}
    walk = Walk(exchange, tables, 2, 2)
    first_level(walk)
    for level in range(1, layout.steps + 1):
        contexts = walk.contexts(level)[-2:]
        words = walk.words(level, walk.rest[:3], contexts).tolist()
        for at in range(len(contexts)):
            members = [said(model, queries, word, level) for word in words[at :: len(contexts)]]
            assert all(one == members[0] for one in members)
        event(f"level {level}")
        if level == layout.steps or next_level(walk, level) is None:
            break


@pytest.mark.parametrize("queries", ["2,1", "1x2"])
def test_a_run_of_three_levels(queries: str) -> None:
    """Sizes go down, the transcripts of a level hold those of the level before, and the pair is a true error."""
    for seed in range(12):
        model = model_of(queries, seed)
        run = run_induction(model, layout_of(2, queries), **TOY)
        if run.pair is not None:
            break
    assert run.pair is not None
    assert run.checked > 0
    assert [level.level for level in run.levels] == [1, 2, 3]
    assert all(2 <= level.rest <= level.before for level in run.levels)
    one, two = run.pair
    entries = layout_of(2, queries).size(2)
    assert one[entries:] == two[entries:]
    assert model(one)[-1] == model(two)[-1] == run.answer
    assert run.truths is not None
    assert run.truths[0] != run.truths[1]
    assert {m.transcript for m in run.levels[-1].frozen} == {"Lambda", "Phi", "Psi"}
    kept = {(m.epoch, m.sender, m.receiver, m.digest) for m in run.levels[1].frozen if m.sender == 3}
    later = {(m.epoch, m.sender, m.receiver, m.digest) for m in run.levels[2].frozen}
    assert {m for m in kept if m[2] != 1} <= later, "what was frozen stays frozen"


def test_the_messages_are_those_of_players() -> None:
    """The exact bits, and the number of transcripts Phi and Psi, are those of a run of the protocol."""
    model, layout = model_of("2,1", 3), layout_of(2, "2,1")
    exchange = Exchange(model, layout)
    word = [0] * layout.length
    blocks = blocks_of(layout)
    messages, _, _ = split_run(model, word, [count for _, _, count in blocks], [name for name, _, _ in blocks])
    for m in messages:
        if not m.free:
            assert exchange.bits(m.round, int(m.sender), int(m.receiver)) == m.exact
    assert candidate_keys(2, 3) == {
        "Phi": [(1, 3, 2), (2, 3, 2), (3, 3, 2)],
        "Psi": [(3, 3, 1), (3, 3, 0), (3, 3, -1)],
    }


def test_lambda_is_the_same_for_every_member() -> None:
    """The transcript that is printed does not depend on which member of R says it."""
    model, layout = model_of("2,1", 1), layout_of(2, "2,1")
    tables = {p: drawn(layout.size(p - 1), 30, 0, p) for p in range(1, 4)}
    walk = Walk(Exchange(model, layout), tables, 2, 2)
    first_level(walk)
    said_first = frozen(walk, 1, 2)
    for row in walk.rest[:: max(1, len(walk.rest) // 5)]:
        walk.rest = np.array([row])
        assert frozen(walk, 1, 2) == said_first


def test_tables_are_all_or_drawn_without_repetition() -> None:
    assert sorted(map(tuple, drawn(2, 10, 0, 1).tolist())) == sorted(product(range(2), repeat=2))
    some = drawn(4, 50, 1, 2)
    assert len(set(map(tuple, some.tolist()))) == 50


def test_what_is_refused() -> None:
    """Another number of layers than tables; a step of too many prompts."""
    with pytest.raises(CapaxError, match="as many layers as tables"):
        Exchange(model_of("2", 0), layout_of(2, "2,1"))
    layout = layout_of(2, "2")
    walk = Walk(Exchange(model_of("2", 0), layout), {1: drawn(2, 4, 0, 1), 2: drawn(4, 256, 0, 2)}, 2, 2)
    with pytest.raises(CapaxError, match="would run 200,000 prompts"):
        walk.words(1, np.zeros((50_000, 2), np.int64), walk.contexts(1))


def test_other_layers_than_tables_are_named() -> None:
    """The error says how many there are of both, and how to make a model that fits."""
    sizes = ToySizes(2, queries="2x2x2", layers=3, dim=1, numbers="integer:4,2,2")
    model = toy_model("sequential-composition", "random", sizes, 0)
    with pytest.raises(CapaxError, match="3 layers, and its task 4 tables") as error:
        Exchange(model, layout_of(2, "2x2x2"))
    assert "--layers 4" in str(error.value.hint)
