"""Where the program's heads look, as matrices: what heads are supervised with and compared to."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from capax.lab.data import Data
from capax.lab.settings import Settings
from capax.rasp.python.program import Program
from capax.tasks.base.training import Array, AttentionTarget, TrainingBatch


@cache
def program_of(text: str) -> Program:
    """The program of a RASP expression; the names of the library's paper examples are known."""
    return Program.from_text(f'load "paper_examples";\ntarget = {text};', "target")


def target_weights(data: Data, batch: TrainingBatch, target: AttentionTarget) -> Array:
    """The rows of a head's selector, each divided by its sum (word, query, key); zeros where nothing is selected.

    The program reads the word without an EOS token: its length is that of the word, and the token selects nothing.
    """
    count, n = batch.inputs.shape
    weights = np.zeros((count, n, n))
    ends = data.settings.has_eos
    words = (data.tokens(batch, row) for row in range(count))
    for row, matrix in enumerate(program_of(target.selector).batch(word[: len(word) - ends] for word in words)):
        selected: Any = np.array(matrix, dtype=np.float64)
        total = selected.sum(axis=1, keepdims=True)
        weights[row, : len(selected), : len(selected)] = selected / np.where(total > 0, total, 1)
    return weights


def targets_of(settings: Settings) -> tuple[AttentionTarget, ...]:
    """The heads of the program that the settings' network has room for."""
    if settings.net != "transformer":
        return ()
    depth = settings.sublayers.count("s")
    targets = settings.training.attention_targets(settings.parameters, settings.has_bos)
    return tuple(target for target in targets if target.layer <= depth and target.head <= settings.heads)


def all_target_weights(
    data: Data, batch: TrainingBatch, targets: Sequence[AttentionTarget]
) -> list[tuple[int, int, Array]]:
    """The weights that heads should have: (layer, head, weights), both numbers from 0."""
    return [(target.layer - 1, target.head - 1, target_weights(data, batch, target)) for target in targets]
