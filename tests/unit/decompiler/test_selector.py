"""Selectors of heads: whatever is given selects what must be selected and nothing that must not."""

from functools import cache

import numpy as np
import pytest

from capax import Selector, best, indices, select, tokens
from capax.decompiler.feature import Feature, Strings, grown
from capax.decompiler.sample import Sample, classes
from capax.decompiler.selector import PairTask, SelectorChoice, comparisons, quick_selector, slow_selector, visible

WORDS = [tuple(w) for w in ("ab", "ba", "abba", "aab", "cab", "bcaac", "cabca", "aaaa", "bbcab", "cccab")]
SAMPLE = Sample.of(WORDS)
STRINGS = Strings(("", "a", "b", "c"))
CODES = np.array([STRINGS.code(x) for w in SAMPLE.words for x in w], np.float64)
BASE = [Feature(tokens.node, "str", CODES, 1.0), Feature(indices.node, "int", SAMPLE.position * 1.0, 1.0)]
BANK = grown(BASE, STRINGS)
SEEN = classes(np.stack([CODES, SAMPLE.position], axis=1))
NOTHING = np.zeros(len(SAMPLE.pairs[0]), bool)
SAME = select(tokens, tokens, "==")
EARLIER = select(indices, indices, "<")


@cache
def atoms() -> list[SelectorChoice]:
    """The comparisons over the features, which take a second to list."""
    return comparisons(PairTask(NOTHING, NOTHING, SAMPLE.pairs[1], SAMPLE.pairs[0]), BANK, SEEN, SEEN)


def pairs(selector: Selector) -> np.ndarray:
    """What a selector selects on the sample, pair by pair."""
    return np.concatenate([np.array(list(map(list, selector(w)))).reshape(-1) for w in SAMPLE.words])


@pytest.mark.parametrize(
    "selector",
    [
        SAME,
        EARLIER,
        SAME & EARLIER,
        select(indices, indices - 1, "=="),
        select(tokens, "a", "=="),
        select(tokens, tokens, "<") | (SAME & EARLIER),
        SAME & EARLIER & select(indices, 0, ">"),
        (SAME | select(tokens, "a", "==")) & EARLIER,
    ],
    ids=str,
)
def test_a_selector_comes_back(selector: Selector) -> None:
    """What is found selects the same pairs of the sample."""
    right = pairs(selector).astype(bool)
    task = PairTask(right, ~right, SAMPLE.pairs[1], SAMPLE.pairs[0])
    chosen = quick_selector(task, atoms()) or slow_selector(task, atoms())
    assert chosen is not None
    assert np.array_equal(pairs(Selector(chosen.node, best(SAME, indices).construction)), right)


def test_pairs_of_which_nothing_is_known() -> None:
    """Where a mask hides later keys, the smallest selector that fits the others is taken."""
    allowed = pairs(EARLIER).astype(bool)
    right = pairs(SAME).astype(bool)
    task = PairTask(right & allowed, ~right & allowed, SAMPLE.pairs[1], SAMPLE.pairs[0])
    chosen = quick_selector(task, atoms())
    assert chosen is not None
    assert chosen.node is SAME.node


def test_what_a_class_tells() -> None:
    """Keys that are alike for equal letters tell letters and not positions; dead classes tell nothing."""
    letters = classes(CODES[:, None])
    assert BASE[0] in visible(BASE, letters)
    assert BASE[1] not in visible(BASE, letters)
    assert BASE[1] in visible(BASE, np.zeros(len(CODES), int), np.zeros(len(CODES), bool))
