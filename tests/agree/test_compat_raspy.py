"""Programs for raspy: sums, as raspy has them, and the same as capax programs and as models."""

import itertools
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.compat import raspy, to_capax
from capax.compat.raspy import SOp, indices, key, query, tokens, where

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

before = key(indices) < query(indices)


def length() -> SOp:
    """The length, as raspy's users write it."""
    return (key(1) == query(1)).value(1).name("length")


def so_far(seq: SOp = tokens) -> SOp:
    """The sum of all values up to each place."""
    return (before | (key(indices) == query(indices))).value(seq).name("so far")


def moved(by: int, default: Any, seq: SOp = tokens) -> SOp:
    """The values some places to the right."""
    return (key(indices) == query(indices - by)).value(seq, default)


def smallest(seq: SOp = tokens) -> SOp:
    """The least value, at every place."""
    below = ((before & (key(seq) == query(seq))) | (key(seq) < query(seq))).value(1)
    return (key(below) == query(0)).value(seq).name("smallest")


def nearest_right(keep: SOp, seq: SOp = tokens) -> SOp:
    """Values that are not kept become the next kept one to the right."""
    count = so_far(keep)
    following = ((key(count) == query(count + 1)) & (key(keep) == query(True))).value(seq)
    return where(keep, seq, following)


PROGRAMS: dict[str, tuple[SOp, Any, Callable[[list[Any]], list[Any]]]] = {
    "flip": ((key(length() - indices - 1) == query(indices)).value(tokens), "abc", lambda w: w[::-1]),
    "histogram": ((key(tokens) == query(tokens)).value(1), "abc", lambda w: [w.count(x) for x in w]),
    "width": ((key(tokens) != query(tokens)).width(), "abc", lambda w: [len(w) - w.count(x) for x in w]),
    "so far": (so_far(), [-2, 1, 3], lambda w: list(itertools.accumulate(w))),
    "so far of places": (so_far(length() - indices), "ab", lambda w: [*itertools.accumulate(range(len(w), 0, -1))]),
    "moved": (moved(2, "_"), "abc", lambda w: ["_", "_", *w][: len(w)]),
    "smallest": (smallest(), [3, 1, 2], lambda w: [min(w)] * len(w)),
    "first b": (
        smallest(where(tokens == "b", indices, 99)),
        "abc",
        lambda w: [w.index("b") if "b" in w else 99] * len(w),
    ),
    "window": (
        ((key(indices) >= query(indices - 1)) & (key(indices) <= query(indices))).value(tokens),
        [1, 2, 3],
        lambda w: [sum(w[max(i - 1, 0) : i + 1]) for i in range(len(w))],
    ),
    "kept": (
        nearest_right(tokens != "<"),
        "ab<",
        lambda w: [next((x for x in w[i:] if x != "<"), 0) for i in range(len(w))],
    ),
    "not": (~(tokens == "a"), "ab", lambda w: [x != "a" for x in w]),
    "mapped": (tokens.map(lambda x: ord(x) - 97) % 2, "abc", lambda w: [(ord(x) - 97) % 2 for x in w]),
    "two of three": (
        SOp.zip(lambda x, y, z: (x + y + z) // 2, tokens, indices, indices + 1),
        [0, 1],
        lambda w: [(x + i + i + 1) // 2 for i, x in enumerate(w)],
    ),
    "default": ((key(tokens) == query("b")).value(indices, default=-7), "ab", lambda w: _at_b(w, -7)),
    "has": (1 - tokens.has("ab").map(int), "abc", lambda w: [0 if x in "ab" else 1 for x in w]),
}


def _at_b(word: list[Any], default: int) -> list[int]:
    places = [i for i, x in enumerate(word) if x == "b"]
    return [sum(places) if places else default] * len(word)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_translate_and_compile(name: str) -> None:
    """The program, its capax program and its model give what plain Python gives, on all words up to length 4."""
    made, vocabulary, wanted = PROGRAMS[name]
    found = to_capax(made, vocabulary, 6)
    model = found.compile(certify=False, words=30)
    for n in range(1, 5):
        for word in itertools.product(vocabulary, repeat=n):
            answer = wanted(list(word))
            assert made(list(word)) == answer
            assert made.input(list(word)).toseq() == answer
            assert found(word) == answer
            assert model(word) == answer


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=7),
    st.sampled_from(sorted(OPERATORS)),
    st.sampled_from(sorted(OPERATORS)),
    st.integers(-2, 2),
)
def test_values_are_summed(word: list[int], one: str, two: str, default: int) -> None:
    """A value is the sum over the selected keys, by its definition."""
    select_one = OPERATORS[one](key(tokens), query(indices))
    select_two = raspy.select(indices, tokens, OPERATORS[two])
    found = ((select_one & ~select_two) | select_two).value(tokens, default)(word)
    for i, answer in enumerate(found):
        picked = [x for j, x in enumerate(word) if OPERATORS[one](x, i) or OPERATORS[two](j, word[i])]
        assert answer == (sum(picked) if picked else default)
    shown = (select_one & ~select_two)(word).val
    assert shown == [
        [bool(OPERATORS[one](x, i) and not OPERATORS[two](j, word[i])) for i in range(len(word))]
        for j, x in enumerate(word)
    ]
