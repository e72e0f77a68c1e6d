"""The prefixes that a walk through all words has to visit: those from which the specification has a word to answer."""

from collections.abc import Iterator, Sequence

import numpy as np

from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.parts import Array


def all_words(letters: int) -> SpecStates:
    """One state for every word, for specifications without states."""
    return SpecStates(np.zeros((1, letters), np.int64), 0, np.zeros(1, np.int64))


def live_prefixes(states: SpecStates, lengths: Sequence[int]) -> Array:
    """Which states (depths, states) lie on a path from the start to an answer after one of the lengths of letters."""
    last, wanted = max(lengths), set(lengths)
    ahead = np.zeros((last + 1, states.size), bool)
    ahead[0, states.start] = True
    for n in range(last):
        after = states.step[ahead[n]]
        ahead[n + 1, after[after != NOWHERE]] = True
    answered, below = states.answer != NOWHERE, np.zeros(states.size, bool)
    for n in range(last, -1, -1):
        own = answered if n in wanted else np.zeros_like(answered)
        goes_on = np.where(states.step != NOWHERE, below[states.step], False).any(axis=1)
        below = ahead[n] & (own | goes_on)
        ahead[n] = below
    return ahead


def prefix_count(states: SpecStates, alive: Array) -> float:
    """About how many prefixes a walk visits."""
    many, total = alive[0].astype(np.float64), 0.0
    ends, letters = states.step.ravel(), states.step.shape[1]
    seen = ends != NOWHERE
    for n in range(1, len(alive)):
        many = np.bincount(ends[seen], np.repeat(many, letters)[seen], minlength=states.size) * alive[n]
        total += float(many.sum())
    return total


def word_counts(states: SpecStates, most: int) -> list[int]:
    """How many words of each length up to `most` the specification has an answer for."""
    ways, counts = {states.start: 1}, []
    steps = [[t for t in row if t != NOWHERE] for row in states.step.tolist()]
    for n in range(most + 1):
        counts.append(sum(many for state, many in ways.items() if states.answer[state] != NOWHERE))
        after: dict[int, int] = {}
        for state, many in ways.items() if n < most else ():
            for target in steps[state]:
                after[target] = after.get(target, 0) + many
        ways = after
    return counts


def live_words(states: SpecStates, length: int, rows: int) -> Iterator[Array]:
    """All words (words, length) of one length that have an answer, in order, about `rows` at a time."""
    alive, letters = live_prefixes(states, [length]), states.step.shape[1]
    if not alive[0, states.start]:
        return
    stack = [(np.zeros((1, 0), np.int64), np.array([states.start]))]
    while stack:
        words, at = stack.pop()
        if words.shape[1] == length:
            yield words
            continue
        most = max(1, rows // letters)
        if len(words) > most:
            stack += [(words[k : k + most], at[k : k + most]) for k in range(0, len(words), most)][::-1]
            continue
        after = states.step[at]
        parent, letter = np.nonzero((after != NOWHERE) & alive[words.shape[1] + 1][after])
        stack.append((np.concatenate([words[parent], letter[:, None]], axis=1), after[parent, letter]))
