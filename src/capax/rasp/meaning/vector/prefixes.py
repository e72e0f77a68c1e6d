"""The keys before a query's position, or after it: sums are differences of running sums, and nothing is sorted."""

from dataclasses import dataclass

import numpy as np

from capax.rasp.meaning.vector.batch import WordBatch
from capax.rasp.meaning.vector.column import Exact
from capax.rasp.meaning.vector.distinct import Ints
from capax.rasp.meaning.vector.terms import EQUAL, GREATER, LESS


@dataclass(frozen=True, slots=True)
class Prefixes:
    """For each query the keys of its word whose position compares with its own as the mask says."""

    batch: WordBatch
    mask: int

    def counts(self) -> Ints:
        """How many keys."""
        position, own = self.batch.position, int(bool(self.mask & EQUAL))
        if self.mask & GREATER:
            return self.batch.spread(self.batch.lengths - 1 + own) - position
        return position + 1 if own else position

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the keys' weights."""
        running = weights.cumsum()
        if self.mask & LESS:
            total = running if self.mask & EQUAL else running - weights
            if self.batch.count > 1:
                total = total - self.batch.spread((running - weights)[self.batch.offsets[:-1]])
            return np.asarray(total)
        total = self.batch.spread(running[self.batch.offsets[1:] - 1]) - running
        return np.asarray(total + weights if self.mask & EQUAL else total)

    def single(self) -> Ints:
        """The first key, or the last one, of the word."""
        return self.batch.spread(self.batch.offsets[:-1] if self.mask & LESS else self.batch.offsets[1:] - 1)

    def best(self, score: Ints) -> Ints:
        """For each query the highest score of its keys, -1 if it has none."""
        forward = slice(None) if self.mask & LESS else slice(None, None, -1)
        step = int(score.max(initial=0)) + 1
        number = self.batch.word if self.mask & LESS else self.batch.count - 1 - self.batch.word
        running = np.maximum.accumulate((number * step + score)[forward]) % step
        if not self.mask & EQUAL:  # without the query's own position
            running = np.concatenate([running[:1], running[:-1]])
            edges = self.batch.offsets[:-1] if self.mask & LESS else self.batch.size - self.batch.offsets[1:]
            running[edges] = -1
        return np.asarray(running[forward])
