"""Fooling recurrent models: two prefixes of one length that lead to one state, for any step function.

Statement: a recurrent model that reads N bits and then is asked for any one of them (1-sparse averaging) needs a state
of N bits: else two prefixes share a state, and every answer about a bit in which they differ is wrong for one of them.
Cite: Sanford, Hsu and Telgarsky (2023) state m >= (N - 1) / 2 for q-sparse averaging; this is counting.
Scope: only the step function is looked at; what is read off the state plays no part.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.limits.witnesses.search.additive import Stop
from capax.model.parts import Array

MOST: Final = 1 << 20
"""The most prefixes that are kept at once."""


@dataclass(frozen=True)
class Prefixes:
    """Two prefixes with one state, or none; `prefixes` is how many were kept at most, `length` how long they became."""

    one: tuple[int, ...] | None
    two: tuple[int, ...] | None
    prefixes: int
    length: int
    every: bool


def prefix_collision(
    step: Callable[[Array, int], Array], start: Array, length: int, *, symbols: int = 2, stop: Stop | None = None
) -> Prefixes:
    """The first two prefixes of at most `length` symbols, of one length, that lead to one state.

    `step(states, symbol)` is any function on arrays (states, numbers) of integers, a row for each state. All prefixes
    are tried while these are at most 2^20, then longer ones at random.
    """
    random = np.random.default_rng(0)
    states: Array = np.asarray(start)[None, :]
    # a prefix is kept as the symbol that was read last and the position of its beginning in the row before
    history: list[tuple[Array, Array]] = []
    count, every = 1, True
    for depth in range(1, length + 1):
        if stop is not None and stop():
            return Prefixes(None, None, count, depth - 1, every)
        if count * symbols <= MOST:
            groups = [np.arange(count)] * symbols
        else:
            every = False
            symbol_of = random.integers(0, symbols, count)
            groups = [np.flatnonzero(symbol_of == symbol) for symbol in range(symbols)]
        parents = np.concatenate(groups)
        read = np.repeat(np.arange(symbols), [len(group) for group in groups])
        states = np.concatenate([step(states[group], symbol) for symbol, group in enumerate(groups)])
        history.append((parents, read))
        count = len(parents)
        equal = _equal(states)
        if equal is not None:
            one, two = (_prefix(history, position) for position in equal)
            return Prefixes(one, two, count, depth, every)
    return Prefixes(None, None, count, length, every)


def _equal(states: Array) -> tuple[int, int] | None:
    """The positions of two equal states."""
    keys = row_keys(states)
    order = np.argsort(keys)
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    for at in same[:64]:
        one, two = int(order[at]), int(order[at + 1])
        if (states[one] == states[two]).all():
            return min(one, two), max(one, two)
    return None


def row_keys(states: Array) -> Array:
    """One number for each row, by a random linear map mod 2^64: equal rows have equal numbers."""
    rows = np.ascontiguousarray(states).astype(np.uint64)
    if rows.shape[1] == 1:
        return np.asarray(rows[:, 0])
    odd = np.random.default_rng(12345).integers(0, 1 << 63, rows.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    return np.asarray(rows @ odd)


def _prefix(history: list[tuple[Array, Array]], position: int) -> tuple[int, ...]:
    symbols = []
    for parents, read in reversed(history):
        symbols.append(int(read[position]))
        position = int(parents[position])
    return tuple(reversed(symbols))
