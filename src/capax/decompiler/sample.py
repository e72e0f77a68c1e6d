"""The words that a model is looked at on, and what each of its heads does there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np

from capax.model.model import Model
from capax.model.parts import Array, Block, Head
from capax.model.vocabulary import Token

Word = tuple[Token, ...]
NEAR: Final = 1e-4
"""Numbers of a head's queries, keys or values that differ by less, relative to their range, are taken for equal."""
UNEVEN: Final = 0.2
"""The weights of the keys that a hard selector selects differ by less than this share."""


def short_words(letters: Sequence[Token], longest: int, count: int, seed: int) -> list[Word]:
    """All words of 1 and 2 letters, then random ones of up to `longest` letters, `count` in all or a few more.

    All words there are, if these are no more than `count`.
    """
    if sum(len(letters) ** n for n in range(1, longest + 1)) <= count:
        return [word for n in range(1, longest + 1) for word in product(letters, repeat=n)]
    words: dict[Word, None] = {}
    for n in range(1, min(2, longest) + 1):
        words.update(dict.fromkeys(product(letters, repeat=n) if len(letters) ** n <= count // 4 else ()))
    rng = np.random.default_rng(seed)
    tries = 0
    while len(words) < count and tries < 20 * count:
        tries += 1
        n = int(rng.integers(max(1, longest // 2), longest + 1))
        few = rng.choice(len(letters), size=int(rng.integers(1, len(letters) + 1)), replace=False)
        words[tuple(letters[i] for i in rng.choice(few, size=n).tolist())] = None
    return list(words)


@dataclass(frozen=True, eq=False)
class Sample:
    """Words laid end to end, by length: `flat` positions, and the pairs (query, key) of positions of one word."""

    words: tuple[Word, ...]

    @staticmethod
    def of(words: Sequence[Word]) -> "Sample":
        """The sample of some words, the shorter ones first."""
        return Sample(tuple(sorted(dict.fromkeys(words), key=len)))

    @cached_property
    def lengths(self) -> Array:
        """The length of each word."""
        return np.array([len(word) for word in self.words])

    @cached_property
    def word_of(self) -> Array:
        """For each flat position the number of its word."""
        return np.repeat(np.arange(len(self.words)), self.lengths)

    @cached_property
    def starts(self) -> Array:
        """The flat position at which each word begins."""
        return np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    @cached_property
    def position(self) -> Array:
        """For each flat position its position in its word."""
        return np.arange(len(self.word_of)) - self.starts[self.word_of]

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """The flat positions of the query and of the key of each pair, word by word."""
        queries, keys = [], []
        for start, n in zip(self.starts.tolist(), self.lengths.tolist(), strict=True):
            at = np.arange(start, start + n)
            queries.append(np.repeat(at, n))
            keys.append(np.tile(at, n))
        return np.concatenate(queries), np.concatenate(keys)

    def batches(self) -> Iterator[list[Word]]:
        """The words of each length, in order."""
        for n in sorted(set(self.lengths.tolist())):
            yield [word for word in self.words if len(word) == n]


@dataclass(frozen=True, slots=True, eq=False)
class HeadReading:
    """What a head does on a sample: the pairs it selects, and which positions have equal queries, keys and values.

    `hard` says whether each query attends to its selected keys evenly; `counts` whether the sink always weighs as much
    as a selected key, so that the head tells how many there are. `allowed` are the pairs that its mask lets through.
    """

    layer: int
    number: int
    head: Head
    selected: Array
    allowed: Array
    hard: bool
    counts: bool
    query_class: Array
    key_class: Array
    value_class: Array
    values: Array

    @property
    def title(self) -> str:
        """The head's layer and number, counted from 1."""
        return f"head {self.layer + 1}.{self.number + 1}"


def classes(vectors: Array) -> Array:
    """For each row of an array (rows, d) a number that equal rows share, up to rounding."""
    labels = np.zeros(len(vectors), np.int64)
    for column in np.asarray(vectors, np.float64).T:
        order = np.argsort(column, kind="stable")
        jumps = np.diff(column[order]) > NEAR * max(1.0, float(np.ptp(column)))
        one = np.zeros(len(column), np.int64)
        one[order] = np.concatenate([[0], np.cumsum(jumps)])
        labels = np.unique(labels * (one.max() + 1) + one, return_inverse=True)[1]
    return labels


def traced(model: Model, sample: Sample) -> list[Any]:
    """The runs of a model on the words of each length, with every activation; in float64 if it computes with floats."""
    precise = model.to("float64") if model.numbers.startswith("float") else model
    return [precise.run(batch, trace=True, many=True) for batch in sample.batches()]


def read_heads(
    blocks: Sequence[Block], first: int, sample: Sample, traces: Sequence[Any]
) -> dict[tuple[int, int], HeadReading]:
    """What every head of second order of some blocks, of which `first` is the first's number, does on a sample."""
    readings = {}
    for layer, block in enumerate(blocks, first):
        for number, head in enumerate(block.heads):
            if isinstance(head, Head):
                readings[layer, number] = _reading(head, layer, number, traces, sample)
    return readings


def _reading(head: Head, layer: int, number: int, traces: Sequence[Any], sample: Sample) -> HeadReading:
    weights, sinks = [], []
    for trace in traces:
        pattern = trace[f"blocks.{layer}.attn.pattern"][:, number]
        n = pattern.shape[1]
        weights.append(pattern[:, :, :n].reshape(-1))
        extra = pattern[:, :, n] if pattern.shape[2] > n else np.zeros(pattern.shape[:2])
        sinks.append(extra.reshape(-1))
    weight, sink = np.concatenate(weights), np.concatenate(sinks)
    queries = sample.pairs[0]
    top = np.maximum.reduceat(weight, np.searchsorted(queries, np.arange(len(sink))))
    peak = np.maximum(top, sink)[queries]
    selected = weight > 0.5 * peak
    even = np.abs(weight - peak) < UNEVEN * peak
    hard = bool((even | ~selected).all() and (weight[~selected] < UNEVEN * peak[~selected]).all())
    counts = head.sink is not None and bool((sink > 0.5 * np.maximum(top, sink)).all())
    parts = {name: _vectors(traces, f"blocks.{layer}.attn.{name}", number) for name in "qkv"}
    return HeadReading(
        layer,
        number,
        head,
        selected,
        _allowed(head.mask, sample),
        hard,
        counts,
        classes(parts["q"]),
        classes(parts["k"]),
        classes(parts["v"]),
        parts["v"],
    )


def _vectors(traces: Sequence[Any], name: str, number: int) -> Array:
    """A head's vectors at every flat position."""
    rows = []
    for trace in traces:
        part = trace[name]
        array = part[number] if isinstance(part, list) else part[:, number]
        rows.append(array.reshape(array.shape[0] * array.shape[1], array.shape[-1]))
    return np.concatenate(rows)


def _allowed(mask: str, sample: Sample) -> Array:
    q, k = (sample.position[side] for side in sample.pairs)
    match mask:
        case "causal":
            return np.asarray(k <= q)
        case "strict past":
            return np.asarray(k < q)
        case "future":
            return np.asarray(k >= q)
        case "strict future":
            return np.asarray(k > q)
    return np.ones(len(q), bool)
