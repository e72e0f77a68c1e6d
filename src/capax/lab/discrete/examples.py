"""The words that discrete networks learn from and are tested on, as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.lab.data import POOL, TEST, Data
from capax.lab.discrete.network import Array, DiscreteNetwork
from capax.lab.settings import Settings
from capax.tasks.base.training import IGNORE, Token


@dataclass(frozen=True)
class DiscreteExamples:
    """Token numbers (word, position), -1 after the end of a word, and answers, -1 where nothing is scored."""

    tokens: Array
    answers: Array
    outputs: int

    @cached_property
    def scored(self) -> Array:
        """Where an answer is scored."""
        return self.answers >= 0

    @cached_property
    def flat(self) -> Array:
        """The answers that are scored, of all words in turn."""
        return self.answers[self.scored]

    def right(self, network: DiscreteNetwork) -> int:
        """How many answers of a network are right."""
        return int((network.run(self.tokens)[self.scored] == self.flat).sum())

    def accuracy(self, network: DiscreteNetwork) -> float:
        """The share of answers that are right."""
        return self.right(network) / len(self.flat)

    def first(self, count: int) -> "DiscreteExamples":
        """The first words alone."""
        return DiscreteExamples(self.tokens[:count], self.answers[:count], self.outputs)

    def of_length(self, n: int) -> "DiscreteExamples":
        """The words of one length."""
        chosen = (self.tokens >= 0).sum(axis=1) == n
        return DiscreteExamples(self.tokens[chosen, :n], self.answers[chosen, :n], self.outputs)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The tokens in the order of their codes, and the outputs in that of their numbers."""

    tokens: tuple[Token, ...]
    outputs: tuple[Token, ...]
    max_length: int

    @property
    def codes(self) -> int:
        """How many codes tokens, positions and counts need, with the one of nothing."""
        return 1 + max(len(self.tokens), self.max_length + 1)

    def word(self, numbers: Sequence[int]) -> list[Token]:
        """The tokens of a row of token numbers."""
        return [self.tokens[k] for k in numbers if k >= 0]


def lexicon_of(settings: Settings) -> Lexicon:
    """The lexicon of a run. Tokens are in their own order, so that comparisons of codes are those of tokens."""
    training, words = settings.training, Data(settings).vocabularies
    if training.kind != "classes" or words.features:
        what = f"a discrete network answers with one of a few outputs for words of tokens, unlike {settings.task}"
        raise CapaxError("bad-settings", what, hint="capax train TASK without --discrete")
    kinds = {type(token) for token in words.inputs}
    if kinds not in ({str}, {int}) or "" in words.inputs:
        raise CapaxError("bad-settings", f"the tokens of {settings.task} are not all strings or all whole numbers")
    inputs: Any = words.inputs
    return Lexicon(tuple(sorted(inputs)), words.outputs, settings.max_length)


def training_words(settings: Settings, count: int) -> DiscreteExamples:
    """About `count` different words of all lengths to learn from."""
    return _examples(settings, POOL, count, frozenset())


def held_out_words(settings: Settings, count: int, seen: DiscreteExamples) -> DiscreteExamples:
    """About `count` different words to test with, none of which was seen; short words may all have been."""
    return _examples(settings, TEST, count, frozenset(map(bytes, seen.tokens)))


def _examples(settings: Settings, purpose: int, count: int, without: frozenset[bytes]) -> DiscreteExamples:
    data, longest = Data(settings), settings.max_length
    known = lexicon_of(settings)
    number = np.array([known.tokens.index(token) for token in data.vocabularies.inputs])
    share = -(-count // (longest - settings.min_length + 1))
    rows: dict[bytes, tuple[Array, Array]] = {}
    for n in range(settings.min_length, longest + 1):
        batch = data.batch(purpose, 0, share, n)
        wide = batch.inputs.shape[1]
        if wide > longest:
            raise CapaxError("bad-settings", f"words of {settings.task} are longer than {longest}", hint="max_length")
        lengths = np.full(len(batch.inputs), wide) if batch.lengths is None else batch.lengths
        inside = np.arange(longest) < lengths[:, None]
        tokens = np.where(inside, np.pad(number[batch.inputs], ((0, 0), (0, longest - wide))), -1)
        answers = np.pad(batch.answers, ((0, 0), (0, longest - wide)), constant_values=IGNORE)
        for row, answer in zip(tokens, np.where(inside, answers, IGNORE), strict=True):
            if bytes(row) not in without and (answer >= 0).any():
                rows[bytes(row)] = row, answer
    order = np.random.default_rng([settings.seed, purpose]).permutation(len(rows))
    pairs = [list(rows.values())[k] for k in order]
    return DiscreteExamples(
        np.array([row for row, _ in pairs]).reshape(-1, longest),
        np.array([answer for _, answer in pairs]).reshape(-1, longest),
        len(known.outputs),
    )
