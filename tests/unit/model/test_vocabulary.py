"""Tokens become rows and logits become answers: what arrays give is what the definitions give, one by one."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.vocabulary import Classes, Nearest, Numbers, Vocabulary

FLOATS = st.floats() | st.integers(-4, 4).map(lambda n: n / 2)


def nearest(codes: list[float], x: float) -> int:
    """The definition: of two codes that are equally near the smaller; what is not a number is the first."""
    return 0 if math.isnan(x) else min(range(len(codes)), key=lambda i: (abs(codes[i] - x), i))


@given(st.lists(st.integers(-6, 6).map(lambda n: n / 2), min_size=1, max_size=6, unique=True), st.lists(FLOATS))
@example([0.0, 1.0], [0.5, -math.inf, math.inf, math.nan, 1.0, 0.0, 0.75])
def test_the_nearest_code(codes: list[float], numbers: list[float]) -> None:
    codes = sorted(codes)
    decoding = Nearest(tuple(codes), tuple(range(len(codes))))
    finite = [x for x in numbers if math.isnan(x) or abs(x) < 1e15]  # further away all distances are one float
    assert decoding.decode(np.array(finite, float)[:, None]) == [nearest(codes, x) for x in finite]
    ends = {x: decoding.decode(np.array([[x]]))[0] for x in (-math.inf, -1e308, 1e308, math.inf)}
    assert list(ends.values()) == [0, 0, len(codes) - 1, len(codes) - 1]


def test_answers_are_plain_values() -> None:
    """Numbers of Python, whatever the type of the logits."""
    assert Classes(("a", 1, True)).decode(np.array([[0, 2, 1], [3, 3, 0]])) == [1, "a"]
    for kind in (np.float32, np.int64):
        answers = Numbers().decode(np.array([[2], [0]], kind))
        assert [(type(x), x) for x in answers] == [(float, 2.0), (float, 0.0)]


TOKENS = Vocabulary(("a", "1", 1, 2.0, True, 0))


@pytest.mark.parametrize(
    ("word", "rows"),
    [
        (["a", "1", 1, 2.0, True, 0], [0, 1, 2, 3, 4, 5]),
        ("a1", [0, 1]),
        ([np.int64(1), np.float64(2), np.bool_(True), np.str_("a")], [2, 3, 4, 0]),
        (iter(["a", np.int64(0)]), [0, 5]),
    ],
)
def test_rows_are_those_of_equal_tokens_of_one_type(word: Any, rows: list[int]) -> None:
    assert TOKENS.rows(word) == rows


@pytest.mark.parametrize("token", ["b", 2, 1.0, False, None, [], np.float64(1)])
def test_an_unknown_token_has_its_position(token: Any) -> None:
    with pytest.raises(CapaxError, match="at position 1"):
        TOKENS.rows(["a", token])
