"""Hill climbing on the margin: words that differ a little, in batches, as long as one has a smaller margin."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from capax.auditor.run_words import Evaluator
from capax.auditor.search.starts import WordSpace
from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.parts import Array

TOKENS: Final = 1 << 14
"""Tokens of words that are run at once."""

MOST_SWAPS: Final = 400
"""Pairs of positions that are swapped in one neighbourhood; all pairs where there are no more."""

MOST_CHANGES: Final = 600
"""Substitutions of one letter in one neighbourhood."""


@dataclass(slots=True, eq=False)
class Scores:
    """The margins of words, each computed once."""

    evaluator: Evaluator
    states: SpecStates | None
    used: Callable[[], float]
    evaluations: int = 0
    _known: dict[bytes, tuple[float, int]] = field(default_factory=dict)

    def __call__(self, words: Array) -> Array:
        """The least margin (words,) of an answer of each word; infinite where the specification has none.

        Words that are not reached before the time is over count as infinite, too.
        """
        keys = [row.tobytes() for row in words.astype(np.int16)]
        new = [k for k, key in enumerate(keys) if key not in self._known]
        step = max(1, TOKENS // max(1, words.shape[1]))
        for start in range(0, len(new), step):
            if self.used() >= 1:
                break
            some = new[start : start + step]
            for k, one in zip(some, self._margins(words[some]), strict=True):
                self._known[keys[k]] = one
        return np.array([self._known.get(key, (np.inf, 0))[0] for key in keys])

    def position(self, word: Array) -> int:
        """The index of the asked position at which a word has its least margin."""
        return self._known[word.astype(np.int16).tobytes()][1]

    def _margins(self, words: Array) -> list[tuple[float, int]]:
        numbers = self.evaluator.right(words, self.states)
        found = [(np.inf, 0)] * len(words)
        some = np.flatnonzero((numbers != NOWHERE).any(axis=1))
        if len(some):
            logits = self.evaluator.logits(words[some])
            flat = logits.reshape(-1, logits.shape[-1])
            margins = self.evaluator.margins(flat, numbers[some].ravel()).reshape(len(some), -1)
            at = margins.argmin(axis=1)
            for k, row, position in zip(some.tolist(), margins, at.tolist(), strict=True):
                found[k] = float(row[position]), position
        self.evaluations += len(some)
        return found


def climb(scores: Scores, space: WordSpace, word: Array, random: np.random.Generator) -> tuple[float, Array]:
    """A word whose neighbours all have margins at least as large, or the best when the time is over."""
    best, better = float(scores(word[None])[0]), True
    while better and scores.used() < 1:
        better = False
        for words in _neighbours(space, word, random):
            margins = scores(words)
            k = int(margins.argmin())
            if margins[k] < best:
                best, word, better = float(margins[k]), words[k], True
                break
    return best, word


def _neighbours(space: WordSpace, word: Array, random: np.random.Generator) -> Iterator[Array]:
    """The words that differ from a word a little, in random order, some at a time: first by letters and neighbours."""
    rows = max(32, min(256, TOKENS // max(1, space.length)))
    for words in (_near(space, word, random), _swapped(space, word, random)):
        fit = space.projected(words)
        fit = random.permutation(np.unique(fit, axis=0)) if len(fit) else fit
        for start in range(0, len(fit), rows):
            yield fit[start : start + rows]


def _near(space: WordSpace, word: Array, random: np.random.Generator) -> Array:
    """The words with one letter changed, or two neighbours swapped."""
    n, others = space.length, space.letters - 1
    change = np.arange(n * others)
    if len(change) > MOST_CHANGES:
        change = random.choice(len(change), MOST_CHANGES, replace=False)
    at = change // max(1, others)
    changed = np.tile(word, (len(change), 1))
    changed[np.arange(len(at)), at] = (word[at] + 1 + change % max(1, others)) % space.letters
    first = np.flatnonzero(word[:-1] != word[1:])
    return np.concatenate([changed, _swaps(word, first, first + 1)])


def _swapped(space: WordSpace, word: Array, random: np.random.Generator) -> Array:
    """The words with two letters swapped, or two changed."""
    one, two = np.triu_indices(space.length, 1)
    if len(one) > MOST_SWAPS:
        some = random.choice(len(one), MOST_SWAPS, replace=False)
        one, two = one[some], two[some]
    changed = np.tile(word, (len(one), 1))
    for at in one, two:
        changed[np.arange(len(at)), at] = random.integers(space.letters, size=len(at))
    differ = word[one] != word[two]
    return np.concatenate([_swaps(word, one[differ], two[differ]), changed])


def _swaps(word: Array, one: Array, two: Array) -> Array:
    rows, words = np.arange(len(one)), np.tile(word, (len(one), 1))
    words[rows, one], words[rows, two] = word[two], word[one]
    return words


def shaken(space: WordSpace, word: Array, random: np.random.Generator) -> Array:
    """A word with a few letters changed, a part turned round or moved, from which to climb again."""
    changed, kind = word.copy(), int(random.integers(3))
    low, high = np.sort(random.integers(space.length + 1, size=2))
    if kind == 0:
        changed[low:high] = changed[low:high][::-1]
    elif kind == 1:
        changed = np.roll(changed, int(random.integers(space.length)))
    else:
        at = random.integers(space.length, size=int(random.integers(2, 2 + max(1, space.length // 6))))
        changed[at] = random.integers(space.letters, size=len(at))
    return np.asarray(space.projected(changed[None])[0])
