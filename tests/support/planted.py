"""Near misses for audits: trained models that are right on every word, then wrong on one, or on very few.

`planted_in_spec` changes the specification: an automaton that differs on one word. `planted_in_weights` changes a part
of the weights in a random direction, just as far as it takes for the least margin of all words to fall below 0.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import capax
from capax.app.against_specs.audit import question_of
from capax.auditor.exhaust.live import live_words
from capax.auditor.question import Question
from capax.auditor.run_words import Evaluator
from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.model import Model
from capax.model.parts import Array
from tests.house.tree import ROOT

FOLDER = ROOT / "experiments" / "audit"
NAMES = ("majority-0", "at-least-three-0", "first-equals-last-0", "ends-with-01-0", "majority-two-heads-0")
"""Trained models that are right on all words of up to 12 letters."""


@dataclass(frozen=True)
class NearMiss:
    """A question whose answer is no, at one length, because of some words (rows of letter numbers)."""

    question: Question
    length: int
    words: Array


@cache
def trained(name: str) -> Question:
    """The question of a model that is kept, with its specification."""
    entries = tomllib.loads((FOLDER / "models.toml").read_text("utf-8"))["models"]
    entry = next(e for e in entries if e["name"] == name)
    model = capax.load_model(FOLDER / entry["file"])
    return question_of(model, entry["against"], read=entry["read"], alphabet=entry["alphabet"])


def differing_on(states: SpecStates, word: list[int]) -> SpecStates:
    """The automaton that gives two answers, 0 and 1, with that of one word flipped.

    A state is a state of the automaton and how many letters of the word were read, or that another one was.
    """
    size, n = states.size, len(word)
    step = np.full((size * (n + 2), states.step.shape[1]), NOWHERE)
    for read in range(n + 2):
        for letter in range(step.shape[1]):
            then = read + 1 if read < n and word[read] == letter else n + 1
            to = states.step[:, letter]
            step[read * size : (read + 1) * size, letter] = np.where(to == NOWHERE, NOWHERE, then * size + to)
    answer = np.tile(states.answer, n + 2)
    end = n * size + states.after(word)
    answer[end] = 1 - answer[end]
    return SpecStates(step, states.start, answer)


def planted_in_spec(rng: np.random.Generator, length: int) -> NearMiss:
    """A trained model and a specification that differs from what it computes on one random word."""
    asked = trained(str(rng.choice(NAMES)))
    assert asked.spec.states is not None
    word = rng.integers(0, len(asked.spec.letters), length)
    states = differing_on(asked.spec.states(length), word.tolist())
    return NearMiss(replace(asked, spec=replace(asked.spec, states=lambda n: states)), length, word[None])


def planted_in_weights(rng: np.random.Generator, length: int) -> NearMiss:
    """A trained model, one part of its weights moved until a word of a length is wrong by less than 0.01."""
    asked = trained(str(rng.choice(NAMES)))
    while True:
        parts = list(_parts(asked.model))
        put, array = parts[int(rng.integers(len(parts)))]
        direction = rng.standard_normal(array.shape) * max(float(np.abs(array).mean()), 1e-3)
        low, high = 0.0, 1.0
        words, least = _least(replace(asked, model=put(array + high * direction)), length)
        while least > 0 and high < 1e3:
            high *= 4
            words, least = _least(replace(asked, model=put(array + high * direction)), length)
        for _ in range(50):
            if -1e-2 < least <= -1e-5 or least > 0:
                break
            middle = (low + high) / 2
            words, least = _least(replace(asked, model=put(array + middle * direction)), length)
            low, high = (middle, high) if least > -1e-5 else (low, middle)
            if least > -1e-5:
                least = -np.inf
        if -1e-2 < least <= -1e-5:
            return NearMiss(replace(asked, model=put(array + high * direction)), length, words)


def _least(asked: Question, length: int) -> tuple[Array, float]:
    """The words with wrong answers, and the least margin, by running every word."""
    assert asked.spec.states is not None
    states, evaluator = asked.spec.states(length), Evaluator(asked)
    words = np.concatenate(list(live_words(states, length, 5000)))
    logits = evaluator.logits(words)
    margins = evaluator.margins(logits.reshape(len(words), -1), evaluator.right(words, states).ravel())
    return words[margins <= 0], float(margins.min())


def _parts(model: Model) -> Iterator[tuple[Any, Array]]:
    """Parts of a model's weights, each with what puts another array in its place: tables, maps, norms, the readout."""
    block = model.blocks[0]
    head, mlp, readout = block.heads[0], block.mlp, model.readout

    def as_float32(array: Array) -> Array:
        return array.astype(np.float32)

    def in_block(**changes: Any) -> Model:
        return replace(model, blocks=(replace(block, **changes), *model.blocks[1:]))

    yield lambda a: replace(model, embedding=as_float32(a)), model.embedding
    table = model.positions.table
    assert table is not None
    yield lambda a: replace(model, positions=replace(model.positions, table=as_float32(a))), table
    for name in ("query", "key", "value"):
        one = getattr(head, name)

        def put(a: Array, name: str = name, one: Any = one) -> Model:
            new = replace(head, **{name: replace(one, weight=as_float32(a))})
            return in_block(heads=(new, *block.heads[1:]))

        yield put, one.weight
    maps = mlp.maps  # type: ignore[union-attr]
    first = replace(mlp, maps=maps)  # type: ignore[type-var]
    yield (
        lambda a: in_block(mlp=replace(first, maps=(replace(maps[0], weight=as_float32(a)), *maps[1:]))),
        maps[0].weight,
    )
    norm = block.mlp_norm
    assert norm is not None
    yield lambda a: in_block(mlp_norm=replace(norm, gain=as_float32(a))), norm.gain
    bias = readout.map.bias
    yield lambda a: replace(model, readout=replace(readout, map=replace(readout.map, bias=as_float32(a)))), bias
