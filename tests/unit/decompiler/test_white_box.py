"""Compiled networks, stripped and rotated, come back as programs with their answers on all short words."""

from itertools import product

import pytest

import capax
from capax.decompiler.naming import program_of, size
from capax.decompiler.sample import short_words
from capax.decompiler.white_box import unfit, white_box
from capax.model.adapt.rotation import anonymous
from tests.support.audit_subjects import gpt


@pytest.mark.parametrize("name", ["hist_nobos", "first_occurrence", "majority", "parity", "dyck1_ptf"])
def test_library_programs_come_back(name: str) -> None:
    """The same answers on all words of up to 5 letters, no more layers or heads, at most twice the nodes."""
    letters = {"majority": "01", "parity": "01", "dyck1_ptf": "()"}.get(name, "abc")
    program = getattr(capax.library, name)
    model = anonymous(capax.compile(program, alphabet=letters, max_length=8).model)
    result = white_box(model, short_words(letters, 6, 120, 0), letters)
    assert result.answer is not None, result.reason
    again = program_of(result.answer, {})
    words = [word for n in range(1, 6) for word in product(letters, repeat=n)]
    assert again.batch(words) == program.batch(words)
    assert capax.schedule(again).heads_merged == tuple(len(block.heads) for block in model.blocks if block.heads)
    assert size(result.answer) <= 2 * size(program.node)


def test_a_head_that_copies() -> None:
    """A default, and a position that depends on the length, are found again."""
    program = capax.aggregate(capax.select(capax.indices, capax.indices - 2, "=="), capax.tokens, "b")
    model = anonymous(capax.compile(program, alphabet="abc", max_length=8).model)
    result = white_box(model, short_words("abc", 6, 80, 0), "abc")
    assert result.answer is program.node


def test_trained_models_are_not_read_so() -> None:
    """Norms, and tokens before the word, make a model unfit."""
    assert unfit(gpt(1, seed=1)) is not None
    result = white_box(gpt(1, seed=1), [("0",)], ("0", "1"))
    assert result.answer is None
    assert result.reason == unfit(gpt(1, seed=1))
