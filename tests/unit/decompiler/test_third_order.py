"""Heads of third order: sums and conjunctions come back, and other pairs of keys are left unexplained."""

from itertools import product

import capax
from capax import select3, tokens_int
from capax.decompiler.naming import program_of
from capax.decompiler.sample import short_words
from capax.decompiler.white_box import white_box
from capax.model.adapt.rotation import anonymous

LETTERS = [0, 1, 2, 3]


def test_match3_comes_back() -> None:
    """The modulus, and the same answers on all words of up to 4 integers."""
    model = anonymous(capax.compile(capax.library.match3, alphabet=LETTERS, max_length=5).model)
    result = white_box(model, short_words(LETTERS, 5, 80, 0), LETTERS)
    assert result.answer is not None, result.reason
    assert "sum % 7 == 0" in program_of(result.answer, {}).to_text()
    words = [word for n in range(1, 5) for word in product(LETTERS, repeat=n)]
    assert program_of(result.answer, {}).batch(words) == capax.library.match3.batch(words)


def test_edges_of_triangles_come_back() -> None:
    """A conjunction of selectors of query and keys: the same answers on all words of up to 4 edges."""
    edges = [11, 12, 23, 31]
    model = anonymous(capax.compile(capax.library.in_triangle, alphabet=edges, max_length=5).model)
    result = white_box(model, short_words(edges, 5, 120, 0), edges)
    assert result.answer is not None, result.reason
    words = [word for n in range(1, 5) for word in product(edges, repeat=n)]
    assert program_of(result.answer, {}).batch(words) == capax.library.in_triangle.batch(words)


def test_other_triples_are_not_explained() -> None:
    """A sum that is large is neither a sum that is given nor a conjunction: no program is made up."""
    large = select3(tokens_int, tokens_int, tokens_int, lambda total: total > 4)
    model = capax.compile(capax.selector_width(large), alphabet=LETTERS, max_length=3).model
    result = white_box(model, short_words(LETTERS, 3, 60, 0), LETTERS)
    assert result.pairs[0].selector is None
    assert result.answer is None
    assert result.reason == "the answers do not follow from head 1.1"


def test_a_count_of_pairs() -> None:
    """How many pairs of keys add up to a multiple of 3 with the query."""
    program = capax.selector_width(select3(tokens_int, tokens_int, tokens_int, lambda total: total % 3 == 0))
    model = anonymous(capax.compile(program, alphabet=LETTERS[:3], max_length=4).model)
    result = white_box(model, short_words(LETTERS[:3], 4, 60, 0), LETTERS[:3])
    assert result.answer is program.node
