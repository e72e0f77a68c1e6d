"""The words a model is made for: what is accepted, and what is refused."""

from typing import Any

import pytest

import capax
from capax import CapaxError, indices, tokens
from capax.compiler.domain import domain


@pytest.mark.parametrize(
    ("alphabet", "found"),
    [
        ("ab", ("a", "b")),
        (["ab", "c"], ("ab", "c")),
        ((1, 2), (1, 2)),
        (range(3), (0, 1, 2)),
        ({"b", "a"}, ("a", "b")),
        ([1, True, 1.0], (1, True, 1.0)),
    ],
)
def test_alphabets(alphabet: Any, found: tuple[Any, ...]) -> None:
    """Characters of a string, elements of a collection; equal numbers of different types are different tokens."""
    made = domain(alphabet, 3).alphabet
    assert made == found
    assert [type(t) for t in made] == [type(t) for t in found]


@pytest.mark.parametrize("alphabet", ["", [], "aa", [1, 1], 5, None, [None], [[1]], [float("nan")], {"a": 1}])
def test_bad_alphabets(alphabet: Any) -> None:
    """No tokens, tokens twice, no collection, no tokens in it."""
    with pytest.raises(CapaxError) as raised:
        domain(alphabet, 3)
    assert raised.value.code == "bad-alphabet"


@pytest.mark.parametrize(
    "settings",
    [
        {"max_length": 0},
        {"max_length": True},
        {"max_length": 2.0},
        {"max_length": 10**9},
        {"dtype": "float16"},
        {"mlp_depth": 0},
        {"mlp_depth": True},
        {"budget": 0},
        {"budget": "many"},
        {"words": -1},
        {"words": 10**9},
    ],
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    """Settings that make no sense."""
    with pytest.raises(CapaxError) as raised:
        capax.compile(tokens, **{"alphabet": "ab", "max_length": 3} | settings)
    assert raised.value.code == "bad-option"


def test_words_outside_the_domain() -> None:
    """Unknown tokens, words that are too long and the empty word are refused, not answered."""
    compiled = capax.compile(indices, alphabet="ab", max_length=3)
    for word, code in (("abc", "unknown-token"), ("abab", "word-length"), ("", "word-length"), ([1], "unknown-token")):
        with pytest.raises(CapaxError) as raised:
            compiled(word)
        assert raised.value.code == code
