"""Double histogram: how many different tokens occur in the word as often as the one at each position."""

from collections import Counter

import numpy as np

from capax.tasks.base.training import Array, AttentionTarget, ParameterValues, Training
from capax.tasks.histogram import SAME, SAME_OR_FIRST, counts
from capax.tasks.inputs.letters import MOST, SYMBOLS, letter_task, to_counts, uniform_batches

EARLIER = f"({SAME} and select(indices, indices, <))"
FIRST_ONES = f"select(not has_focus({EARLIER}), True, ==)"


def reference(word: list[str], symbols: int) -> list[int]:
    """The number of tokens whose count is that of the token at this position."""
    counts_of = Counter(word)
    return [sum(count == counts_of[token] for count in counts_of.values()) for token in word]


def is_first(inputs: Array) -> Array:
    """Whether a token occurs for the first time (word, position)."""
    n = inputs.shape[1]
    earlier = np.tri(n, n, -1, dtype=bool)
    return np.asarray(~((inputs[:, :, None] == inputs[:, None, :]) & earlier).any(axis=2))


def _answer(inputs: Array, at: ParameterValues) -> Array:
    count = counts(inputs)
    alike = (count[:, :, None] == count[:, None, :]) & is_first(inputs)[:, None, :]
    return np.asarray(np.minimum(alike.sum(axis=2), at["most"]) - 1)


def _attention_targets(at: ParameterValues, bos: bool) -> tuple[AttentionTarget, ...]:
    same = SAME_OR_FIRST if bos else SAME
    count = f"selector_width({SAME})"
    alike = f"(select({count}, {count}, ==) and {FIRST_ONES})"
    second = f"({alike} or select(indices, 0, ==))" if bos else alike
    return (
        AttentionTarget(1, 1, same, "same token"),
        AttentionTarget(1, 2, EARLIER, "same, earlier"),
        AttentionTarget(2, 1, second, "same count"),
    )


TASK = letter_task(
    "double-histogram",
    "how many different tokens occur in the word as often as the one at each position",
    reference,
    Training(
        to_counts,
        uniform_batches(_answer),
        (SYMBOLS, MOST),
        attention_targets=_attention_targets,
        values=lambda at, bos: {"count": f"selector_width({SAME})"},
    ),
)
