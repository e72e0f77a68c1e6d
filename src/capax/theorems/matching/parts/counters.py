"""How well one pairwise layer that counts tokens in m buckets can answer Match3 for one query token.

Statement: let a uniform head have m coordinates, each counting the tokens of some residues, and let any function
of the query token and the m counts give the answer. `accuracy` is the share of words on which the best such function is
right, exactly, over all words of a length; m = M buckets of one residue each are always right (theorem tri-id).
Idea: words with the same counts get the same answer, so the best function takes the majority of each group. Words are
gone through as multisets with multinomial weights.
Scope: a family of models, not all pairwise layers. A head of unlimited precision can pack all counts into one number,
and weights that depend on the query can do more than a partition. `search` climbs: the partition that it finds may not
be the best one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np

from capax.model.parts import Array


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """All words with one query token and so many others, as multisets.

    `counts` (words, M) has how often each residue occurs, the query included; `weights` the number of words with these
    counts; `answers` whether the query has a match.
    """

    counts: Array
    weights: Array
    answers: Array

    @property
    def base(self) -> float:
        """The accuracy of the better constant answer."""
        yes = float(self.weights[self.answers].sum() / self.weights.sum())
        return max(yes, 1 - yes)


@lru_cache(maxsize=8)
def words(modulus: int, others: int, query: int = 1) -> Words:
    """All words of a query token and `others` tokens more."""
    rows, weights, answers = [], [], []
    for multiset in combinations_with_replacement(range(modulus), others):
        count = np.bincount([*multiset, query % modulus], minlength=modulus)
        weight = math.factorial(others)
        for times in np.bincount(multiset, minlength=modulus):
            weight //= math.factorial(int(times))
        there = np.flatnonzero(count)
        rows.append(count)
        weights.append(weight)
        answers.append(any(count[(-query - a) % modulus] for a in there))
    return Words(np.array(rows), np.array(weights, np.float64), np.array(answers))


def accuracy(partition: Sequence[int], given: Words) -> float:
    """The share of words that the best function of the bucket counts answers right; residue r is in partition[r]."""
    buckets = np.zeros((len(partition), max(partition) + 1), np.int64)
    buckets[np.arange(len(partition)), list(partition)] = 1
    most = int(given.counts.sum(axis=1).max()) + 1
    code = (given.counts @ buckets) @ (most ** np.arange(buckets.shape[1], dtype=np.int64))
    _, group = np.unique(code, return_inverse=True)
    yes = np.bincount(group, given.weights * given.answers)
    everything = np.bincount(group, given.weights)
    return float(np.maximum(yes, everything - yes).sum() / everything.sum())


def search(buckets: int, given: Words, seed: int, starts: int = 3) -> tuple[float, list[int]]:
    """The best partition into so many buckets that climbing by single moves finds, with its accuracy."""
    random = np.random.default_rng(seed)
    modulus = given.counts.shape[1]
    best: tuple[float, list[int]] = (0.0, [0] * modulus)
    for _ in range(starts):
        now = [int(x) for x in random.permutation(np.arange(modulus) % buckets)]
        value, better = accuracy(now, given), True
        while better:
            better = False
            for r in random.permutation(modulus):
                tries = [[*now[:r], b, *now[r + 1 :]] for b in range(buckets) if b != now[r]]
                found = max(((accuracy(one, given), one) for one in tries), default=(0.0, now))
                if found[0] > value + 1e-12:
                    (value, now), better = found, True
        best = max(best, (value, now))
    return best
