"""Whether compiling a program as causal changes what it answers, with the first word on which it does."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from capax.compiler.check.agreement import hard_words, meaning, random_words, same, short_words
from capax.compiler.domain import Domain
from capax.errors import CapaxError
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning.fast import evaluate_batch

SHORT: Final = 1000
"""All words up to some length are tried, at most so many."""
LONG: Final = 100
"""Then so many random words, and so many with ties and extremes."""
LONGEST: Final = 40
"""The length of the longest of these."""


def causal_change(root: SOpNode, domain: Domain) -> dict[str, Any]:
    """Whether a program answers otherwise when no position sees a later one, with the first word that shows it.

    Words are tried by length, and in the order of the alphabet. `all_up_to` is the length up to which all were tried.
    """
    looking_back = meaning(root, replace(domain, causal=True))
    short, whole = short_words(domain, SHORT)
    reach = replace(domain, max_length=min(domain.max_length, LONGEST))
    rest = {*hard_words(reach, LONG), *random_words(reach, LONG, 0)}.difference(short)
    order = {token: i for i, token in enumerate(domain.alphabet)}
    words = [*short, *sorted(rest, key=lambda word: (len(word), [order[token] for token in word]))]
    found = {"words": len(words), "all_up_to": whole}
    plain, masked = evaluate_batch(root, words), evaluate_batch(looking_back, words)
    for word, before, after in zip(words, plain, masked, strict=True):
        if not _equal(before, after):
            return {"changes": True, "word": list(word), "program": _shown(before), "causal": _shown(after), **found}
    return {"changes": False, "word": None, "program": None, "causal": None, **found}


def _equal(before: Any, after: Any) -> bool:
    """Whether two outcomes are the same values, or both no value."""
    if isinstance(before, CapaxError) or isinstance(after, CapaxError):
        return isinstance(before, CapaxError) and isinstance(after, CapaxError)
    return all(same(a, b) for a, b in zip(before, after, strict=True))


def _shown(outcome: Sequence[Any] | CapaxError) -> dict[str, Any]:
    return {"error": outcome.code} if isinstance(outcome, CapaxError) else {"values": list(outcome)}
