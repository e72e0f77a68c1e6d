"""Search for a counterexample of any length: structured words first, random ones, then hill climbing on the margin.

`starts.py` has the words to start from, `climb.py` the climbing. What a search finds is a real word with its margin;
that it finds no counterexample proves nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.auditor.exhaust.live import all_words, live_words
from capax.auditor.question import Question
from capax.auditor.run_words import Evaluator, check_length
from capax.auditor.search.climb import Scores, climb, shaken
from capax.auditor.search.starts import WordSpace, random_words, structured
from capax.auditor.spec import Word
from capax.model.parts import Array

FEW_WORDS: Final = 2_000
"""Up to so many words are all tried."""

MOST_LISTED: Final = 100_000
"""Words that are tried where the specification lists its words."""

RANDOM: Final = 256
STALE: Final = 16
"""Climbs in a row that find nothing better before a search ends."""

MOST_CLIMBS: Final = 200


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The least margin that was seen, at which position of which word (None if no word was tried)."""

    length: int
    margin: float | None
    word: Word | None
    position: int | None
    evaluations: int


def search(
    question: Question, n: int, *, seed: int, used: Callable[[], float], enough: float = -np.inf
) -> SearchResult:
    """The word of n letters with the least margin that is found before the time is over or nothing better turns up.

    A word with a margin of at most `enough` ends the search.
    """
    check_length(question, n)
    evaluator, random = Evaluator(question), np.random.default_rng(seed)
    states = None if question.spec.states is None else question.spec.states(n)
    space = WordSpace(len(question.spec.letters), n, states)
    scores = Scores(evaluator, states, used)
    if n == 0 or space.empty:
        return SearchResult(n, None, None, None, 0)
    best, word = np.inf, None
    for margin, found in _climbs(scores, space, random):
        if margin < best:
            best, word = margin, found
        if best <= enough:
            break
    if word is None:
        return SearchResult(n, None, None, None, scores.evaluations)
    position = question.asked(n)[scores.position(word)]
    return SearchResult(n, best, evaluator.words(word[None])[0], position, scores.evaluations)


def _climbs(scores: Scores, space: WordSpace, random: np.random.Generator) -> Iterator[tuple[float, Array]]:
    """Words with smaller and smaller margins, and others."""
    every = scores.evaluator.question.spec.every
    if every is not None:  # words that differ a little from one of these need not be words at all
        for words in scores.evaluator.listed(every, space.length, FEW_WORDS):
            yield _least(words, scores(words))
            if scores.used() >= 1 or scores.evaluations >= MOST_LISTED:
                return
        return
    states = all_words(space.letters) if space.states is None else space.states
    if states.count(space.length) <= FEW_WORDS:
        for words in live_words(states, space.length, FEW_WORDS):
            yield _least(words, scores(words))
        return
    pool = np.concatenate([structured(space, random), random_words(space, random, RANDOM)])
    margins = scores(pool)
    yield _least(pool, margins)
    best, word, stale = np.inf, pool[0], 0
    starts = iter(_spread(scores, pool, margins))
    for number in range(MOST_CLIMBS):
        start = next(starts, None)
        if start is None:  # after the first climbs, from near the best word and from new ones in turn
            start = shaken(space, word, random) if number % 3 else random_words(space, random, 2)[number % 2]
        margin, found = climb(scores, space, start, random)
        yield margin, found
        stale = 0 if margin < best else stale + 1
        if margin < best:
            best, word = margin, found
        if scores.used() >= 1 or stale >= STALE:
            return


def _least(words: Array, margins: Array) -> tuple[float, Array]:
    k = int(margins.argmin())
    return float(margins[k]), words[k]


def _spread(scores: Scores, words: Array, margins: Array) -> list[Array]:
    """The best words to climb from: the best of each right answer first, then the best of all."""
    order = np.argsort(margins, kind="stable")
    order = order[np.isfinite(margins[order])]
    if not len(order):
        return []
    answers = scores.evaluator.right(words[order], scores.states)[:, -1]
    _, first = np.unique(answers, return_index=True)
    picked = [*sorted(first.tolist())[:6], *(k for k in range(min(8, len(order))) if k not in set(first.tolist()))]
    return [words[order[k]] for k in picked]
