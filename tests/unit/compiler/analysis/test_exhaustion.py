"""A program on all words: which values stand for which, and what that changes."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import CapaxError, aggregate, full_s, indices, select, selector_width, tokens, tokens_asis
from capax.compiler.analysis.exhaustion import exhaust, stand_ins
from capax.compiler.domain import domain
from capax.rasp.meaning import reference

X = tokens_asis
SO_FAR = select(indices, indices, "<=")
MEAN = aggregate(SO_FAR, X)


@given(st.lists(st.sampled_from([0, 0.1, 0.1 + 2**-56, 0.1 - 2**-57, 0.3, 0.1 + 0.2, 1e-17, -1e-16, "a", 2, 2.5])))
def test_one_value_stands_for_those_that_differ_by_rounding(values: list[Any]) -> None:
    stand = stand_ins(values)
    assert set(stand) == set(values)
    for one, two in product(stand, repeat=2):
        near = one == two or (not isinstance(one, str) and not isinstance(two, str) and abs(one - two) < 1e-15)
        assert (stand[one] == stand[two]) == near
    assert set(stand.values()) <= set(values)


@given(st.sets(st.sampled_from([0, 1, 0.1, 0.7]), min_size=1, max_size=2), st.integers(1, 4))
def test_values_on_all_words_are_those_of_the_definition(letters: set[float], longest: int) -> None:
    node = aggregate(SO_FAR, MEAN).node
    words = [word for n in range(1, longest + 1) for word in product(sorted(letters), repeat=n)]
    slow = {v for word in words for v in reference.evaluate(node, word).values}  # type: ignore[union-attr]
    whole = exhaust(node, domain(sorted(letters), longest))  # type: ignore[arg-type]
    assert whole is not None
    assert set(whole.column(node)) == slow  # type: ignore[arg-type]
    listed = whole.values(node)  # type: ignore[arg-type]
    assert set(listed.values) <= slow
    distances = whole.distances(node, listed)  # type: ignore[arg-type]
    assert distances is not None
    assert max(distances.values(), default=0.0) <= 2.0**-50


def test_words_on_which_the_program_fails_are_left_out() -> None:
    whole = exhaust((1 / X).node, domain([0, 1], 2))
    assert whole is not None
    assert whole.words == ((1,), (1, 1))
    assert exhaust((1 / X).node, domain([0], 2)) is None


@pytest.mark.parametrize(
    ("program", "alphabet", "n"),
    [
        (MEAN < 0.1, [0.1, 0.3], 6),
        (aggregate(SO_FAR, MEAN) > 0.5, [0, 1], 6),
        (selector_width(select(aggregate(full_s, X), 0.1, "<")), [0.1, 0.3], 5),
        (round(aggregate(full_s, X * 0.7)), [0, 1], 6),
    ],
)
def test_what_words_settle_is_compiled(program: Any, alphabet: list[Any], n: int) -> None:
    """Bounds cannot tell these apart from ties; on the words there are none, or they are all rounded alike."""
    compiled = capax.compile(program, alphabet=alphabet, max_length=n, certify=False, words=0)
    words = [word for k in range(1, n + 1) for word in product(alphabet, repeat=k)]
    assert [list(a) for a in compiled.batch(words)] == [list(program(list(word))) for word in words]


def test_strings_beside_numbers_are_not_listed_by_words() -> None:
    """Where an s-op is a string on words on which the program fails, its other values are not all that it can be."""
    before = select(indices, indices, "<")
    with pytest.raises(CapaxError) as caught:
        capax.compile(aggregate(before, aggregate(before, tokens, 1e16)), alphabet="ab(", max_length=2)
    assert caught.value.code == "too-many-values"


def test_what_words_show_is_refused() -> None:
    """One integer is an integer, the mean of several is a float, and beyond 2^53 they differ."""
    with pytest.raises(CapaxError) as caught:
        capax.compile(MEAN + 10**16 > 10**16, alphabet=[0, 1], max_length=3)
    assert caught.value.code == "rests-on-rounding"
    assert caught.value.data["words"] == [[0], [1]]
