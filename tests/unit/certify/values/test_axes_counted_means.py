"""Means beside the number of keys they are of: which pairs can happen."""

import itertools
from typing import Any

import numpy as np
import pytest

import capax
from capax import aggregate, full_s, indicator, indices, length, library, select, selector_width, tokens, tokens_asis
from capax.certify.values.axes import Axes
from capax.rasp.ir.nodes import Aggregate, Map, Width
from capax.rasp.meaning.fast import evaluate_batch

EQUAL = select(tokens_asis, tokens_asis, "==")
SELECTORS = {
    "all": full_s,
    "of one kind": select(tokens_asis, 1, "=="),
    "before": select(indices, indices, "<"),
    "equal and before": EQUAL & select(indices, indices, "<"),
}
ALPHABETS: list[tuple[Any, ...]] = [(0, 1), (1, -2, 5), (0.1, 0.7), (0.5, 1)]
MEAN = aggregate(full_s, indicator(tokens == "a"))


@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_what_happens_is_feasible(name: str, alphabet: tuple[Any, ...]) -> None:
    """On every short word, at every place; and some pair is excluded."""
    selector = SELECTORS[name].node
    mean, count = Aggregate(selector, tokens_asis.node, 7), Width(selector)
    n = 4
    axes = Axes(Map("*", (mean, count)), alphabet, n)
    allowed = axes.feasible((count, mean))
    assert allowed is not None
    seen = set()
    for word in itertools.chain.from_iterable(itertools.product(alphabet, repeat=k) for k in range(1, n + 1)):
        means, counts = (evaluate_batch(node, [word])[0] for node in (mean, count))
        seen |= set(zip(counts, means, strict=True))
    means_of = axes.of(mean)  # by the mean, or by the number of keys and the sum
    listed = axes.expand(means_of, (count, mean))
    pairs = {
        (axes.values[count][row], means_of.listed[listed[row if len(listed) > 1 else 0, column]])
        for row, column in zip(*np.nonzero(allowed), strict=True)
    }
    assert seen <= pairs
    assert len(seen) <= allowed.sum()
    assert 0.1 in alphabet or allowed.sum() < allowed.size


@pytest.mark.parametrize(
    ("program", "alphabet"),
    [
        (MEAN * length, "ab"),
        (round(MEAN * length), "ab"),
        (MEAN * selector_width(full_s) == 2, "ab"),
        (library.parity, "01"),
        (library.majority, "01"),
        (aggregate(select(tokens, "a", "=="), indices) * selector_width(select(tokens, "a", "==")), "ab"),
    ],
)
def test_sums_are_certified(program: capax.SOp, alphabet: str) -> None:
    """The product of a mean and its count has no answers that are none of the model's."""
    assert capax.compile(program, alphabet=alphabet, max_length=8, words=20).certified_length == 8
