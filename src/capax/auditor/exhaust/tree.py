"""All words of a causal model at once: a tree of prefixes whose keys and values are kept, walked depth first."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.auditor.exhaust.past import Past, PrefixStep
from capax.auditor.exhaust.tally import Answered, Tally
from capax.auditor.run_words import Evaluator
from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.parts import Array

CHUNK: Final = 4096
"""Prefixes that go on together."""

MOST_KEPT: Final = 1 << 18
"""Numbers that a chunk keeps of one letter."""


@dataclass(frozen=True, slots=True, eq=False)
class PrefixChunk:
    """Prefixes of one length: their states in the specification, and what the model keeps of them.

    `answered` (prefixes,) says of which the specification has an answer at some position.
    """

    length: int
    states: Array
    past: Past
    answered: Array


class Tree:
    """The walk of one question."""

    def __init__(self, evaluator: Evaluator, states: SpecStates, tally: Tally) -> None:
        assert evaluator.fast is not None, "a model that the tree covers"
        self._evaluator, self._states, self._tally = evaluator, states, tally
        self._step = PrefixStep(evaluator.fast)
        self._rows = max(16, min(CHUNK, MOST_KEPT // max(1, self._step.columns)))
        self._each = evaluator.question.read == "each"
        self._known = evaluator.question.spec.states is not None

    def walk(self, alive: Array, judged: Collection[int], counted: Collection[int], used: Callable[[], float]) -> bool:
        """Whether all prefixes in `alive` (depths, states) were visited before the time was over.

        Answers after `judged` letters go to the tally, and words of `counted` letters are counted there.
        """
        last, letters = len(alive) - 1, self._states.step.shape[1]
        most = max(1, self._rows // letters)
        past = self._step.start(self._evaluator.prefix)
        root = PrefixChunk(0, np.array([self._states.start]), past, np.zeros(1, bool))
        if 0 in judged:
            self._judge(root, None, 0 in counted)
        stack = [root] if alive[0, self._states.start] and last else []
        while stack:
            if used() >= 1:
                return False
            some = stack.pop()
            if len(some.states) > most:
                stack += [_part(some, slice(k, k + most)) for k in range(0, len(some.states), most)][::-1]
                continue
            longer = self._longer(some, alive, judged, counted)
            if longer.length < last:
                stack.append(longer)
        return True

    def _longer(
        self, some: PrefixChunk, alive: Array, judged: Collection[int], counted: Collection[int]
    ) -> PrefixChunk:
        """The prefixes with a letter more, whose answers have gone to the tally."""
        after = self._states.step[some.states]
        parent, letter = np.nonzero((after != NOWHERE) & alive[some.length + 1][after])
        past, position = some.past.repeated(parent), some.length + len(self._evaluator.prefix)
        marked, asked = len(self._evaluator.suffix) > 0, some.length + 1 in judged
        own = asked and not marked
        kept, logits = self._step(self._evaluator.letters, letter, position, past, logits=own)
        answered = some.answered[parent]
        longer = PrefixChunk(some.length + 1, after[parent, letter], past.grown(letter, kept), answered)
        if asked:
            self._judge(longer, logits, longer.length in counted)
        return longer

    def _judge(self, some: PrefixChunk, logits: Array | None, count: bool) -> None:
        """Give the answers after some prefixes to the tally."""
        evaluator, rows = self._evaluator, np.arange(len(some.states))
        if self._known:
            numbers = self._states.answer[some.states]
        else:
            numbers = evaluator.right(some.past.words(rows), None)[:, -1]
        if not (numbers != NOWHERE).all():
            rows = np.flatnonzero(numbers != NOWHERE)
            numbers = numbers[rows]
        some.answered[rows] = True
        if count:
            whole = self._each and not self._known  # one answer makes it a word that is asked about
            self._tally.count(some.length, int(some.answered.sum()) if whole else len(rows))
        if not len(rows):
            return
        if logits is None:
            past, position = some.past, some.length + len(evaluator.prefix)
            past = past if len(rows) == len(some.states) else past.of(rows)
            which = np.zeros(len(rows), np.int64)
            _, logits = self._step(evaluator.suffix, which, position, past, logits=True)
            assert logits is not None, "asked for"
        else:
            logits = logits[rows]
        at = np.full(len(rows), some.length - 1 if self._each else 0)
        groups = some.states[rows] if self._each else np.zeros(len(rows), np.int64)
        self._tally.add(Answered(some.length, logits, numbers, at, groups, lambda these: some.past.words(rows[these])))


def _part(some: PrefixChunk, rows: slice) -> PrefixChunk:
    return PrefixChunk(some.length, some.states[rows], some.past.of(rows), some.answered[rows])
