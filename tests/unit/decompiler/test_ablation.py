"""Ablation: a part that does nothing is not missed, one that does all the work is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import capax
from capax.decompiler.ablation import ablate
from capax.decompiler.attention_fit import fit_attention
from capax.decompiler.black_box import varied_words
from capax.decompiler.sample import Word
from capax.model.model import Model
from tests.support.audit_subjects import gpt

WORDS = varied_words("abc", range(1, 7), 60, 0)


def answers(model: Model, words: Sequence[Word]) -> list[object]:
    """All answers in a row."""
    return [a for row in model.batch(words) for a in row]


def test_the_heads_of_reverse_are_needed() -> None:
    """Both heads: the one that copies, and the one that gives the length."""
    model = capax.compile(capax.library.reverse, alphabet="abc", max_length=6).model
    kept = {part.part: part.kept for part in ablate(model, WORDS, answers)}  # type: ignore[arg-type]
    assert {"head 1.1", "head 2.1"} <= set(kept)
    assert kept["head 1.1"] < 0.8
    assert kept["head 2.1"] < 0.8


def test_a_silent_head_is_not_missed() -> None:
    """A head whose output is 0 can go; so every answer stays."""
    model = gpt(1, letters=("a", "b", "c"))
    block = model.blocks[0]
    silent = replace(block.heads[0], output=np.zeros_like(block.heads[0].output))
    quiet = replace(model, blocks=(replace(block, heads=(silent,)),))
    kept = {part.part: part.kept for part in ablate(quiet, WORDS, answers)}  # type: ignore[arg-type]
    assert kept["head 1.1"] == 1.0
    assert set(kept) == {"head 1.1", "MLP 1"}


def test_attention_that_is_a_sum_of_tables() -> None:
    """Without positions the attention is a table by tokens: fitted to the last place, and every answer stays."""
    model = gpt(1, letters=("a", "b", "c"))
    table = model.positions.table
    assert table is not None
    flat = replace(model, positions=replace(model.positions, table=np.zeros_like(table)))
    layer = fit_attention(flat, WORDS, varied_words("abc", range(1, 9), 50, 1))
    assert layer is not None
    assert layer.agreement == 1.0
    assert max(head.residual for head in layer.heads) < 1e-5
    assert fit_attention(gpt(2, letters=("a", "b", "c")), WORDS, WORDS) is None
