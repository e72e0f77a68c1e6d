"""A model in another number system."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.interface import Arithmetic
from capax.model.arithmetic.select import arithmetic, check
from capax.model.io.storage import storage_of
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.parts import Affine, Array, Block, Origin


def convert(model: Model, numbers: str) -> Model:
    """The model with its weights as numbers of another system, each rounded to the nearest (ties to even).

    In fixed point and in exact integers a weight that is too large saturates; in floats it is an error. A head's scale
    that is not an integer is put into its queries before they are rounded to integers. A part that the system does not
    have is an error. The certificate is left out, since it is about the old numbers.
    """
    system = parse(numbers)
    if system.name == parse(model.numbers).name and _holds(model, storage_of(model.numbers).array):
        return model
    old, new = arithmetic(model.numbers), arithmetic(numbers)
    together: dict[int, Array] = {}

    def number(array: Array) -> Array:
        if id(array) in together:
            return together[id(array)]
        values = np.asarray(old.real(array))
        if values.dtype != np.float32 or new.dtype.kind != "f":  # float32 is rounded to coarser floats as it is
            values = values.astype(np.float64)
        return _fitted(new, np.rint(values) if isinstance(system, Integer) else values)

    if new.dtype.kind == "f":
        together = _all_at_once(model, number)
    blocks = tuple(_integer_scales(block, old.real) for block in model.blocks) if isinstance(system, Integer) else None
    # Blocks with scales put into queries already hold ordinary numbers.
    converted = replace(
        model,
        embedding=number(model.embedding),
        positions=_mapped(model.positions, number),
        blocks=_mapped(model.blocks, number) if blocks is None else _mapped(blocks, lambda x: _fitted(new, np.rint(x))),
        readout=_mapped(model.readout, number),
        input_mlp=_mapped(model.input_mlp, number),
        numbers=system.name,
        provenance=replace(model.provenance, certificate=None),
    )
    check(converted, 1)
    return converted


def _all_at_once(model: Model, number: Callable[[Array], Array]) -> dict[int, Array]:
    """The arrays of a model as numbers of another system, by the identity of the old ones: few operations for all."""
    arrays = [array for _, array in model.arrays()]
    flat = number(np.concatenate([array.reshape(-1) for array in arrays]))
    ends = np.cumsum([array.size for array in arrays])[:-1]
    return {id(a): part.reshape(a.shape) for a, part in zip(arrays, np.split(flat, ends), strict=True)}


def _holds(model: Model, dtype: str) -> bool:
    """Whether every array of a model is of a type."""
    return all(array.dtype == dtype for _, array in model.arrays())


def _fitted(system: Arithmetic, values: Array) -> Array:
    """Numbers of a system; one that it holds only as an infinity is an error."""
    with np.errstate(over="ignore"):
        numbers = system.outside(values)
    if numbers.dtype.kind == "f" and (np.isinf(numbers) & np.isfinite(values)).any():
        raise CapaxError(
            "number-system",
            f"a weight is {values[np.isinf(numbers)].flat[0]:.6g}, which is too large for {system.name}",
            hint="take a system with larger numbers, such as bfloat16, float32 or float64",
        )
    return numbers


def _integer_scales(block: Block, real: Callable[[Array], Array]) -> Block:
    """The block in ordinary numbers, its heads' fractional scales multiplied into their queries."""
    block = _mapped(block, lambda array: np.asarray(real(array), np.float64))
    heads = []
    for head in block.heads:
        if head.scale != int(head.scale):
            query = Affine(head.query.weight * head.scale, head.query.bias * head.scale)
            head = replace(head, query=query, scale=1.0)
        heads.append(head)
    return replace(block, heads=tuple(heads))


def _mapped(part: Any, change: Callable[[Array], Array]) -> Any:
    """A part with every array in it changed."""
    if isinstance(part, np.ndarray):
        return change(part)
    if isinstance(part, Origin):
        return part  # there is one for every unit, and no array in any
    if isinstance(part, tuple):
        return part if part and isinstance(part[0], Origin) else tuple(_mapped(item, change) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        old = {name: getattr(part, name) for name in _given_names(type(part))}
        new = {name: _mapped(value, change) for name, value in old.items()}
        return part if all(new[name] is old[name] for name in old) else replace(part, **new)
    return part


@cache
def _given_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass that are given to it."""
    return tuple(item.name for item in fields(kind) if item.init)
