"""The words of the check, and the comparison of answers."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import indices, tokens
from capax.compiler.check.agreement import compare, hard_words, random_words, same
from capax.compiler.domain import Domain
from capax.model.vocabulary import Vocabulary

ALPHABETS: list[tuple[Any, ...]] = [("a",), ("a", "b"), tuple("abcdefgh"), (1, 2.5, True, "x")]


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("longest", [1, 7])
def test_random_words_are_of_the_domain(alphabet: tuple[Any, ...], longest: int) -> None:
    """Tokens of the alphabet with their types, several lengths and often the greatest, the same from one seed."""
    domain = Domain(alphabet, longest)
    words = random_words(domain, 200, 3)
    assert len(words) == 200
    lengths = Counter(len(word) for word in words)
    assert set(lengths) <= set(range(1, longest + 1))
    assert len(lengths) >= min(longest, 3)
    assert lengths[longest] >= 80
    known = {(type(token), token) for token in alphabet}
    assert {(type(token), token) for word in words for token in word} == known
    assert words == random_words(domain, 200, 3)
    assert longest == 1 or words != random_words(domain, 200, 4)


def test_random_words_have_few_tokens_and_many() -> None:
    """Half are over a few tokens of the alphabet, and half have the greatest length."""
    words = random_words(Domain(tuple("abcdefgh"), 60), 300, 0)
    long = [word for word in words if len(word) == 60]
    assert 100 < len(long) < 200
    assert 30 < sum(len(set(word)) <= 4 for word in long) < len(long) - 30
    assert {len(set(word)) for word in long} >= {1, 2, 3, 4, 8}


class Answering:
    """Something that answers as it was told to."""

    vocabulary = Vocabulary(("a", "b", "c"))

    def __init__(self, answers: list[Any]) -> None:
        self.answers = answers

    def batch(self, words: list[Any]) -> list[Any]:
        """The answers."""
        return [self.answers for _ in words]


VALUES = st.sampled_from([0, 1, 2, True, False, 0.0, 1.0, 1.0 + 1e-15, 1e-18, 0.5, 0.5 + 1e-16, "a", "1"])


@given(st.lists(VALUES, min_size=3, max_size=3), st.booleans())
def test_answers_are_compared_value_by_value(answers: list[Any], typed: bool) -> None:
    """As `same` compares two: also where all are equal at once."""
    comparison = compare(Answering(answers), indices.node, [("a", "b", "c")], typed=typed)  # type: ignore[arg-type]
    right = all(same(e, a, typed=typed) for e, a in zip([0, 1, 2], answers, strict=True))
    assert (comparison.wrong is None) == right


def test_types_are_compared_where_asked() -> None:
    """True equals 1, and is another type."""
    answers = [1.0, 0, 1]
    program = (tokens == "a").node
    for typed in (False, True):
        comparison = compare(Answering(answers), program, [("a", "b", "a")], typed=typed)  # type: ignore[arg-type]
        assert (comparison.wrong is None) == (not typed)


def test_few_hard_words_are_of_the_greatest_length_and_of_lengths_that_differ() -> None:
    """The budget goes to all kinds of words of the greatest length first, and to short ones before nearly the same."""
    lengths = Counter(len(word) for word in hard_words(Domain(tuple("abcd"), 60), 150))
    assert set(lengths) == {60, 30, 2, 59}
    assert lengths[60] == lengths[30] == 55 > lengths[59]
