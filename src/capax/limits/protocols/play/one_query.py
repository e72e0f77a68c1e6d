"""One-layer models with one public query: others say their partial sums for it, a referee adds and answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from capax.limits.protocols.play.player import Player, after_layer, logits_of, own_stream
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.split import Partial


def attention_layer(model: Model) -> int:
    """The number of the one block that has heads."""
    return next(number for number, block in enumerate(model.blocks) if block.heads)


def before_attention(model: Model, x: Array) -> Array:
    """Streams after the blocks without heads that come before the attention layer."""
    for layer in range(attention_layer(model)):
        x = after_layer(model, layer, x, [])
    return x


def after_attention_layers(model: Model, x: Array, sums: Sequence[Sequence[Partial]]) -> Array:
    """The logits at a query, from what every party sums about each head of the one attention layer."""
    layer = attention_layer(model)
    x = after_layer(model, layer, x, list(zip(*sums, strict=True)))
    for later in range(layer + 1, len(model.blocks)):
        x = after_layer(model, later, x, [])
    return logits_of(model, x)


class Speaker(Player):
    """A player that says its partial sums for one public query."""

    def speak(self, query_token: Any, query_at: int) -> tuple[bytes, int]:
        """The bytes of its sums for the query, which everyone can embed."""
        self.stream = before_attention(self.model, own_stream(self.model, self.tokens, self.at, self.length))
        query, at = public_query(self.model, query_token, query_at, self.length)
        return self.answer(attention_layer(self.model), query, at)


def public_query(model: Model, token: Any, at: int, length: int) -> tuple[Array, Array]:
    """The stream of a token that everyone knows, before the attention layer, and its position."""
    position = np.array([at])
    return before_attention(model, own_stream(model, [token], position, length)), position


class Referee(Player):
    """The player at the query, which adds what the others sums to its own sums, and answers."""

    def decide(self, keys: Sequence[int]) -> Array:
        """The logits at its last token, from the bytes received from players with that many keys each."""
        self.stream = before_attention(self.model, own_stream(self.model, self.tokens, self.at, self.length))
        layer, query, at = attention_layer(self.model), self.stream[-1:], self.at[-1:]
        sums = [self.understand(layer, data, m, 1) for data, m in zip(self.received, keys, strict=True)]
        sums.append(self.partials(layer, query, at, sink=True))
        return after_attention_layers(self.model, query, sums)
