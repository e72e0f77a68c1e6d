"""The values of an aggregate on all words, where these are few.

The means of up to N of some numbers are many where the numbers are fractions: those of the means so far of 0s and 1s
are millions at length 8, of which 510 words can have a few hundred. Words are gone through only where the means are too
many, and only if there are few.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.means import means
from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.meaning.sequence import Sequence as ProgramSequence

MOST_TOKENS = 200_000
"""All words together have at most so many tokens: those of two letters up to length 13."""

PER_TOKEN = 40
"""How much work a token of a word is."""


def means_or_listed(
    node: SOpNode, numbers: list[Any], most: int, alphabet: Sequence[Atom], longest: int, budget: WorkBudget
) -> list[Atom]:
    """The means of 2 to `most` of some numbers, among which those of an aggregate are; or what it is on all words."""
    try:
        return [*means(numbers, most, budget, describe(node))]
    except NotCertified as failure:
        listed = None if failure.too_many else values_on_words(node, alphabet, longest, budget)
        if listed is None:
            raise
        return listed


def values_on_words(node: SOpNode, alphabet: Sequence[Atom], longest: int, budget: WorkBudget) -> list[Atom] | None:
    """The values that an s-op has at any position of a word of up to a length.

    None where words are too many, and where the s-op fails on one: what it would be there is not told.

    >>> from capax import aggregate, full_s, tokens_asis
    >>> values_on_words(aggregate(full_s, tokens_asis).node, (0, 3), 2, WorkBudget())
    [0, 3, 0.0, 1.5, 3.0]
    """
    count, total = 1, 0
    for n in range(1, longest + 1):
        count *= len(alphabet)
        total += n * count
        if total > MOST_TOKENS:
            return None
    budget.spend(PER_TOKEN * total)
    values: dict[tuple[type, Atom], None] = {}
    for n in range(1, longest + 1):
        for outcome in evaluate_batch(node, product(alphabet, repeat=n)):
            if isinstance(outcome, CapaxError) or not isinstance(outcome, ProgramSequence):
                return None
            values.update(dict.fromkeys((type(v), v) for v in outcome.values))
    return [value for _, value in values]
