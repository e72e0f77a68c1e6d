"""Words that stand for all words: a program has on them every value that it has."""

from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from capax import aggregate, best, full_s, indices, select, selector_width, tokens_asis, where
from capax.rasp.analysis.all_words import reads_no_position, words_for_all
from capax.rasp.meaning import reference

X = tokens_asis
COUNT = selector_width(full_s)
SELECTORS = (full_s, select(X, X, "=="), select(X, X, "<"), ~select(X, X, "<=") | select(X, 1, "=="))


def values(node: Any, words: Any) -> set[Any]:
    """The values of a node on words, with their types."""
    return {(type(v), v) for word in words for v in reference.evaluate(node, word).values}


@given(
    st.sampled_from(SELECTORS),
    st.sampled_from(SELECTORS),
    st.sampled_from([X, X * COUNT, COUNT / 3]),
    st.sets(st.sampled_from([0, 1, 0.1, -2, 7]), min_size=1, max_size=3),
    st.integers(1, 4),
)
def test_a_program_without_positions_has_all_its_values_on_words_in_order(
    outer: Any, inner: Any, what: Any, letters: set[float], longest: int
) -> None:
    mean = aggregate(inner, what, 5)
    node = where(mean > X, aggregate(outer, (X - mean) * (X - mean)), selector_width(outer)).node
    alphabet = sorted(letters)
    every = [word for n in range(1, longest + 1) for word in product(alphabet, repeat=n)]
    words = words_for_all(node, alphabet, longest)
    assert reads_no_position(node)
    assert words is not None
    assert set(words) == {tuple(sorted(word)) for word in every}
    assert values(node, words) == values(node, every)


def test_positions_lists_and_the_best_need_every_word() -> None:
    for program in (indices, aggregate(best(full_s, X), X), aggregate(select(indices, 0, "=="), X)):
        assert not reads_no_position(program.node)
        assert words_for_all(program.node, "ab", 3) == [w for n in (1, 2, 3) for w in product("ab", repeat=n)]


def test_many_words_stand_for_nothing() -> None:
    program = aggregate(full_s, X)
    assert words_for_all(program.node, range(10), 8) is not None
    assert words_for_all(program.node, range(10), 20) is None
    assert words_for_all(program.node, "ab", 3, most=8) is None
