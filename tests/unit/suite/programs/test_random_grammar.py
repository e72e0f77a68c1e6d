"""Random programs are drawn together with a text that says what they compute."""

import re

import pytest

from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.python.program import SOp
from capax.suite.programs.random_grammar import At, DrawnPart, RandomPrograms, bare, whole_text


def test_texts_are_whole() -> None:
    """Of many programs: brackets close, and every position that is named runs over something."""
    source = RandomPrograms(5)
    drawn = [source.program(depth) for depth in (1, 2, 3, 4) for _ in range(80)]
    texts = [whole_text(one, causal=number % 2 == 0) for number, one in enumerate(drawn)]
    assert len(set(texts)) > 150
    for text in texts:
        body = text.split(": ", 1)[1]
        assert body.count("(") == body.count(")")
        assert "length at" not in body
        named = set(re.findall(r"\b(?:number of|last|where) ([j-q])\b", body)) | {"i", "a", "b", "c"}
        assert set(re.findall(r"\b[a-q]\b", body.replace("is a", ""))) <= named


COUNT = re.compile(r"\(the number of j such that the letter at j( [-+] \d)? is (that at i|[abc])\)")


def test_a_text_is_what_the_program_computes() -> None:
    """Programs with a count and nothing else, computed from the text's own words."""
    source = RandomPrograms(1)
    drawn = [source.count(2, At()) for _ in range(60)]
    read = [(one.op, match) for one in drawn if (match := COUNT.fullmatch(one.text))]
    assert len(read) > 15
    for op, match in read:
        step = int((match[1] or "0").replace(" ", ""))
        for word in ("abca", "ccb", "b"):
            letters = [word[j + step] if 0 <= j + step < len(word) else "" for j in range(len(word))]
            counts = [letters.count(here if match[2] == "that at i" else match[2]) for here in word]
            assert evaluate_batch(op.node, [tuple(word)]) == [counts], match[0]


@pytest.mark.parametrize(("text", "without"), [("(a (b))", "a (b)"), ("(a) + (b)", "(a) + (b)"), ("a", "a"), ("", "")])
def test_brackets_around_the_whole_go(text: str, without: str) -> None:
    """Those around parts stay."""
    assert bare(text) == without


def test_hidden_positions_are_said() -> None:
    """The length that a position sees is its own, then; and letters beside the word are nothing."""
    source = RandomPrograms(0)
    shape = DrawnPart(source.letters(At()).op, "the letter at i - 1 if length at i = 2, else a")
    assert isinstance(shape.op, SOp)
    assert whole_text(shape, causal=True) == (
        "A random program. At each position i, from 0, no position seeing later ones: "
        'the letter at i - 1 if (i + 1) = 2, else a. A letter that is not there is "".'
    )
    assert "if the length = 2, else" in whole_text(shape, causal=False)
