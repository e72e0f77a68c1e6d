"""Text pictures fit the width, whatever the program and the input."""

import re

import pytest

from capax import aggregate, indices, select, selector_width, tokens
from capax.app.resolve import resolve
from capax.draw.ink.terminal import binned, sign, terminal
from capax.draw.shapes.text_width import columns
from capax.draw.subjects.heat import side_by_side
from capax.draw.view.flow import flow
from tests.support.pictures import CASES, drawn, letters
from tests.support.views import long_selector

WORDS = {**CASES, "sort(tokens, tokens)": ["a", "extraordinarily long token", "漢字", "", " "], "reverse": letters(200)}


@pytest.mark.parametrize("width", [8, 12, 17, 23, 30, 47, 80, 200])
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


def test_an_overview_shows_shares() -> None:
    """A fifth of the keys selected gives pale signs only, and a legend says what the signs mean."""
    view = drawn('select(tokens, "h", ==)', "hello" * 60)
    lines = terminal(view, width=80).splitlines()
    grid = [line.strip() for line in lines if line.strip().startswith("│")]
    assert set("".join(grid)) <= set("│▒░ ")
    assert {weight for row in binned(view.layers[1].heads[0].cells, 60, 30) for weight in row} == {0.2}
    assert any("░ <1/4" in line and "share selected" in line for line in lines)


@pytest.mark.parametrize(("n", "step"), [(300, 1), (301, 3), (1000, 7)])
def test_bins_hold_means(n: int, step: int) -> None:
    """The mean over all bins of equal size is the share of all pairs; a full grid stays full."""
    (head,) = drawn("select(indices, indices, <)", letters(n)).layers[1].heads
    assert head.cells.step == step
    bins = binned(head.cells, 10, 5)
    assert (len(bins), len(bins[0])) == (5, 10)
    assert sum(map(sum, bins)) / 50 == pytest.approx(0.5, abs=0.02)
    (head,) = drawn("full_s", letters(n)).layers[1].heads
    assert {sign(weight, head.cells.kind) for row in binned(head.cells, 10, 5) for weight in row} == {"█"}


def test_weights_have_signs_of_their_own() -> None:
    """1, 1/2, 1/3 and 1/5 look different in a small grid."""
    mean = aggregate(select(indices, indices, "<="), indices)
    lines = terminal(flow(mean, "abcde"), width=60).splitlines()
    rows = [line.split("│")[1].replace(" ", "") for line in lines if "│" in line]
    assert rows == ["█····", "▓▓···", "▒▒▒··", "▒▒▒▒·", "░░░░░"]


@pytest.mark.parametrize(("n", "mark"), [(4, "counts"), (200, "counts: how many keys a query selects")])
def test_a_head_that_counts_says_so(n: int, mark: str) -> None:
    """In place of the values."""
    lines = terminal(flow(selector_width(select(tokens, tokens, "==")), letters(n)), width=80).splitlines()
    assert mark in [line.strip() for line in lines]
    assert not any(line.strip().startswith("value ") for line in lines)


def test_both_sides_are_printed() -> None:
    """A prediction, the weights, and their difference."""
    text = terminal(side_by_side(resolve("reverse").program, "ab", [[0, 1], [0.5, 0.5]], name="learned"), width=60)
    assert "_flip" in text
    assert "learned" in text
    assert text.endswith("difference: at most 0.5")


def test_where_a_head_s_sequences_come_from() -> None:
    """By layer, below what the selector is."""
    lines = terminal(drawn("hist2_bos", "§aab"), width=90).splitlines()
    assert "  ← input: indices, _is_start; layer 1: _is_first, hist_bos" in lines
    assert not any(line.strip() == "←" for line in terminal(drawn("full_s", "ab"), width=90).splitlines())


def test_long_selectors_take_several_lines() -> None:
    """Nothing is cut where a few lines hold it."""
    view = flow(aggregate(long_selector(8), indices), "ab")
    text = " ".join(line.strip() for line in terminal(view, width=60).splitlines())
    assert view.layers[1].heads[0].name in text
