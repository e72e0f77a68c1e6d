"""The variables of a compiled model: groups of directions that tell the same, with the values that they stand for.

Directions that split all positions of all words alike are one variable. Its value is that of the program's s-op that
splits them alike, if there is one, and the numbers themselves otherwise. Which number stands for which value is read
off from words: all short ones, and random ones of the greatest length.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from capax.compiler.check.agreement import random_words, short_words
from capax.compiler.node_meanings.node_notes import WHOLE
from capax.errors import CapaxError
from capax.model.interpretability.lens_model import LensModel, rows_of, run, tokens_of
from capax.model.model import Model
from capax.model.parts import Array
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import evaluate_batch

if TYPE_CHECKING:
    from capax.compiler.compiled import Passes

WORDS: Final = 400
"""About how many words are looked at, of each kind."""
DIGITS: Final = 3
"""Numbers that agree to so many digits after the point are one."""


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

    def value(self, numbers: Array) -> Atom:
        """The value that the numbers of the directions stand for: the nearest one."""
        apart = [float(np.abs(np.array(codes) - numbers).max()) for _, codes in self.table]
        return self.table[int(np.argmin(apart))][0]

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


def variables_of(passes: "Passes", model: Model, lens: LensModel) -> tuple[Variable, ...]:
    """The variables of a plain model that keeps every value in a direction of its own."""
    domain = passes.domain
    words = [*short_words(domain, WORDS)[0], *random_words(domain, WORDS, 0)]
    numbers, hooks, order = _streams(lens, [word for word in words if len(word) >= lens.min_length])
    splits = {number: _split(numbers[:, number]) for number in range(lens.width)}
    groups: dict[bytes, list[int]] = {}
    for number, codes in splits.items():
        if codes.max(initial=0):
            groups.setdefault(codes.tobytes(), []).append(number)
    sops = _sops(passes, order)
    return tuple(_variable(members, sops.get(key), numbers, hooks, model.names) for key, members in groups.items())


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


def stream_hooks(lens: LensModel) -> list[str]:
    """The hooks of the stream, in order."""
    inner = [f"blocks.{layer}.hook_resid_{place}" for layer in range(lens.shape.layers) for place in ("mid", "post")]
    return ["blocks.0.hook_resid_pre", *inner]


def stream_points(lens: LensModel, streams: Sequence[Array], outputs: Any) -> list[Array]:
    """The stream at each of its hooks."""
    points = [streams[0]]
    for layer in range(lens.shape.layers):
        written = outputs[f"m{layer}"] + lens.block(layer, "mlp.b_out")
        points += [streams[layer + 1] - written, streams[layer + 1]]
    return points


def _split(column: Array) -> Array:
    """For each row the number of its value, counted in the order in which values first come."""
    return _renumbered(np.round(column.astype(np.float64), DIGITS))


def _renumbered(values: Array) -> Array:
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse.reshape(-1)])


def _sops(passes: "Passes", words: Sequence[tuple[Atom, ...]]) -> dict[bytes, tuple[str, str, list[Atom]]]:
    """The s-ops of the program by how they split all positions: name, expression and values; named ones first."""
    nodes = [n for n in topological(passes.spec.value) if isinstance(n, SOpNode) and not isinstance(n, Const)]
    known: dict[bytes, tuple[str, str, list[Atom]]] = {}
    for node in sorted(nodes, key=lambda node: node not in passes.titles):
        rows = evaluate_batch(node, words)
        if any(isinstance(row, CapaxError) for row in rows):
            continue
        values = [_atom(value) for row in rows if not isinstance(row, CapaxError) for value in row]
        numbers = {key: index for index, key in enumerate(dict.fromkeys((type(v), v) for v in values))}
        key = np.array([numbers[type(v), v] for v in values]).tobytes()
        title = passes.titles.get(node) or describe(node, passes.titles, WHOLE)
        others = {other: name for other, name in passes.titles.items() if other is not node}
        known.setdefault(key, (title, describe(node, others, WHOLE), values))
    return known


def _atom(value: object) -> Atom:
    assert isinstance(value, str | int | float)
    return value


def _variable(
    members: Sequence[int],
    sop: tuple[str, str, list[Atom]] | None,
    numbers: Array,
    hooks: Sequence[str],
    names: Iterable[str],
) -> Variable:
    labels = tuple(names)
    columns = numbers[:, members].astype(np.float64)
    codes = _renumbered(np.round(columns[:, 0], DIGITS))
    _, first = np.unique(codes, return_index=True)
    rows = [tuple(float(x) for x in columns[at]) for at in first]
    own = tuple(labels[number] for number in members)
    hook = max((hooks[number] for number in members), key=_when)
    if sop is None:
        alone: tuple[tuple[Atom, tuple[float, ...]], ...] = tuple((row[0], row) for row in rows)
        return Variable(own[0], own[0], tuple(members), own, hook, alone)
    title, expression, values = sop
    table = tuple((values[int(at)], row) for at, row in zip(first, rows, strict=True))
    return Variable(title, expression, tuple(members), own, hook, table)


def _when(hook: str) -> tuple[int, int]:
    """The rank of a hook of the stream."""
    _, layer, place = hook.split(".")
    return int(layer), ("hook_resid_pre", "hook_resid_mid", "hook_resid_post").index(place)


def values_on(variables: Sequence[Variable], lens: LensModel, word: Sequence[Atom]) -> VariableValues:
    """The values of variables at the positions of a word, read from the model's stream."""
    stream = run(lens, rows_of(lens, word)).streams[-1][0, lens.start :]
    values = tuple(tuple(v.value(row[list(v.directions)]) for row in stream) for v in variables)
    return VariableValues(tuple(word), tuple(variables), values)
