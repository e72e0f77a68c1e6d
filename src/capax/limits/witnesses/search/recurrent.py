"""Fooling recurrent models: two prefixes of one length that lead to one state, for any step function.

Statement: a recurrent model that reads N bits and then is asked for any one of them (1-sparse averaging) needs a state
of N bits: else two prefixes share a state, and every answer about a bit in which they differ is wrong for one of them.
Cite: Sanford, Hsu and Telgarsky (2023) state m >= (N - 1) / 2 for q-sparse averaging; this is counting.
Scope: only the step function is looked at; what is read off the state plays no part.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

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
    step: Callable[[Any, int], Hashable], start: Hashable, length: int, *, symbols: int = 2, stop: Stop | None = None
) -> Prefixes:
    """The first two prefixes of at most `length` symbols, of one length, that lead to one state.

    `step(state, symbol)` is any function to hashable states. All prefixes are tried while these are at most 2^20, then
    longer ones at random.
    """

    def many(states: Any, symbol: int) -> Any:
        return [step(state, symbol) for state in states]

    def key(states: Any) -> list[Hashable]:
        return list(states)

    return _search(many, key, [start], length, symbols, stop)


def batch_prefix_collision(
    step: Callable[[Array, int], Array], start: Array, length: int, *, symbols: int = 2, stop: Stop | None = None
) -> Prefixes:
    """The same for a step function on arrays (states, numbers) of integers, a row for each state."""

    def many(states: Any, symbol: int) -> Any:
        return step(np.asarray(states), symbol)

    return _search(many, row_keys, np.asarray(start)[None, :], length, symbols, stop)


def row_keys(states: Any) -> Array:
    """One number for each row, by a random linear map mod 2^64: equal rows have equal numbers."""
    rows = np.ascontiguousarray(states).astype(np.uint64)
    if rows.shape[1] == 1:
        return np.asarray(rows[:, 0])
    odd = np.random.default_rng(12345).integers(0, 1 << 63, rows.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    return np.asarray(rows @ odd)


def _search(
    many: Callable[[Any, int], Any],
    key: Callable[[Any], Any],
    states: Any,
    length: int,
    symbols: int,
    stop: Stop | None,
) -> Prefixes:
    random = np.random.default_rng(0)
    # a prefix is kept as the symbol that was read last and the position of its beginning in the row before
    history: list[tuple[Array, Array]] = []
    count, every = 1, True
    for depth in range(1, length + 1):
        if stop is not None and stop():
            return Prefixes(None, None, count, depth - 1, every)
        if count * symbols <= MOST:
            parts = [many(states, symbol) for symbol in range(symbols)]
            parents = np.tile(np.arange(count), symbols)
            read = np.repeat(np.arange(symbols), count)
        else:
            every = False
            symbol_of = random.integers(0, symbols, count)
            groups = [np.flatnonzero(symbol_of == symbol) for symbol in range(symbols)]
            parts = [many(_rows(states, group), symbol) for symbol, group in enumerate(groups)]
            parents = np.concatenate(groups)
            read = np.repeat(np.arange(symbols), [len(group) for group in groups])
        states = np.concatenate(parts) if isinstance(parts[0], np.ndarray) else [s for part in parts for s in part]
        history.append((parents, read))
        count = len(parents)
        equal = _equal(states, key(states))
        if equal is not None:
            one, two = (_prefix(history, position) for position in equal)
            return Prefixes(one, two, count, depth, every)
    return Prefixes(None, None, count, length, every)


def _rows(states: Any, positions: Array) -> Any:
    return states[positions] if isinstance(states, np.ndarray) else [states[int(position)] for position in positions]


def _equal(states: Any, keys: Any) -> tuple[int, int] | None:
    """The positions of two equal states."""
    if not isinstance(keys, np.ndarray):
        seen: dict[Hashable, int] = {}
        for position, state in enumerate(keys):
            other = seen.setdefault(state, position)
            if other != position:
                return other, position
        return None
    order = np.argsort(keys)
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    for at in same[:64]:
        one, two = int(order[at]), int(order[at + 1])
        if (states[one] == states[two]).all():
            return min(one, two), max(one, two)
    return None


def _prefix(history: list[tuple[Array, Array]], position: int) -> tuple[int, ...]:
    symbols = []
    for parents, read in reversed(history):
        symbols.append(int(read[position]))
        position = int(parents[position])
    return tuple(reversed(symbols))
