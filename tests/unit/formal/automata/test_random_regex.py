"""Random expressions are seeded, and have the letters they should."""

import re

import numpy as np

from capax.formal.automata.dfa import words_up_to
from capax.formal.automata.random_regex import random_expressions, random_regex, up_to_names
from capax.formal.automata.regex import regex_dfa


def test_the_same_seed_gives_the_same_expressions() -> None:
    """And another one others."""
    first, again, other = (list(random_expressions(seed, 30)) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_expressions_mean_what_they_mean_to_python() -> None:
    """On all words of up to 4 letters; each has as many letters as it should."""
    for regex, letters, dfa in random_expressions(2, 25):
        pattern = re.compile(regex.replace(".", f"[{letters}]"))
        for word in words_up_to(letters, 4):
            assert dfa.accepts(word) == (pattern.fullmatch("".join(word)) is not None)
    random = np.random.default_rng(0)
    for leaves in (1, 4, 9):
        assert len(re.sub(r"[^ab.]", "", random_regex(random, "ab", leaves))) == leaves


def test_names_of_letters_do_not_matter() -> None:
    """A language and the same with a and b exchanged; not another one."""
    shapes = [up_to_names(regex_dfa(regex, "ab")) for regex in ("a*b", "b*a", "ab*")]
    assert shapes[0] == shapes[1] != shapes[2]
