"""The parts of a transformer: heads, MLPs, norms and blocks, as frozen values over numpy arrays.

Vectors are rows: an affine map sends x to x @ weight + bias. Axes are named in the docstrings: d the width of the
residual stream, k the dimension of queries and keys, v that of values.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from numpy.typing import NDArray

from capax.model.validate import freeze_arrays, require

Array: TypeAlias = NDArray[Any]

AttentionKind: TypeAlias = Literal["softmax", "average-hard", "leftmost-hard", "rightmost-hard", "sparsemax"]
ATTENTION_KINDS: Final[tuple[AttentionKind, ...]] = (
    "softmax",
    "average-hard",
    "leftmost-hard",
    "rightmost-hard",
    "sparsemax",
)
"""How scores become weights: softmax; equal weight on all keys of the highest score; the first or the last of them
alone; the point of the simplex nearest to the scores."""

HardKind: TypeAlias = Literal["average-hard", "leftmost-hard", "rightmost-hard"]
HARD_KINDS: Final[tuple[HardKind, ...]] = ("average-hard", "leftmost-hard", "rightmost-hard")
"""The kinds that attend to keys of the highest score alone."""

Mask: TypeAlias = Literal["none", "causal", "strict past", "future", "strict future"]
MASKS: Final[tuple[Mask, ...]] = ("none", "causal", "strict past", "future", "strict future")
"""Which keys j a query i sees: all, j <= i, j < i, j >= i, j > i."""

Activation: TypeAlias = Literal["relu", "gelu", "gelu-tanh"]
ACTIVATIONS: Final[tuple[Activation, ...]] = ("relu", "gelu", "gelu-tanh")

NormKind: TypeAlias = Literal["layer", "rms"]
NORM_KINDS: Final[tuple[NormKind, ...]] = ("layer", "rms")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a head or a unit comes from: what it computes in the program's words, and the location in its text."""

    what: str
    location: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """The map x @ weight + bias; weight is (inputs, outputs), bias is (outputs,)."""

    weight: Array
    bias: Array

    def __post_init__(self) -> None:
        freeze_arrays(self, "weight", "bias")
        require(self.weight.ndim == 2, f"the weight of a map has two axes, not the shape {self.weight.shape}")
        require(
            self.bias.shape == self.weight.shape[1:],
            f"a map with a weight of shape {self.weight.shape} has a bias of shape {self.bias.shape}",
        )

    @property
    def inputs(self) -> int:
        """The number of coordinates that it reads."""
        return int(self.weight.shape[0])

    @property
    def outputs(self) -> int:
        """The number of coordinates that it gives."""
        return int(self.weight.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Sink:
    """A key/value row that every query of a head sees besides the word's own; key is (k,), value is (v,)."""

    key: Array
    value: Array

    def __post_init__(self) -> None:
        freeze_arrays(self, "key", "value")


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """An attention head: score(i, j) = scale * query(x_i) . key(x_j); its output is added to the stream.

    query and key are (d, k), value is (d, v), output is (v, d). A query that sees no key gets the zero vector.
    """

    query: Affine
    key: Affine
    value: Affine
    output: Array
    attention: AttentionKind = "softmax"
    mask: Mask = "none"
    sink: Sink | None = None
    scale: float = 1.0
    name: str = ""
    origin: Origin | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self, "output")
        _check_maps(self, [self.query, self.key], [self.value])
        require(self.attention in ATTENTION_KINDS, f"unknown attention kind {self.attention!r:.60}")
        if self.sink is not None:
            k, v = self.query.outputs, self.value.outputs
            require(self.sink.key.shape == (k,), f"the sink's key has the shape {self.sink.key.shape} and not {(k,)}")
            require(
                self.sink.value.shape == (v,), f"the sink's value has the shape {self.sink.value.shape}, not {(v,)}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class PairSink:
    """A pair of keys and values that every query of a third-order head sees besides the pairs of the word.

    It does not pair with the word's own keys. Keys are (k,), values (v,).
    """

    key1: Array
    key2: Array
    value1: Array
    value2: Array

    def __post_init__(self) -> None:
        freeze_arrays(self, "key1", "key2", "value1", "value2")


@dataclass(frozen=True, slots=True, eq=False)
class TensorHead:
    """A third-order head: a softmax over pairs of keys (j1, j2).

    score(i, j1, j2) = scale * sum_m query(x_i)_m key1(x_j1)_m key2(x_j2)_m; the value of a pair is the
    coordinate-wise product of value1(x_j1) and value2(x_j2). A mask holds for both keys. The pair of a sink is seen by
    every query.
    """

    query: Affine
    key1: Affine
    key2: Affine
    value1: Affine
    value2: Affine
    output: Array
    mask: Mask = "none"
    scale: float = 1.0
    name: str = ""
    origin: Origin | None = None
    sink: PairSink | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self, "output")
        _check_maps(self, [self.query, self.key1, self.key2], [self.value1, self.value2])
        if self.sink is not None:
            k, v = self.query.outputs, self.value1.outputs
            keys, values = (self.sink.key1, self.sink.key2), (self.sink.value1, self.sink.value2)
            require(all(key.shape == (k,) for key in keys), f"the keys of a sink of pairs have the shape {(k,)}")
            require(all(x.shape == (v,) for x in values), f"the values of a sink of pairs have the shape {(v,)}")


@dataclass(frozen=True, slots=True, eq=False)
class RotaryHead:
    """A softmax head with rotary positions: queries and keys are turned by angles that grow with the position.

    At position i the plane of the dimensions m and m + k / 2 is turned by i * frequencies[m], in queries and in keys
    (k is even; frequencies is (k / 2,)). So scores depend on how far apart positions are. The first row of a word, its
    prefix included, is at position 0.
    """

    query: Affine
    key: Affine
    value: Affine
    output: Array
    frequencies: Array
    mask: Mask = "causal"
    scale: float = 1.0
    name: str = ""
    origin: Origin | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self, "output", "frequencies")
        _check_maps(self, [self.query, self.key], [self.value])
        k = self.query.outputs
        require(
            self.frequencies.shape == (k // 2,) and k % 2 == 0,
            f"rotary positions of {k} dimensions have frequencies of the shape {self.frequencies.shape}",
        )


AnyHead: TypeAlias = Head | TensorHead | RotaryHead


def _check_maps(head: AnyHead, keys: list[Affine], values: list[Affine]) -> None:
    """Refuses a head whose queries and keys, or values and output, do not fit together."""
    require(len({m.outputs for m in keys}) == 1, "the queries and keys of a head differ in dimension")
    require(len({m.inputs for m in (*keys, *values)}) == 1, "the maps of a head read streams of different widths")
    require(len({m.outputs for m in values}) == 1, "the values of a head differ in dimension")
    shape = (values[0].outputs, head.query.inputs)
    require(head.output.shape == shape, f"the output of a head has the shape {head.output.shape} and not {shape}")
    require(head.mask in MASKS, f"unknown mask {head.mask!r:.60}")
    require(math.isfinite(head.scale), f"the scale of a head is {head.scale}")


@dataclass(frozen=True, slots=True, eq=False)
class Mlp:
    """Affine maps with an activation between them; its result is added to the stream.

    Its depth is the number of activations: one less than the number of maps. `units` may name the hidden units,
    stage by stage.
    """

    maps: tuple[Affine, ...]
    activation: Activation = "relu"
    units: tuple[tuple[Origin, ...], ...] = ()

    def __post_init__(self) -> None:
        require(len(self.maps) >= 2, "an MLP has at least one hidden stage: two maps")
        for one, two in zip(self.maps, self.maps[1:], strict=False):
            require(
                one.outputs == two.inputs, f"a map of an MLP gives {one.outputs} numbers, the next reads {two.inputs}"
            )
        require(self.maps[0].inputs == self.maps[-1].outputs, "an MLP gives as many numbers as it reads")
        named = [len(stage) for stage in self.units]
        require(
            not named or named == [m.outputs for m in self.maps[:-1]], "an MLP names all of its hidden units, or none"
        )
        require(self.activation in ACTIVATIONS, f"unknown activation {self.activation!r:.60}")

    @property
    def depth(self) -> int:
        """The number of hidden stages."""
        return len(self.maps) - 1


@dataclass(frozen=True, slots=True, eq=False)
class GatedMlp:
    """A SwiGLU MLP: silu(gate(x)) * up(x), coordinate by coordinate, and then `down`; silu(z) = z / (1 + exp(-z))."""

    gate: Affine
    up: Affine
    down: Affine

    def __post_init__(self) -> None:
        require(self.gate.weight.shape == self.up.weight.shape, "the two maps before the product of a gated MLP differ")
        require(self.up.outputs == self.down.inputs, "the maps of a gated MLP do not fit together")
        require(self.gate.inputs == self.down.outputs, "an MLP gives as many numbers as it reads")


AnyMlp: TypeAlias = Mlp | GatedMlp


@dataclass(frozen=True, slots=True, eq=False)
class OracleMap:
    """An arbitrary function of one position's vector, as some theorems allow: no network, and not kept in files.

    `function` takes an array (..., d) and gives what is added to the stream, of the same shape.
    """

    function: Callable[[Array], Array]
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """LayerNorm, or RMSNorm, with a gain and a bias, both (d,)."""

    kind: NormKind
    gain: Array
    bias: Array
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        freeze_arrays(self, "gain", "bias")
        require(self.kind in NORM_KINDS, f"unknown norm {self.kind!r:.60}")
        require(self.gain.ndim == 1 and self.gain.shape == self.bias.shape, "a norm has a gain and a bias of one shape")
        require(math.isfinite(self.epsilon) and self.epsilon >= 0, f"the epsilon of a norm is {self.epsilon}")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Block:
    """A layer: the heads' outputs and `bias` (d,) are added to the stream, then the MLP's result.

    A norm stands before its sublayer, or after the addition in a model with `norm_place="after"`.
    """

    heads: tuple[AnyHead, ...]
    bias: Array
    mlp: AnyMlp | OracleMap | None = None
    attention_norm: Norm | None = None
    mlp_norm: Norm | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self, "bias")


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """The unembedding, from the stream to one logit per output (or one number), after an optional norm."""

    map: Affine
    norm: Norm | None = None
    names: tuple[str, ...] = field(default=())
