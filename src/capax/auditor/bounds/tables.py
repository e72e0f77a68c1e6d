"""Attention as tables: for one answer position and its letter, the weights and values of every letter everywhere.

Before its only attention layer a model's stream at a position depends on the token and the position alone, so queries,
keys and values are tables. With the query fixed, the output of a head on a word x is

    y(x) = (nv0 + sum_j w(j, x_j) v(j, x_j)) / (w0 + sum_j w(j, x_j)),

where w(j, a) = exp(score - c) > 0 and w0, nv0 collect the keys that no letter changes: prefix, end marker and sink.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from capax.auditor.bounds.chain import Chain, after, attention_layer, before, before_heads, run
from capax.auditor.question import Question
from capax.model.parts import Array, Head
from capax.model.run.attention import seen
from capax.model.vocabulary import Token


@dataclass(frozen=True, slots=True, eq=False)
class HeadTable:
    """One head seen from one query: scores (n, letters), values (n, letters, v), and the constant keys together.

    `shift` was subtracted from all scores; a position that the query does not see has minus infinity. The constant keys
    count as one, with the mean of their values and a score whose exponential is the sum of their weights.
    """

    score: Array
    value: Array
    constant_score: float
    constant_value: Array
    shift: float
    weight: Array = field(init=False)
    constant_weight: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", np.exp(self.score))
        object.__setattr__(self, "constant_weight", float(np.exp(self.constant_score)))

    def first(self, n: int) -> "HeadTable":
        """The table of the first n letters."""
        return HeadTable(self.score[:n], self.value[:n], self.constant_score, self.constant_value, self.shift)

    def output(self, words: Array) -> Array:
        """The head's outputs (words, v) on words (words, n) of letter numbers."""
        rows = np.arange(words.shape[1])
        score = self.score[rows, words]
        top = np.maximum(score.max(axis=1, initial=-np.inf), self.constant_score)[:, None]
        weight, constant = np.exp(score - top), np.exp(self.constant_score - top)
        total = constant * self.constant_value + np.einsum("bj,bjv->bv", weight, self.value[rows, words])
        return np.asarray(total / (constant + weight.sum(axis=1, keepdims=True)))


@dataclass(frozen=True, eq=False)
class AnswerQuery:
    """The answer at one position, with one letter there (None at an end marker): all that words can change it by."""

    position: int
    letter: int | None
    residual: Array
    """The stream (d,) at the answer position before the heads' outputs are added."""
    heads: tuple[HeadTable, ...]
    output: Array
    """From the heads' outputs, one after the other (m,), to what they add to the stream: (m, d)."""
    chain: Chain
    """From the stream to the logits."""

    @property
    def letters(self) -> int:
        """The number of letters of the alphabet."""
        return self.heads[0].weight.shape[1] if self.heads else 0

    @property
    def sizes(self) -> list[int]:
        """The dimension of each head's output."""
        return [head.value.shape[2] for head in self.heads]

    def outputs(self, words: Array) -> Array:
        """The heads' outputs (words, m) on words (words, n) of letter numbers."""
        parts = [head.output(words) for head in self.heads]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(words), 0))

    def logits(self, words: Array) -> Array:
        """The logits (words, outputs) in float64 on words (words, n) of letter numbers."""
        return run(self.chain, self.residual + self.outputs(words) @ self.output)


class Tables:
    """The streams of every token at every position of words of one length, and the queries made from them."""

    def __init__(self, question: Question, n: int) -> None:
        self.model, self.n = question.model, n
        self.prefix = len(self.model.prefix)
        self.embedded = embedded(question, n)
        self.stream = run(before(self.model), self.embedded)
        at = attention_layer(self.model)
        heads = self.model.blocks[at].heads if at < len(self.model.blocks) else ()
        self.heads = tuple(head for head in heads if isinstance(head, Head))
        self.total = len(self.stream)
        self.letter_count = len(question.spec.letters)
        self.has_end = bool(question.suffix)

    @cached_property
    def inside(self) -> Array:
        """What the heads read: (positions, letters, d)."""
        return run(before_heads(self.model), self.stream)

    @cached_property
    def output(self) -> Array:
        """The heads' output maps, one below the other (m, d)."""
        return np.concatenate([np.asarray(head.output, np.float64) for head in self.heads])

    @cached_property
    def chain(self) -> Chain:
        """From the stream to the logits."""
        return after(self.model)

    @cached_property
    def keys_values(self) -> list[tuple[Array, Array]]:
        """The keys and values (positions, letters, features) of each head."""
        return [(_map(h.key, self.inside), _map(h.value, self.inside)) for h in self.heads]

    def constant(self) -> Array:
        """Which positions (positions,) hold the same token in every word."""
        fixed = np.zeros(self.total, bool)
        fixed[: self.prefix] = True
        fixed[self.prefix + self.n :] = True
        return fixed

    def query(self, position: int, letter: int | None) -> AnswerQuery:
        """The tables for an answer at a position of the word's tokens, with a letter there."""
        at = self.prefix + position
        own = 0 if letter is None else letter
        parts = tuple(self._head(k, at, own) for k in range(len(self.heads)))
        return AnswerQuery(position, letter, self.stream[at, own], parts, self.output, self.chain)

    def scores(self, head: int, at: int, own: int) -> Array:
        """The scores (positions, letters) of a query; minus infinity where it sees no key."""
        one = self.heads[head]
        q = _map(one.query, self.inside[at, own]) * one.scale
        scores = self.keys_values[head][0] @ q
        visible = seen(one.mask, np.array([at]), np.arange(self.total))[0]
        return np.where(visible[:, None], scores, -np.inf)

    def sink_score(self, head: int, at: int, own: int) -> float:
        """The score of a head's sink, or minus infinity."""
        one = self.heads[head]
        if one.sink is None:
            return -np.inf
        return float(_map(one.query, self.inside[at, own]) * one.scale @ np.asarray(one.sink.key, np.float64))

    def _head(self, head: int, at: int, own: int) -> HeadTable:
        one, fixed = self.heads[head], self.constant()
        scores, sink = self.scores(head, at, own), self.sink_score(head, at, own)
        values = self.keys_values[head][1].copy()
        scores[at], values[at] = scores[at, own], values[at, own]  # no other letter stands there
        shift = max(float(scores.max()), sink)
        if shift == -np.inf:  # no key at all: the output is zero
            unseen = np.full((self.n, self.letter_count), -np.inf)
            return HeadTable(unseen, values[~fixed], 0.0, np.zeros(values.shape[2]), 0.0)
        constant, vectors = scores[fixed, 0], values[fixed, 0]
        if one.sink is not None:
            constant = np.append(constant, sink)
            vectors = np.concatenate([vectors, np.asarray(one.sink.value, np.float64)[None]])
        top = constant.max(initial=-np.inf)
        if top == -np.inf:
            return HeadTable(scores[~fixed] - shift, values[~fixed], -np.inf, np.zeros(values.shape[2]), shift)
        share = np.exp(constant - top)
        score = float(top + np.log(share.sum()) - shift)
        return HeadTable(scores[~fixed] - shift, values[~fixed], score, share @ vectors / share.sum(), shift)


def _map(map: object, x: Array) -> Array:
    from capax.model.parts import Affine

    assert isinstance(map, Affine)
    return np.asarray(x @ np.asarray(map.weight, np.float64) + np.asarray(map.bias, np.float64))


def token_rows(question: Question, n: int) -> Array:
    """The embedding rows (positions, letters) of the tokens that can stand at each position, prefix included."""
    model, letters = question.model, question.spec.letters
    columns = len(letters)

    def constant(tokens: Sequence[Token]) -> list[list[int]]:
        return [[row] * columns for row in model.vocabulary.rows(tokens)]

    word = [model.vocabulary.rows(letters)] * n
    return np.array(constant(model.prefix) + word + constant(question.suffix), np.int64).reshape(-1, columns)


def embedded(question: Question, n: int) -> Array:
    """The embeddings (positions, letters, d) in float64 of every letter at every position."""
    model, rows = question.model, token_rows(question, n)
    x = np.asarray(model.embedding, np.float64)[rows]
    total = len(rows)
    if model.positions.functions:
        x = x + (model.positions.values(total) @ np.asarray(model.positions.weight, np.float64))[:, None]
    if model.positions.table is not None:
        x = x + np.asarray(model.positions.table, np.float64)[:total, None]
    return np.asarray(x)
