"""A model's numbers as Coq text: every weight as (m, e), which is m * 2^e exactly."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, AnyMlp, Array, Block, Head, Mlp, OracleMap
from capax.model.vocabulary import Classes

MASK_NAMES: Final = {
    "none": "Everything",
    "causal": "Causal",
    "strict past": "StrictPast",
    "future": "Future",
    "strict future": "StrictFuture",
}
FEATURES: Final = {"1": "One", "i": "Position", "i^2": "Square"}
MOST_WEIGHTS: Final = 200_000
"""A file with more numbers than this is not written: Coq would take hours to read it."""
MOST_TOKENS: Final = 1_000
"""The theorem on sums is about 1,024 terms at most, and a head sums over all positions."""


def not_covered(what: str, hint: str = "see docs/explanation/proofs.md for what is covered") -> CapaxError:
    """The error of a model or program that the proofs do not cover."""
    return CapaxError("not-in-coq", f"the Coq proofs do not cover {what}", hint=hint)


def dyadic(value: float) -> tuple[int, int]:
    """The odd integer m and the exponent e with value = m * 2^e; (0, 0) for zero."""
    if not np.isfinite(value):
        raise not_covered("a weight that is not finite")
    numerator, denominator = float(value).as_integer_ratio()
    if numerator == 0:
        return 0, 0
    zeros = (numerator & -numerator).bit_length() - 1
    return numerator >> zeros, zeros - (denominator.bit_length() - 1)


def _number(value: float) -> str:
    m, e = dyadic(value)
    return f"({m}, {e})"


def _list(items: Iterable[str]) -> str:
    return f"[{'; '.join(items)}]"


def _row(values: Iterable[float]) -> str:
    return _list(_number(v) for v in values)


def _rows(matrix: Array) -> str:
    return "[" + ";\n    ".join(_row(row) for row in matrix.tolist()) + "]"


def _affine(weight: Array, bias: Array) -> str:
    """A map with one row of weights for each output."""
    return f"{{| rows := {_rows(weight.T)};\n    bias := {_row(bias.tolist())} |}}"


def _map(part: Affine) -> str:
    return _affine(part.weight, part.bias)


def _mlp(mlp: AnyMlp | OracleMap | None) -> str:
    if mlp is None:
        return "None"
    if not isinstance(mlp, Mlp) or mlp.activation != "relu":
        raise not_covered("another activation than ReLU")
    hidden = ";\n    ".join(_map(stage) for stage in mlp.maps[:-1])
    return f"Some ([{hidden}],\n    {_map(mlp.maps[-1])})"


def _head(name: str, head: object) -> str:
    if not isinstance(head, Head) or head.attention != "softmax":
        raise not_covered("another kind of head than softmax over single keys")
    sink = "None"
    if head.sink is not None:
        sink = f"Some ({_row(head.sink.key.tolist())}, {_row(head.sink.value.tolist())})"
    return (
        f"Definition {name} : head := {{|\n  query := {_map(head.query)};\n  key_map := {_map(head.key)};\n"
        f"  value_map := {_map(head.value)};\n  sink := {sink};\n"
        f"  head_mask := {MASK_NAMES[head.mask]}; scale := {_number(head.scale)} |}}."
    )


def _block(number: int, block: Block, width: int) -> tuple[list[str], str]:
    """The definitions of a block's heads, and of the block; the heads' outputs are stacked in one map."""
    if block.attention_norm is not None or block.mlp_norm is not None:
        raise not_covered("norms")
    heads = [f"head_{number}_{h}" for h in range(len(block.heads))]
    stacked = np.concatenate([np.asarray(h.output) for h in block.heads] or [np.zeros((0, width))])
    name = f"block_{number}"
    text = (
        f"Definition {name} : block := {{|\n  heads := {_list(heads)};\n"
        f"  out := {_affine(stacked, block.bias)};\n  block_mlp := {_mlp(block.mlp)} |}}."
    )
    return [*(_head(n, h) for n, h in zip(heads, block.heads, strict=True)), text], name


def require_covered(model: Model) -> None:
    """Refuses a model that the Coq definition of a network does not describe."""
    if model.numbers != "float32":
        raise not_covered(f"models in {model.numbers}", "compile with --dtype float32")
    if model.loop is not None:
        raise not_covered("models with a loop")
    if model.prefix or model.min_length != 1 or model.max_length is None:
        raise not_covered("models with a prefix, or without a least length of 1 and a greatest length")
    if model.max_length > MOST_TOKENS:
        raise not_covered(f"words of more than {MOST_TOKENS:,} tokens")
    if model.readout.norm is not None or model.output_weights != "softmax":
        raise not_covered("norms and sparse outputs")
    if not isinstance(model.decoding, Classes):
        raise not_covered("answers that are not the class with the highest logit")
    unknown = [name for name in model.positions.functions if name not in FEATURES]
    if unknown:
        raise not_covered(f"the function {unknown[0]} of the position")
    if sum(array.size for _, array in model.arrays()) > MOST_WEIGHTS:
        raise not_covered(f"models of more than {MOST_WEIGHTS:,} numbers")


def model_text(model: Model) -> str:
    """The definition of `the_model`."""
    require_covered(model)
    parts: list[str] = []
    names: Sequence[str] = []
    for number, block in enumerate(model.blocks):
        texts, name = _block(number, block, model.width)
        parts += texts
        names = [*names, name]
    features = _list(FEATURES[name] for name in model.positions.functions)
    weight = np.asarray(model.positions.weight).reshape(len(model.positions.functions), model.width)
    table = "[]" if model.positions.table is None else _rows(model.positions.table)
    parts.append(
        f"Definition the_model : model := {{|\n  embedding := {_rows(model.embedding)};\n  features := {features};\n"
        f"  positions := {_rows(weight.T)};\n  table := {table};\n  input_mlp := {_mlp(model.input_mlp)};\n"
        f"  blocks := {_list(names)};\n  readout := {_map(model.readout.map)} |}}."
    )
    return "\n".join(parts)
