"""The message about some free positions to one query of a one-layer model, as a sum over the positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.limits.protocols.play.one_query import attention_layer, before_attention, public_query
from capax.limits.protocols.play.partial_bytes import fields_of, pairwise_heads, rows_of
from capax.limits.protocols.play.player import own_stream
from capax.limits.witnesses.claimed_task import integer_system
from capax.limits.witnesses.search.additive import Additive
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.attention import seen
from capax.model.run.split import integers, partial


@dataclass(frozen=True)
class OneQuery:
    """Free positions of a word with the tokens that each may have, and a query whose answer is read.

    Positions count from the start of the word, without the model's prefix.
    """

    model: Model
    positions: tuple[int, ...]
    tokens: tuple[tuple[Any, ...], ...]
    query: Any
    query_at: int
    length: int

    @property
    def is_additive(self) -> bool:
        """Whether messages are sums: all heads are softmax heads."""
        return all(head.attention == "softmax" for heads in pairwise_heads(self.model) for head in heads)

    @property
    def width(self) -> int:
        """The bits of a message, as the protocol sends it."""
        system, total = integer_system(self.model), self.length + len(self.model.prefix)
        heads = pairwise_heads(self.model)[attention_layer(self.model)]
        return sum(f.bits for head in heads for f in fields_of(system, head, len(self.positions), total))

    def additive(self, labels: Array | None = None) -> Additive:
        """The table of what each token at each free position adds to the message."""
        return Additive(self._each(), labels)

    def _each(self) -> Array:
        """What each token at each position adds: (positions, choices, numbers)."""
        model, start = self.model, len(self.model.prefix)
        total = self.length + start
        a = integers(model, total)
        query, query_at = public_query(model, self.query, self.query_at + start, total)
        rows = []
        for position, tokens in zip(self.positions, self.tokens, strict=True):
            at = np.full(len(tokens), position + start)
            x = before_attention(model, own_stream(model, tokens, at, total))
            columns = []
            for head in pairwise_heads(model)[attention_layer(model)]:
                q = a.scaled(a.keep(a.affine(query, head.query.weight, head.query.bias)), head.scale)
                k = a.keep(a.affine(x, head.key.weight, head.key.bias))
                v = a.keep_value(a.affine(x, head.value.weight, head.value.bias))
                w = a.weigh(np.where(seen(head.mask, query_at, at), a.scores(q, k), a.unseen), q)[0][:, None]
                columns += [w * v, w]
            rows.append(np.concatenate(columns, axis=1))
        return np.stack(rows)

    def messages(self, choices: Array) -> Array:
        """The messages (inputs, numbers) of assignments (inputs, positions), for any kind of attention."""
        model, start = self.model, len(self.model.prefix)
        total = self.length + start
        query, query_at = public_query(model, self.query, self.query_at + start, total)
        heads = pairwise_heads(model)[attention_layer(model)]
        at = np.array(self.positions) + start
        messages = []
        for row in choices:
            tokens = [self.tokens[position][int(choice)] for position, choice in enumerate(row)]
            x = before_attention(model, own_stream(model, tokens, at, total))
            sums = [partial(model, head, x, query, keys_at=at, queries_at=query_at) for head in heads]
            messages.append(np.concatenate([rows_of(p, h, total)[0] for p, h in zip(sums, heads, strict=True)]))
        return np.stack(messages)


def words_of(template: Sequence[Any], query: OneQuery, choices: Sequence[int]) -> list[Any]:
    """The word with the free positions filled."""
    word = list(template)
    for position, tokens, choice in zip(query.positions, query.tokens, choices, strict=True):
        word[position] = tokens[choice]
    return word
