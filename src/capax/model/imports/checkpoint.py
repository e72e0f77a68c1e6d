"""A checkpoint: the settings and the tensors of a model that another library has written."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

import numpy as np

from capax.errors import CapaxError
from capax.model.io.container import Stored, bad_file
from capax.model.io.fields import is_text
from capax.model.model import Model
from capax.model.parts import Activation, Affine, Array, Block, Head, Mask, Norm, Readout
from capax.model.positions import Positions
from capax.model.provenance import ImportSource, Provenance, Record
from capax.model.vocabulary import Classes, Token, Vocabulary

ACTIVATIONS: Final[dict[str, Activation]] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
}
"""The activations that models have, by the names that the libraries use."""

MOST_LAYERS: Final = 10_000
_BYTES: Final = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_HINT: Final = "was it written whole, by save_pretrained or as the documentation of capax import-model says?"

T = TypeVar("T", str, int, float, bool)


def unfit(what: str, hint: str | None = None) -> CapaxError:
    """The error for a model that capax has no parts for."""
    known = (
        "supported are GPT-2, nanoGPT, Llama, Mistral, Qwen2, OPT, BERT, DistilBERT, RoBERTa and TransformerLens models"
    )
    return CapaxError("not-importable", what, hint=hint or known)


class Checkpoint:
    """Settings and tensors, taken one by one with their types and shapes checked; what is left over is an error."""

    def __init__(self, config: Any, tensors: Mapping[str, Stored], name: str) -> None:
        self.name = name
        if not isinstance(config, dict):
            raise bad_file(name, "its configuration is not a JSON object", _HINT)
        self.config: Record = config
        self.tensors = dict(tensors)
        floats = {t.dtype for t in tensors.values() if t.dtype in _BYTES}
        self.numbers = "float64" if "F64" in floats else "float32"
        """The number system of the model: half precision is read into float32, without loss."""

    def setting(self, key: str, kind: type[T], default: T | None = None) -> T:
        """A setting of a type; without a default it must be there."""
        value = self.config.get(key)
        if value is None:
            if default is None:
                raise bad_file(self.name, f"its configuration lacks {key}", _HINT)
            return default
        if kind is float and type(value) is int and abs(value) < 1 << 53:  # a float cannot hold every integer
            value = float(value)
        if type(value) is not kind:
            raise bad_file(
                self.name, f"{key} in its configuration is {value!r:.40}, not of type {kind.__name__}", _HINT
            )
        return value

    def architecture(self, family: str, known: Sequence[str], default: str) -> str:
        """The class that the configuration names first, which must be known; the default where it names none."""
        names = self.config.get("architectures")
        first = names[0] if isinstance(names, list) and names else None
        name = default if first is None else first
        if name not in known:
            raise unfit(f"it is a {name!s:.60}", f"supported {family} classes: {', '.join(known)}")
        return str(name)

    def count(self, key: str, default: int | None = None) -> int:
        """A positive number among the settings."""
        value = self.setting(key, int, default)
        if not 0 < value < 1 << 31:
            raise bad_file(self.name, f"{key} in its configuration is {value}", _HINT)
        return value

    def layers(self, key: str) -> int:
        """The number of layers, which may be 0."""
        value = self.setting(key, int)
        if not 0 <= value <= MOST_LAYERS:
            raise bad_file(self.name, f"{key} in its configuration is {value}", _HINT)
        return value

    def heads(self, key: str, width: int) -> int:
        """The number of heads, into which the width is divided."""
        value = self.count(key)
        if width % value:
            raise bad_file(self.name, f"a width of {width} is not divided by {value} heads", _HINT)
        return value

    def activation(self, key: str) -> Activation:
        """The activation of MLPs."""
        value = self.setting(key, str)
        if value not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise unfit(f"its activation is {value!r:.40}", f"MLPs have one of the activations {known}")
        return ACTIVATIONS[value]

    def refuse(self, *settings: tuple[str, Any, str]) -> None:
        """Refuses a model with a setting that is there and is none of the harmless values."""
        for key, harmless, what in settings:
            value = self.config.get(key)
            allowed = harmless if isinstance(harmless, tuple) else (harmless,)
            if value is not None and value not in allowed:
                raise unfit(f"it has {what} ({key} is {value!r:.40})")

    def has(self, name: str) -> bool:
        """Whether there is a tensor of a name that was not taken yet."""
        return name in self.tensors

    def rows(self, name: str) -> int:
        """The length of the first axis of a tensor."""
        tensor = self.tensors.get(name)
        if tensor is None or not tensor.shape:
            raise bad_file(self.name, f"it has no tensor {name}" if tensor is None else f"{name} is one number", _HINT)
        return tensor.shape[0]

    def take(self, name: str, *shape: int) -> Array:
        """The tensor of a name and shape, in the number system of the model."""
        tensor = self.tensors.pop(name, None)
        if tensor is None:
            raise bad_file(self.name, f"it has no tensor {name}", _HINT)
        if tensor.shape != shape:
            raise bad_file(self.name, f"the tensor {name} has the shape {tensor.shape} and not {shape}", _HINT)
        if tensor.dtype not in _BYTES:
            raise bad_file(self.name, f"the tensor {name} is of {tensor.dtype}, not of floats", _HINT)
        flat = np.frombuffer(tensor.data, dtype=_BYTES[tensor.dtype])
        if tensor.dtype == "BF16":
            flat = (flat.astype("<u4") << 16).view("<f4")
        array: Array = flat.astype(self.numbers, copy=flat.dtype != np.dtype(self.numbers)).reshape(shape)
        if not np.isfinite(array).all():
            raise bad_file(self.name, f"the tensor {name} has a number that is not finite", _HINT)
        array.setflags(write=False)
        return array

    def linear(self, name: str, inputs: int, outputs: int) -> Affine:
        """A map that is kept as (outputs, inputs)."""
        return Affine(self.take(f"{name}.weight", outputs, inputs).T, self.take(f"{name}.bias", outputs))

    def affine(self, name: str, inputs: int, outputs: int) -> Affine:
        """A map that is kept as (inputs, outputs)."""
        return Affine(self.take(f"{name}.weight", inputs, outputs), self.take(f"{name}.bias", outputs))

    def norm(self, name: str, width: int, epsilon: float) -> Norm:
        """A LayerNorm."""
        return Norm("layer", self.take(f"{name}.weight", width), self.take(f"{name}.bias", width), epsilon)

    def zeros(self, *shape: int) -> Array:
        """Zeros in the number system of the model."""
        zeros: Array = np.zeros(shape, self.numbers)
        return zeros

    def model(
        self,
        source: ImportSource,
        tokens: tuple[Token, ...],
        embedding: Array,
        table: Array | int,
        blocks: Sequence[Block],
        readout: Readout,
        *,
        answers: tuple[Token, ...] | None = None,
        prefix: tuple[Token, ...] = (),
        norm_place: Literal["before", "after"] = "before",
    ) -> Model:
        """The model of these parts, with a table of positions; its answers are its tokens unless others are named.

        A number in place of the table is that of positions of a model that has no rows for them.
        """
        d = embedding.shape[1]
        count = table if isinstance(table, int) else len(table)
        return Model(
            vocabulary=Vocabulary(tokens),
            embedding=embedding,
            positions=Positions((), self.zeros(0, d), None if isinstance(table, int) else table),
            blocks=tuple(blocks),
            readout=readout,
            decoding=Classes(tokens if answers is None else answers),
            names=tuple(f"x{i}" for i in range(d)),
            numbers=self.numbers,
            max_length=count - len(prefix),
            prefix=prefix,
            norm_place=norm_place,
            provenance=Provenance(source=source),
        )

    def done(self, *ignored: str) -> None:
        """Refuses tensors that nobody has taken, but for those whose names end or begin so."""
        left = [name for name in self.tensors if not name.endswith(ignored) and not name.startswith(ignored)]
        if left:
            raise unfit(f"it has an unexpected tensor: {min(left)!r:.80}")


def split_columns(map: Affine, count: int) -> list[Affine]:
    """A map as `count` maps, of equal groups of its outputs."""
    size = map.outputs // count
    return [Affine(map.weight[:, i * size : (i + 1) * size], map.bias[i * size : (i + 1) * size]) for i in range(count)]


def heads_of(
    query: Affine, key: Affine, value: Affine, output: Array, count: int, *, mask: Mask, scale: float
) -> tuple[Head, ...]:
    """The heads of a layer, each with its columns of the maps and its rows of the output."""
    size = len(output) // count
    parts = zip(*(split_columns(m, count) for m in (query, key, value)), strict=True)
    return tuple(
        Head(q, k, v, output[i * size : (i + 1) * size], mask=mask, scale=scale) for i, (q, k, v) in enumerate(parts)
    )


def labels_of(checkpoint: Checkpoint, count: int) -> tuple[Token, ...]:
    """The label of each output, as the configuration says or else as the library calls it."""
    by_number = checkpoint.config.get("id2label")
    if isinstance(by_number, dict) and len(by_number) == count:
        labels = [by_number.get(str(i)) for i in range(count)]
        if all(is_text(label) for label in labels):
            return tuple(str(label) for label in labels)
    return tuple(f"LABEL_{i}" for i in range(count))
