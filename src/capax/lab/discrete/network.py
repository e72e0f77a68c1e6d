"""A discrete network: variables with a code at each position, heads that read a few of them, tables of two.

A code is a whole number below `codes`. Code 0 is "nothing"; token k has code k + 1, position i has i + 1, a count c has
c + 1. Every head names the variables that it reads, a relation between codes, and which positions it may see, so that
a network is a short list of choices. This file says what a network computes; nothing is learned here.

Cite: Friedman, Wettig and Chen (2023), Learning transformer programs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

RELATIONS: Final = ("any", "==", "<", "<=", ">", ">=", "value", "table")
"""What holds between the key's code and the query's: any, a comparison, or equality of the key with the table's entry,
which with "value" is the same for all queries."""
VIEWS: Final = ("all", "before", "up to", "after", "from")
"""Which key positions a query sees."""
RANKS: Final = ("last", "first", "greatest")
"""Which of the selected keys a head reads: the last, the first, or the one with the greatest code of the key."""
TOKENS, INDICES = 0, 1
"""The variables that every network starts with."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The keys that each query selects: two variables, a relation between their codes, and a view of positions.

    `table` has a key's code for each code of the query; it is read where the relation is "value" or "table".
    """

    key: int
    query: int
    relation: str
    view: str
    table: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CountHead:
    """How many keys are selected."""

    selection: Selection


@dataclass(frozen=True, slots=True)
class PickHead:
    """The code of variable `value` at one of the selected keys, which `rank` says; nothing if there is none."""

    selection: Selection
    value: int
    rank: str


@dataclass(frozen=True, slots=True)
class PairTable:
    """A code for each pair of codes of two variables: entry first * codes + second."""

    first: int
    second: int
    entries: tuple[int, ...]


Part: TypeAlias = CountHead | PickHead | PairTable


@dataclass(frozen=True, slots=True)
class DiscreteNetwork:
    """Variables 0 and 1 are the tokens and the positions; each layer adds its parts; the readout gives the output.

    The parts of a layer read the variables of layers below; its tables also read its heads. The entries of the readout
    are numbers of outputs.
    """

    codes: int
    layers: tuple[tuple[Part, ...], ...]
    readout: PairTable

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of all layers in turn; part k adds variable k + 2."""
        return tuple(part for layer in self.layers for part in layer)

    def variables(self, tokens: Array, known: Sequence[Array] = ()) -> list[Array]:
        """The codes (word, position) of every variable, for words given by token numbers, -1 after their end.

        The first ones may be `known` already.
        """
        words, n = tokens.shape
        values = list(known) or [tokens + 1, np.broadcast_to(np.arange(1, n + 1), (words, n))]
        for part in self.parts[len(values) - 2 :]:
            values.append(self._codes_of(part, values))
        return values

    def _codes_of(self, part: Part, values: Sequence[Array]) -> Array:
        """The codes (word, position) that a part adds."""
        match part:
            case CountHead(selection=selection):
                return np.asarray(selected(selection, values).sum(axis=2) + 1)
            case PickHead(selection=selection, value=value, rank=rank):
                return _picked(selected(selection, values), values[selection.key], values[value], rank)
            case PairTable():
                return self._looked_up(part, values)

    def _looked_up(self, table: PairTable, values: Sequence[Array]) -> Array:
        entries = np.asarray(table.entries)
        return np.asarray(entries[values[table.first] * self.codes + values[table.second]])

    def run(self, tokens: Array) -> Array:
        """The number of the output (word, position), for words given by token numbers, -1 after their end."""
        return self._looked_up(self.readout, self.variables(tokens))


def relation_matrix(relation: str, codes: int, table: Sequence[int] = ()) -> Array:
    """Whether a query's code (row) and a key's code (column) are related."""
    query, key = np.arange(codes)[:, None], np.arange(codes)[None, :]
    match relation:
        case "any":
            return np.ones((codes, codes), dtype=bool)
        case "==":
            return np.asarray(key == query)
        case "<":
            return np.asarray(key < query)
        case "<=":
            return np.asarray(key <= query)
        case ">":
            return np.asarray(key > query)
        case ">=":
            return np.asarray(key >= query)
        case _:
            return np.asarray(key == np.asarray(table)[:, None])


def view_matrix(view: str, n: int) -> Array:
    """Whether a query at position i (row) sees the key at position j (column)."""
    relation = {"all": "any", "before": "<", "up to": "<=", "after": ">", "from": ">="}[view]
    return relation_matrix(relation, n)


def selected(selection: Selection, values: Sequence[Array]) -> Array:
    """Whether each query selects each key (word, query, key); nothing after the end of a word is selected."""
    key, query = values[selection.key][:, None, :], values[selection.query][:, :, None]
    match selection.relation:
        case "any":
            pairs = np.ones((len(key), query.shape[1], key.shape[2]), dtype=bool)
        case "==":
            pairs = key == query
        case "<":
            pairs = key < query
        case "<=":
            pairs = key <= query
        case ">":
            pairs = key > query
        case ">=":
            pairs = key >= query
        case _:
            pairs = key == np.asarray(selection.table)[query]
    inside = values[TOKENS][:, None, :] > 0
    return np.asarray(pairs & view_matrix(selection.view, key.shape[2]) & inside)


def reads(part: Part) -> tuple[int, ...]:
    """The variables that a part depends on."""
    if isinstance(part, PairTable):
        return part.first, part.second
    selection = part.selection
    related = {"any": (), "value": (selection.key,)}.get(selection.relation, (selection.key, selection.query))
    if isinstance(part, CountHead):
        return related
    return (*related, selection.key, part.value) if part.rank == "greatest" else (*related, part.value)


def used(network: DiscreteNetwork, *variables: int) -> frozenset[int]:
    """The variables that some depend on, these included."""
    todo, seen = list(variables), set[int]()
    while todo:
        variable = todo.pop()
        if variable not in seen:
            seen.add(variable)
            todo += reads(network.parts[variable - 2]) if variable >= 2 else ()
    return frozenset(seen)


def _picked(pairs: Array, keys: Array, value: Array, rank: str) -> Array:
    """The value at the picked key of each query, 0 where no key is selected."""
    n = pairs.shape[2]
    order = np.arange(1, n + 1)
    score = {"last": order[None, :], "first": order[None, ::-1], "greatest": keys * (n + 1) + order}[rank]
    best = np.where(pairs, score[:, None, :], 0).argmax(axis=2)
    return np.where(pairs.any(axis=2), np.take_along_axis(value, best, axis=1), 0)
