"""The inputs of a task for a search of wrong answers: rows of small numbers, each of which stands for a word."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.match3 import alice_tokens, bob_tokens, require_modulus
from capax.limits.protocols.sparse_averaging import alice_set, signs, token
from capax.limits.protocols.sparse_averaging import bob_tokens as sign_tokens
from capax.limits.witnesses.claimed_task import TaskClaim
from capax.limits.witnesses.search.tasks.parity import symbols
from capax.model.model import Model
from capax.model.parts import Array
from capax.tasks.sequential_composition import layout_of
from capax.tasks.tri_id_graph import reference, rows


@dataclass(frozen=True)
class Trial:
    """`ranges` has the number of values of each number of a row; `word` and `truth` are those of a row.

    `tolerance` is how far an answer may be from the truth, for answers that are numbers in units of `unit`. A truth is
    read at the position `read_at`, or is a list for all positions where that is None.
    """

    ranges: Array
    word: Callable[[list[int]], list[Any]]
    truth: Callable[[list[int]], Any]
    read_at: int | None
    tolerance: float = 0.0
    unit: float = 1.0

    def sample(self, random: np.random.Generator, count: int) -> Array:
        """Random rows; a third of them with few of the numbers other than 0, as sparse inputs are often hard."""
        rows = random.integers(0, self.ranges, (count, len(self.ranges)))
        keep = random.random((count, len(self.ranges))) < random.choice([1.0, 1.0, 0.2, 0.05], (count, 1))
        return np.where(keep, rows, 0)


def trial_of(model: Model, claim: TaskClaim) -> Trial:
    """The inputs of a claimed task."""
    match claim.task:
        case "composition":
            n = claim["n"]
            return Trial(np.full(2 * n + 1, n), list, lambda row: row[n + row[row[2 * n]]], 2 * n)
        case "parity":
            zero_one = symbols(model)
            n = claim["n"]
            return Trial(np.full(n, 2), lambda row: [zero_one[bit] for bit in row], lambda row: sum(row) % 2, n - 1)
        case "match3":
            return _match3(claim["n"], claim["modulus"])
        case "sparse-averaging":
            return _sparse(claim["q"], 1.0 if model.provenance.unit is None else model.provenance.unit)
        case "sequential-composition":
            layout = layout_of(claim["n"], str(claim.sizes["queries"]))
            return Trial(np.array(layout.ranges()), list, layout.value, layout.length - 1)
        case "triangle-graph":
            return _graph(claim["n"])
        case other:
            raise CapaxError("bad-option", f"there is no search for {other:.60}")


def _meet(row: list[int], n: int) -> int:
    return int(any(row[i] and row[n + i] for i in range(n)))


def _match3(n: int, modulus: int) -> Trial:
    require_modulus(n, modulus)

    def word(row: list[int]) -> list[Any]:
        return [*alice_tokens(row[:n], modulus), *bob_tokens(row[n:], modulus), 1]

    return Trial(np.full(2 * n, 2), word, lambda row: _meet(row, n), 2 * n)


def _sparse(q: int, unit: Any) -> Trial:
    def word(row: list[int]) -> list[Any]:
        return [*sign_tokens(signs(row[q:]), q), token(-1, alice_set(row[:q]))]

    def mean(row: list[int]) -> float:
        return sum(signs(row[q:])[position] for position in alice_set(row[:q])) / q

    return Trial(np.full(2 * q, 2), word, mean, 2 * q, 1 / (2 * q), float(unit))


def _graph(n: int) -> Trial:
    pairs = list(combinations(range(n), 2))

    def word(row: list[int]) -> list[Any]:
        return rows(n, {pair for pair, bit in zip(pairs, row, strict=True) if bit})

    return Trial(np.full(len(pairs), 2), word, lambda row: reference(word(row)), None)
