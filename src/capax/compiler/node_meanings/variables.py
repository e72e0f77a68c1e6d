"""The variables of a compiled model: groups of directions that tell the same, with the values that they stand for.

Directions that split all positions of all words alike are one variable. Its value is that of the program's s-op that
splits them alike, if there is one, and the numbers themselves otherwise. Which number stands for which value is read
off from words: all short ones, random ones, and those that show numbers, or pairs of them, that no other word does.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.compiler.check.agreement import random_words, short_words
from capax.compiler.domain import Domain
from capax.errors import CapaxError
from capax.model.interpretability.lens_model import LensModel, mixed_words, rows_of, run, tokens_of
from capax.model.interpretability.lens_stream import DIGITS, distinct_states, stream_hooks, stream_points
from capax.model.model import Model
from capax.model.parts import Array
from capax.rasp.ir.describe import WHOLE, describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, Node, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import evaluate_batch

WORDS: Final = 400
"""About how many words are looked at, of each kind."""
FEWEST: Final = 8
LENGTHS: Final = 12
"""Of so many lengths, words are looked through for numbers that the others do not have."""
CELLS: Final = 2_000_000
"""Of long words, as many are looked at as have so many pairs of positions in all, and FEWEST at least."""
LEAST: Final = 4e-7
"""Numbers of values are further apart than this share of the largest: float32 does not tell closer ones apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A group of directions: its name, the expression behind it, and what its numbers stand for.

    `hook` is the first hook of the stream at which all of them are written. `table` has for each value the numbers of
    the directions, in their order; the value is the tuple of numbers itself where no s-op is behind them.
    """

    name: str
    expression: str
    directions: tuple[int, ...]
    labels: tuple[str, ...]
    hook: str
    table: tuple[tuple[Atom, tuple[float, ...]], ...]
    close: float = 10.0**-DIGITS
    """How far numbers are from those of their value, by rounding."""

    def value(self, numbers: Array) -> Atom:
        """The value that the numbers of the directions stand for: the nearest one."""
        return self.table[int(np.argmin(self._apart(numbers)))][0]

    def has(self, numbers: Array) -> bool:
        """Whether the numbers of the directions are those of a value of the table, up to rounding."""
        return min(self._apart(numbers)) <= self.close

    def _apart(self, numbers: Array) -> list[float]:
        return [float(np.abs(np.array(codes) - numbers).max()) for _, codes in self.table]

    def to_json(self) -> dict[str, Any]:
        """The variable as plain data."""
        values = [{"value": value, "numbers": list(codes)} for value, codes in self.table]
        return {
            "name": self.name,
            "expression": self.expression,
            "directions": list(self.directions),
            "labels": list(self.labels),
            "hook": self.hook,
            "values": values,
        }


@dataclass(frozen=True, slots=True, eq=False)
class VariableValues:
    """The values of a model's variables at the positions of a word."""

    word: tuple[Atom, ...]
    variables: tuple[Variable, ...]
    values: tuple[tuple[Atom, ...], ...]

    def __getitem__(self, name: str) -> tuple[Atom, ...]:
        """The values of the variable of a name."""
        names = [variable.name for variable in self.variables]
        if name not in names:
            raise CapaxError("bad-circuit", f"there is no variable {name!r:.60}", hint=f"there are {', '.join(names)}")
        return self.values[names.index(name)]

    def to_json(self) -> dict[str, Any]:
        """The values by the names of the variables."""
        rows = zip(self.variables, self.values, strict=True)
        return {"word": list(self.word), "variables": {v.name: list(values) for v, values in rows}}

    def render(self) -> str:
        """A table: a line for each variable, a column for each position."""
        rows = [["", *map(str, self.word)]]
        rows += [[v.name, *(_short(x) for x in values)] for v, values in zip(self.variables, self.values, strict=True)]
        wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in rows)

    def __str__(self) -> str:
        return self.render()


def _short(value: Atom) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value) if isinstance(value, str) else str(value)


@dataclass(frozen=True, slots=True, eq=False)
class ProgramNames:
    """What a program computes, and the names of its nodes."""

    value: SOpNode
    titles: Mapping[Node, str]


def variables_of(
    program: ProgramNames,
    domain: Domain,
    model: Model,
    lens: LensModel,
    words: Collection[tuple[Atom, ...]] = (),
    most: int | None = None,
) -> tuple[Variable, ...]:
    """The variables of a plain model that keeps every value in a direction of its own.

    They are read from short words, random ones, those that are given, and those that show more, of up to `most` words
    of each length.
    """
    count = min(WORDS, max(FEWEST, CELLS // domain.max_length**2))
    telling = telling_words(lens, most or count)
    tried = [*short_words(domain, WORDS)[0], *random_words(domain, count, 0), *words, *telling]
    numbers, hooks, order = _streams(lens, [word for word in tried if len(word) >= lens.min_length])
    sops, groups = _sops(program, order), dict[bytes, list[int]]()
    for number in range(lens.width):
        column = numbers[:, number].astype(np.float64)
        codes = _split(column)
        if codes.max(initial=0):
            told = next((key for key in sops if _tells(column, np.frombuffer(key, np.int64))), codes.tobytes())
            groups.setdefault(told, []).append(number)
    return tuple(
        _variable(members, sops.get(key), np.frombuffer(key, np.int64), numbers, hooks, model.names)
        for key, members in groups.items()
    )


def telling_words(lens: LensModel, most: int) -> list[tuple[Atom, ...]]:
    """Few of many words, which show every number that a direction has on any of them, and what tells directions apart.

    Of each length up to `most` words are looked at, and so many are given at most.
    """
    parts, owners = [], list[Array]()
    for length in np.unique(np.linspace(lens.min_length, lens.max_length, LENGTHS).round().astype(int)):
        rows = mixed_words(lens, int(length), most)
        first, states = distinct_states(run(lens, rows).streams[-1][:, lens.start :].reshape(-1, lens.width))
        parts.append(states)
        owners += list(rows[first // int(length)])
    states = np.concatenate(parts)
    shown = {int(at) for column in states.T for at in np.unique(column, return_index=True)[1]}
    shown |= _apart(states, sorted(shown))
    words = list(dict.fromkeys(tokens_of(lens, owners[at]) for at in sorted(shown)))
    return words[:: -(-len(words) // most)]


def _apart(states: Array, shown: Sequence[int]) -> set[int]:
    """States that tell directions apart which split those that are shown alike, and not all of them."""
    alike: dict[bytes, dict[bytes, int]] = {}
    for number, column in enumerate(states.T):
        alike.setdefault(_split(column[shown]).tobytes(), {}).setdefault(_split(column).tobytes(), number)
    more = set[int]()
    for first, *others in (list(group.values()) for group in alike.values()):
        for other in others:
            _, at = np.unique(states[:, [first, other]], axis=0, return_index=True)
            more |= set(map(int, at))
    return more


def _tells(column: Array, codes: Array) -> bool:
    """Whether a direction has one number for each value, up to rounding, and different ones for different values."""
    count = int(codes.max(initial=0)) + 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, codes, column)
    np.maximum.at(most, codes, column)
    order = np.argsort(least)
    spread = float((most - least).max())
    apart = least[order][1:] - most[order][:-1]
    return count > 1 and spread < 10.0**-DIGITS and bool((apart > max(2 * spread, LEAST * np.abs(column).max())).all())


def _streams(lens: LensModel, words: Sequence[Sequence[Atom]]) -> tuple[Array, list[str], list[tuple[Atom, ...]]]:
    """The last stream at all positions of words, the first hook of each direction, and the words in their order."""
    lengths = sorted({len(word) for word in words})
    parts, order, first = [], list[tuple[Atom, ...]](), np.zeros(lens.width, int)
    for length in lengths:
        rows = np.concatenate([rows_of(lens, word) for word in words if len(word) == length])
        result = run(lens, rows)
        last = result.streams[-1][:, lens.start :]
        for number, stream in enumerate(stream_points(lens, result.streams, result.outputs)):
            differs = np.abs(stream[:, lens.start :] - last).max((0, 1)) > 10.0**-DIGITS
            first = np.where(differs, np.maximum(first, number + 1), first)
        parts.append(last.reshape(-1, lens.width))
        order += [tokens_of(lens, row) for row in rows]
    names = stream_hooks(lens)
    return np.concatenate(parts), [names[min(int(i), len(names) - 1)] for i in first], order


def _split(column: Array) -> Array:
    """For each row the number of its value, counted in the order in which values first come."""
    _, first, inverse = np.unique(np.round(column, DIGITS), return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse.reshape(-1)])


def _sops(program: ProgramNames, words: Sequence[tuple[Atom, ...]]) -> dict[bytes, tuple[str, str, list[Atom]]]:
    """The s-ops of the program by how they split all positions: name, expression and values; named ones first."""
    nodes = [n for n in topological(program.value) if isinstance(n, SOpNode) and not isinstance(n, Const)]
    known: dict[bytes, tuple[str, str, list[Atom]]] = {}
    for node in sorted(nodes, key=lambda node: node not in program.titles):
        rows = evaluate_batch(node, words)
        if any(isinstance(row, CapaxError) for row in rows):
            continue
        values = [_atom(value) for row in rows if not isinstance(row, CapaxError) for value in row]
        numbers = {key: index for index, key in enumerate(dict.fromkeys((type(v), v) for v in values))}
        key = np.array([numbers[type(v), v] for v in values]).tobytes()
        title = program.titles.get(node) or describe(node, program.titles, WHOLE)
        others = {other: name for other, name in program.titles.items() if other is not node}
        known.setdefault(key, (title, describe(node, others, WHOLE), values))
    return known


def _atom(value: object) -> Atom:
    assert isinstance(value, str | int | float)
    return value


def _variable(
    members: Sequence[int],
    sop: tuple[str, str, list[Atom]] | None,
    codes: Array,
    numbers: Array,
    hooks: Sequence[str],
    names: Iterable[str],
) -> Variable:
    labels = tuple(names)
    columns = numbers[:, members].astype(np.float64)
    _, first = np.unique(codes, return_index=True)
    rows = [tuple(float(x) for x in columns[at]) for at in first]
    own = tuple(labels[number] for number in members)
    hook = max((hooks[number] for number in members), key=_when)
    if sop is None:
        alone: tuple[tuple[Atom, tuple[float, ...]], ...] = tuple((row[0], row) for row in rows)
        return Variable(own[0], own[0], tuple(members), own, hook, alone)
    title, expression, values = sop
    table = tuple((values[int(at)], row) for at, row in zip(first, rows, strict=True))
    spread = np.abs(columns - columns[first][codes]).max()
    close = max(4 * float(spread), LEAST * float(np.abs(columns).max()))
    return Variable(title, expression, tuple(members), own, hook, table, close)


def _when(hook: str) -> tuple[int, int]:
    """The rank of a hook of the stream."""
    _, layer, place = hook.split(".")
    return int(layer), ("hook_resid_pre", "hook_resid_mid", "hook_resid_post").index(place)


def values_on(variables: Sequence[Variable], lens: LensModel, word: Sequence[Atom]) -> VariableValues | None:
    """The values of variables at the positions of a word, read from the model's stream; None if some are unknown."""
    stream = run(lens, rows_of(lens, word)).streams[-1][0, lens.start :]
    if not all(v.has(row[list(v.directions)]) for v in variables for row in stream):
        return None
    values = tuple(tuple(v.value(row[list(v.directions)]) for row in stream) for v in variables)
    return VariableValues(tuple(word), tuple(variables), values)
