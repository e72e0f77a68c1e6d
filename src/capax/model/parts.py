"""The parts of a transformer: heads, MLPs, norms and blocks, as frozen values over numpy arrays.

Vectors are rows: an affine map sends x to x @ weight + bias. Axes are named in the docstrings: d the width of the
residual stream, k the dimension of queries and keys, v that of values.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from numpy.typing import NDArray

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

Mask: TypeAlias = Literal["none", "causal", "strict past", "future", "strict future"]
MASKS: Final[tuple[Mask, ...]] = ("none", "causal", "strict past", "future", "strict future")
"""Which keys j a query i sees: all, j <= i, j < i, j >= i, j > i."""

Activation: TypeAlias = Literal["relu", "gelu", "gelu-tanh"]
ACTIVATIONS: Final[tuple[Activation, ...]] = ("relu", "gelu", "gelu-tanh")

NormKind: TypeAlias = Literal["layer", "rms"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a head or a unit comes from: what it computes in the program's words, and the place in its text."""

    what: str
    place: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """The map x @ weight + bias; weight is (inputs, outputs), bias is (outputs,)."""

    weight: Array
    bias: Array

    def __post_init__(self) -> None:
        assert self.weight.ndim == 2, self.weight.shape
        assert self.bias.shape == self.weight.shape[1:], (self.weight.shape, self.bias.shape)

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
        assert self.query.outputs == self.key.outputs, "queries and keys have one dimension"
        assert self.query.inputs == self.key.inputs == self.value.inputs == self.output.shape[1], "one width"
        assert self.value.outputs == self.output.shape[0], "the output reads the values"
        assert self.attention in ATTENTION_KINDS, self.attention
        assert self.mask in MASKS, self.mask
        assert self.sink is None or self.sink.key.shape == (self.query.outputs,), "the sink has a key"
        assert self.sink is None or self.sink.value.shape == (self.value.outputs,), "the sink has a value"


@dataclass(frozen=True, slots=True, eq=False)
class TensorHead:
    """A third-order head: a softmax over pairs of keys (j1, j2).

    score(i, j1, j2) = scale * sum_m query(x_i)_m key1(x_j1)_m key2(x_j2)_m; the value of a pair is the
    coordinate-wise product of value1(x_j1) and value2(x_j2). A mask holds for both keys.
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

    def __post_init__(self) -> None:
        assert self.query.outputs == self.key1.outputs == self.key2.outputs, "queries and keys have one dimension"
        assert self.value1.outputs == self.value2.outputs == self.output.shape[0], "the output reads the values"
        assert self.mask in MASKS, self.mask


AnyHead: TypeAlias = Head | TensorHead


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
        assert len(self.maps) >= 2, "an MLP has at least one hidden stage"
        for one, two in zip(self.maps, self.maps[1:], strict=False):
            assert one.outputs == two.inputs, "stages fit"
        assert not self.units or [len(u) for u in self.units] == [m.outputs for m in self.maps[:-1]], "units are named"

    @property
    def depth(self) -> int:
        """The number of hidden stages."""
        return len(self.maps) - 1


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


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Block:
    """A layer: the heads' outputs and `bias` (d,) are added to the stream, then the MLP's result.

    A norm stands before its sublayer, or after the addition in a model with `norm_place="after"`.
    """

    heads: tuple[AnyHead, ...]
    bias: Array
    mlp: Mlp | OracleMap | None = None
    attention_norm: Norm | None = None
    mlp_norm: Norm | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """The unembedding, from the stream to one logit per output (or one number), after an optional norm."""

    map: Affine
    norm: Norm | None = None
    names: tuple[str, ...] = field(default=())
