"""Alphabets with tokens that are equal but not the same: 1, 1.0 and True."""

import itertools

import numpy as np
import pytest

import capax
from capax import indices, select, selector_width, tokens, tokens_asis
from capax.certify.recheck.recheck import recheck
from tests.support.perturbed import changed

ALPHABET = [1, 1.0, True, 2]
PROGRAMS = {
    "as strings": tokens,
    "compared with a string": tokens == "1.0",
    "counted as strings": selector_width(select(tokens, tokens, "==")),
    "counted as numbers": selector_width(select(tokens_asis, tokens_asis, "==")),
    "as numbers": tokens_asis + indices,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_tokens_are_read_by_their_own_names(name: str) -> None:
    program = PROGRAMS[name]
    compiled = capax.compile(program, alphabet=ALPHABET, max_length=3)
    assert compiled.certified_length == 3
    for word in itertools.product(ALPHABET, repeat=3):
        assert compiled(word) == program(word)


def test_the_row_of_each_equal_token_is_checked() -> None:
    model = capax.compile(tokens, alphabet=ALPHABET, max_length=2).model
    assert recheck(model).holds
    wrong = 0
    for place in range(np.asarray(model.embedding).size):
        for by in (1.0, -1.0):
            other = changed(model, "embedding", place, by)
            if other(ALPHABET[:2]) != ["1", "1.0"] or other(ALPHABET[2:]) != ["True", "2"]:
                wrong += 1
                assert not recheck(other).holds
    assert wrong >= len(ALPHABET)
