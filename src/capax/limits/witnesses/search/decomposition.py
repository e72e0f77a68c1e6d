"""Indistinguishable decompositions for 2-step sequential composition, at toy sizes: a demonstration.

Statement (the idea of the proof): for a two-layer causal model there are sets Z_1 of tables z_1 and Z_2 of tables z_2
such that, for each z_1 in Z_1 and all i_0 and w, no later player can tell the members of Z_2 apart: all messages of
both epochs from player 2 are equal. If two of them differ at an entry (w, z_1(i_0)), the model errs.
Idea: group the tables by their messages of epoch 1 to players 0 and -1; then take tables z_1 one at a time and keep the
largest group of z_2 whose messages to player 1 (both epochs) and to 0 and -1 (epoch 2) are equal.
Cite: Chen, Peng and Wu (2024), arXiv 2412.02975, whose sizes are astronomical.
Scope: here all tables are tried, which is possible for a few entries alone; that such sets exist at these sizes is
found, and not guaranteed.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.limits.protocols.autoregressive import require_causal
from capax.limits.protocols.play.partial_bytes import pairwise_heads
from capax.limits.protocols.play.player import own_stream
from capax.limits.witnesses.search.additive import Stop
from capax.limits.witnesses.search.sampled_sums import every
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.attention import seen
from capax.model.run.forward import mlp_sublayer
from capax.model.run.run import run_rows
from capax.model.run.split import after_attention, integers
from capax.tasks.inputs.sequential_tables import SequentialLayout


def embedded(model: Model, words: Array, at: Array, length: int) -> Array:
    """The streams (count, tokens, d) of many rows of tokens (count, tokens) that stand at the same positions."""
    positions = np.array(at, np.int64)
    values, inverse = np.unique(words, return_inverse=True)
    # each token at each position is embedded once
    table = np.stack([own_stream(model, [int(v)] * len(positions), positions, length) for v in values])
    return np.asarray(table[inverse.reshape(words.shape), np.arange(len(positions))])


def sums(model: Model, layer: int, keys: Array, keys_at: Any, queries: Array, queries_at: Any) -> Array:
    """What keys (..., m, d) say about queries (..., r, d): numerators and denominators (..., r, numbers)."""
    a = integers(model, 1 + int(max(np.max(keys_at), np.max(queries_at))))
    columns = []
    for head in pairwise_heads(model)[layer]:
        q = a.scaled(a.keep(a.affine(queries, head.query.weight, head.query.bias)), head.scale)
        k = a.keep(a.affine(keys, head.key.weight, head.key.bias))
        v = a.keep_value(a.affine(keys, head.value.weight, head.value.bias))
        visible = seen(head.mask, np.asarray(queries_at), np.asarray(keys_at))
        w = a.weigh(np.where(visible, a.scores(q, k), a.unseen), q)
        columns += [a.combine(w, v), a.total(w)]
    return np.concatenate(columns, axis=-1)


def advanced(model: Model, layer: int, x: Array, total: Array) -> Array:
    """The streams (..., r, d) after a layer, from the sums of all parties together."""
    a, means, start = integers(model), [], 0
    for head in pairwise_heads(model)[layer]:
        v = head.value.outputs
        means.append(a.ratio(total[..., start : start + v], total[..., start + v : start + v + 1]))
        start += v + 1
    block = model.blocks[layer]
    return mlp_sublayer(model, block, a, after_attention(model, block, x, means))


def classes(rows: Array) -> Array:
    """A number for each row (count, ...) of integers, equal exactly where rows are equal."""
    flat = np.ascontiguousarray(rows.reshape(len(rows), -1))
    return np.asarray(np.unique(flat, axis=0, return_inverse=True)[1].reshape(-1))


def largest(numbers: Array) -> Array:
    """The positions of the number that occurs most often."""
    return np.flatnonzero(numbers == np.argmax(np.bincount(numbers)))


MOST_TABLES: Final = 50_000
"""More tables z_2 than these are not tried."""


@dataclass(frozen=True)
class Decomposition:
    """The sets that were found, their sizes as they shrank, and two prompts that look alike, if there are such."""

    steps: tuple[tuple[str, int], ...]
    first: tuple[tuple[int, ...], ...]
    second: tuple[tuple[int, ...], ...]
    pair: tuple[list[int], list[int]] | None
    checked: int

    def to_json(self) -> dict[str, Any]:
        """The sets as plain data; of z_2 up to ten."""
        return {
            "steps": [{"what": what, "size": size} for what, size in self.steps],
            "z_1": [list(one) for one in self.first],
            "z_2": [list(one) for one in self.second[:10]],
            "z_2_count": len(self.second),
            "pair": None if self.pair is None else list(self.pair),
            "contexts_checked": self.checked,
        }


def is_toy(model: Model, layout: SequentialLayout) -> bool:
    """Whether all tables can be tried: two tables, two softmax layers, few entries."""
    if layout.steps != 2 or model.depth != 2 or len(model.blocks) != 2 or model.prefix:
        return False
    entries = layout.size(1)
    softmax = all(
        head.attention == "softmax" and head.sink is None for heads in pairwise_heads(model) for head in heads
    )
    return softmax and entries <= 8 and entries**entries <= MOST_TABLES


@dataclass(frozen=True)
class Players:
    """The positions and streams of all players: those of 2 and 1 for every table, of 0 and -1 for every token."""

    at: tuple[Array, Array, Array, Array]
    two: Array
    one: Array
    zero: Array
    last: Array


def decompose(model: Model, layout: SequentialLayout, stop: Stop) -> Decomposition:
    """The sets Z_1 and Z_2 of a two-layer model at a toy size, by trying all tables."""
    require_causal(model)
    m, entries = layout.m, layout.size(1)
    tables = every(entries, entries), every(m, m)
    positions = np.split(np.arange(layout.length), [entries, entries + m, entries + m + 1])
    at = (positions[0], positions[1], positions[2], positions[3])
    contexts = np.arange(m)[:, None], np.arange(layout.queries[0])[:, None]
    streams = [embedded(model, w, a, layout.length) for w, a in zip((*tables, *contexts), at, strict=True)]
    p = Players(at, *streams)
    steps = [("tables z_2", len(tables[0])), ("tables z_1", len(tables[1]))]
    early = [_to_contexts(model, 0, p, keys, k_at) for keys, k_at in ((p.two, at[0]), (p.one, at[1]))]
    second, first = (largest(classes(rows)) for rows in early)
    steps += [("z_2 alike to players 0 and -1 in epoch 1", len(second)), ("z_1 alike to them", len(first))]
    states = _second_states(model, p, second, first)
    second = second[largest(classes(_late(model, p, second, states)))]
    steps.append(("of these z_2 alike to them in epoch 2 too", len(second)))
    taken, second = _grown(model, p, second, first, steps, stop)
    members = tables[0][second], tables[1][taken]
    pair = _pair(layout, *members)
    checked = _checked(model, layout, *members)
    return Decomposition(tuple(steps), _tuples(members[1]), _tuples(members[0]), pair, checked)


def _tuples(rows: Array) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, row)) for row in rows)


def _to_contexts(model: Model, layer: int, p: Players, keys: Array, keys_at: Array) -> Array:
    """The messages of many tables to every token of players 0 and -1, as rows."""
    messages = [
        sums(model, layer, keys, keys_at, x.reshape(-1, model.width), np.repeat(at, len(x)))
        for x, at in ((p.zero, p.at[2]), (p.last, p.at[3]))
    ]
    return np.concatenate([one.reshape(len(keys), -1) for one in messages], axis=1)


def _second_states(model: Model, p: Players, second: Array, first: Array) -> tuple[Array, Array, Array]:
    """The states after layer 1: of player 2 for each table, of 0 for each i_0, of -1 for each (i_0, w).

    Any member of the two groups may speak for all: their messages of epoch 1 are equal.
    """
    two = p.two[second]
    own = sums(model, 0, two, p.at[0], two, p.at[0])
    after_two = advanced(model, 0, two, own)
    speak = ((p.two[second[:1]], p.at[0]), (p.one[first[:1]], p.at[1]))
    zero = sum(sums(model, 0, keys, at, p.zero, p.at[2]) for keys, at in (*speak, (p.zero, p.at[2])))
    last = []
    for i in range(len(p.zero)):
        heard = (*speak, (p.zero[i : i + 1], p.at[2]), (p.last, p.at[3]))
        total = sum(sums(model, 0, keys, at, p.last, p.at[3]) for keys, at in heard)
        last.append(advanced(model, 0, p.last, np.asarray(total)))
    return after_two, advanced(model, 0, p.zero, np.asarray(zero)), np.concatenate(last)


def _late(model: Model, p: Players, second: Array, states: tuple[Array, Array, Array]) -> Array:
    """The messages of epoch 2 of each table z_2 to players 0 and -1."""
    two, zero, last = states
    messages = [
        sums(model, 1, two, p.at[0], x.reshape(-1, model.width), np.repeat(at, len(x)))
        for x, at in ((zero, p.at[2]), (last, p.at[3]))
    ]
    return np.concatenate([one.reshape(len(second), -1) for one in messages], axis=1)


def _to_one(model: Model, p: Players, second: Array, z_1: int) -> Array:
    """The messages of both epochs of each table z_2 to player 1 with a table z_1."""
    two, one = p.two[second], p.one[z_1][None]
    early = sums(model, 0, two, p.at[0], one, p.at[1])
    after_two = advanced(model, 0, two, sums(model, 0, two, p.at[0], two, p.at[0]))
    after_one = advanced(model, 0, np.broadcast_to(one, (len(two), *one.shape[1:])), early + sums(
        model, 0, one, p.at[1], one, p.at[1]))  # fmt: skip
    late = sums(model, 1, after_two, p.at[0], after_one, p.at[1])
    return np.concatenate([early.reshape(len(two), -1), late.reshape(len(two), -1)], axis=1)


def _grown(
    model: Model, p: Players, second: Array, first: Array, steps: list[tuple[str, int]], stop: Stop
) -> tuple[Array, Array]:
    """Tables z_1 taken one at a time while at least two z_2 stay alike."""
    taken: list[int] = []
    for z_1 in first:
        if len(second) < 2 or (taken and stop()):
            break
        group = largest(classes(_to_one(model, p, second, int(z_1))))
        if len(group) >= 2:
            second = second[group]
            taken.append(int(z_1))
            steps.append((f"z_2 alike with {len(taken)} table{'s' * (len(taken) > 1)} z_1", len(second)))
    return np.array(taken, np.int64), second


def _pair(layout: SequentialLayout, second: Array, first: Array) -> tuple[list[int], list[int]] | None:
    """Two prompts with different truths: two z_2 that differ at an entry that some z_1 of the set leads to."""
    for z_1 in first:
        for i_0 in range(layout.m):
            for w in range(layout.queries[0]):
                column = second[:, w * layout.m + z_1[i_0]]
                other = np.flatnonzero(column != column[0])
                if len(other):
                    rest = [*map(int, z_1), i_0, w]
                    return [*map(int, second[0]), *rest], [*map(int, second[other[0]]), *rest]
    return None


def _checked(model: Model, layout: SequentialLayout, second: Array, first: Array, most: int = 60) -> int:
    """The number of contexts in which the whole model gave the same logits for up to 60 members; all have to."""
    count = 0
    for z_1 in first[:8]:
        for i_0 in range(layout.m):
            for w in range(layout.queries[0]):
                words = [[*map(int, z_2), *map(int, z_1), i_0, w] for z_2 in second[:most]]
                logits = run_rows(model, np.array([model.read(word) for word in words]))[:, -1]
                assert (logits == logits[0]).all(), "members of the set look alike to the whole model"
                count += 1
    return count
