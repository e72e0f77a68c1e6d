"""The words of a run: batches for each step, and those of checks and tests, from the settings' seed alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from capax.lab.settings import Settings
from capax.tasks.base.training import IGNORE, Array, Token, TrainingBatch, Vocabularies

BOS, EOS = "§", "$"
STEPS, POOL, ORDER, CHECK, TEST, LONG = range(6)
"""What a generator is for; each purpose has its own numbers."""


@dataclass(frozen=True)
class Data:
    """The words of a run. Everything follows from the settings, so that a resumed run sees the same."""

    settings: Settings

    @cached_property
    def vocabularies(self) -> Vocabularies:
        """The input tokens and outputs; marks are the last input tokens."""
        at = self.settings
        plain = at.training.vocabularies(at.parameters, at.longest)
        marks: tuple[Token, ...] = (BOS,) * at.has_bos + (EOS,) * at.has_eos
        return Vocabularies(plain.inputs + marks, plain.outputs, plain.features)

    @cached_property
    def positions(self) -> int:
        """The most positions of a word, marks counted."""
        at = self.settings
        return max(int(self.batch(TEST, 1, 1, at.longest).inputs.shape[1]), at.longest + at.has_bos + at.has_eos)

    def batch(self, purpose: int, number: int, count: int, n: int) -> TrainingBatch:
        """`count` words of about length n, marked: the same for the same purpose and number."""
        at = self.settings
        random = np.random.default_rng([at.seed, purpose, number, n])
        return self._marked(at.training.batch(random, count, n, at.parameters))

    def step(self, number: int) -> list[TrainingBatch]:
        """The words of a training step: a batch for each length; the lengths are drawn anew, or are those of a pool."""
        at = self.settings
        if at.words:
            return [self._from_pool(number * at.lengths + k) for k in range(at.lengths)]
        random = np.random.default_rng([at.seed, ORDER, number])
        least, longest = at.train_from or at.min_length, self._longest_at(number)
        if at.lengths == 1 and not at.length_power:
            return [self.batch(STEPS, number, at.batch, int(random.integers(least, longest + 1)))]
        lengths = np.arange(least, longest + 1)
        shares: Array = lengths.astype(float) ** at.length_power
        drawn = random.choice(lengths, at.lengths, p=shares / shares.sum())
        return [self.batch(STEPS, number * at.lengths + k, at.batch, int(n)) for k, n in enumerate(drawn)]

    def _longest_at(self, number: int) -> int:
        """The longest words of a training step: they grow during the first part of training, if the settings say so."""
        at = self.settings
        steps, least = at.growth * at.steps, at.train_from or at.min_length
        return at.max_length if number >= steps else least + int((at.max_length - least) * number / steps)

    def checks(self) -> Iterator[TrainingBatch]:
        """The words that training is watched with, as many of each length."""
        yield from self._spread(CHECK, self.settings.check_words, self.settings.min_length, self.settings.max_length)

    def tests(self) -> Iterator[tuple[int, TrainingBatch]]:
        """The words of the test with their length, as many of each."""
        at = self.settings
        for batch, n in zip(
            self._spread(TEST, at.test_words, at.min_length, at.max_length),
            _lengths(at.min_length, at.max_length, at.test_words),
            strict=True,
        ):
            yield n, batch

    def longer(self) -> Iterator[tuple[int, TrainingBatch]]:
        """Words that are longer than those of training, with their length."""
        at = self.settings
        if at.long_length:
            least = at.max_length + 1
            lengths = _lengths(least, at.long_length, at.test_words)
            for batch, n in zip(self._spread(LONG, at.test_words, least, at.long_length), lengths, strict=True):
                yield n, batch

    def _spread(self, purpose: int, count: int, least: int, most: int) -> Iterator[TrainingBatch]:
        lengths = _lengths(least, most, count)
        share = -(-count // len(lengths))
        for n in lengths:
            yield self.batch(purpose, 0, share, n)

    @cached_property
    def _pool(self) -> list[TrainingBatch]:
        """The training set: words of each length, as likely as in new words, cut into batches."""
        at = self.settings
        lengths = range(at.min_length, at.max_length + 1)
        counts = np.random.default_rng([at.seed, POOL]).multinomial(at.words, [1 / len(lengths)] * len(lengths))
        return [self.batch(POOL, 0, int(count), n) for n, count in zip(lengths, counts, strict=True) if count]

    @cached_property
    def _plan(self) -> dict[int, list[tuple[int, Array]]]:
        return {}

    def _from_pool(self, number: int) -> TrainingBatch:
        """Epoch by epoch: each length's words in an order of their own, and the batches in any order."""
        at = self.settings
        size = sum(-(-len(part.inputs) // at.batch) for part in self._pool)
        epoch, step = divmod(number, size)
        if epoch not in self._plan:
            self._plan.clear()
            random = np.random.default_rng([at.seed, ORDER, epoch])
            plan = []
            for which, part in enumerate(self._pool):
                rows = random.permutation(len(part.inputs))
                plan += [(which, rows[k : k + at.batch]) for k in range(0, len(rows), at.batch)]
            self._plan[epoch] = [plan[k] for k in random.permutation(len(plan))]
        which, rows = self._plan[epoch][step]
        part = self._pool[which]
        return TrainingBatch(
            part.inputs[rows],
            part.answers[rows],
            None if part.targets is None else part.targets[rows],
            None if part.lengths is None else part.lengths[rows],
        )

    def _marked(self, batch: TrainingBatch) -> TrainingBatch:
        at = self.settings
        if at.marks == "none":
            return batch
        count, n = batch.inputs.shape
        lengths = np.full(count, n) if batch.lengths is None else batch.lengths
        before, wide = int(at.has_bos), n + at.has_bos + at.has_eos
        plain = len(self.vocabularies.inputs) - at.has_bos - at.has_eos
        inputs: Any = np.zeros((count, wide), dtype=np.int64)
        answers: Any = np.full((count, wide), IGNORE)
        inputs[:, before : before + n], answers[:, before : before + n] = batch.inputs, batch.answers
        if at.has_bos:
            inputs[:, 0] = plain
        if at.has_eos:
            inputs[np.arange(count), before + lengths] = plain + at.has_bos
        targets = None
        if batch.targets is not None:
            targets = np.zeros((count, wide, batch.targets.shape[2]))
            targets[:, before : before + n] = batch.targets
        return TrainingBatch(
            inputs, answers, targets, None if batch.lengths is None else lengths + at.has_bos + at.has_eos
        )

    def tokens(self, batch: TrainingBatch, row: int) -> list[Token]:
        """A word of a batch as tokens."""
        end = batch.inputs.shape[1] if batch.lengths is None else int(batch.lengths[row])
        return [self.vocabularies.inputs[int(k)] for k in batch.inputs[row, :end]]


def _lengths(least: int, most: int, count: int) -> list[int]:
    """Lengths from the least to the most, at most as many as there are words and at most 25 of them, evenly."""
    spread = min(most - least + 1, count, 25)
    return sorted({round(least + (most - least) * k / max(1, spread - 1)) for k in range(spread)})


@dataclass(frozen=True, slots=True)
class NetShape:
    """What a network reads and gives: `inputs` tokens or `features`, `outputs` logits, up to `positions` positions."""

    inputs: int
    features: int
    outputs: int
    positions: int


def shape_of(settings: Settings) -> NetShape:
    """The shape of the network for the words of a run."""
    data = Data(settings)
    words = data.vocabularies
    return NetShape(len(words.inputs), words.features, len(words.outputs), data.positions)
