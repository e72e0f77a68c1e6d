"""Values as codes of a list: types, zeros of both signs, and what cannot happen."""

from typing import Any

import numpy as np
import pytest

from capax.certify.values import coded_values as values
from capax.certify.values.coded_values import IMPOSSIBLE, Values, coded, distinct


@pytest.mark.parametrize("many", [1, 1000])
def test_codes_tell_types_and_signs_of_zero_apart(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one, and at once for floats alone and for integers alone."""
    monkeypatch.setattr(values, "MANY", many)
    for given in (
        [1, 1.0, True, "1", 1],
        [0.0, -0.0, 0, False, 0.0],
        [0.5, -0.5, 0.5, 0.0, -0.0],
        ["a", IMPOSSIBLE],
        [3, -1, 3],
        [2**70, 1],
    ):
        codes, listed = coded(given)
        back = [IMPOSSIBLE if c < 0 else listed[c] for c in codes.tolist()]
        assert [repr(v) for v in back] == [repr(v) for v in given]
        assert len({(type(v), repr(v)) for v in listed}) == len(listed)
    codes, listed = coded(iter([]))
    assert (codes.tolist(), listed) == ([], ())


def test_values_of_combinations() -> None:
    """Those that occur, in the order of the list; numbers that stand for them; -1 for what cannot happen."""
    found = Values((), np.array([2, 0, -1, 2]), ("a", "b", "c"))
    assert found.occurring() == ["a", "c"]
    assert Values((), np.array([-1]), ("a",)).occurring() == []
    assert found.at(np.array([1, 1, 0])).tolist() == ["b", "b", "a"]
    assert found.mapped({"a": 7, "c": 5}, some=False).tolist() == [5, 7, -1, 5]
    assert found.mapped({"a": 7}, some=True).tolist() == [-1, 7, -1, -1]
    assert found.numbered().tolist() == [1, 0, -1, 1]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["b", 2, "a", 1, 2], [1, 2, "a", "b"]),
        ([1.0, 1], [1]),
        ([True, 1], [1]),
        ([True, 1.0, 0.5], [0.5, 1]),
        ([True, True, False], [False, True]),
        ([2.5, -1.0], [-1.0, 2.5]),
        ([], []),
    ],
)
def test_each_value_once(given: list[Any], expected: list[Any]) -> None:
    """Numbers before strings, each in order; the integer stands for equal values of several types."""
    assert [(type(v), v) for v in distinct(given)] == [(type(v), v) for v in expected]


def test_many_numbers_are_told_apart_at_once_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Integers stand for equal floats, zeros keep their sign, booleans and strings are not among them."""
    source = np.random.default_rng(7)
    pool = [0.0, -0.0, 1, 1.0, 2, -3, -3.0, 0.5, True, 2**60, float(2**60), 2**60 + 1, "a", 1e-300, np.inf, 0.25, 0.125]
    for _ in range(60):
        few = [pool[i] for i in source.permutation(len(pool))[: source.integers(2, 9)]]
        given = [few[i] for i in source.integers(0, len(few), 600)]
        monkeypatch.setattr(values, "MANY", 10**6)
        one_by_one = [repr(v) for v in distinct(given)]
        monkeypatch.setattr(values, "MANY", 500)
        assert [repr(v) for v in distinct(given)] == one_by_one
