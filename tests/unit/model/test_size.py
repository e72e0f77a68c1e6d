"""Sizes are counted in one way, and as one would count by hand."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given

from capax.model.model import Model
from capax.model.parts import Head, Mlp, OracleMap
from capax.model.size import size
from examples.previous_token import build
from tests.support.random_models import models

BITS = {"float64": 64, "float32": 32, "float16": 16, "bfloat16": 16, "fixed:16.8": 16, "integer:8,10,8": 8}


def counted(model: Model) -> int:
    """The parameters by the dimensions of the parts: the definition."""
    d = model.width
    total = len(model.vocabulary) * d + len(model.positions.functions) * d
    total += 0 if model.positions.table is None else len(model.positions.table) * d

    def mlp(found: Any) -> int:
        return sum((m.inputs + 1) * m.outputs for m in found.maps) if isinstance(found, Mlp) else 0

    total += mlp(model.input_mlp)
    for block in model.blocks:
        total += d + mlp(block.mlp) + 2 * d * ((block.attention_norm is not None) + (block.mlp_norm is not None))
        for head in block.heads:
            k, v = head.query.outputs, len(head.output)
            keys = 1 if isinstance(head, Head) else 2
            total += (d + 1) * k * (1 + keys) + (d + 1) * v * keys + v * d
            total += (k + v) * keys if head.sink else 0
    total += 2 * d * (model.readout.norm is not None)
    return total + (d + 1) * model.decoding.outputs


@given(models())
def test_size_counts_every_weight_once(model: Model) -> None:
    """Every weight of every part once; non-zero, unique and bits from the same numbers."""
    found = size(model)
    numbers = np.concatenate([array.ravel() for _, array in model.arrays()])
    assert found.parameters == counted(model) == len(numbers)
    assert found.nonzero == np.count_nonzero(numbers)
    assert found.unique == len(set(numbers.tolist()))
    assert found.bits == BITS[model.numbers] * found.parameters
    assert found.attention_layers == sum(bool(b.heads) for b in model.blocks)
    assert found.heads == tuple(len(b.heads) for b in model.blocks)
    assert found.width == len(model.names)
    assert found.mlp_depth == tuple(b.mlp.depth if isinstance(b.mlp, Mlp) else 0 for b in model.blocks)
    assert found.input_mlp_depth == (model.input_mlp.depth if isinstance(model.input_mlp, Mlp) else 0)
    assert json.loads(json.dumps(found.to_json())) == found.to_json()


TABLE = """\
attention layers  1
heads per layer   1
MLP depth         0
width             7
parameters        128
non-zero          16
unique            3
bits              8,192"""


def test_size_as_a_table() -> None:
    """As printed: embedding and places, the head's four maps, the bias, the readout."""
    model = build()
    assert str(model.size) == TABLE
    assert counted(model) == 21 + 7 + (8 + 8 + 24 + 21) + 7 + 32
    assert model.size == size(build())


def test_size_has_the_largest_head_and_hidden_stage() -> None:
    """The largest head and the largest hidden stage."""
    assert (build().size.head_dimension, build().size.hidden) == (3, 0)


def test_oracles_are_told() -> None:
    """A function that is no network is not hidden among the layers."""
    found = replace(build(), input_mlp=OracleMap(np.sin, "f")).size
    assert (found.oracles, found.parameters) == (1, 128)
    assert "oracle maps       1 (arbitrary functions" in str(found)


@given(models())
def test_the_rows_say_the_depths(model: Model) -> None:
    """Of the MLP before the first layer and of each block."""
    rows = dict(size(model).rows())
    assert rows["MLP depth"]
    assert ("before the first layer" in rows["MLP depth"]) == (model.input_mlp is not None)
