"""Keys and values kept between tokens, so that the next token costs one query per head and not a whole run."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.interface import Arithmetic
from capax.model.arithmetic.select import arithmetic, check
from capax.model.loop import unrolled_model
from capax.model.model import Model
from capax.model.parts import AnyHead, Array, AttentionKind, Block, Head, RotaryHead, TensorHead
from capax.model.positions import uses_length
from capax.model.run.attention import KeySpan, mix, scoring
from capax.model.run.forward import apply_mlp, embed, group_parts, mlp_sublayer, normed, pairing_parts, read_out
from capax.model.run.packed import packed, pair_sink
from capax.model.run.step import token_step
from capax.model.run.third_order import SinkRows, pair_means


class KeyValueStore(Protocol):
    """The keys and values that one head has seen so far."""

    def append(self, key: Array, value: Array) -> None:
        """Add a key (k,) and its value (v,) after the others."""
        ...

    def attend(self, query: Array) -> Array:
        """The mean (v,) that a query (k,), already scaled, gets from all keys; zeros if there are none."""
        ...


class ArrayStore:
    """Keys and values in arrays that grow; a query is compared with every key. For every kind and number system.

    `sink` is a key (k,) and a value (v,).
    """

    def __init__(
        self, a: Arithmetic, kind: AttentionKind, k: int, v: int, sink: tuple[Array, Array] | None = None
    ) -> None:
        self._arithmetic, self._kind, self._sink = a, kind, sink
        self._keys, self._values = _Rows(k, a), _Rows(v, a)

    def append(self, key: Array, value: Array) -> None:
        """Add a key (k,) and its value (v,) after the others."""
        self._keys.append(key)
        self._values.append(value)

    def attend(self, query: Array) -> Array:
        """The mean (v,) that a query (k,), already scaled, gets from all keys; zeros if there are none."""
        a, q = self._arithmetic, query[None, :]
        score = scoring(a, self._kind)
        sink = None if self._sink is None else (score(q, self._sink[0][None, :]), self._sink[1][None, :])
        return np.asarray(mix(a, self._kind, score(q, self._keys.rows), self._values.rows, sink)[0])


class PairStore:
    """The keys and values of a third-order head; keys and values come as two of each, one after the other."""

    def __init__(self, a: Arithmetic, k: int, v: int, sink: SinkRows | None = None) -> None:
        self._arithmetic, self._k, self._v, self._sink = a, k, v, sink
        self._keys, self._values = _Rows(2 * k, a), _Rows(2 * v, a)

    def append(self, key: Array, value: Array) -> None:
        """Add both keys (2k,) and both values (2v,) of a position."""
        self._keys.append(key)
        self._values.append(value)

    def attend(self, query: Array) -> Array:
        """The mean (v,) over all pairs of keys; zeros if there are none."""
        keys, values = self._keys.rows, self._values.rows
        parts = (query[None, :], keys[:, : self._k], keys[:, self._k :], values[:, : self._v], values[:, self._v :])
        return np.asarray(pair_means(self._arithmetic, "none", KeySpan(0, 1, 0, len(keys)), parts, self._sink)[0])


class _Rows:
    """An array of rows that grows at its end, doubling its room."""

    def __init__(self, columns: int, a: Arithmetic) -> None:
        self._room: Array = np.zeros((16, columns), a.dtype)
        self._count = 0

    @property
    def rows(self) -> Array:
        """The rows so far."""
        return self._room[: self._count]

    def append(self, row: Array) -> None:
        """Add a row."""
        if self._count == len(self._room):
            self._room = np.concatenate([self._room, np.zeros_like(self._room)])
        self._room[self._count] = row
        self._count += 1


MakeStore: TypeAlias = Callable[[Head, Arithmetic], KeyValueStore]
"""Makes the store of a head; the sink's row is the store's business, the mask is the cache's."""


def array_store(head: Head, a: Arithmetic) -> KeyValueStore:
    """A store of arrays for a head."""
    sink = None
    if head.sink is not None:
        sink = a.weights(head.sink.key, "a sink's key"), a.weights(head.sink.value, "a sink's value")
    return ArrayStore(a, head.attention, head.query.outputs, head.value.outputs, sink)


def check_causal(model: Model) -> None:
    """Raises an error when what a model computes at a position depends on later positions."""
    if model.loop is not None and not isinstance(model.loop.rounds, int):
        raise CapaxError(
            "not-generative",
            f"the model has a loop of {model.loop.rounds} rounds, and the length of the word grows",
            hint="a model that generates has a constant number of rounds",
        )
    for number, block in enumerate(model.blocks):
        for head in block.heads:
            if head.mask not in ("causal", "strict past"):
                raise CapaxError(
                    "not-generative",
                    f"a head of layer {number} has the mask {head.mask!r}: it sees later positions",
                    hint="generation needs the mask 'causal' or 'strict past' in every head",
                )
    later = [name for name in model.positions.functions if uses_length(name)]
    if later:
        raise CapaxError(
            "not-generative",
            f"the position function {later[0]} depends on the length of the word, which grows",
            hint="generation needs position functions that do not depend on the length",
        )


class Cache:
    """A causal model in the middle of a word: what its heads keep of the tokens read so far.

    `feed` reads more tokens and gives their logits, which are those of a run on the whole word: to the last bit in
    fixed point and exact integers, up to rounding in floats. `make_store` may give heads a store of another kind.
    """

    def __init__(self, model: Model, make_store: MakeStore = array_store) -> None:
        check_causal(model)
        model = unrolled_model(model, model.min_length)  # a constant number of rounds, each with keys of its own
        self.model = model
        self.count = 0
        self._arithmetic = arithmetic(model.numbers)
        self._stores = [[self._store(head, make_store) for head in block.heads] for block in model.blocks]
        self._step = token_step(model, self._arithmetic, self._stores)

    def _store(self, head: AnyHead, make_store: MakeStore) -> KeyValueStore:
        if isinstance(head, TensorHead):
            return PairStore(
                self._arithmetic, head.query.outputs, head.value1.outputs, pair_sink(head, self._arithmetic)
            )
        if isinstance(head, RotaryHead):
            return ArrayStore(self._arithmetic, "softmax", head.query.outputs, head.value.outputs)
        return make_store(head, self._arithmetic)

    def feed(self, rows: list[int]) -> Array:
        """The logits (tokens, outputs) at the next tokens, given by their embedding rows (see `Vocabulary.rows`)."""
        model, a = self.model, self._arithmetic
        if len(rows) == 1 and self._step is not None and self.count < self._step.positions:
            with np.errstate(all="ignore"):
                logits = self._step(rows[0], self.count)
            self.count += 1
            return logits[None]
        check(model, self.count + len(rows))
        with np.errstate(all="ignore"):
            x = embed(model, a, np.array([rows]), start=self.count)
            if model.input_mlp is not None:
                x = a.add(x, apply_mlp(model.input_mlp, a, x))
            for block, stores in zip(model.blocks, self._stores, strict=True):
                x = self._layer(block, stores, x)
            self.count += len(rows)
            return np.asarray(a.real(read_out(model, a, x))[0])

    def _layer(self, block: Block, stores: list[KeyValueStore], x: Array) -> Array:
        """The streams (1, tokens, d) after a layer."""
        model, a, heads = self.model, self._arithmetic, packed(block, self._arithmetic)
        norm, before = block.attention_norm, model.norm_place == "before"
        inside = x if norm is None or not before else normed(a, norm, x)
        z = np.zeros((*x.shape[:-1], heads.output.shape[0]), a.dtype)
        projected = a.affine(inside, heads.weight, heads.bias) if block.heads else x
        for group in heads.groups:
            q, k, v = (part[0] for part in group_parts(group, a, projected, self.count))
            for at, head in enumerate(group.heads):
                start = group.offset + at * group.v
                out = z[0, :, start : start + group.v]
                _step(stores[head], group.mask == "strict past", q[at], k[at], v[at], out)
        for pairing in heads.pairings:
            q, k1, k2, v1, v2 = (part[0] for part in pairing_parts(pairing, a, projected))
            keys, values = np.concatenate([k1, k2], axis=1), np.concatenate([v1, v2], axis=1)
            out = z[0, :, pairing.offset : pairing.offset + pairing.v]
            _step(stores[pairing.head], pairing.mask == "strict past", q, keys, values, out)
        x = a.add(x, a.affine(z, heads.output, heads.own_bias))
        if norm is not None and not before:
            x = normed(a, norm, x)
        return mlp_sublayer(model, block, a, x)


def _step(store: KeyValueStore, strict: bool, q: Array, k: Array, v: Array, out: Array) -> None:
    """Feeds positions one by one to a head's store and writes what each gets; `strict` hides a position from itself."""
    for i in range(len(q)):
        if strict:
            out[i] = store.attend(q[i])
        store.append(k[i], v[i])
        if not strict:
            out[i] = store.attend(q[i])
