"""The loop of a compiled model: its states from what a round changes, then the body head by head.

The stream before a round and the one after it differ in the slots of the states alone. So the differences span these
slots, in whatever way the stream is turned, and the directions in which the stream has fewest values are the slots
themselves. A state is a code at each position: a truth value, an integer, or one string for each code. Its value before
the first round is sought among the s-ops known there, its value after a round among those that the body knows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from capax.decompiler.feature import Feature, Kind, Strings
from capax.decompiler.function_fit import explain
from capax.decompiler.head import ExplainedHead
from capax.decompiler.known_stream import KnownStream, read_blocks
from capax.decompiler.sample import Sample, Word
from capax.model.loop import ModelLoop
from capax.model.parts import Array, Block
from capax.notation.rounds import rounds_at
from capax.rasp.ir.loop_nodes import LoopResult, State
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.types import Atom

SAME: Final = 1e-5
"""Codes that differ by less are taken for equal."""
MOST_POINTS: Final = 40
"""Directions between so many points of the stream are tried as slots."""
MOST_WORDS: Final = 60
"""About so many words are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopRows:
    """The positions of all words in every round: the words, the traces of the body, and the stream around a round.

    `origin` is the flat position of the sample that a row is of, `first` and `last` say whether its round is that.
    """

    sample: Sample
    traces: Sequence[Mapping[str, Any]]
    before: Array
    after: Array
    origin: Array
    first: Array
    last: Array


@dataclass(frozen=True, slots=True, eq=False)
class ReadLoop:
    """The heads of a model with a loop, and why a state of it was not explained, if one was not."""

    heads: list[ExplainedHead]
    reason: str | None = None


def loop_rows(loop: ModelLoop, sample: Sample, traces: Sequence[Any]) -> LoopRows:
    """The rows of a loop; every word of the sample has a round."""
    words: list[Any] = []
    body: list[Mapping[str, Any]] = []
    parts: dict[str, list[Array]] = {"before": [], "after": [], "origin": [], "round": [], "left": []}
    start = 0
    for batch, trace in zip(sample.batches(), traces, strict=True):
        rounds = rounds_at(loop.rounds, len(batch[0]))
        size = len(batch) * len(batch[0])
        words += batch * rounds
        names = [name for name in trace.activations if name.startswith("rounds.0.")]
        rest = [name.removeprefix("rounds.0.") for name in names]
        body.append({name: _joined([trace[f"rounds.{r}.{name}"] for r in range(rounds)]) for name in rest})
        entry, leave = f"blocks.{loop.first}.resid_pre", f"blocks.{loop.end - 1}.resid_post"
        for name, at in (("before", entry), ("after", leave)):
            parts[name].append(body[-1][at].reshape(rounds * size, -1))
        parts["origin"].append(np.tile(np.arange(start, start + size), rounds))
        parts["round"].append(np.repeat(np.arange(rounds), size))
        parts["left"].append(np.repeat(np.arange(rounds)[::-1], size))
        start += size
    row = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    inside = Sample(tuple(words))
    return LoopRows(inside, body, row["before"], row["after"], row["origin"], row["round"] == 0, row["left"] == 0)


def _joined(parts: list[Any]) -> Any:
    """An activation of all rounds, word by word; heads of several sizes are a list."""
    if isinstance(parts[0], list):
        return [np.concatenate(same) for same in zip(*parts, strict=True)]
    return np.concatenate(parts)


def state_codes(before: Array, after: Array) -> tuple[Array, Array]:
    """The code of each state (rows, states) before and after every round."""
    changes = after - before
    _, sizes, turned = np.linalg.svd(np.unique(np.round(changes, 6), axis=0), full_matrices=False)
    slots = turned[sizes > 1e-6 * max(1.0, float(sizes.max(initial=0.0)))]
    both = np.concatenate([before, after]) @ slots.T
    both = both @ _axes(np.unique(np.round(both, 6), axis=0))
    return both[: len(before)], both[len(before) :]


def _axes(points: Array) -> Array:
    """The orthogonal directions (columns) along which points have fewest values."""
    size = points.shape[1]
    if size < 2:
        return np.eye(size)
    some = points[:: max(1, len(points) // MOST_POINTS)]
    steps = np.array([a - b for a, b in combinations(some, 2)])
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    steps = np.unique(np.round(np.where(steps[:, :1] < -SAME, -steps, steps), 6), axis=0)
    values = [len(np.unique(np.round(points @ step, 4))) for step in steps]
    chosen: list[Array] = []
    for at in np.argsort(values, kind="stable").tolist():
        if len(chosen) < size and all(abs(float(steps[at] @ other)) < SAME for other in chosen):
            chosen.append(steps[at])
    return np.stack(chosen, axis=1) if len(chosen) == size else np.eye(size)


def _whole(codes: Array) -> Array:
    """Codes as integers, with the sign that makes most of them positive; their ranks if they are none."""
    listed = np.unique(np.round(codes, 4))
    if np.abs(listed - listed.round()).max() < 1e-3:
        return np.asarray(np.round(codes) * (1 if listed.sum() >= 0 else -1), np.int64)
    return np.searchsorted(listed, np.round(codes, 4))


def _atoms(codes: Array, start: Array, base: Sequence[Feature], strings: Strings) -> tuple[Kind, dict[int, Atom]]:
    """What each code of a state stands for: truth values, the strings that it starts as, or integers."""
    listed = [int(code) for code in np.unique(codes)]
    if set(listed) <= {0, 1}:
        return "bool", {code: bool(code) for code in listed}
    for f in base:
        pairs = set(zip(start.tolist(), f.values.astype(int).tolist(), strict=True)) if f.kind == "str" else set()
        named = {code: strings.listed[text] for code, text in pairs}
        if len(pairs) == len(named) == len(set(named.values())) and set(named) == set(listed):
            return "str", dict(named)
    return "int", {code: code for code in listed}


@dataclass(frozen=True, slots=True, eq=False)
class _CodedState:
    """A state: its node, its code in every row before and after the round, and what a code stands for."""

    node: State
    before: Array
    after: Array
    kind: Kind
    atoms: Mapping[int, Atom]

    def atoms_of(self, codes: Array) -> list[Atom]:
        """What some codes stand for."""
        return [self.atoms[code] for code in codes.tolist()]

    def feature(self, node: SOpNode, codes: Array, strings: Strings) -> Feature:
        """A node with these codes as its values."""
        atoms = self.atoms_of(codes)
        values = [strings.code(atom) if isinstance(atom, str) else float(atom) for atom in atoms]
        return Feature(node, self.kind, np.array(values, np.float64), 1.0)


def with_rounds(loop: ModelLoop, words: Sequence[Word]) -> list[Word]:
    """The words that go through the loop, some of them if there are many: each is looked at once for each round."""
    some = [word for word in words if rounds_at(loop.rounds, len(word)) > 0]
    return some[:: max(1, len(some) // MOST_WORDS)]


def read_loop(blocks: Sequence[Block], loop: ModelLoop, stream: KnownStream, traces: Sequence[Any]) -> ReadLoop:
    """The heads of a model with a loop; what they give, and the states after the last round, join what is known."""
    heads, _ = read_blocks(blocks[: loop.first], 0, stream, traces)
    rows = loop_rows(loop, stream.sample, traces)
    states = _states(rows, stream)
    starts = [_explained(stream, state.atoms_of(state.before[rows.first])) for state in states]
    if None in starts:
        return ReadLoop(heads, f"state {starts.index(None) + 1} of the loop is no small s-op before the first round")
    base = [Feature(f.node, f.kind, f.values[rows.origin], f.cost) for f in stream.base]
    base += [state.feature(state.node, state.before, stream.strings) for state in states]
    inside = KnownStream(rows.sample, stream.strings, base)
    heads += read_blocks(blocks[loop.first : loop.end], loop.first, inside, rows.traces)[0]
    nexts = [_explained(inside, state.atoms_of(state.after)) for state in states]
    if None in nexts:
        return ReadLoop(heads, f"state {nexts.index(None) + 1} of the loop is no small s-op after a round")
    parts = (tuple(state.node for state in states), tuple(filter(None, starts)), tuple(filter(None, nexts)))
    for number, state in enumerate(states):
        result = LoopResult(loop.rounds, *parts, number)
        stream.base.append(state.feature(result, state.after[rows.last], stream.strings))
    heads += read_blocks(blocks[loop.end :], loop.end, stream, traces)[0]
    return ReadLoop(heads)


def _states(rows: LoopRows, stream: KnownStream) -> list[_CodedState]:
    """The states of a loop, by what its rounds change."""
    states: list[_CodedState] = []
    before, after = state_codes(rows.before, rows.after)
    for number in range(before.shape[1]):
        codes = _whole(np.concatenate([before[:, number], after[:, number]]))
        own, new = codes[: len(before)], codes[len(before) :]
        kind, atoms = _atoms(codes, own[rows.first], stream.base, stream.strings)
        states.append(_CodedState(State(f"state_{number + 1}", ()), own, new, kind, atoms))
    return states


def _explained(stream: KnownStream, target: Sequence[Atom]) -> SOpNode | None:
    """A small s-op with these values, one for each position, of what is known."""
    known = stream.known()
    if not known.gives(target):
        return None
    tree = explain([target[int(at)] for at in known.first], known.bank, known.base)
    return None if tree is None else tree.node
