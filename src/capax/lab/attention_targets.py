"""Where the program's heads look, as matrices: what heads are supervised with and compared to."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from capax.lab.lessons.frame.lesson import Array, Batch, Look
from capax.lab.settings import Settings
from capax.lab.words import Data
from capax.rasp.python.program import Program


@cache
def program_of(text: str) -> Program:
    """The program of a RASP expression; the names of the library's paper examples are known."""
    return Program.from_text(f'load "paper_examples";\nlook = {text};', "look")


def look_matrices(data: Data, batch: Batch, look: Look) -> Array:
    """The rows of a head's selector, each divided by its sum (word, query, key); zeros where nothing is selected."""
    count, n = batch.inputs.shape
    found = np.zeros((count, n, n))
    for row, matrix in enumerate(program_of(look.selector).batch(data.shown(batch, row) for row in range(count))):
        selected: Any = np.array(matrix, dtype=np.float64)
        total = selected.sum(axis=1, keepdims=True)
        found[row, : len(selected), : len(selected)] = selected / np.where(total > 0, total, 1)
    return found


def looks_of(settings: Settings) -> tuple[Look, ...]:
    """The heads of the program that the settings' network has room for."""
    if settings.net != "transformer":
        return ()
    depth = settings.sublayers.count("s")
    found = settings.lesson.looks(settings.parameters, settings.first)
    return tuple(look for look in found if look.layer <= depth and look.head <= settings.heads)


def wanted_looks(data: Data, batch: Batch, looks: Sequence[Look]) -> list[tuple[int, int, Array]]:
    """The weights that heads should have: (layer, head, weights), both numbers from 0."""
    return [(look.layer - 1, look.head - 1, look_matrices(data, batch, look)) for look in looks]
