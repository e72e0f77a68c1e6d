"""Most frequent: the different tokens of the word, the most frequent first."""

from collections import Counter

import numpy as np

from capax.tasks.base.training import Array, AttentionTarget, ParameterValues, Training, Vocabularies
from capax.tasks.double_histogram import EARLIER, FIRST_ONES, is_first
from capax.tasks.histogram import SAME, SAME_OR_FIRST, counts
from capax.tasks.inputs.letters import SYMBOLS, letter_task, letters, uniform_batches

FILLING = "§"


def reference(word: list[str], symbols: int) -> list[str]:
    """The different tokens by falling count, of equal ones the earlier first; then § to the end of the word."""
    tokens = [token for token, _ in Counter(word).most_common()]  # equal counts stay in the order of first occurrence
    return tokens + [FILLING] * (len(word) - len(tokens))


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    known = letters(at["symbols"])
    return Vocabularies(known, (*known, FILLING))


def _answer(inputs: Array, at: ParameterValues) -> Array:
    """By falling count, of equal ones the earlier first."""
    n = inputs.shape[1]
    weight = np.where(is_first(inputs), counts(inputs) * (n + 1) - np.arange(n), -1)
    order = np.argsort(-weight, axis=1, kind="stable")
    listed = np.take_along_axis(inputs, order, axis=1)
    there = np.take_along_axis(weight, order, axis=1) >= 0
    return np.where(there, listed, at["symbols"])


def _attention_targets(at: ParameterValues, bos: bool) -> tuple[AttentionTarget, ...]:
    count = f"selector_width({SAME})"
    more = f"select({count}, {count}, >)"
    equal = f"(select({count}, {count}, ==) and select(indices, indices, <))"
    before = f"(({more} or {equal}) and {FIRST_ONES})"
    if bos:
        before = f"(({before} and select(indices, 0, >)) or select(indices, 0, ==))"
    slot = f"(selector_width({before}) if not has_focus({EARLIER}) else -1)"
    if bos:
        slot = f"(0 if indices == 0 else {slot})"
    return (
        AttentionTarget(1, 1, SAME_OR_FIRST if bos else SAME, "same token"),
        AttentionTarget(1, 2, EARLIER, "same, earlier"),
        AttentionTarget(2, 1, before, "listed before"),
        AttentionTarget(3, 1, f"select({slot}, indices, ==)", "grab"),
    )


TASK = letter_task(
    "most-frequent",
    "the different tokens of the word, the most frequent first, then § to its end",
    reference,
    Training(
        _vocabularies,
        uniform_batches(_answer),
        (SYMBOLS,),
        attention_targets=_attention_targets,
        values=lambda at, bos: {"count": f"selector_width({SAME})"},
    ),
)
