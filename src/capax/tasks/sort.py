"""Sort: the tokens of the word in order."""

import numpy as np

from capax.tasks.base.training import Array, AttentionTarget, ParameterValues, Training
from capax.tasks.inputs.letters import SYMBOLS, letter_task, letters, to_letters, uniform_batches

BEFORE = "(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <)))"


def reference(word: list[str], symbols: int) -> list[str]:
    """The tokens in the order of the alphabet: a, ..., z, A, ..., Z, x52, ..."""
    return sorted(word, key=letters(symbols).index)


def _answer(inputs: Array, at: ParameterValues) -> Array:
    return np.sort(inputs, axis=1)


def _attention_targets(at: ParameterValues, bos: bool) -> tuple[AttentionTarget, ...]:
    """The tokens that go before this one, and then the token whose rank is this position."""
    if bos:
        # The BOS token stands before all and is smaller than no letter's own rank.
        rank_of = f"(0 if indices == 0 else 1 + selector_width({BEFORE} and select(indices, 0, >)))"
        before = f"(({BEFORE} and select(indices, 0, >)) or select(indices, 0, ==))"
        return (
            AttentionTarget(1, 1, before, "goes before"),
            AttentionTarget(2, 1, f"select({rank_of}, indices, ==)", "grab"),
        )
    rank = f"selector_width({BEFORE})"
    return (AttentionTarget(1, 1, BEFORE, "goes before"), AttentionTarget(2, 1, f"select({rank}, indices, ==)", "grab"))


TASK = letter_task(
    "sort",
    "the tokens of the word in order",
    reference,
    Training(
        to_letters,
        uniform_batches(_answer),
        (SYMBOLS,),
        attention_targets=_attention_targets,
        values=lambda at, bos: {} if bos else {"rank": f"selector_width({BEFORE})"},
        program=lambda at, bos: None if bos else f"aggregate(select(selector_width({BEFORE}), indices, ==), tokens)",
    ),
)
