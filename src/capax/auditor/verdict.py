"""What an audit found: one verdict for each length, and what they say together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from capax.auditor.question import READS, Question
from capax.auditor.spec import Answer, Word
from capax.display import Told

Outcome: TypeAlias = Literal["proved", "wrong", "unknown", "empty"]
"""Proved: right on every word of the length. Wrong: a word with a wrong answer. Empty: no word to answer."""

Method: TypeAlias = Literal["certificate", "exhaustion", "bounds", "search"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A word with a wrong answer, in float32 and float64 (or in the model's own numbers), and the position of it."""

    word: Word
    position: int
    expected: Answer
    answer: Answer
    margins: dict[str, float]
    """By number system, the margin of the right answer."""


@dataclass(frozen=True, slots=True)
class AuditedLength:
    """The verdict on all words of one length.

    `words` is how many there are. `bound` is a lower bound on the margins of all words; where bounds proved the length
    it holds in float32 in any order of summation, and `rounding` is what was taken off for that, in the class of words
    where the least is left. `margin` is the least that was seen, at `word`.
    """

    length: int
    outcome: Outcome
    method: Method | None = None
    words: int | None = None
    bound: float | None = None
    rounding: float | None = None
    margin: float | None = None
    word: Word | None = None
    counterexample: Counterexample | None = None
    seconds: float = 0.0
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        wrong = self.counterexample
        return {
            "length": self.length,
            "outcome": self.outcome,
            "method": self.method,
            "words": self.words,
            "bound": self.bound,
            "rounding": self.rounding,
            "least_margin": None if self.margin is None or not math.isfinite(self.margin) else self.margin,
            "word": None if self.word is None else list(self.word),
            "counterexample": None if wrong is None else counterexample_json(wrong),
            "seconds": self.seconds,
            "note": self.note,
        }


def counterexample_json(wrong: Counterexample) -> dict[str, Any]:
    """A counterexample as plain data."""
    return {
        "word": list(wrong.word),
        "position": wrong.position,
        "expected": answer_json(wrong.expected),
        "answer": answer_json(wrong.answer),
        "margins": dict(wrong.margins),
    }


def answer_json(answer: Answer) -> Any:
    """An answer as plain data: a set as a sorted list."""
    return sorted(answer, key=str) if isinstance(answer, frozenset) else answer


@dataclass(frozen=True, slots=True)
class Audit(Told):
    """The verdicts on a question, length by length; `unbounded` says why no bounds were computed, if none were."""

    question: Question
    lengths: tuple[AuditedLength, ...]
    unbounded: str | None = None

    def with_outcome(self, outcome: Outcome) -> list[int]:
        """The lengths with an outcome."""
        return [verdict.length for verdict in self.lengths if verdict.outcome == outcome]

    @property
    def wrong(self) -> AuditedLength | None:
        """The verdict on the least length at which the model is wrong."""
        return next((verdict for verdict in self.lengths if verdict.outcome == "wrong"), None)

    @property
    def proved(self) -> bool:
        """Whether the model is right on all words of all lengths that were asked for."""
        return all(verdict.outcome in ("proved", "empty") for verdict in self.lengths)

    def summary(self) -> str:
        """What was found, in one sentence."""
        sure = [v.length for v in self.lengths if v.outcome in ("proved", "empty")]
        wrong, open_ = self.with_outcome("wrong"), self.with_outcome("unknown")
        parts, where = [], self._where()
        if sure:
            name = self.question.spec.name + (f" {where}" if where else "")
            parts.append(f"equals {name} on all words of {ranges(sure)} {tokens_word(sure)}")
        first = self.wrong
        if first is not None and first.counterexample is not None:
            other = [n for n in wrong if n != first.length]
            more = f" (and at length{'s' * (len(other) > 1)} {ranges(other)})" if other else ""
            parts.append(f"wrong at {word_text(first.counterexample.word)}, a word of {first.length}{more}")
        if open_:
            parts.append(
                f"unknown for {ranges(open_)}" if sure else f"unknown for words of {ranges(open_)} {tokens_word(open_)}"
            )
        if where and not sure:
            parts.append(f"read {where}")
        return "; ".join(parts)

    def _where(self) -> str:
        """Where the answer is read, if a specification with an answer at each position is compared at one alone."""
        asked = self.question
        if asked.read == "each" or not (asked.spec.each or asked.spec.kind in ("program", "model")):
            return ""
        return "at the last letter" if asked.read == "last" else "at the end marker"

    def to_json(self) -> dict[str, Any]:
        """The audit as plain data."""
        asked = self.question
        return {
            "against": {"name": asked.spec.name, "kind": asked.spec.kind, "definition": asked.spec.definition},
            "letters": list(asked.spec.letters),
            "read": asked.read,
            "read_in_words": READS[asked.read],
            "end": asked.end,
            "prefix": list(asked.model.prefix),
            "offset": asked.offset,
            "decoding": asked.decode.what,
            "numbers": asked.model.numbers,
            "summary": self.summary(),
            "proved": [v.length for v in self.lengths if v.outcome in ("proved", "empty")],
            "wrong": self.with_outcome("wrong"),
            "unknown": self.with_outcome("unknown"),
            "no_bounds_because": self.unbounded,
            "lengths": [verdict.to_json() for verdict in self.lengths],
        }


def tokens_word(lengths: Sequence[int]) -> str:
    """`token` or `tokens`, for words of some lengths."""
    return "token" if list(lengths) == [1] else "tokens"


def word_text(word: Sequence[Any]) -> str:
    """A word as text: its letters without spaces where each is one character."""
    texts = [str(token) for token in word]
    return "".join(texts) if all(len(text) == 1 for text in texts) else " ".join(texts)


def ranges(lengths: Sequence[int]) -> str:
    """Lengths in words: `1 to 46, 48`."""
    runs: list[list[int]] = []
    for n in sorted(lengths):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in runs)
