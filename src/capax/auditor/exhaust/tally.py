"""What is seen while all words are tried: the least margin, the first wrong word, and how many words there were."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from capax.auditor.run_words import Evaluator
from capax.auditor.spec import NOWHERE, SpecStates, Word
from capax.model.parts import Array

AGAIN = 256
"""Words that are run again at once."""


@dataclass(frozen=True, slots=True)
class LengthExhausted:
    """What was seen on the words of one length: on all that the specification is about if `complete`.

    `margin` is the least margin of a right answer, at `position` of `word` (None if no word was tried). `wrong` is the
    first word with a wrong answer, in the model's own numbers and in float64, and `wrong_position` where that is read.
    `split` is the first word whose answer is wrong in one of the two alone: neither right nor a counterexample.
    """

    length: int
    words: int
    complete: bool
    margin: float | None = None
    word: Word | None = None
    position: int | None = None
    wrong: Word | None = None
    wrong_position: int | None = None
    split: Word | None = None


@dataclass(slots=True, eq=False)
class _Extremes:
    """The least margin, the first wrong word and the first split one; each with the index of its answer."""

    margin: float = np.inf
    least: tuple[Array, int] | None = None
    wrong: tuple[Array, int] | None = None
    split: tuple[Array, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """Answers of words of one length: logits (rows, outputs), the number of the right answer, where they are read.

    `at` (rows,) are indices of asked positions, `groups` (rows,) what is kept apart. `words` gives words of rows.
    """

    length: int
    logits: Array
    numbers: Array
    at: Array
    groups: Array
    words: Callable[[Array], Array]


class Tally:
    """Least margins and wrong words by length, and by group within a length."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._seen: dict[tuple[int, int], _Extremes] = {}
        self.counts: dict[int, int] = {}

    def count(self, length: int, words: int) -> None:
        """Note so many words of a length more."""
        self.counts[length] = self.counts.get(length, 0) + words

    def add(self, new: Answered) -> None:
        """Note some answers; those that are near to wrong are run again."""
        margins = self._evaluator.margins(new.logits, new.numbers)
        near = np.flatnonzero((new.numbers != NOWHERE) & self._evaluator.near(margins, new.logits))
        for start in range(0, len(near), AGAIN):
            some = near[start : start + AGAIN]
            if all(self._of(new.length, g).wrong is not None for g in np.unique(new.groups[some]).tolist()):
                continue
            judged = self._evaluator.judge(new.words(some), new.at[some], new.numbers[some])
            margins[some] = judged.margins
            for name, rows in (("wrong", some[judged.wrong]), ("split", some[judged.split])):
                self._first(new, name, rows)
        for group in np.unique(new.groups).tolist():
            rows = np.flatnonzero((new.groups == group) & (new.numbers != NOWHERE))
            extremes = self._of(new.length, group)
            if len(rows) and (extremes.least is None or margins[rows].min() < extremes.margin):
                row = rows[margins[rows].argmin()]
                extremes.margin, extremes.least = float(margins[row]), self._word(new, row)

    def _of(self, length: int, group: int) -> _Extremes:
        return self._seen.setdefault((length, group), _Extremes())

    def _first(self, new: Answered, name: str, rows: Array) -> None:
        """Keep the first of some rows for each group that has none yet."""
        groups, first = np.unique(new.groups[rows], return_index=True)
        for group, k in zip(groups.tolist(), first.tolist(), strict=True):
            if getattr(self._of(new.length, group), name) is None:
                setattr(self._of(new.length, group), name, self._word(new, rows[k]))

    @staticmethod
    def _word(new: Answered, row: int) -> tuple[Array, int]:
        return new.words(np.array([row]))[0], int(new.at[row])

    def result(self, length: int, *, complete: bool) -> LengthExhausted:
        """What was seen on words of a length."""
        return self._joined(length, complete, [(length, self._seen.get((length, 0), _Extremes()))], None)

    def result_by_states(self, length: int, states: SpecStates, *, complete: bool) -> LengthExhausted:
        """What was seen on words of a length and on their prefixes, whose groups are states of the specification."""
        live = states.live(length)
        groups = [(k, self._seen[k, s]) for k, s in sorted(self._seen) if 1 <= k <= length and live[k, s]]
        return self._joined(length, complete, groups, (states, live))

    def _joined(
        self,
        length: int,
        complete: bool,
        seen: Iterable[tuple[int, _Extremes]],
        states: tuple[SpecStates, Array] | None,
    ) -> LengthExhausted:
        """The least of several margins, and the first of wrong words."""
        groups = [one for _, one in seen]
        least = min((one for one in groups if one.least is not None), key=lambda one: one.margin, default=None)
        word, position = self._named(None if least is None else least.least, length, states)
        wrong, wrong_position = self._named(_earliest([one.wrong for one in groups]), length, states)
        split, _ = self._named(_earliest([one.split for one in groups]), length, states)
        margin = None if least is None else least.margin
        count = self.counts.get(length, 0)
        return LengthExhausted(length, count, complete, margin, word, position, wrong, wrong_position, split)

    def _named(
        self, found: tuple[Array, int] | None, length: int, states: tuple[SpecStates, Array] | None
    ) -> tuple[Word | None, int | None]:
        """A word with its letters, made as long as asked for, and the position that is read."""
        if found is None:
            return None, None
        word, at = found
        position = self._evaluator.question.asked(len(word))[at]
        if states is not None:
            word = _extended(word, length, *states)
        return self._evaluator.words(word[None])[0], position


def _earliest(words: list[tuple[Array, int] | None]) -> tuple[Array, int] | None:
    """The shortest word, of equally long ones the first in the order of letters."""
    return min((w for w in words if w is not None), key=lambda w: (len(w[0]), w[0].tolist()), default=None)


def _extended(word: Array, length: int, states: SpecStates, live: Array) -> Array:
    """A word of a length that goes on from a prefix to an answer."""
    letters = word.tolist()
    state = states.after(letters)
    for n in range(len(letters) + 1, length + 1):
        letter = next(a for a, t in enumerate(states.step[state].tolist()) if t != NOWHERE and live[n, t])
        letters.append(letter)
        state = int(states.step[state, letter])
    return np.array(letters, np.int64)
