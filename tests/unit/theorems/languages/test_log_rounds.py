"""Automata by one shared block: the block's size, and the figure for S5."""

from functools import reduce
from random import Random

import pytest

from capax.compiler.compile import compile
from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.theorems.languages.log_rounds import by_rounds, prefix_maps, prefix_program

SWAP, TURN = (1, 0, 2, 3, 4), (1, 2, 3, 4, 0)
S5 = Dfa(("a", "b"), tuple((SWAP[q], TURN[q]) for q in range(5)), 0, frozenset({0}))
"""Five points, moved by two permutations that generate S5."""


def test_the_program_is_the_automaton() -> None:
    """On words far longer than those that are compiled in tests."""
    dfa = regex_dfa("(a|b(ab*a)*b)*", "ab")
    program, source = prefix_program(dfa, 300), Random(3)
    for length in (1, 2, 17, 300):
        word = "".join(source.choices("ab", k=length))
        assert list(program(word)) == [dfa.accepts(word[: i + 1]) for i in range(length)]


def test_the_model_is_certified_from_one_block() -> None:
    """At a length with four rounds."""
    model = by_rounds(regex_dfa("(aa)*", "ab"), 9, certify=True)
    assert model.provenance.certificate is not None
    lengths = {v["numbers"]: v["length"] for v in model.provenance.certificate["verdicts"]}
    assert lengths["float32"] == 9


def test_large_automata_and_long_words_are_refused() -> None:
    """With the theorem that takes them."""
    with pytest.raises(CapaxError, match="13 states"):
        prefix_program(Dfa(("a",), tuple(((q + 1) % 13,) for q in range(13)), 0, frozenset({0})), 5)
    with pytest.raises(CapaxError, match="letters"):
        by_rounds(regex_dfa("(aa)*", "a"), 5_000)


@pytest.mark.deep
def test_the_word_problem_of_s5_at_length_1024() -> None:
    """Ten rounds of a block of fewer than 50,000 parameters; no position wrong, and certified at every length."""
    identity = [m == str(q) for q, m in enumerate(prefix_maps(S5, 1024))]
    program = reduce(lambda a, b: a & b, identity)
    compiled = compile(program, alphabet="ab", max_length=1024, words=4, budget=100_000)
    assert compiled.size.loop is not None
    assert compiled.size.loop.block_parameters < 50_000
    assert compiled.certified_length == 1024
    source, positions = Random(7), 0
    words = ["".join(source.choices("ab", k=n)) for n in (1024, 1024, 1024, 1024, 513)]
    for word, answers in zip(words, compiled.model.batch(words), strict=True):
        points = tuple(range(5))
        for letter, answer in zip(word, answers, strict=True):
            points = tuple((SWAP if letter == "a" else TURN)[p] for p in points)
            assert answer == (points == tuple(range(5)))
            positions += 1
    assert positions > 4_000
