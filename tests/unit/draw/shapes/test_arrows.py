"""Arrows: one for each dependency, along lines that keep clear of text and of each other."""

from itertools import combinations, pairwise

import pytest

from capax.draw.ink.page import page
from capax.draw.ink.svg import svg
from capax.draw.shapes.shapes import Point, texts
from capax.draw.view.view import Arrow, Flow, Row, head_item, pick
from tests.support.pictures import CASES, drawn
from tests.support.views import VIEWS

Line = tuple[Point, Point]


def computed(view: Flow) -> list[Row]:
    """The rows of a flow that stand where they are computed, from top to bottom."""
    return [
        row
        for layer in view.layers
        for row in (*(output for head in layer.heads for output in head.outputs), *layer.feed_forward)
    ]


@pytest.mark.parametrize("name", [n for n in VIEWS if n not in ("heat", "side by side")])
def test_every_dependency_has_an_arrow(name: str) -> None:
    """What a head looks at and averages, and what a result is made from; and there is no other arrow."""
    view = VIEWS[name]()
    assert isinstance(view, Flow)
    wanted = set()
    origin = {row.item: (row.name, row.layer) for row in computed(view)}
    for layer in view.layers:
        for head in layer.heads:
            for role, rows in (("key", head.keys), ("query", head.queries), ("value", head.values)):
                wanted |= {(row.name, row.layer, head_item(head.label), role) for row in rows if row.item}
                assert all(row.item or "indices" not in row.name for row in rows)
        wanted |= {(*use, row.item, "part") for row in layer.feed_forward for use in row.uses}
    assert {(*origin[a.source], a.target, role) for a in view.arrows for role in a.roles} == wanted
    assert len({(a.source, a.target) for a in view.arrows}) == len(view.arrows)


def test_the_arrows_of_a_program() -> None:
    """By hand: reverse finds the length, then looks from the other end."""
    assert drawn("reverse", "ab").arrows == (
        Arrow("indices@0", "indicator(indices == 0)@0", ("part",)),
        Arrow("indicator(indices == 0)@0", "head 1.1", ("value",)),
        Arrow("head1.1@1", "length@1", ("part",)),
        Arrow("length@1", "(length - indices) - 1@1", ("part",)),
        Arrow("indices@0", "(length - indices) - 1@1", ("part",)),
        Arrow("indices@0", "head 2.1", ("key",)),
        Arrow("(length - indices) - 1@1", "head 2.1", ("query",)),
        Arrow("tokens@0", "head 2.1", ("value",)),
    )


def test_a_layer_alone_keeps_its_own_arrows() -> None:
    """Those with both ends in it."""
    layer = pick(drawn("reverse", "ab"), 1, None)
    assert isinstance(layer, Flow)
    assert [(a.source, a.target) for a in layer.arrows] == [
        ("head1.1@1", "length@1"),
        ("length@1", "(length - indices) - 1@1"),
    ]


@pytest.mark.parametrize("name", VIEWS)
def test_every_arrow_is_drawn_or_named_as_left_out(name: str) -> None:
    """A page has a line for each arrow; where there are too many, it says whose are missing."""
    view = VIEWS[name]()
    drawing = page(view)
    if not isinstance(view, Flow):
        assert drawing.routes == ()
        return
    missing = {(a.source, a.target) for a in view.arrows} - {(source, target) for source, target, _ in drawing.routes}
    names = {row.item: row.name for row in computed(view)}
    notes = [text.title or text.text for text, _ in texts(drawing.top) if "no arrows from" in text.title + text.text]
    assert bool(missing) == bool(notes)
    assert all(names[source] in notes[0] for source, _ in missing)
    assert bool(missing) == (name in ("many names", "long selectors"))


def lines(points: tuple[Point, ...]) -> list[Line]:
    """The segments of a line, each from its left or upper end; they are level or upright."""
    found = [(min(a, b), max(a, b)) for a, b in pairwise(points)]
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in found)
    return found


@pytest.mark.parametrize("name", VIEWS)
def test_lines_keep_clear_of_text(name: str) -> None:
    """No segment goes through the box of a text, and all are on the page."""
    drawing = page(VIEWS[name]())
    boxes = [box for text, box in texts(drawing.top) if text.text]
    segments = {line for _, _, points in drawing.routes for line in lines(points)}
    for (left, top), (right, bottom) in segments:
        assert 0 < left <= right < drawing.top.width
        assert 0 < top <= bottom < drawing.top.height
        for box in boxes:
            assert right < box[0] or left > box[2] or bottom < box[1] or top > box[3], (left, top, right, bottom, box)


@pytest.mark.parametrize("name", VIEWS)
def test_lines_of_different_arrows_do_not_lie_on_each_other(name: str) -> None:
    """Arrows that share neither source nor target meet at single points only."""
    routes = page(VIEWS[name]()).routes
    for one, two in combinations(routes, 2):
        if one[0] != two[0] and one[1] != two[1]:
            for a, b in ((a, b) for a in lines(one[2]) for b in lines(two[2])):
                for along, across in ((0, 1), (1, 0)):
                    level = a[0][across] == a[1][across] and b[0][across] == b[1][across]
                    near = level and abs(a[0][across] - b[0][across]) < 3
                    assert not near or min(a[1][along], b[1][along]) <= max(a[0][along], b[0][along]), (one, two)


@pytest.mark.parametrize("name", CASES)
def test_the_ink_has_a_trunk_for_each_source_and_a_head_for_each_target(name: str) -> None:
    """However many arrows share them."""
    view = drawn(name, CASES[name])
    text = svg(view)
    assert text.count("data-from=") == len({arrow.source for arrow in view.arrows})
    assert text.count('class="arrowhead"') == len({arrow.target for arrow in view.arrows})
