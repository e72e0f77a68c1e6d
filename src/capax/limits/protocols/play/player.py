"""A player: an object that holds its own tokens and the bytes it has received, and nothing of other players."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from capax.limits.protocols.play.partial_bytes import hear, pairwise_heads, say
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.model import Model
from capax.model.parts import Array, Head
from capax.model.run.forward import apply_mlp, mlp_sublayer, read_out
from capax.model.run.split import Partial, after_attention, finish, integers, merge, partial


class Player:
    """One party of a protocol. The model and the length of the word are public.

    `tokens` and `at` are its own tokens and their positions (counted with the model's prefix), `stream` what the model
    makes of them so far, `received` the bytes that others sent.
    """

    __slots__ = ("at", "length", "model", "name", "received", "stream", "tokens")

    def __init__(self, name: str, model: Model, tokens: Sequence[Any], at: Sequence[int], length: int) -> None:
        self.name = name
        self.model = model
        self.tokens = tuple(tokens)
        self.at = np.array(at, np.int64)
        self.length = length
        self.stream = own_stream(model, self.tokens, self.at, length)
        self.received: list[bytes] = []

    def receive(self, data: bytes) -> None:
        """Keeps bytes that another player sent."""
        self.received.append(data)

    def say_state(self) -> tuple[bytes, int]:
        """The bytes of its whole stream, p bits for each coordinate."""
        return stream_bytes(self.model, self.stream)

    def partials(self, layer: int, queries: Array, queries_at: Array, *, sink: bool = False) -> list[Partial]:
        """The sums of its own keys for some queries, for each head of a layer."""
        return [
            partial(self.model, head, self.stream, queries, keys_at=self.at, queries_at=queries_at, sink=sink)
            for head in self.heads(layer)
        ]

    def answer(self, layer: int, queries: Array, queries_at: Array) -> tuple[bytes, int]:
        """The bytes of its partial sums for some queries; it keeps nothing of the queries."""
        parts = self.partials(layer, queries, queries_at)
        return say(integer_system(self.model), self.heads(layer), parts, len(self.at), self.length)

    def understand(self, layer: int, data: bytes, keys: int, queries: int) -> list[Partial]:
        """The partial sums in bytes from a player with that many keys."""
        return hear(integer_system(self.model), self.heads(layer), data, keys, self.length, queries)

    def heads(self, layer: int) -> tuple[Head, ...]:
        """The heads of a layer."""
        return pairwise_heads(self.model)[layer]


def own_stream(model: Model, tokens: Sequence[Any], at: Array, length: int) -> Array:
    """The stream (tokens, d) before the first layer, from tokens and their positions alone."""
    a = integers(model, length)
    rows = np.array(model.vocabulary.rows(tokens), np.int64)
    x = a.weights(model.embedding, "the embedding")[rows] if len(rows) else np.zeros((0, model.width), np.int64)
    positions = model.positions
    position: Array | None = None
    if positions.functions:
        values = a.outside(positions.values(length)[at])
        position = a.affine(values, a.weights(positions.weight, "the positions"), None)
    if positions.table is not None:
        row = a.weights(positions.table, "the positions")[at]
        position = row if position is None else a.add(position, row)
    x = a.keep(x) if position is None else a.add(x, position)
    return x if model.input_mlp is None else a.add(x, apply_mlp(model.input_mlp, a, x))


def after_layer(model: Model, layer: int, x: Array, parts: Sequence[Sequence[Partial]]) -> Array:
    """The streams of some queries after a layer, from what every party said: for each head the sums of all parties."""
    block = model.blocks[layer]
    means = [finish(model, merge(head)) for head in parts]
    return mlp_sublayer(model, block, integers(model), after_attention(model, block, x, means))


def logits_of(model: Model, x: Array) -> Array:
    """The logits of streams."""
    return read_out(model, integers(model), x)


def stream_bytes(model: Model, x: Array) -> tuple[bytes, int]:
    """The bytes of streams, p bits for each coordinate, and their exact number of bits."""
    from capax.limits.protocols.play.partial_bytes import BitField, pack

    bits = integer_system(model).bits
    return pack(x, [BitField(bits, True)] * x.shape[1]), bits * x.size


def stream_of(model: Model, data: bytes, rows: int) -> Array:
    """The streams in bytes."""
    from capax.limits.protocols.play.partial_bytes import BitField, unpack

    return unpack(data, [BitField(integer_system(model).bits, True)] * model.width, rows)
