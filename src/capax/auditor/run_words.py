"""Words of one length through a model: right answers, margins, and whether wrong answers are wrong in other numbers.

Words are arrays (words, n) of numbers of letters. Margins are those of a run in float64 for models of float32 and
float64, and of a run in the model's own numbers for others.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Final

import numpy as np

from capax.auditor.decode import Requirement
from capax.auditor.fast_model import FastModel, covers
from capax.auditor.question import Question
from capax.auditor.spec import NOWHERE, Answer, SpecStates, Word
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.run import run_rows

GUARDS: Final = {"float64": 1e-9, "float32": 1e-2}
"""Margins up to this share of the logits are run again: by the runtime, and in the model's own numbers."""

FEW_ANSWERS: Final = 48
"""Up to so many different answers or outputs, margins are computed answer by answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Of some answers (rows,): their margins, and whether they are wrong, or wrong in one number system alone."""

    margins: Array
    wrong: Array
    split: Array


class Evaluator:
    """A question, prepared for many words.

    With `runtime` every word is run by the ordinary runtime in the model's own numbers, and in these alone.
    """

    def __init__(self, question: Question, *, runtime: bool = False) -> None:
        self.question = question
        own = question.model
        self.own = own
        self.fine = own.to("float64") if own.numbers == "float32" and not runtime else own
        self.fast = FastModel(own) if covers(own) and not runtime else None
        self.letters = np.array(own.vocabulary.rows(question.spec.letters), np.int64)
        self.prefix = np.array(own.vocabulary.rows(own.prefix), np.int64)
        self.suffix = np.array(own.vocabulary.rows(question.suffix), np.int64)
        self.answers: list[Answer] = list(question.spec.answers or ())
        self._numbers = {_key(answer): number for number, answer in enumerate(self.answers)}
        self._requirements: dict[int, Requirement] = {}

    @cached_property
    def two(self) -> bool:
        """Whether the model's own numbers and those of the margins are two."""
        return self.fine is not self.own

    def ids(self, words: Array) -> Array:
        """The token rows of words, with what stands before and after them."""
        ends = [np.tile(part, (len(words), 1)) for part in (self.prefix, self.suffix)]
        return np.concatenate([ends[0], self.letters[words], ends[1]], axis=1)

    def asked(self, n: int) -> Array:
        """The positions, prefix included, at which words of a length are read."""
        return np.array(self.question.asked(n), np.int64) + len(self.prefix)

    def logits(self, words: Array) -> Array:
        """The logits (words, asked, outputs) that margins are computed from."""
        if self.fast is not None:
            return self.fast.logits(self.ids(words), self.asked(words.shape[1]))
        return self.run(self.fine, words)

    def run(self, model: Model, words: Array) -> Array:
        """The logits (words, asked, outputs) by the runtime."""
        return np.asarray(run_rows(model, self.ids(words))[:, self.asked(words.shape[1])])

    def words(self, words: Array) -> list[Word]:
        """The words as tuples of letters."""
        letters = self.question.spec.letters
        return [tuple(letters[k] for k in row) for row in words.tolist()]

    def listed(self, every: Callable[[int], Iterable[Word]], n: int, rows: int) -> Iterator[Array]:
        """The words (words, n) of a length that a specification lists, some at a time.

        A list is asked for by a size, which need not be the length: the size is sought whose words are so long.
        """
        number = {_key(letter): k for k, letter in enumerate(self.question.spec.letters)}
        for size in (n, *range(n)):
            words = iter(every(size))
            first = next(words, None)
            if first is None or len(first) != n:
                continue
            fit = (word for word in chain([first], words) if len(word) == n and all(_key(x) in number for x in word))
            while some := list(islice(fit, rows)):
                yield np.array([[number[_key(x)] for x in word] for word in some], np.int64).reshape(len(some), n)
            return

    def right(self, words: Array, states: SpecStates | None) -> Array:
        """The numbers (words, asked) of the right answers in `answers`; -1 for no statement."""
        if states is not None:
            return self._by_states(words, states)
        if not words.shape[1]:
            return np.full((len(words), len(self.asked(0))), NOWHERE)
        rows = self.question.right(self.words(words))
        numbers = [[NOWHERE if answer is None else self._number(answer) for answer in row] for row in rows]
        return np.array(numbers, np.int64).reshape(len(words), -1)

    def _by_states(self, words: Array, states: SpecStates) -> Array:
        state = np.full(len(words), states.start)
        path = [state]
        for letters in words.T:
            after = states.step[np.maximum(state, 0), letters]
            state = np.where(state == NOWHERE, NOWHERE, after)
            path.append(state)
        asked = path[1:] if self.question.read == "each" else path[-1:]
        if not asked:
            return np.zeros((len(words), 0), np.int64)
        along = np.stack(asked, axis=1)
        answers = np.where(along == NOWHERE, NOWHERE, states.answer[along])
        return np.where(answers[:, -1:] == NOWHERE, NOWHERE, answers)  # such a word is none of the specification's

    def _number(self, answer: Answer) -> int:
        number = self._numbers.setdefault(_key(answer), len(self.answers))
        if number == len(self.answers):
            self.answers.append(answer)
        return number

    def margins(self, logits: Array, numbers: Array) -> Array:
        """The margins (rows,) of right answers by their numbers, from logits (rows, outputs); infinite for none."""
        margins = np.full(len(numbers), np.inf)
        distinct = np.unique(numbers)
        if max(len(distinct), logits.shape[1]) > FEW_ANSWERS:
            some = numbers != NOWHERE
            right = [self.answers[k] for k in numbers[some].tolist()]
            margins[some] = self.question.decode.margins(logits[some], right)
        else:
            for number in distinct[distinct != NOWHERE].tolist():
                some = numbers == number
                margins[some] = self._margins(logits if some.all() else logits[some], number)
        return np.where(np.isnan(margins), -np.inf, margins)

    def _margins(self, logits: Array, number: int) -> Array:
        if number not in self._requirements:
            self._requirements[number] = self.question.decode.requirement(self.answers[number])
        need = self._requirements[number]
        values = np.asarray(logits, np.float64) @ need.rows.T + need.constants
        return np.asarray(values.min(axis=1, initial=np.inf))

    def near(self, margins: Array, logits: Array) -> Array:
        """Which rows are so near to a wrong answer, or so wrong, that they are to be run again."""
        if self.two and self.fast is None:
            return np.ones(len(margins), bool)  # hard attention: one rounding may change everything
        guard = GUARDS.get(self.own.numbers, 0.0)
        size = np.abs(logits).max(axis=1, initial=1.0)
        return np.asarray(~(margins > guard * np.where(np.isfinite(size), size, np.inf)))

    def judge(self, words: Array, at: Array, numbers: Array) -> Judged:
        """What the runtime says about answers at indices `at` (words,) of the asked positions, in all numbers."""
        rows = np.arange(len(words))
        fine = self.run(self.fine, words)[rows, at]
        right = [self.answers[k] for k in numbers.tolist()]
        fails = ~self._right(fine, right)
        own = ~self._right(self.run(self.own, words)[rows, at], right) if self.two else fails
        return Judged(self.margins(fine, numbers), fails & own, fails != own)

    def _right(self, logits: Array, answers: list[Answer]) -> Array:
        number = ~np.isnan(np.asarray(logits, np.float64)).any(axis=1)
        return self.question.decode.right(np.nan_to_num(logits), answers) & number


def _key(answer: Answer) -> tuple[str, object]:
    return type(answer).__name__, answer


def check_length(question: Question, length: int) -> None:
    """Refuses a length whose words the model does not read."""
    model, tokens = question.model, length + len(question.suffix)
    if tokens < model.min_length or (question.longest is not None and length > question.longest):
        least = max(0, model.min_length - len(question.suffix))
        what = f"the model reads words of {least} to {question.longest} letters, not of {length}"
        raise CapaxError("word-length", what, hint="give other lengths")
