"""Graphs in rows: order, distances, and lines that no box covers."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from capax.draw.subjects.layered_graph import GAP, THIN, Edge, crossings, lay_out, levels

SIZES = st.lists(st.tuples(st.floats(10, 200), st.floats(10, 60)), min_size=1, max_size=9)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[float, float]], list[Edge]]:
    """Boxes, and lines that go from earlier boxes to later ones."""
    sizes = draw(SIZES)
    pairs = [(low, high) for high in range(len(sizes)) for low in range(high)]
    return sizes, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_boxes_are_apart_and_lines_go_between_them(graph: tuple[list[tuple[float, float]], list[Edge]]) -> None:
    """Boxes of a row are a gap apart, lines lead upwards, and where a line passes a row no box stands."""
    sizes, edges = graph
    found = lay_out(sizes, edges, 40.0)
    spans = [(x - w / 2, x + w / 2, y - h / 2, y + h / 2) for (x, y), (w, h) in zip(found.middles, sizes, strict=True)]
    points = [x for x, *_ in spans] + [x - THIN / 2 for bends in found.bends.values() for x, _ in bends]
    assert abs(min(points)) < 1e-6
    row = levels(len(sizes), edges)
    for number in set(row):
        mine = sorted(spans[box] for box in range(len(sizes)) if row[box] == number)
        assert all(b[0] - a[1] >= GAP - 1e-6 for a, b in pairwise(mine))
    for edge in edges:
        assert found.middles[edge[1]][1] < found.middles[edge[0]][1]
        bends = found.bends[edge]
        for (x0, low), (x1, high) in zip(bends[::2], bends[1::2], strict=True):
            assert x0 == x1
            assert high <= low
            middle = (low + high) / 2
            assert not any(left < x0 < right and top < middle < under for left, right, top, under in spans)


def test_crossings_are_counted_and_undone() -> None:
    """Two lines that cross do so no more when one row is turned round."""
    assert crossings([[0, 1], [2, 3]], [(0, 3), (1, 2)]) == 1
    found = lay_out([(20, 10)] * 4, [(0, 3), (1, 2)], 30)
    assert (found.middles[0][0] < found.middles[1][0]) == (found.middles[3][0] < found.middles[2][0])


def test_what_has_nothing_below_stands_close_to_what_is_above() -> None:
    """A chain of three, and a box that lies within its top alone."""
    assert levels(4, [(0, 1), (1, 2), (3, 2)]) == [0, 1, 2, 1]


def test_the_ground_is_the_lowest_row() -> None:
    """A box that lies within the top of a chain alone stands at its foot if it belongs to the ground."""
    edges = [(0, 1), (1, 2), (3, 2)]
    assert levels(4, edges) == [0, 1, 2, 1]
    found = lay_out([(20, 10)] * 4, edges, 30, ground=[0, 3])
    assert found.middles[3][1] == found.middles[0][1]
    assert len(found.bends[3, 2]) == 2
