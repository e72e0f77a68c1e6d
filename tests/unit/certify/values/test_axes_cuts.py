"""S-ops that are axes of their own: which of their values can be beside some of what they were made from."""

import itertools
from typing import Any

import numpy as np
import pytest

import capax
from capax import aggregate, best, indicator, indices, length, select, selector_width, tokens, where
from capax.certify.values.axes import FLAGS, NARROW, TOKEN, Axes
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Map, Node, Select, Width
from capax.rasp.meaning.fast import evaluate_batch

PLACE = Indices()
COUNT = Width(Select(TOKEN, TOKEN, "=="))
MIXED = Map("where", (Map("<", (PLACE, Const(2))), TOKEN, Map("+", (COUNT, TOKEN))))
"""A cut of three axes: token, position and count."""


@pytest.mark.parametrize(
    "known", [(TOKEN,), (PLACE,), (COUNT,), (TOKEN, PLACE), (PLACE, TOKEN), (COUNT, TOKEN), (TOKEN, PLACE, COUNT)]
)
def test_what_happens_beside_a_part_of_what_a_cut_was_made_from_is_feasible(known: tuple[Node, ...]) -> None:
    """All that occurs on words is feasible, and what no combination of the other axes gives is not."""
    axes = Axes(Aggregate(Select(MIXED, MIXED, "=="), MIXED, 0), (0, 3), 4)
    allowed = np.array(axes.feasible((*known, MIXED)))
    source = axes.cuts[MIXED]
    given = np.zeros_like(allowed)
    for cell in zip(*np.nonzero(source.codes >= 0), strict=True):
        at = dict(zip(source.axes, cell, strict=True))
        value = axes.values[MIXED].index(source.listed[source.codes[cell]])
        given[(*(at[a] for a in known), value)] = True
    # beside all of them, only what follows from the three; beside some, what follows for any value of the others
    other = axes.feasible(known)
    if other is not None:
        given &= np.asarray(other)[..., None]
    assert np.array_equal(allowed, given)
    words = [w for n in range(1, 5) for w in itertools.product((0, 3), repeat=n)]
    rows = [evaluate_batch(node, words) for node in (*known, MIXED)]
    for row in zip(*rows, strict=True):
        for values in zip(*row, strict=True):
            place = tuple(axes.values[a].index(v) for a, v in zip((*known, MIXED), values, strict=True))
            assert allowed[place]


PROGRAMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a value that one branch has": (
        aggregate(select(indices, length - 1 - indices, "=="), where(length > indices, tokens, "b"), "c"),
        {"alphabet": "abc", "max_length": 6},
    ),
    "a key that one branch has": (
        selector_width(select(where(tokens == "b", indices, 1), round(length), "!=")),
        {"alphabet": "ab", "max_length": 1},
    ),
    "a score that one branch has": (
        aggregate(best(select(indices, indices, "<="), where(length < indices, 5, indicator(tokens == "a"))), tokens),
        {"alphabet": "ab", "max_length": 5, "causal": True},
    ),
    "a width in parts that is never 0": (
        selector_width(select(tokens, tokens, "==") | select(indices, indices, "<")),
        {"alphabet": "abcd", "max_length": 6},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_cuts_and_counts_are_certified(name: str) -> None:
    """Numbers that a head reads stay as precise as the s-op that they were made from."""
    program, settings = PROGRAMS[name]
    compiled = capax.compile(program, **settings)
    assert compiled.certified_length == settings["max_length"]


@pytest.mark.parametrize("coarse", [FLAGS, NARROW])
def test_functions_of_few_tokens_are_no_axes_of_their_own(coarse: int) -> None:
    """Coarse axes would forget that a token is not two brackets at once; flags of many values are axes all the same."""
    balance = aggregate(select(indices, indices, "<="), indicator(tokens == "a") - indicator(tokens == "b"))
    root = aggregate(select(0, 0, "=="), indicator(balance < 0)).node
    axes = Axes(root, tuple("abcdefghijklmnop"), 6, coarse=coarse)
    assert not any(source.axes == (TOKEN,) for source in axes.cuts.values())
    assert axes.cuts
    assert any(s.axes == (TOKEN,) for s in Axes(root, tuple(map(str, range(300))), 6, coarse=coarse).cuts.values())
