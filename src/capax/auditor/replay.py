"""One word through a model, written down once more: plain Python numbers, lists and loops.

It shares no code with the runtime, and no array library computes in it, so that a counterexample does not rest on
either. In float64 every operation is Python's own. In float32 each is rounded to 24 bits; in a sum of products, each
partial sum. The order of sums is that of the positions and directions, which the runtime does not promise.
"""

import cmath
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from capax.auditor.plain_functions import activated, position_values, quotient, sees, sparsemax
from capax.errors import CapaxError
from capax.model.loop import block_order
from capax.model.model import Model
from capax.model.parts import (
    Affine,
    AnyHead,
    Array,
    AttentionKind,
    Block,
    GatedMlp,
    Head,
    Mlp,
    Norm,
    OracleMap,
    RotaryHead,
    TensorHead,
)
from capax.model.vocabulary import Token

Row: TypeAlias = list[float]
Rounding: TypeAlias = Callable[[float], float]

_FLOAT32: Final = struct.Struct("<f")
LOWEST: Final = {"float64": -1.7976931348623157e308, "float32": -3.4028234663852886e38}
"""The lowest numbers: scores of hard attention are never less, so that a key is always seen."""


def replay(model: Model, tokens: Sequence[Token], position: int, numbers: str) -> Row:
    """The logits at one position of a word's tokens, in float64 or in float32."""
    if numbers not in LOWEST:
        what = f"a plain replay computes in float64 and float32, not in {numbers:.60}"
        raise CapaxError("number-system", what, hint="the definition of such models is capax.model.run.reference")
    maps = [model.input_mlp, *(block.mlp for block in model.blocks)]
    if any(isinstance(one, OracleMap) for one in maps):
        what = "the model has an oracle map, a function that is not a network: no other tool can compute it"
        raise CapaxError("bad-model", what, hint="replace the oracle map by an MLP")
    return _Replay(model, numbers).logits(model.read(tokens), position + len(model.prefix))


def _to_float32(x: float) -> float:
    try:
        return float(_FLOAT32.unpack(_FLOAT32.pack(x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


class _Replay:
    """A model in float64 or float32."""

    def __init__(self, model: Model, numbers: str) -> None:
        self.model = model
        self.fit: Rounding = float if numbers == "float64" else _to_float32
        self.lowest = LOWEST[numbers]

    def logits(self, rows: list[int], position: int) -> Row:
        """The logits at a position, of embedding rows."""
        model = self.model
        xs = self.embedded(rows)
        if isinstance(model.input_mlp, Mlp):
            xs = [self.sum(x, y) for x, y in zip(xs, self.mlp(model.input_mlp, xs), strict=True)]
        blocks = [block for _, block in block_order(model, len(rows) - len(model.prefix))]
        for number, block in enumerate(blocks):
            last = number + 1 == len(blocks)  # nobody reads what the last layer makes of other positions
            xs = self.block(block, xs, [position] if last else range(len(xs)))
        xs = xs if blocks else [xs[position]]
        return self.affine(model.readout.map, self.normed(model.readout.norm, xs))[0]

    def embedded(self, rows: list[int]) -> list[Row]:
        """The streams before the first layer."""
        fit, positions = self.fit, self.model.positions
        functions = [position_values(name, len(rows)) for name in positions.functions]
        weight = list(zip(*positions.weight.tolist(), strict=True)) if functions else []
        xs = []
        for i, row in enumerate(rows):
            x = [fit(c) for c in self.model.embedding[row].tolist()]
            added: Row | None = None
            if functions:
                features = [fit(values[i]) for values in functions]
                added = [self.dot(features, [fit(w) for w in column]) for column in weight]
            if positions.table is not None:
                table = [fit(c) for c in positions.table[i].tolist()]
                added = table if added is None else self.sum(added, table)
            xs.append(x if added is None else self.sum(x, added))
        return xs

    def sum(self, x: Row, y: Row) -> Row:
        """The sum of two rows."""
        fit = self.fit
        return [fit(a + b) for a, b in zip(x, y, strict=True)]

    def dot(self, x: Sequence[float], y: Sequence[float]) -> float:
        """A sum of products; each partial sum is rounded."""
        fit, total = self.fit, 0.0
        for a, b in zip(x, y, strict=True):
            total = fit(total + a * b)
        return total

    def hard_score(self, x: Row, y: Row) -> float:
        """The score of hard attention: products rounded, then added up one by one; at least the lowest number."""
        fit, total = self.fit, 0.0
        for a, b in zip(x, y, strict=True):
            total = fit(total + fit(a * b))
        return self.lowest if math.isnan(total) else max(total, self.lowest)

    def array(self, values: Array) -> Row:
        """The numbers of a part of the model with one axis."""
        return [self.fit(value) for value in values.tolist()]

    def affine(self, map: Affine, xs: Sequence[Row]) -> list[Row]:
        """Rows after an affine map."""
        fit = self.fit
        columns = [[fit(w) for w in column] for column in map.weight.T.tolist()]
        terms = list(zip(columns, self.array(map.bias), strict=True))
        return [[fit(self.dot(x, column) + b) for column, b in terms] for x in xs]

    def mlp(self, mlp: Mlp | GatedMlp, xs: Sequence[Row]) -> list[Row]:
        """What an MLP adds to rows."""
        if isinstance(mlp, GatedMlp):
            pairs = zip(self.affine(mlp.gate, xs), self.affine(mlp.up, xs), strict=True)
            return self.affine(mlp.down, [self.product([self.swish(g) for g in gate], up) for gate, up in pairs])
        for stage in mlp.maps[:-1]:
            xs = [[self.fit(activated(c, mlp.activation)) for c in row] for row in self.affine(stage, xs)]
        return self.affine(mlp.maps[-1], xs)

    def norm(self, norm: Norm, x: Row) -> Row:
        """A row after a norm."""
        fit, d = self.fit, len(x)
        if norm.kind == "layer":
            mean = fit(self.dot(x, [1.0] * d) / d)
            x = [fit(c - mean) for c in x]
        root = fit(math.sqrt(fit(fit(self.dot(x, x) / d) + fit(norm.epsilon))))
        scaled = zip(x, self.array(norm.gain), self.array(norm.bias), strict=True)
        return [fit(fit(fit(quotient(c, root)) * g) + b) for c, g, b in scaled]

    def block(self, block: Block, xs: list[Row], at: Sequence[int]) -> list[Row]:
        """The streams after a layer at some positions."""
        before = self.model.norm_place == "before"
        first, second = (norm if before else None for norm in (block.attention_norm, block.mlp_norm))
        inside = self.normed(first, xs)
        added = [[0.0] * self.model.width for _ in at]
        for head in block.heads:
            output = [[self.fit(w) for w in column] for column in head.output.T.tolist()]
            means = self.pair_means(head, inside, at) if isinstance(head, TensorHead) else self.means(head, inside, at)
            added = [self.sum(a, [self.dot(z, column) for column in output]) for a, z in zip(added, means, strict=True)]
        bias = self.array(block.bias)
        after = [self.sum(xs[i], self.sum(a, bias)) for i, a in zip(at, added, strict=True)]
        after = after if before else self.normed(block.attention_norm, after)
        if isinstance(block.mlp, Mlp | GatedMlp):
            results = self.mlp(block.mlp, self.normed(second, after))
            after = [self.sum(x, y) for x, y in zip(after, results, strict=True)]
        return after if before else self.normed(block.mlp_norm, after)

    def normed(self, norm: Norm | None, xs: list[Row]) -> list[Row]:
        """Rows after a norm, if there is one."""
        return xs if norm is None else [self.norm(norm, x) for x in xs]

    def queries(self, head: AnyHead, xs: list[Row], at: Sequence[int]) -> list[Row]:
        """The scaled queries of a head at some positions."""
        fit, scale = self.fit, self.fit(head.scale)
        return [[fit(c * scale) for c in q] for q in self.affine(head.query, [xs[i] for i in at])]

    def means(self, head: Head | RotaryHead, xs: list[Row], at: Sequence[int]) -> Iterator[Row]:
        """The means that a head gives at some positions."""
        keys, queries = self.affine(head.key, xs), self.queries(head, xs, at)
        kind: AttentionKind = "softmax"
        sink: list[tuple[Row, Row]] = []
        if isinstance(head, RotaryHead):
            keys = [self.turn(head, key, j) for j, key in enumerate(keys)]
            queries = [self.turn(head, q, i) for i, q in zip(at, queries, strict=True)]
        else:
            kind = head.attention
            sink = [] if head.sink is None else [(self.array(head.sink.key), self.array(head.sink.value))]
        rows = list(zip(keys, self.affine(head.value, xs), strict=True))
        score = self.hard_score if kind.endswith("hard") else self.dot
        for i, q in zip(at, queries, strict=True):
            visible = [row for j, row in enumerate(rows) if sees(head.mask, i, j)] + sink
            scores = [score(q, key) for key, _ in visible]
            yield self.mean(kind, scores, [value for _, value in visible], head.value)

    def turn(self, head: RotaryHead, row: Row, i: int) -> Row:
        """A query or key at position i, each plane of it as a complex number that is multiplied by another."""
        half = len(row) // 2
        planes = [
            complex(x, y) * cmath.rect(1.0, i * w)
            for x, y, w in zip(row[:half], row[half:], head.frequencies.tolist(), strict=True)
        ]
        return [self.fit(z.real) for z in planes] + [self.fit(z.imag) for z in planes]

    def pair_means(self, head: TensorHead, xs: list[Row], at: Sequence[int]) -> Iterator[Row]:
        """The means that a third-order head gives at some positions: over pairs of keys and products of values."""
        ones = list(zip(self.affine(head.key1, xs), self.affine(head.value1, xs), strict=True))
        twos = list(zip(self.affine(head.key2, xs), self.affine(head.value2, xs), strict=True))
        sink: list[tuple[tuple[Row, Row], tuple[Row, Row]]] = []
        if (own := head.sink) is not None:
            first, second = (
                (self.array(own.key1), self.array(own.value1)),
                (self.array(own.key2), self.array(own.value2)),
            )
            sink = [(first, second)]
        for i, q in zip(at, self.queries(head, xs, at), strict=True):
            seen = [j for j in range(len(xs)) if sees(head.mask, i, j)]
            pairs = [(ones[j], twos[m]) for j in seen for m in seen] + sink
            scores = [self.dot(self.product(q, one[0]), two[0]) for one, two in pairs]
            yield self.mean("softmax", scores, [self.product(one[1], two[1]) for one, two in pairs], head.value1)

    def swish(self, x: float) -> float:
        """SiLU: x times the logistic function of x."""
        return self.fit(x * 0.5 * (1 + math.tanh(x / 2)))

    def product(self, x: Row, y: Row) -> Row:
        """The product of two rows, coordinate by coordinate."""
        fit = self.fit
        return [fit(a * b) for a, b in zip(x, y, strict=True)]

    def mean(self, kind: AttentionKind, scores: Row, values: Sequence[Row], map: Affine) -> Row:
        """The mean of values under the weights that scores give; zeros where there is nothing to see."""
        if not scores:
            return [0.0] * map.outputs
        weights = self.weights(kind, scores)
        total = self.dot(weights, [1.0] * len(weights))
        columns = zip(*values, strict=True)
        return [self.fit(quotient(self.dot(weights, column), total or 1.0)) for column in columns]

    def weights(self, kind: AttentionKind, scores: Row) -> Row:
        """The weights of scores, which need not sum to 1."""
        fit, top = self.fit, max(scores)
        ties = [j for j, score in enumerate(scores) if score == top]
        if kind == "softmax":
            return [fit(math.exp(fit(score - top))) for score in scores]
        if kind == "sparsemax":
            return [fit(w) for w in sparsemax(scores)]
        if kind == "average-hard":
            return [float(score == top) for score in scores]
        one = ties[0] if kind == "leftmost-hard" else ties[-1]
        return [float(j == one) for j in range(len(scores))]
