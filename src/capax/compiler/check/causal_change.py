"""Whether compiling a program as causal changes what it answers, with the first word on which it does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from capax.compiler.check.agreement import Word, hard_words, meaning, random_words, same, short_words
from capax.compiler.domain import Domain
from capax.errors import CapaxError
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning.fast import evaluate_batch

Outcome: TypeAlias = Sequence[Any] | CapaxError
"""What a program gives on a word."""

SHORT: Final = 1000
"""All words up to some length are tried, at most this many."""
LONG: Final = 100
"""Then this many random words, and this many with ties and extremes."""
LONGEST: Final = 40
"""The length of the longest of these."""


@dataclass(frozen=True, slots=True)
class CausalChange:
    """Whether hiding later positions changes what a program answers, with the first word on which it does.

    `words` were tried, among them all up to the length `all_up_to`. `program` and `causal` are the outcomes on the
    word: values, or an error.
    """

    word: Word | None
    program: Outcome | None
    causal: Outcome | None
    words: int
    all_up_to: int

    def to_json(self) -> dict[str, Any]:
        """The change as plain data."""
        return {
            "changes": self.word is not None,
            "word": None if self.word is None else list(self.word),
            "program": _outcome_json(self.program),
            "causal": _outcome_json(self.causal),
            "words": self.words,
            "all_up_to": self.all_up_to,
        }


def causal_change(root: SOpNode, domain: Domain) -> CausalChange:
    """What changes in the answers of a program when no position sees a later one.

    Words are tried by length, and in the order of the alphabet.
    """
    looking_back = meaning(root, replace(domain, causal=True))
    short, whole = short_words(domain, SHORT)
    reach = replace(domain, max_length=min(domain.max_length, LONGEST))
    rest = {*hard_words(reach, LONG), *random_words(reach, LONG, 0)}.difference(short)
    order = {token: i for i, token in enumerate(domain.alphabet)}
    words = [*short, *sorted(rest, key=lambda word: (len(word), [order[token] for token in word]))]
    plain, masked = evaluate_batch(root, words), evaluate_batch(looking_back, words)
    for word, before, after in zip(words, plain, masked, strict=True):
        if not _equal(before, after):
            return CausalChange(word, before, after, len(words), whole)
    return CausalChange(None, None, None, len(words), whole)


def _equal(before: Outcome, after: Outcome) -> bool:
    """Whether two outcomes are the same values, or both errors."""
    if isinstance(before, CapaxError) or isinstance(after, CapaxError):
        return isinstance(before, CapaxError) and isinstance(after, CapaxError)
    return all(same(a, b) for a, b in zip(before, after, strict=True))


def _outcome_json(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    return {"error": outcome.code} if isinstance(outcome, CapaxError) else {"values": list(outcome)}
