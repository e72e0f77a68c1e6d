"""The values of an aggregate on all words, where these are few.

The means of up to N of some numbers are many where the numbers are fractions: those of the means so far of 0s and 1s
are millions at length 8, of which 510 words can have a few hundred. Words are gone through only where the means are too
many, and only if there are few; of a program that reads no position only those with their tokens in order.
"""

import math
from collections.abc import Sequence
from typing import Any

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.means import means, means_of_equal
from capax.errors import CapaxError
from capax.rasp.analysis.all_words import words_for_all
from capax.rasp.analysis.uniform import averages_equal
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Aggregate, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.meaning.sequence import Sequence as ProgramSequence

LARGE = 2.0**900
"""Sums of smaller numbers do not overflow."""
PER_TOKEN = 40
"""How much work a token of a word is."""


def means_or_listed(
    node: SOpNode, inputs: Sequence[Atom], most: int, alphabet: Sequence[Atom], longest: int, budget: WorkBudget
) -> list[Atom]:
    """The values that an aggregate may average, and the means of 2 to `most` of them; or what it is on all words.

    Where those that meet are surely equal, only the means of equal ones.
    """
    numbers: list[Any] = [v for v in inputs if not isinstance(v, str) and math.isfinite(v)]
    if isinstance(node, Aggregate) and averages_equal(node) and max(map(abs, numbers)) < LARGE:
        return [*inputs, *means_of_equal(numbers, most, budget)]
    try:
        return [*inputs, *means(numbers, most, budget, describe(node))]
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
    words = words_for_all(node, alphabet, longest)
    if words is None:
        return None
    budget.spend(PER_TOKEN * sum(map(len, words)))
    values: dict[tuple[type, Atom], None] = {}
    for outcome in evaluate_batch(node, words):
        if isinstance(outcome, CapaxError) or not isinstance(outcome, ProgramSequence):
            return None
        values.update(dict.fromkeys((type(v), v) for v in outcome.values))
    return [value for _, value in values]
