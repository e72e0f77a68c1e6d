"""The definition of selectors over triples, held to plain loops and to values worked out by hand."""

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError, aggregate, indices, on_first, on_keys, on_second, select, select3, tokens_asis
from capax.rasp.ir.nodes import Node
from capax.rasp.meaning.reference import ReferenceEvaluation

WORDS = st.lists(st.integers(-4, 6), min_size=1, max_size=4)
X = tokens_asis
TOTAL = select3(X, X * 2, indices, lambda s: s == 3)
MODULO = select3(X, X * 2, indices, lambda s: s % 5 < 2)
BEFORE = select(indices, indices, "<")

SELECTED: dict[str, tuple[object, Callable[[list[int], int, int, int], bool]]] = {
    "a sum": (TOTAL, lambda x, i, j, k: x[j] + 2 * x[k] + i == 3),
    "a remainder": (MODULO, lambda x, i, j, k: (x[j] + 2 * x[k] + i) % 5 < 2),
    "first": (on_first(BEFORE), lambda x, i, j, k: j < i),
    "second": (on_second(BEFORE), lambda x, i, j, k: k < i),
    "keys": (on_keys(BEFORE), lambda x, i, j, k: j < k),
    "and": (TOTAL & on_first(BEFORE), lambda x, i, j, k: x[j] + 2 * x[k] + i == 3 and j < i),
    "or": (TOTAL | on_keys(BEFORE), lambda x, i, j, k: x[j] + 2 * x[k] + i == 3 or j < k),
    "not": (~MODULO, lambda x, i, j, k: (x[j] + 2 * x[k] + i) % 5 >= 2),
}


def mean_of_first(word: list[int], selects: Callable[[list[int], int, int, int], bool]) -> list[float]:
    """For each query the mean of the positions of the first keys of selected pairs; -7 where there is none."""
    result = []
    for i in range(len(word)):
        pairs = itertools.product(range(len(word)), repeat=2)
        picked = [10 * j for j, k in pairs if selects(word, i, j, k)]
        result.append(sum(picked) / len(picked) if picked else -7)
    return result


@pytest.mark.parametrize("name", SELECTED)
@given(word=WORDS)
def test_means_over_pairs(name: str, word: list[int]) -> None:
    triples, selects = SELECTED[name]
    program = aggregate(triples, indices * 10, -7)
    node: Node = program.node
    assert list(ReferenceEvaluation(word).value(node).values) == mean_of_first(word, selects)  # type: ignore[arg-type]


def test_one_pair_gives_its_value_and_two_a_float() -> None:
    """By hand: of [1, 2], the query at 0 selects (1, 0) alone, and the query at 1 selects (0, 1) and (1, 0)."""
    one = aggregate(select3(X, indices * 9, indices, lambda s: s == 2), X, 0)
    assert one([1, 2]) == [2, 1]
    assert [type(v) for v in one([1, 2])] == [int, int]
    two = aggregate(on_first(select(indices, 0, ">=")), X, 0)
    assert two([1, 2]) == [1.5, 1.5]


@pytest.mark.parametrize("word", [[1, 2.0], ["1", "2"], [True, False]])
def test_only_integers_are_added(word: list[object]) -> None:
    with pytest.raises(CapaxError) as raised:
        aggregate(select3(X, X, indices, lambda s: s == 3), indices)(word)
    assert raised.value.code == "sum-of-non-integers"
