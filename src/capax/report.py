"""What a check found and what kind of evidence that is; and the one checker, of answers beside the expected ones.

To the checker a room brings its words (all short ones, random ones, hard ones), a function that answers a block of
them, and one that says what is right. What it does with the comparison (a report, an error) is its own.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from capax.display import Card
from capax.errors import CapaxError

Evidence: TypeAlias = Literal["exact", "exhaustive", "sampled", "chosen", "cited"]
"""How a statement is known.

`exact`: it follows from the construction, by an argument that the code carries out. `exhaustive`: every input up to a
size was tried. `sampled`: inputs were drawn and tried; the report has the seed and the count. `chosen`: inputs
that somebody listed were tried, and nothing was drawn; the report has the count. `cited`: it is taken from the
literature.
"""


@dataclass(frozen=True, slots=True)
class Report(Card):
    """Evidence for a statement, or a counterexample to it.

    >>> report = Report("all words up to length 3", "exhaustive", holds=True, count=39)
    >>> print(report)
    yes (exhaustive, 39 inputs): all words up to length 3
    """

    statement: str
    evidence: Evidence
    holds: bool
    count: int | None = None
    seed: int | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Any = None
    assumptions: tuple[str, ...] = ()
    source: str | None = None
    parts: tuple["Report", ...] = ()

    def __post_init__(self) -> None:
        assert self.evidence != "sampled" or (self.seed is not None and self.count is not None), "a sample has a seed"
        assert self.evidence != "chosen" or self.count is not None, "chosen inputs are counted"
        assert self.evidence != "cited" or self.source, "a citation has a source"
        assert self.counterexample is None or not self.holds, "a counterexample refutes"

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _lines(self, indent: str) -> list[str]:
        facts: list[str] = [self.evidence]
        if self.count is not None:
            facts.append(f"{self.count:,} input{'' if self.count == 1 else 's'}")
        if self.seed is not None:
            facts.append(f"seed {self.seed}")
        if self.source:
            facts.append(self.source)
        lines = [f"{indent}{'yes' if self.holds else 'no'} ({', '.join(facts)}): {self.statement}"]
        lines += [f"{indent}  {name}: {value}" for name, value in self.figures.items()]
        if self.counterexample is not None:
            lines.append(f"{indent}  counterexample: {self.counterexample}")
        lines += [f"{indent}  assuming {a}" for a in self.assumptions]
        for part in self.parts:
            lines += part._lines(indent + "  ")
        return lines

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "statement": self.statement,
            "evidence": self.evidence,
            "holds": self.holds,
            "count": self.count,
            "seed": self.seed,
            "figures": dict(self.figures),
            "counterexample": self.counterexample,
            "assumptions": list(self.assumptions),
            "source": self.source,
            "parts": [part.to_json() for part in self.parts],
        }


def joined(statement: str, parts: tuple[Report, ...]) -> Report:
    """One report of several: it holds if all do, and its evidence is the weakest of theirs."""
    assert parts, "nothing was checked"
    weakest = max(parts, key=lambda p: _STRENGTH.index(p.evidence))
    counts = [p.count for p in parts if p.count is not None]
    failed = next((p for p in parts if not p.holds), None)
    return Report(
        statement,
        weakest.evidence,
        holds=failed is None,
        count=sum(counts) if counts else None,
        seed=next((p.seed for p in parts if p.seed is not None), None),
        counterexample=failed.counterexample if failed is not None else None,
        assumptions=tuple(dict.fromkeys(a for p in parts for a in p.assumptions)),
        source=weakest.source,
        parts=parts,
    )


_STRENGTH: tuple[Evidence, ...] = ("exact", "exhaustive", "sampled", "chosen", "cited")


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
        self,
        statement: str,
        seed: int | None,
        show: Callable[[Mismatch[Word]], Any],
        assumptions: tuple[str, ...] = (),
        *,
        chosen: bool = False,
    ) -> Report:
        """The evidence for a statement: sampled if the words come from a seed, chosen if they were, else exhaustive.

        `show` makes the counterexample of a mismatch.
        """
        return Report(
            statement,
            "sampled" if seed is not None else "chosen" if chosen else "exhaustive",
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
