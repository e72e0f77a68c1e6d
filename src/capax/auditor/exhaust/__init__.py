"""Exhaustion: every word of a length that the specification is about is tried.

`exhaust` goes from short lengths to long ones. `live.py` has the words, `tree.py` the walk of causal models through
the tree of prefixes, `past.py` the keys and values that prefixes share, `tally.py` what is seen on the way.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Final

import numpy as np

from capax.auditor.exhaust.live import all_words, live_prefixes, live_words, prefix_count, word_counts
from capax.auditor.exhaust.tally import Answered, LengthExhausted, Tally
from capax.auditor.exhaust.tree import Tree
from capax.auditor.question import Question
from capax.auditor.run_words import Evaluator, check_length
from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.parts import Array

FIRST: Final = 30_000
"""About how many prefixes the first walk visits; it tells how fast the next one will be."""

SHARE: Final = 0.85
"""The share of the time left that a walk is planned for."""

TOKENS: Final = 1 << 16
"""Tokens of whole words that are run at once."""


def exhaust(
    question: Question,
    lengths: Sequence[int],
    *,
    used: Callable[[], float],
    most_words: int,
    runtime: bool = False,
) -> Iterator[LengthExhausted]:
    """What is seen on all words of each of some rising lengths, as far as the time goes.

    It ends before a length of more than `most_words` words. Where the time is over (`used()` is 1) lengths of which
    some words were tried come last, and are not complete. With `runtime` whole words are run by the ordinary runtime.
    """
    if not lengths:
        return
    for n in (lengths[0], lengths[-1]):
        check_length(question, n)
    evaluator, spec = Evaluator(question, runtime=runtime), question.spec
    states = all_words(len(spec.letters)) if spec.states is None else spec.states(lengths[-1])
    todo = _few(question, states, lengths, most_words)
    if todo[:1] == [0] and question.read != "end":
        yield LengthExhausted(todo.pop(0), 0, True)  # no letter, no answer
    if _in_tree(evaluator):
        yield from _by_tree(evaluator, states, todo, used)
        return
    for n in todo:
        result = _by_words(evaluator, states, n, used, most_words)
        if result.complete or result.words:
            yield result
        if not result.complete:
            return


def affordable(question: Question, lengths: Sequence[int], tokens: float, most_words: int) -> list[int]:
    """The first of some rising lengths whose words, at most `most_words` each, are run with about so many tokens."""
    assert question.spec.states is not None, "words that are counted"
    todo = _few(question, question.spec.states(lengths[-1]), lengths, most_words) if lengths else []
    low, high = 0, len(todo)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens_to_run(question, todo[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    return todo[:low]


def tokens_to_run(question: Question, lengths: Sequence[int]) -> float:
    """About how many tokens are run for all words of some rising lengths, of a specification with states."""
    assert question.spec.states is not None, "words that are counted"
    if not lengths:
        return 0.0
    states = question.spec.states(lengths[-1])
    if _in_tree(Evaluator(question)):
        return prefix_count(states, live_prefixes(states, lengths))
    counts = word_counts(states, lengths[-1])
    return float(sum((n + 1) * counts[n] for n in lengths))


def _in_tree(evaluator: Evaluator) -> bool:
    """Whether the words are run in a tree of prefixes, and not each for itself."""
    asked, spec = evaluator.question, evaluator.question.spec
    own = spec.every is None and (asked.read != "each" or spec.states is not None or spec.prefixes)
    return asked.causal and own and evaluator.fast is not None


def _few(question: Question, states: SpecStates, lengths: Sequence[int], most_words: int) -> list[int]:
    """The lengths before the first of too many words; words that are listed are counted when they are tried."""
    if question.spec.every is not None:
        return list(lengths)
    counts = word_counts(states, lengths[-1])
    return list(takewhile(lambda n: counts[n] <= most_words, lengths))


def _by_tree(
    evaluator: Evaluator, states: SpecStates, todo: list[int], used: Callable[[], float]
) -> Iterator[LengthExhausted]:
    """The lengths in walks through the tree of prefixes, each as far as the time is likely to go."""
    tally, each = Tally(evaluator), evaluator.question.read == "each"
    known = evaluator.question.spec.states is not None
    tree = Tree(evaluator, states, tally)
    done, judged_to, prefixes = 0, 0, float(FIRST)
    while done < len(todo):
        goal = _goal(states, todo, done, prefixes)
        now, alive, start = todo[done:goal], live_prefixes(states, todo[done:goal]), used()
        judged = range((judged_to if known else 0) + 1, now[-1] + 1) if each else now
        finished = tree.walk(alive, judged, now, used)
        for n in now:
            if finished or tally.counts.get(n):
                if each:
                    yield tally.result_by_states(n, states, complete=finished)
                else:
                    yield tally.result(n, complete=finished)
        if not finished:
            return
        done, judged_to, end = goal, now[-1], used()
        rate = prefix_count(states, alive) / (end - start) if end > start else np.inf
        prefixes = rate * max(0.0, 1 - end) * SHARE if np.isfinite(rate) else np.inf


def _goal(states: SpecStates, todo: list[int], done: int, prefixes: float) -> int:
    """How many of the lengths a walk of about so many prefixes does, at least one more than are done."""
    low, high = done + 1, len(todo)
    while low < high:
        middle = (low + high + 1) // 2
        if prefix_count(states, live_prefixes(states, todo[done:middle])) <= prefixes:
            low = middle
        else:
            high = middle - 1
    return low


def _by_words(
    evaluator: Evaluator, states: SpecStates, n: int, used: Callable[[], float], most_words: int
) -> LengthExhausted:
    """All words of one length, whole, in batches."""
    tally, known = Tally(evaluator), states if evaluator.question.spec.states is not None else None
    rows = max(1, min(2048, TOKENS // (n + len(evaluator.prefix) + 1)))
    every = evaluator.question.spec.every
    for words in live_words(states, n, rows) if every is None else evaluator.listed(every, n, rows):
        if used() >= 1 or tally.counts.get(n, 0) + len(words) > most_words:
            return tally.result(n, complete=False)
        numbers = evaluator.right(words, known)
        some = (numbers != NOWHERE).any(axis=1)
        words, numbers = words[some], numbers[some]
        tally.count(n, len(words))
        if not len(words):
            continue
        logits = evaluator.logits(words)
        asked = logits.shape[1]
        which, at = np.repeat(np.arange(len(words)), asked), np.tile(np.arange(asked), len(words))
        flat = logits.reshape(len(which), -1)
        groups = np.zeros(len(which), np.int64)
        tally.add(Answered(n, flat, numbers.ravel(), at, groups, partial(_rows_of, words, which)))
    return tally.result(n, complete=True)


def _rows_of(words: Array, which: Array, rows: Array) -> Array:
    return np.asarray(words[which[rows]])
