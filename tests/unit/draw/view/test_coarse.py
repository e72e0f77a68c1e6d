"""Pictures of many large grids: fewer cells, each the mean of those that it stands for."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from capax import indices, select, selector_width, tokens
from capax.draw.ink.html import html
from capax.draw.ink.svg import svg
from capax.draw.subjects.heat import heat, side_by_side
from capax.draw.view.coarse import coarse
from capax.draw.view.flow import flow
from capax.draw.view.view import Cells, Flow, LayerBox, SideBySide, View, grids, pick
from tests.support.pictures import drawn, letters


def many_heads(count: int, n: int) -> Flow:
    """A flow of many heads whose pairs lie scattered."""
    total = indices
    for k in range(1, count + 1):
        scattered = select(indices * k % 7, indices * (k + 2) % 5, "<=") & select(tokens, tokens, "==")
        total = total + selector_width(scattered)
    return flow(total, letters(n, "ab"))


def learned(n: int, seed: int = 1) -> list[list[float]]:
    """A matrix of random weights."""
    source = random.Random(seed)
    rows = [[source.random() ** 9 for _ in range(n)] for _ in range(n)]
    return [[weight / total for weight in row] for row in rows for total in [sum(row)]]


def blocks(cells: Cells, step: int) -> list[list[float]]:
    """The means of blocks of cells, by the definition; a cell that averages is selected or not."""
    chosen = [[float(w > 0) if cells.kind == "average" else w for w in row] for row in cells.rows]
    starts = range(0, cells.size, step)
    found = [[[w for row in chosen[i : i + step] for w in row[j : j + step]] for j in starts] for i in starts]
    return [[sum(block) / len(block) for block in row] for row in found]


def test_many_heads_stay_small() -> None:
    """Under 1 MB at 300 tokens, with every head in place."""
    view = many_heads(20, 300)
    assert len(svg(view).encode()) < 1_000_000
    assert len(html(view).encode()) < 1_000_000
    assert [g.name for g in grids(coarse(view))] == [g.name for g in grids(view)]
    assert len(html(many_heads(20, 2000)).encode()) < 1_000_000


def test_a_cell_is_the_mean_of_its_pairs() -> None:
    """As the definition says; the last ones stand for fewer pairs."""
    view = many_heads(14, 299)
    made = coarse(view)
    assert isinstance(made, Flow)
    for before, after in zip(grids(view), grids(made), strict=True):
        assert (after.cells.kind, after.cells.size) == ("density", 299)
        assert after.cells.step > 1
        for row, expected in zip(after.cells.rows, blocks(before.cells, after.cells.step), strict=True):
            assert row == pytest.approx(expected)


def test_overviews_are_joined_by_the_pairs_they_stand_for() -> None:
    """The share of all pairs stays what it was."""

    def share(cells: Cells) -> float:
        sizes = [min(cells.step, cells.size - k * cells.step) for k in range(len(cells.rows))]
        weighed = (w * a * b for row, a in zip(cells.rows, sizes, strict=True) for w, b in zip(row, sizes, strict=True))
        return sum(weighed) / cells.size**2

    view = many_heads(20, 1000)
    for before, after in zip(grids(view), grids(coarse(view)), strict=True):
        assert after.cells.step > before.cells.step > 1
        assert share(after.cells) == pytest.approx(share(before.cells))


def test_weights_stay_weights() -> None:
    """Two matrices side by side, or the heads of a model: means, and the legend says so."""
    n = 300
    heads = tuple(replace(heat(learned(n, k)), label=f"1.{k}") for k in (1, 2, 3))
    view = Flow("model", "", n, (LayerBox(1, heads, ()),))
    made = grids(coarse(view))[0].cells
    assert (made.kind, made.step > 1) == ("weights", True)
    assert made.rows[0] == pytest.approx(blocks(heads[0].cells, made.step)[0])
    assert "mean weight" in svg(view)
    assert len(html(view).encode()) < 1_000_000
    both = side_by_side(selector_width(select(tokens, tokens, "==")), letters(n, "ab"), learned(n))
    joined = coarse(both)
    assert isinstance(joined, SideBySide)
    assert len(html(both).encode()) < 1_000_000


@pytest.mark.parametrize(
    "make",
    [
        lambda: many_heads(30, 50),
        lambda: drawn("dyck2_ptf", letters(300, "(){}")),
        lambda: pick(many_heads(20, 300), 1, 3),
        lambda: heat(learned(120)),
    ],
    ids=["short words", "few heads", "one head of many", "a matrix"],
)
def test_what_is_small_stays_as_it_is(make: Callable[[], View]) -> None:
    """Short words, few heads, one head of many, and a small matrix."""
    view = make()
    assert coarse(view) is view
