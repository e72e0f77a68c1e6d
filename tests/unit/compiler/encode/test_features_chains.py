"""Features of what heads read at one key: those of a chain of pointers are read along, and no unit computes them."""

import itertools

import capax
from capax import aggregate, best, indices, select, tokens

FOLLOWS = select(aggregate(select(indices, indices - 1, "=="), tokens, ""), tokens, "==")
HOP = aggregate(best(FOLLOWS & select(indices, indices, "<="), indices), indices, -1)
TWICE = aggregate(select(indices, HOP, "=="), HOP, -1)
THREE = aggregate(select(indices, TWICE, "=="), HOP, -1)


def test_a_chain_of_pointers_has_no_units() -> None:
    """Two and three hops, whose squares the scores need, at a length at which units would be many."""
    for pointer, layers in ((TWICE, 4), (THREE, 5)):
        program = aggregate(select(indices, pointer, "=="), tokens, "")
        size = capax.compile(program, alphabet="abc", max_length=60, words=10, causal=True, certify=False).size
        assert size.mlp_depth == (0,) * layers


def test_it_is_the_program_and_certified() -> None:
    """A hop that leads nowhere has the square of its default."""
    program = aggregate(select(indices, TWICE, "=="), tokens, "")
    compiled = capax.compile(program, alphabet="abc", max_length=12, words=20, causal=True)
    assert compiled.certified_length == 12
    words = ["".join(w) for n in (1, 4, 6) for w in itertools.product("abc", repeat=n)]
    for word, right in zip(words, capax.library.hop2.batch(words), strict=True):
        assert list(compiled(word)) == list(right)
