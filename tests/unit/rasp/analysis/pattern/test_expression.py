"""The smallest selector of a pattern: against all expressions of a few comparisons."""

import contextlib
import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax.rasp.analysis.pattern.expression import FoundSelector, NoSelector, selector_for
from capax.rasp.ir import build
from capax.rasp.ir.nodes import COMPARISONS
from tests.support.outcomes import count_outcome, least_share

Masks = dict[tuple[tuple[bool, ...], ...], int]


def _by_size(word: str, keys: list[Any], queries: list[Any], most: int) -> Masks:
    """Every pattern that some expression of at most so many comparisons gives, with the least number."""
    first = set()
    for key, query, op in itertools.product(keys, queries, COMPARISONS):
        with contextlib.suppress(capax.CapaxError):  # strings and numbers have no order
            first.add(tuple(tuple(row) for row in build.select(key, query, op)(word)))
    sizes: list[set[Any]] = [set(), first]
    known: Masks = dict.fromkeys(first, 1)
    for size in range(2, most + 1):
        fresh = set()
        for left in range(1, size):
            for a, b in itertools.product(sizes[left], sizes[size - left]):
                both = tuple(tuple(x and y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))
                either = tuple(tuple(x or y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))
                fresh |= {both, either} - known.keys()
        for pattern in fresh:
            known[pattern] = size
        sizes.append(fresh)
    return known


def test_every_pattern_of_three_positions() -> None:
    """All 512 patterns: the number of comparisons is the least, and where there is none two pairs show it."""
    keys, queries = [capax.indices, capax.tokens], [capax.indices, capax.tokens]
    known = _by_size("aba", keys, queries, 3)
    for flat in itertools.product((False, True), repeat=9):
        pattern = (flat[:3], flat[3:6], flat[6:])
        result = selector_for(pattern, "aba", keys, queries)
        if isinstance(result, NoSelector):
            assert pattern not in known
            (i, j), (u, v) = result.selected, result.other
            assert (pattern[i][j], pattern[u][v]) == (True, False)
            continue
        assert result.selector("aba") == [list(row) for row in pattern]
        if any(flat) and not all(flat):
            assert result.comparisons == known.get(pattern, result.comparisons)
            assert pattern in known or result.comparisons > 3


@least_share("none", 0.1)
@least_share("a selector", 0.1)
@given(st.integers(4, 5), st.data())
@settings(max_examples=15)
def test_larger_patterns(n: int, data: st.DataObject) -> None:
    """What is found gives the pattern; two pairs that exclude a selector have the same outcome of every comparison."""
    word = data.draw(st.text("ab", min_size=n, max_size=n))
    keys = [capax.tokens, capax.indices]
    queries = data.draw(st.sampled_from([[capax.tokens], [capax.indices, capax.tokens]]))
    shape = data.draw(st.sampled_from(["any", "made"]))
    if shape == "made":
        op = data.draw(st.sampled_from(COMPARISONS))
        made = build.select(keys[0], queries[-1], "==") | build.select(keys[1], capax.indices, op)
        pattern = [list(row) for row in made(word)]
    else:
        pattern = [data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for _ in range(n)]
    result = selector_for(pattern, word, keys, queries)
    if isinstance(result, FoundSelector):
        assert result.selector(word) == pattern
        count_outcome("a selector")
        return
    count_outcome("none")
    (i, j), (u, v) = result.selected, result.other
    assert (pattern[i][j], pattern[u][v]) == (True, False)
    for key, query, op in itertools.product(keys, queries, COMPARISONS):
        try:
            matrix = build.select(key, query, op)(word)
        except capax.CapaxError:
            continue
        assert matrix[i][j] == matrix[u][v]


def test_a_pattern_beyond_the_search_has_a_disjunction(monkeypatch: Any) -> None:
    """Where the search stops, an expression is given all the same, and not said to be the smallest."""
    from capax.rasp.analysis.pattern import expression

    monkeypatch.setattr(expression, "MOST_PAIRS", 20)
    pattern = [[(3 * i + j) % 4 == 1 for j in range(4)] for i in range(4)]
    result = selector_for(pattern, "abcd", [capax.indices], [capax.indices, build.constant(1), build.constant(2)])
    if isinstance(result, FoundSelector):
        assert not result.smallest
        assert result.selector("abcd") == pattern
