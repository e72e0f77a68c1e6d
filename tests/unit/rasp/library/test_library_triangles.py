"""Edges in triangles, against a search for the third vertex: any number of edges, and any number of vertices."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from tests.unit.rasp.library.cases import value

Edges = list[tuple[int, int]]


def in_triangle(edges: Edges) -> list[bool]:
    """Whether each edge is in a directed triangle of three different vertices."""
    vertices = {v for edge in edges for v in edge}
    return [any((v, w) in edges and (w, u) in edges and len({u, v, w}) == 3 for w in vertices) for u, v in edges]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ([23, 34, 42], [True, True, True]),
        ([11], [False]),
        ([11, 12, 21], [False, False, False]),
        ([12, 24, 45, 51], [False] * 4),
        ([12, 13, 14], [False] * 3),
        ([12, 23, 13], [False] * 3),
        ([12, 99, 23, 89, 31, 98], [True, False, True, False, True, False]),
    ],
)
def test_small_graphs(word: list[int], expected: list[bool]) -> None:
    """Triangles of any vertices; loops, edges back, longer cycles, stars and shortcuts are none."""
    assert capax.library.in_triangle(word) == expected


def test_all_graphs_of_four_vertices_in_both_directions() -> None:
    """An undirected edge is two tokens; then the answers are about undirected triangles."""
    pairs = list(itertools.combinations(range(6, 10), 2))
    for count in range(1, len(pairs) + 1):
        for chosen in itertools.combinations(pairs, count):
            edges = [(a, b) for u, v in chosen for a, b in ((u, v), (v, u))]
            assert capax.library.in_triangle([10 * u + v for u, v in edges]) == in_triangle(edges)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25))
def test_ten_vertices(edges: Edges) -> None:
    assert capax.library.in_triangle([10 * u + v for u, v in edges]) == in_triangle(edges)


@given(st.lists(st.tuples(*[st.sampled_from([0, 7, 12, 99])] * 2), min_size=1, max_size=12))
def test_a_hundred_vertices(edges: Edges) -> None:
    """Two digits for each vertex."""
    program = value("edge_in_triangle(tokens_int // 100, tokens_int % 100)")
    assert program([100 * u + v for u, v in edges]) == in_triangle(edges)
