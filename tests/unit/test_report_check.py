"""The one checker: blocks of words, all short words, and comparisons."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.report import AnswerComparison, Mismatch, blocks, compare, short_words


@given(st.lists(st.text("ab", max_size=6), max_size=30), st.integers(1, 80), st.none() | st.integers(1, 5))
def test_blocks_keep_all_words_in_order_and_are_bounded(words: list[str], cells: int, most: int | None) -> None:
    """Only a word that is too long by itself goes beyond the bound."""
    found = [*blocks(words, cells, most)]
    assert [word for block in found for word in block] == words
    for block in found:
        assert len(block) == 1 or len(block) * max(map(len, block)) ** 2 <= cells
        assert most is None or len(block) <= most


def test_short_words_fit_the_budget() -> None:
    """2 + 4 + 8 words fit 20, and with the next 16 they do not."""
    words, longest = short_words("ab", 9, 20)
    assert (len(words), longest) == (14, 3)
    assert short_words("ab", 2, 20) == ([("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")], 2)
    assert short_words("ab", 9, 20, least=4) == (
        [tuple(f"{n:04b}".replace("0", "a").replace("1", "b")) for n in range(16)],
        4,
    )
    assert short_words("abc", 9, 2) == ([], 0)


def upper(words: list[str]) -> list[str]:
    """The words in capitals."""
    return [word.upper() for word in words]


def test_a_wrong_answer_ends_the_comparison() -> None:
    """Its word is counted, and those after it are not."""
    words = ["a", "b", "c", "d"]
    comparison = compare(words, upper, lambda block: [w.upper() if w != "c" else "x" for w in block], cells=100)
    assert comparison == AnswerComparison(3, Mismatch("c", "x", "C"), {})
    report = comparison.report("capitals", 7, lambda wrong: {"word": wrong.word})
    assert (report.holds, report.evidence, report.count, report.seed) == (False, "sampled", 3, 7)
    assert report.counterexample == {"word": "c"}


@pytest.mark.parametrize("cells", [1, 100])
def test_words_without_an_expected_answer_are_not_compared(cells: int) -> None:
    """The first word of each kind of error is noted."""

    def expected(block: list[str]) -> list[object]:
        return [CapaxError("bad-option", "not a letter") if word.isdigit() else word.upper() for word in block]

    comparison = compare(["a", "1", "2", "b"], upper, expected, cells=cells)
    assert comparison == AnswerComparison(2, None, {"bad-option": "1"})
    assert comparison.report("capitals", None, repr).evidence == "exhaustive"
    assert compare(["1"], upper, expected, cells=cells).count == 0


def test_what_is_the_same_is_for_the_caller_to_say() -> None:
    """Answers may differ by case here."""
    assert compare(["a"], upper, list, same=lambda right, answer: right == answer.lower(), cells=9).wrong is None
