"""A model for longer words is certified at least as far as one for shorter words."""

from typing import Any

import pytest

import capax
from capax import aggregate, best, indicator, indices, length, library, select, selector_width, tokens, where

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
    "sort_by_most_freq": (library.sort_by_most_freq, {"alphabet": "abcd"}),
    "most frequent": (aggregate(best(select(0, 0, "=="), selector_width(SAME)), tokens), {"alphabet": "abcd"}),
    "addition": (library.addition, {"alphabet": "0123456789+"}),
    "random: counts in parts that go with the position": (
        (tokens == "p")
        | (
            selector_width(select(indices, indices, ">=") | select(indices, 2, "!=")) == aggregate(SO_FAR, indices, 100)
        ),
        {"alphabet": "abcdefghijklmnopqrstuvwxyz"},
    ),
    "random: a count in parts of at most one key": (
        where(
            round(aggregate(SO_FAR, length, 1)) + selector_width(select(indices, 1, "==")) < length,
            selector_width(
                best(select(tokens, tokens, "!=") & select(indices, indices, ">="), selector_width(SAME))
                & ((select(indices, indices, ">") | select(length, 2, ">=")) & (SAME | select(indices, 0, "<")))
            ),
            indicator((length >= indices) & (indices < length)),
        ),
        {"alphabet": "abc", "causal": True, "masks": False},
    ),
    "parity": (selector_width(select(tokens, "1", "==")) % 2 == indicator(tokens == "1"), {"alphabet": "01"}),
}

LENGTHS = (6, 12, 24, 48, 96, 200)


@pytest.mark.parametrize("name", PROGRAMS)
def test_longer_words_cost_no_certified_length(name: str) -> None:
    """What is certified of a model for short words is certified of the model for longer ones: here, all of it."""
    program, settings = PROGRAMS[name]
    lengths = (4, 8, 16, 32) if name.startswith("random") else LENGTHS
    compiled = [capax.compile(program, max_length=longest, words=5, **settings) for longest in lengths]
    assert [made.certified_length for made in compiled] == list(lengths)


@pytest.mark.parametrize("name", ["sort_by_most_freq", "most frequent"])
def test_flags_of_positions_go_with_what_selectors_see(name: str) -> None:
    """A flag that a key holds is a function of the position, or of the count, that the selector compares.

    And where there is no mask, it is all the same where the query of a `best` is.
    """
    program, settings = PROGRAMS[name]
    assert capax.compile(program, max_length=1000, words=5, **settings).certified_length == 1000
