"""The one checker: answers beside the expected ones, on all short words, on random ones and on hard ones.

A room brings its words, a function that answers a block of them, and one that says what is right. What it does with
the comparison (a report, an error) is its own.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Any, Generic, TypeVar

from capax.errors import CapaxError
from capax.report import Report

Word = TypeVar("Word", bound=Sequence[Any])
Symbol = TypeVar("Symbol")


@dataclass(frozen=True, slots=True)
class Mismatch(Generic[Word]):
    """A word with a wrong answer."""

    word: Word
    expected: Any
    answer: Any


@dataclass(frozen=True, slots=True)
class AnswerComparison(Generic[Word]):
    """How many words were compared, the first with a wrong answer, and for each kind of error a word that has it.

    Words whose expected answer is an error are not compared.
    """

    count: int
    wrong: Mismatch[Word] | None = None
    errors: Mapping[str, Word] = field(default_factory=dict)

    def report(
        self, statement: str, seed: int | None, show: Callable[[Mismatch[Word]], Any], assumptions: tuple[str, ...] = ()
    ) -> Report:
        """The evidence for a statement: exhaustive, or sampled if the words come from a seed.

        `show` makes the counterexample of a mismatch.
        """
        return Report(
            statement,
            "exhaustive" if seed is None else "sampled",
            self.wrong is None,
            self.count,
            seed,
            counterexample=None if self.wrong is None else show(self.wrong),
            assumptions=assumptions,
        )


def compare(
    words: Iterable[Word],
    answers: Callable[[list[Word]], Sequence[Any]],
    expected: Callable[[list[Word]], Sequence[Any]],
    *,
    same: Callable[[Any, Any], bool] = eq,
    cells: int,
    most: int | None = None,
) -> AnswerComparison[Word]:
    """The comparison of answers with the expected ones, block by block, up to the first that is wrong.

    `same` gets the expected answer first. `cells` and `most` bound a block, as in `blocks`.
    """
    count, errors = 0, dict[str, Word]()
    for block in blocks(words, cells, most):
        pairs: list[tuple[Word, Any]] = []
        for word, value in zip(block, expected(block), strict=True):
            if isinstance(value, CapaxError):
                errors.setdefault(value.code, word)
            else:
                pairs.append((word, value))
        outputs = answers([word for word, _ in pairs]) if pairs else []
        for (word, value), answer in zip(pairs, outputs, strict=True):
            count += 1
            if not same(value, answer):
                return AnswerComparison(count, Mismatch(word, value, answer), errors)
    return AnswerComparison(count, None, errors)


def blocks(words: Iterable[Word], cells: int, most: int | None = None) -> Iterator[list[Word]]:
    """Words in blocks that are run together: at most `cells` pairs of positions, padding included, and `most` words.

    A word of more pairs is a block of its own.
    """
    block: list[Word] = []
    longest = 0
    for word in words:
        longest = max(longest, len(word))
        if block and ((len(block) + 1) * longest**2 > cells or len(block) == most):
            yield block
            block, longest = [], len(word)
        block.append(word)
    if block:
        yield block


def short_words(
    alphabet: Sequence[Symbol], longest: int, budget: int, least: int = 1
) -> tuple[list[tuple[Symbol, ...]], int]:
    """All words from `least` symbols up to the greatest length at which they fit the budget, and that length."""
    words: list[tuple[Symbol, ...]] = []
    for n in range(least, longest + 1):
        if len(words) + len(alphabet) ** n > budget:
            return words, n - 1
        words += itertools.product(alphabet, repeat=n)
    return words, longest
