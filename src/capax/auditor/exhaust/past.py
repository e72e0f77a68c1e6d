"""The keys and values of many prefixes that share their beginnings, and one token more for all of them.

Prefixes are leaves of a tree. What all of them share is the trunk; below it, each level has the keys and values of its
nodes once, and for each prefix the number of its node.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from capax.auditor.fast_model import FastModel
from capax.model.parts import Array
from capax.model.run.packed import HeadGroup

KeysValues: TypeAlias = list[tuple[Array, Array]]
"""For each group of heads, layer by layer, keys (head, node, k) and values (head, node, v)."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeLevel:
    """The nodes of one depth: their letters, their keys and values, and for each prefix its node (prefixes,)."""

    letters: Array
    kept: KeysValues
    node: Array

    def of(self, rows: Array | slice) -> "TreeLevel":
        """The level for some prefixes: the nodes from the first to the last of theirs."""
        node = self.node[rows]
        low, high = int(node.min()), int(node.max()) + 1
        kept = [(k[:, low:high], v[:, low:high]) for k, v in self.kept]
        return TreeLevel(self.letters[low:high], kept, node - low)


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """What the heads keep of some prefixes."""

    letters: Array
    trunk: KeysValues
    levels: tuple[TreeLevel, ...] = ()

    def of(self, rows: Array | slice) -> "Past":
        """The past of some prefixes; what they all share goes to the trunk."""
        letters, trunk = self.letters, self.trunk
        levels = [level.of(rows) for level in self.levels]
        while levels and len(levels[0].letters) == 1:
            first = levels.pop(0)
            letters = np.concatenate([letters, first.letters])
            trunk = [
                (np.concatenate([k, a], axis=1), np.concatenate([v, b], axis=1))
                for (k, v), (a, b) in zip(trunk, first.kept, strict=True)
            ]
        return Past(letters, trunk, tuple(levels))

    def repeated(self, parent: Array) -> "Past":
        """The past in which each prefix stands as often as its number in `parent`, which rises."""
        return Past(self.letters, self.trunk, tuple(TreeLevel(x.letters, x.kept, x.node[parent]) for x in self.levels))

    def grown(self, letters: Array, kept: KeysValues) -> "Past":
        """The past with a letter more for each prefix."""
        return Past(self.letters, self.trunk, (*self.levels, TreeLevel(letters, kept, np.arange(len(letters)))))

    def words(self, rows: Array) -> Array:
        """The letters (rows, length) of some prefixes."""
        columns = [level.letters[level.node[rows]] for level in self.levels]
        trunk = np.tile(self.letters, (len(rows), 1))
        return np.concatenate([trunk, *(column[:, None] for column in columns)], axis=1)


class PrefixStep:
    """A causal model of softmax heads in float64, one token further."""

    def __init__(self, fast: FastModel) -> None:
        self._fast = fast
        groups = [group for layer in fast.layers for group in layer.heads.groups]
        self.columns = sum(len(group.heads) * (group.k + group.v) for group in groups)
        """How many numbers are kept of a token."""
        empty = [(np.zeros((len(g.heads), 0, g.k)), np.zeros((len(g.heads), 0, g.v))) for g in groups]
        self._last = max((k for k, layer in enumerate(fast.layers) if layer.heads.groups), default=-1)
        self._empty: KeysValues = empty

    def start(self, prefix: Array) -> Past:
        """The past of the empty word: what the model's own prefix leaves."""
        past = Past(np.zeros(0, np.int64), self._empty)
        for position, token in enumerate(prefix.tolist()):
            kept, _ = self(np.array([token]), np.zeros(1, np.int64), position, past, logits=False)
            trunk = [
                (np.concatenate([k, a], axis=1), np.concatenate([v, b], axis=1))
                for (k, v), (a, b) in zip(past.trunk, kept, strict=True)
            ]
            past = Past(past.letters, trunk)
        return past

    def __call__(
        self, tokens: Array, which: Array, position: int, past: Past, *, logits: bool
    ) -> tuple[KeysValues, Array | None]:
        """The keys and values of one token for each prefix, and the logits there (prefixes, outputs) if asked for.

        `tokens` are token rows, and `which` (prefixes,) says which of them follows each prefix.
        """
        x = self._fast.embedded(tokens[:, None], position)[:, 0]
        each, kept = False, KeysValues()  # before the first heads, streams depend on the token alone
        for number, layer in enumerate(self._fast.layers):
            if number > self._last and not logits:
                break
            z = np.zeros((len(x), len(layer.heads.output)))
            if layer.heads.groups:
                projected = layer.projected(x)
                if not each:
                    x, projected, each = x[which], projected[which], True
                z = np.empty((len(x), len(layer.heads.output)))
                for group in layer.heads.groups:
                    q, k, v = _parts(group, projected)
                    if number < self._last or logits:
                        mean = _mean(group, q, k, v, past, len(kept))
                        z[:, group.offset : group.offset + len(group.heads) * group.v] = mean
                    kept.append((k, v))
            if number == self._last and not logits:
                break
            x = layer.finish(x, z)
        if not logits:
            return kept, None
        return kept, self._fast.read_out(x if each else x[which])


def _parts(group: HeadGroup, projected: Array) -> tuple[Array, Array, Array]:
    """The scaled queries, the keys and the values (head, prefix, feature)."""
    count, at, parts = len(group.heads), group.start, []
    for size in (group.k, group.k, group.v):
        part = projected[:, at : at + count * size].reshape(len(projected), count, size)
        parts.append(np.ascontiguousarray(part.transpose(1, 0, 2)))
        at += count * size
    return parts[0] * group.scale, parts[1], parts[2]


def _mean(group: HeadGroup, q: Array, k: Array, v: Array, past: Past, at: int) -> Array:
    """The means (prefixes, heads * v) that queries get from the past, their own position and the sink."""
    (keys, values), own = past.trunk[at], group.mask == "causal"
    shared, levels = keys.shape[1], len(past.levels)
    s = np.empty((len(q), shared + levels + own + (group.sink is not None), q.shape[1]))
    np.matmul(keys, q.swapaxes(1, 2), out=s[:, :shared])
    for j, level in enumerate(past.levels, shared):
        np.einsum("hbk,hbk->hb", q, level.kept[at][0][:, level.node], out=s[:, j])
    if own:
        np.einsum("hbk,hbk->hb", q, k, out=s[:, shared + levels])
    if group.sink is not None:
        s[:, -1] = np.matmul(q, group.sink[0][:, :, None])[..., 0]
    if not s.shape[1]:
        return np.zeros((q.shape[1], len(q) * group.v))
    s -= s.max(axis=1, keepdims=True)
    np.exp(s, out=s)
    mean = np.matmul(s[:, :shared].swapaxes(1, 2), values)
    for j, level in enumerate(past.levels, shared):
        mean += s[:, j, :, None] * level.kept[at][1][:, level.node]
    if own:
        mean += s[:, shared + levels, :, None] * v
    if group.sink is not None:
        mean += s[:, -1, :, None] * group.sink[1][:, None, :]
    mean /= s.sum(axis=1)[:, :, None]
    return np.asarray(mean.transpose(1, 0, 2).reshape(q.shape[1], -1))
