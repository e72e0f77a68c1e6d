"""Text pictures fit the width, whatever the program and the input."""

import re

import pytest

from capax.app.resolve import resolve
from capax.draw.heat import side_by_side
from capax.draw.measure import columns
from capax.draw.terminal import terminal
from tests.unit.draw.pictures import CASES, drawn, letters

WORDS = {**CASES, "sort(tokens, tokens)": ["a", "extraordinarily long token", "漢字", "", " "], "reverse": letters(200)}


@pytest.mark.parametrize("width", [30, 47, 80, 200])
@pytest.mark.parametrize("name", WORDS)
def test_no_line_is_wider_than_asked(name: str, width: int) -> None:
    """At every width, in columns of a terminal; colour adds no columns."""
    view = drawn(name, WORDS[name])
    plain = terminal(view, width=width)
    assert max(columns(line) for line in plain.splitlines()) <= width
    painted = terminal(view, width=width, colour=True)
    bare = re.sub(r"\x1b\[[\d;]*m", "", painted)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


def test_a_long_input_is_an_overview() -> None:
    """5,000 tokens take as many lines as a screen or two."""
    assert len(terminal(drawn("reverse", letters(5000)), width=80).splitlines()) < 130


def test_both_sides_are_printed() -> None:
    """A prediction, the weights, and their difference."""
    text = terminal(side_by_side(resolve("reverse").program, "ab", [[0, 1], [0.5, 0.5]], name="learned"), width=60)
    assert "_flip" in text
    assert "learned" in text
    assert text.endswith("difference: at most 0.5")
