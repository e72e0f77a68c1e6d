"""Random small models, for tests that compare runtimes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle, pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from capax.model.model import Model
from capax.model.parts import (
    ATTENTION_KINDS,
    MASKS,
    Affine,
    AnyHead,
    Array,
    AttentionKind,
    Block,
    GatedMlp,
    Head,
    Mask,
    Mlp,
    Norm,
    Readout,
    RotaryHead,
    Sink,
    TensorHead,
)
from capax.model.positions import Positions
from capax.model.vocabulary import Classes, Vocabulary

LETTERS = ("a", "b", "c")


@dataclass(frozen=True)
class Shape:
    """What a random model looks like; weights are multiples of 1 / `grain` in [-`reach`, `reach`].

    `rotary` and `gated` are the shares of heads with rotary positions and of SwiGLU MLPs.
    """

    kinds: tuple[AttentionKind, ...] = ATTENTION_KINDS
    masks: tuple[Mask, ...] = MASKS
    sinks: bool = True
    norms: bool = True
    pairs: bool = True
    pair_share: float = 0.15
    activations: tuple[str, ...] = ("relu",)
    functions: tuple[str, ...] = ("1", "i", "(-1)^i", "[i=0]", "i%3")
    scales: tuple[float, ...] = (1.0, 0.5)
    epsilons: tuple[float, ...] = (1e-5, 0.125)
    grain: int = 4
    reach: int = 1
    most_layers: int = 2
    decoding: tuple[str, ...] = ("x", "y")
    table: bool = True
    prefix: bool = True
    rotary: float = 0.0
    gated: float = 0.0


class Draw:
    """Parts of a model from a random generator."""

    def __init__(self, shape: Shape, seed: int) -> None:
        self.shape = shape
        self.random = np.random.default_rng(seed)

    def pick(self, items: Any) -> Any:
        """One of the items."""
        return items[int(self.random.integers(len(items)))]

    def numbers(self, *size: int) -> Array:
        """Weights."""
        most = self.shape.reach * self.shape.grain
        return self.random.integers(-most, most + 1, size) / self.shape.grain

    def affine(self, inputs: int, outputs: int) -> Affine:
        """An affine map."""
        return Affine(self.numbers(inputs, outputs), self.numbers(outputs))

    def head(self, d: int) -> AnyHead:
        """A head; now and then of third order."""
        shape = self.shape
        k, v = int(self.random.integers(1, 4)), int(self.random.integers(1, 3))
        mask, scale = self.pick(shape.masks), self.pick(shape.scales)
        if shape.pairs and "softmax" in shape.kinds and self.random.random() < shape.pair_share:
            keys, values = [self.affine(d, k) for _ in range(3)], [self.affine(d, v) for _ in range(2)]
            return TensorHead(*keys, *values, self.numbers(v, d), mask=mask, scale=scale)
        if shape.rotary and self.random.random() < shape.rotary:
            maps = self.affine(d, 2 * k), self.affine(d, 2 * k), self.affine(d, v), self.numbers(v, d)
            return RotaryHead(*maps, self.numbers(k), mask=mask, scale=scale)
        sink = Sink(self.numbers(k), self.numbers(v)) if shape.sinks and self.random.random() < 0.5 else None
        maps = self.affine(d, k), self.affine(d, k), self.affine(d, v), self.numbers(v, d)
        return Head(*maps, attention=self.pick(shape.kinds), mask=mask, sink=sink, scale=scale)

    def norm(self, d: int) -> Norm | None:
        """A norm, or none."""
        if not self.shape.norms or self.random.random() < 0.5:
            return None
        return Norm(self.pick(("layer", "rms")), self.numbers(d), self.numbers(d), self.pick(self.shape.epsilons))

    def gated(self, d: int) -> GatedMlp:
        """A SwiGLU MLP."""
        units = int(self.random.integers(1, 5))
        return GatedMlp(self.affine(d, units), self.affine(d, units), self.affine(units, d))

    def mlp(self, d: int) -> Mlp | None:
        """An MLP of one or two hidden stages, or none."""
        if self.random.random() < 0.3:
            return None
        sizes = [d, *(int(self.random.integers(1, 5)) for _ in range(self.pick((1, 1, 2)))), d]
        maps = tuple(self.affine(a, b) for a, b in pairwise(sizes))
        return Mlp(maps, activation=self.pick(self.shape.activations))

    def block(self, d: int) -> Block:
        """A layer of up to three heads."""
        heads = tuple(self.head(d) for _ in range(int(self.random.integers(0, 4))))
        gated = self.shape.gated and self.random.random() < self.shape.gated
        mlp = self.gated(d) if gated else self.mlp(d)
        return Block(heads, self.numbers(d), mlp, self.norm(d), self.norm(d))

    def model(self) -> Model:
        """A model in float64."""
        shape = self.shape
        d = int(self.random.integers(1, 6))
        functions = tuple(f for f in shape.functions if self.random.random() < 0.5)
        table = self.numbers(12, d) if shape.table and self.random.random() < 0.3 else None
        layers = int(self.random.integers(0, shape.most_layers + 1))
        return Model(
            Vocabulary(LETTERS),
            self.numbers(len(LETTERS), d),
            Positions(functions, self.numbers(len(functions), d), table),
            tuple(self.block(d) for _ in range(layers)),
            Readout(self.affine(d, len(shape.decoding)), self.norm(d)),
            Classes(shape.decoding),
            tuple(f"x{i}" for i in range(d)),
            input_mlp=self.mlp(d),
            prefix=("c",) if shape.prefix and self.random.random() < 0.3 else (),
            norm_place=self.pick(("before", "after")),
        )


def models(shape: Shape = Shape()) -> st.SearchStrategy[Model]:  # noqa: B008  (a frozen value)
    """Random models of a shape, by a seed: their parts do not shrink, but the seed and the shape say all."""
    return st.integers(0, 2**32 - 1).map(lambda seed: Draw(shape, seed).model())


def words(least: int = 1, most: int = 7) -> st.SearchStrategy[str]:
    """Random words over the models' letters."""
    return st.text(alphabet=LETTERS, min_size=least, max_size=most)


def with_heads(shape: Shape, least: int = 1) -> Model:
    """The first model of a shape that has so many layers with heads."""
    drawn = (Draw(shape, seed).model() for seed in range(1000))
    return next(model for model in drawn if model.depth >= least)


def with_one_query(found: Model, which: Sequence[bool]) -> Model:
    """The model with constant queries, without masks, in the heads that are named in turn: they do not differ."""
    names = cycle(which)

    def one(head: AnyHead) -> AnyHead:
        if not isinstance(head, Head) or not next(names):
            return head
        return replace(head, query=replace(head.query, weight=0 * head.query.weight), mask="none")

    return replace(found, blocks=tuple(replace(b, heads=tuple(map(one, b.heads))) for b in found.blocks))
