"""Programs from answers: right on words longer than those fitted, for what fits in a small memory."""

from collections.abc import Callable, Sequence
from itertools import product

import pytest

from capax.decompiler.automaton import Answers
from capax.decompiler.black_box import black_box, varied_words
from capax.decompiler.naming import program_of, size
from capax.decompiler.sample import Word

TARGETS: dict[str, Callable[[Word], object]] = {
    "the last two letters": lambda w: w[-2:] == ("a", "b"),
    "more of one letter": lambda w: w.count("a") > w.count("b"),
    "at least three": lambda w: w.count("b") >= 3,
    "the first letter again": lambda w: w[0] == w[-1],
    "a letter at an even position": lambda w: w[-1] == "b" and "b" not in w[::2],
    "twice as many": lambda w: 2 * w.count("a") > w.count("b") + 1,
}


def answers(target: Callable[[Word], object]) -> Answers:
    """A target as something that is asked about words."""

    def ask(words: Sequence[Word]) -> list[object]:
        return [target(word) for word in words]

    return ask  # type: ignore[return-value]


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_is_found(name: str) -> None:
    """Fitted to 6 letters, right on words of 7 to 12."""
    target = TARGETS[name]
    result = black_box(answers(target), "ab", longest=6)
    assert result.answer is not None
    assert size(result.answer) <= 30
    words = varied_words("ab", range(7, 13), 200, 3)
    assert [row[-1] for row in program_of(result.answer, {}).batch(words)] == [target(word) for word in words]


def test_no_small_memory() -> None:
    """Palindromes need a memory that grows: none of those tried suffices, and no program is made up."""
    result = black_box(answers(lambda w: w == w[::-1]), "ab", longest=7)
    assert result.answer is None


def test_varied_words_have_the_lengths_asked_for() -> None:
    """And letters of the alphabet, the same ones for the same seed."""
    words = varied_words("abc", range(3, 6), 60, 1)
    assert {len(word) for word in words} == {3, 4, 5}
    assert {letter for word in words for letter in word} == set("abc")
    assert words == varied_words("abc", range(3, 6), 60, 1)
    assert set(words) <= {w for n in (3, 4, 5) for w in product("abc", repeat=n)}
