"""A model for longer words is certified at least as far as one for shorter words."""

from typing import Any

import pytest

import capax
from capax import aggregate, best, indicator, indices, length, library, select, selector_width, tokens

SAME = select(tokens, tokens, "==")
SO_FAR = select(indices, indices, "<=")
RANK = selector_width(select(tokens, tokens, "<") | (SAME & select(indices, indices, "<")))
PREVIOUS = aggregate(select(indices, indices - 1, "=="), tokens, "")
PROGRAMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "histogram": (selector_width(SAME), {"alphabet": "abcd"}),
    "prefix count": (selector_width(select(tokens, "a", "==") & SO_FAR), {"alphabet": "ab"}),
    "sort": (aggregate(select(RANK, indices, "=="), tokens), {"alphabet": "abcd"}),
    "dyck1": (library.dyck1_ptf, {"alphabet": "()"}),
    "induction": (
        aggregate(best(select(PREVIOUS, tokens, "=="), indices), tokens, "-"),
        {"alphabet": "abcd", "causal": True},
    ),
    "reverse": (aggregate(select(indices, length - 1 - indices, "=="), tokens), {"alphabet": "abcd"}),
    "parity": (selector_width(select(tokens, "1", "==")) % 2 == indicator(tokens == "1"), {"alphabet": "01"}),
}

LENGTHS = (6, 12, 24, 48, 96, 200)


@pytest.mark.parametrize("name", PROGRAMS)
def test_longer_words_cost_no_certified_length(name: str) -> None:
    """What is certified of a model for short words is certified of the model for longer ones: here, all of it.

    For dyck1, words of more than about 80 tokens take more work than a certificate may.
    """
    program, settings = PROGRAMS[name]
    lengths = LENGTHS[:4] if name == "dyck1" else LENGTHS
    compiled = [capax.compile(program, max_length=longest, words=5, **settings) for longest in lengths]
    assert [made.certified_length for made in compiled] == list(lengths)
