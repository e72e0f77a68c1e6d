"""From the name of a number system to its arithmetic, and what a model may hold in it."""

from functools import lru_cache
from typing import assert_never

from capax.errors import CapaxError
from capax.model.arithmetic.exact import log2_up, refuse_overflow
from capax.model.arithmetic.fixed import FixedArithmetic
from capax.model.arithmetic.floats import FloatArithmetic
from capax.model.arithmetic.integers import IntegerArithmetic
from capax.model.arithmetic.interface import Arithmetic
from capax.model.model import Model
from capax.model.numbers import Fixed, Float, Integer, parse
from capax.model.parts import Block, GatedMlp, Head, Mlp, OracleMap, RotaryHead, TensorHead


@lru_cache(maxsize=64)
def arithmetic(numbers: str) -> Arithmetic:
    """The arithmetic of a number system, given by its name."""
    match parse(numbers):
        case Float(name=name):
            return FloatArithmetic(name)
        case Fixed() as fixed:
            return FixedArithmetic(fixed)
        case Integer() as integer:
            return IntegerArithmetic(integer)
        case other:
            assert_never(other)


def check(model: Model, n: int) -> None:
    """Raises an error when a model cannot be run in its number system on n positions: a part that the system does not
    have, or sums that may not fit int64."""
    system = parse(model.numbers)
    if isinstance(system, Float):
        return
    _refuse_float_parts(model, system.name[:60])
    if isinstance(system, Integer):
        _check_parts(model, system)
    maps = [model.readout.map.inputs, len(model.positions.functions)]
    for mlp in (model.input_mlp, *(block.mlp for block in model.blocks)):
        maps += [m.inputs for m in mlp.maps] if isinstance(mlp, Mlp) else []
    maps += [sum(h.output.shape[0] for h in block.heads) for block in model.blocks]
    bits = 2 * (system.bits - 1) + log2_up(max(maps)) + 1
    refuse_overflow(bits, system.name, f"a sum of {max(maps)} products")
    for block in model.blocks:
        _check_block(block, system, n, model.width)
    if model.readout.norm is not None:
        _check_norm(system, model.width)


def _refuse_float_parts(model: Model, name: str) -> None:
    """Raises an error for rotary positions and SwiGLU, which are defined in floats."""
    rotary = any(isinstance(h, RotaryHead) for b in model.blocks for h in b.heads)
    if rotary or any(isinstance(b.mlp, GatedMlp) for b in model.blocks):
        part = "rotary positions" if rotary else "a SwiGLU MLP"
        raise CapaxError("number-system", f"the model has {part}, which {name} does not support", hint="use floats")


def _check_parts(model: Model, system: Integer) -> None:
    """Raises an error for norms, GELU, oracle maps and fractional scales."""
    norms = [n for b in model.blocks for n in (b.attention_norm, b.mlp_norm)] + [model.readout.norm]
    mlps = [model.input_mlp, *(b.mlp for b in model.blocks)]
    scales = [h.scale for b in model.blocks for h in b.heads]
    name = system.name[:60]
    if any(norm is not None for norm in norms):
        raise CapaxError(
            "number-system",
            f"the model has a norm, which {name} does not support: a root is not an integer",
            hint="use a model without norms, or fixed point",
        )
    if any(isinstance(mlp, OracleMap) for mlp in mlps):
        raise CapaxError(
            "number-system",
            f"the model has an oracle map, but {name} supports only ReLU MLPs",
            hint="replace the oracle map by an MLP, or use floats or fixed point",
        )
    if any(isinstance(mlp, Mlp) and mlp.activation != "relu" for mlp in mlps):
        raise CapaxError(
            "number-system", f"the model has a GELU, but {name} supports only ReLU MLPs", hint="use floats"
        )
    if any(scale != int(scale) or abs(scale) >= 1 << system.bits for scale in scales):
        raise CapaxError(
            "number-system",
            f"a head's scale is not an integer of {system.bits} bits, but the model computes in {name}",
            hint="put the scale into the queries' weights",
        )


def _check_block(block: Block, system: Fixed | Integer, n: int, d: int) -> None:
    """Raises an error when a head's or a norm's sums may not fit int64."""
    p, name, keys = system.bits - 1, system.name[:60], log2_up(n + 1)
    if isinstance(system, Fixed):
        weight, value = system.fraction + 1, p
    else:
        weight, value = system.weight_bits + 1, system.value_bits - 1
    for head in block.heads:
        scale = int(abs(head.scale)).bit_length() if isinstance(system, Integer) else 0
        score = 2 * p + scale + log2_up(head.query.outputs)
        if isinstance(head, TensorHead):
            refuse_overflow(score + p, name, "the score of a third-order head")
            refuse_overflow(weight + 2 * value + 2 * keys, name, f"a third-order head over {n} positions")
            continue
        refuse_overflow(score, name, "a score")
        assert isinstance(head, Head), "rotary heads are refused before"
        if head.attention == "softmax":
            refuse_overflow(weight + value + keys, name, f"a softmax head over {n} positions")
        elif head.attention == "sparsemax" and isinstance(system, Fixed):
            refuse_overflow(2 * p + 2 + 2 * keys, name, f"a sparsemax head over {n} positions")
    if block.attention_norm or block.mlp_norm:
        _check_norm(system, d)


def _check_norm(system: Fixed | Integer, d: int) -> None:
    """Raises an error when the squares of a norm may not fit int64."""
    refuse_overflow(2 * (system.bits - 1) + 4 + log2_up(d), system.name[:60], f"a norm of {d} numbers")
