"""The tasks of matching and composition against definitions with all their quantifiers written out."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.tasks.composition import TASK as COMPOSITION
from capax.tasks.inputs.sequential_tables import SequentialLayout
from capax.tasks.iterated_composition import TASK as ITERATED
from capax.tasks.k_hop import NOWHERE
from capax.tasks.k_hop import TASK as K_HOP
from capax.tasks.match2 import TASK as MATCH2
from capax.tasks.match3 import TASK as MATCH3
from capax.tasks.match3_bigram import TASK as BIGRAM
from capax.tasks.match3_local import TASK as LOCAL
from capax.tasks.tri_id_graph import TASK as GRAPH
from capax.tasks.tri_id_graph import triangles

MODULI = st.integers(2, 9)


@st.composite
def residues(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A modulus and a word over 1 ... M."""
    modulus = draw(MODULI)
    return modulus, draw(st.lists(st.integers(1, modulus), min_size=1, max_size=7))


@given(residues(), st.integers(1, 3))
def test_matches_by_definition(case: tuple[int, list[int]], reach: int) -> None:
    """For every place, all places and all pairs of places."""
    modulus, word = case
    n = len(word)

    def hit(*places: int) -> bool:
        return sum(word[p] for p in places) % modulus == 0

    span = range(n)
    assert MATCH2.reference(word, modulus=modulus) == [int(any(hit(i, j) for j in span)) for i in span]
    triple = [int(any(hit(i, j, k) for j, k in product(span, span))) for i in span]
    assert MATCH3.reference(word, modulus=modulus) == triple
    assert BIGRAM.reference(word, modulus=modulus) == [int(any(hit(i, j, j + 1) for j in range(n - 1))) for i in span]
    near = [
        int(any(hit(i, j, k) for j, k in product(span, span) if max(abs(i - j), abs(i - k)) <= reach)) for i in span
    ]
    assert LOCAL.reference(word, modulus=modulus, reach=reach) == near


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.integers(1, 5))
def test_hops_by_definition(word: list[int], hops: int) -> None:
    """find(i) is the last j <= i, counted from 1, whose token before is x_i; 0 if there is none."""
    x = [None, *word]

    def find(i: int) -> int:
        return max([0, *(j for j in range(2, i + 1) if x[j - 1] == x[i])])

    wanted = []
    for i in range(1, len(x)):
        place = i
        for _ in range(hops):
            place = find(place) if place else 0
        wanted.append(x[place] if place else NOWHERE)
    assert K_HOP.reference(word, hops=hops, symbols=4) == wanted


@given(st.integers(0, 10_000), st.integers(3, 9))
def test_triangles_by_matrix_products(seed: int, n: int) -> None:
    """A vertex is in a triangle if the diagonal of the cube of the matrix says so."""
    word = GRAPH.samples(1, n, seed)[0]
    matrix = np.array([[int(bit) for bit in row] for row in word])
    assert (matrix == matrix.T).all()
    assert GRAPH.reference(word) == [int(count > 0) for count in triangles(word)]


@given(st.integers(2, 4), st.integers(1, 4), st.integers(0, 1_000))
def test_composition_by_functions(n: int, functions: int, seed: int) -> None:
    """The tables as Python functions."""
    word = COMPOSITION.samples(1, n, seed, functions=functions)[0]
    value = word[-1]
    for table in np.array(word[:-1]).reshape(functions, n):
        value = int(table[value])
    assert COMPOSITION.reference(word, functions=functions) == value


@given(st.integers(2, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1_000))
def test_iterated_composition_by_tables(n: int, steps: int, choices: int, seed: int) -> None:
    """The tables cut out of the prompt, the last one first, each entered at (w, i)."""
    word = ITERATED.samples(1, n, seed, steps=steps, choices=choices)[0]
    layout = SequentialLayout.uniform(n, steps, choices)
    assert len(word) == layout.length
    tables: dict[int, list[int]] = {}
    rest = list(word)
    for step in range(steps, 0, -1):
        tables[step], rest = rest[: layout.size(step - 1)], rest[layout.size(step - 1) :]
    value, queries = rest[0], rest[1:]
    assert len(queries) == steps - 1
    value = tables[1][value]
    for step, w in enumerate(queries, 2):
        value = np.array(tables[step]).reshape(choices, -1)[w, value]
    assert ITERATED.reference(word, steps=steps, choices=choices) == value
