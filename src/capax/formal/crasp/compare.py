"""Two formulas of counting logic compared: exactly on all words up to a length, and by a solver on all words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.formal.crasp.smt import AllLengths, find_word
from capax.formal.logic.counting import Counting, CountingLanguage
from capax.formal.logic.counting_batch import all_words, batch_values

Relation: TypeAlias = Literal["equal", "included", "empty"]
RELATIONS: Final[dict[str, Relation]] = {"equal": "equal", "included": "included", "empty": "empty"}
MOST_WORDS: Final = 3_000_000


@dataclass(frozen=True, slots=True)
class CountingComparison:
    """Whether a relation holds: on all `words` words of up to `length` letters, and, as far as is known, on all."""

    relation: Relation
    length: int
    words: int
    counterexample: tuple[str, ...] | None
    """A shortest word on which the relation fails."""
    everywhere: AllLengths

    @property
    def holds(self) -> bool | None:
        """Whether the relation holds on all words; None if it is not known."""
        return False if self.counterexample is not None else self.everywhere.empty

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        word, far = self.counterexample, self.everywhere.word
        return {
            "relation": self.relation,
            "length": self.length,
            "words": self.words,
            "counterexample": None if word is None else list(word),
            "holds": self.holds,
            "why": self.everywhere.why,
            "longer_counterexample": None if far is None else list(far),
        }


def compare_counting(
    left: CountingLanguage,
    right: CountingLanguage | None,
    relation: Relation,
    length: int,
    *,
    solve: bool = True,
    known: AllLengths | None = None,
) -> CountingComparison:
    """Whether two languages are equal, the left is included in the right, or the left is empty (`right` is None).

    `known` is what is known of all lengths already; else the solver is asked.
    """
    alphabet = left.alphabet
    if right is not None and (right.alphabet, right.read) != (alphabet, left.read):
        raise CapaxError("bad-option", "the two formulas have different alphabets or are read at different positions")
    total = sum(len(alphabet) ** n for n in range(length + 1))
    if total > MOST_WORDS:
        what = f"there are {total:,} words of up to {length} letters, and at most {MOST_WORDS:,} are run"
        raise CapaxError("too-large", what, hint="a smaller --length")
    formulas = left.formula, None if right is None else right.formula
    marker = left.read == "end"
    for n in range(length + 1):
        word = _failing(*formulas, alphabet, relation, n, marker)
        if word is not None:
            everywhere = AllLengths(False, "a word was found", word)
            return CountingComparison(relation, length, total, word, everywhere)
    everywhere = known or AllLengths(None, "the solver was not asked")
    if solve and known is None:
        everywhere = find_word(*formulas, alphabet, relation, marker)
    if everywhere.word is not None and not _fails_on(left, right, relation, everywhere.word):
        raise AssertionError(f"the solver's word {everywhere.word} is not a counterexample")
    return CountingComparison(relation, length, total, None, everywhere)


def _failing(
    left: Counting, right: Counting | None, alphabet: Sequence[str], relation: Relation, n: int, marker: bool
) -> tuple[str, ...] | None:
    """The first word of a length on which the relation fails."""
    letters = tuple(alphabet)
    for words in all_words(len(letters), n):
        read = np.pad(words, ((0, 0), (0, 1)), constant_values=len(letters)) if marker else words
        one = batch_values(left, letters, read)[:, -1]
        other = np.zeros_like(one) if right is None else batch_values(right, letters, read)[:, -1]
        wrong = one != other if relation == "equal" else one & ~other
        if wrong.any():
            return tuple(letters[a] for a in words[int(np.argmax(wrong))])
    return None


def _fails_on(left: CountingLanguage, right: CountingLanguage | None, relation: Relation, word: Sequence[str]) -> bool:
    one, other = left.accepts(word), right is not None and right.accepts(word)
    return one != other if relation == "equal" else one and not other
