"""Examples as specifications."""

import pytest

from capax.errors import CapaxError
from capax.synthesis.examples import read_examples
from capax.synthesis.search import search


@pytest.mark.parametrize(
    ("line", "word", "answers"),
    [
        ("abc\tcba", ("a", "b", "c"), ["c", "b", "a"]),
        ("ab ba\tba ab", ("ab", "ba"), ["ba", "ab"]),
        ("aab\t2 2 1", ("a", "a", "b"), [2, 2, 1]),
        ("aab\tTrue", ("a", "a", "b"), [None, None, True]),
        ("aab\t0.5", ("a", "a", "b"), [None, None, 0.5]),
        ("ab\t-1 0", ("a", "b"), [-1, 0]),
        ("aab\tx", ("a", "a", "b"), [None, None, "x"]),
        ("aab\t12", ("a", "a", "b"), [None, None, 12]),
        ('aab\t"yes"', ("a", "a", "b"), [None, None, "yes"]),
    ],
)
def test_a_line_is_a_word_and_its_answers(line: str, word: tuple[str, ...], answers: list[object]) -> None:
    """One value for each position, or one for the last."""
    examples = read_examples(f"# comment\n\n{line}\n", "examples.tsv")
    assert examples.words == (word,)
    assert examples.spec.answers_of([word]) == [answers]


@pytest.mark.parametrize("text", ["", "abc", "abc\tcb a\n", "ab\tba\nab\tab\n", "\tabc"])
def test_what_is_no_example_is_refused(text: str) -> None:
    """No tab, another number of values, two outputs for one input, nothing at all."""
    with pytest.raises(CapaxError) as error:
        read_examples(text, "examples.tsv")
    assert error.value.code == "bad-examples"


@pytest.mark.parametrize(
    ("text", "line"),
    [("abc\tcba\nabc\tcb\n", 2), ("abc\tcba\nabca\tx\n", 2), ("abc\tcb\n", 1), ("abc\tx\nab\tyes\n", 2)],
)
def test_an_output_of_another_length_is_refused_with_its_line(text: str, line: int) -> None:
    """It is no single answer: those are True, False, numbers, one character or in quotes, in every line."""
    with pytest.raises(CapaxError) as error:
        read_examples(text, "examples.tsv")
    assert error.value.what.startswith(f"line {line} has ")


def test_examples_that_are_too_long_for_the_sample_are_counted() -> None:
    """Programs are tried on them when they fit the others, and the evidence says so."""
    examples = read_examples("abc\taaa\nba\tbb\nbabababab\tbbbbbbbbb\n", "examples.tsv")
    result = search(examples.spec, examples=examples.words)
    assert result.best is not None
    expected = "agrees with all 3 examples; 1 of more than 8 letters only tested at the end"
    assert result.best.evidence.text() == expected


def test_examples_alone_are_searched_for() -> None:
    """Four examples are enough for reverse, and the evidence says that they are all there is."""
    examples = read_examples("abc\tcba\nab\tba\nabca\tacba\naab\tbaa\n", "examples.tsv")
    result = search(examples.spec, examples=examples.words)
    assert result.best is not None
    assert list(result.best.program("abcabc")) == list("cbacba")
    assert result.best.evidence.text() == "agrees with all 4 examples"
