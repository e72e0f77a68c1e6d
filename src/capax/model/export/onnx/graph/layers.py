"""A whole model as an ONNX graph: token rows and lengths in, logits out; batch and length are free."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, checker, helper

from capax.model.export.onnx.graph.attention import PositionNames, affine, alike, attend, has_one_query
from capax.model.export.onnx.graph.nodes import DOUBLE, INT, IR_VERSION, OPSET, Nodes
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Norm, Sink
from capax.model.positions import uses_length

LISTED: Final = 4096
"""The most positions for which the values of functions are written down, rather than computed."""


def onnx_model(model: Model, metadata: dict[str, str], *, patterns: bool = False) -> ModelProto:
    """The model as ONNX has it.

    The inputs are `ids` (batch, position), the rows of tokens with the prefix before them, padded with any row, and
    `lengths` (batch), the number of positions of each word, prefix included. The output `logits` (batch, position,
    output) begins after the prefix. With `patterns` an output (batch, head, query, key) more for each group of heads
    that run together, `blocks.0.heads.0+1`, has their attention; a sink is the last key.
    """
    g = Nodes(model.numbers)
    g.patterns = {} if patterns else None
    positions = g.op("Range", g.constant(0, INT), g.op("Squeeze", g.size("ids", 1)), g.constant(1, INT))
    real = g.op("Less", g.unsqueeze(positions, 0), g.unsqueeze("lengths", 1))
    at = PositionNames(positions, "lengths", real, filled=model.min_length + len(model.prefix) > 0)
    x = _embedded(g, model, positions)
    if isinstance(model.input_mlp, Mlp):
        x = g.op("Add", x, _mlp(g, model.input_mlp, "input_mlp", x))
    for number, block in enumerate(model.blocks):
        x = _block(g, model, block, f"blocks.{number}", x, at)
    if model.readout.norm is not None:
        x = _norm(g, model.readout.norm, "readout.norm", x)
    if model.prefix:  # its positions have no answers
        start, stop = g.constant([len(model.prefix)], INT), g.constant([np.iinfo(np.int64).max], INT)
        x = g.op("Slice", x, start, stop, g.constant([1], INT))
    product = g.op("MatMul", x, g.weight("readout.map.weight", model.readout.map.weight))
    bias = g.weight("readout.map.bias", model.readout.map.bias)
    g.nodes.append(helper.make_node("Add", [product, bias], ["logits"], name="logits"))
    return _finished(g, model, metadata)


def _finished(g: Nodes, model: Model, metadata: dict[str, str]) -> ModelProto:
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "position"])
    lengths = helper.make_tensor_value_info("lengths", TensorProto.INT64, ["batch"])
    shape: list[str | int | None] = ["batch", "answer", model.readout.map.outputs]
    logits = helper.make_tensor_value_info("logits", helper.np_dtype_to_tensor_dtype(g.dtype), shape)
    outputs = [logits, *_pattern_outputs(g)]
    graph = helper.make_graph(g.nodes, "transformer", [ids, lengths], outputs, list(g.weights.values()))
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="capax")
    proto.ir_version = IR_VERSION
    helper.set_model_props(proto, metadata)
    checker.check_model(proto)
    return proto


def _pattern_outputs(g: Nodes) -> list[ValueInfoProto]:
    """Outputs for the attention of heads, if it was recorded."""
    kind, shape = helper.np_dtype_to_tensor_dtype(g.dtype), ["batch", "head", "query", "key"]
    recorded = g.patterns or {}
    for name, value in recorded.items():
        g.nodes.append(helper.make_node("Identity", [value], [name], name=name))
    return [helper.make_tensor_value_info(name, kind, shape) for name in recorded]


def _embedded(g: Nodes, model: Model, positions: str) -> str:
    x = g.op("Gather", g.weight("embedding", model.embedding), "ids", axis=0)
    encoding, added = model.positions, None
    if encoding.functions:
        added = g.op("MatMul", _function_values(g, model, positions), g.weight("positions.weight", encoding.weight))
    if encoding.table is not None:
        rows = g.op("Gather", g.weight("positions.table", encoding.table), positions, axis=0)
        added = rows if added is None else g.op("Add", added, rows)
    return x if added is None else g.op("Add", x, added)


def _function_values(g: Nodes, model: Model, positions: str) -> str:
    """The values of the position functions (batch or 1, position, function); of few positions as a table of them."""
    functions, most = model.positions.functions, len(model.prefix) + (model.max_length or 0)
    if model.max_length is not None and most <= LISTED and not any(map(uses_length, functions)):
        table = g.weight("positions.values", model.positions.values(most))
        return g.unsqueeze(g.op("Gather", table, positions, axis=0), 0)
    i, n = g.cast(g.unsqueeze(positions, 0), DOUBLE), g.cast(g.unsqueeze("lengths", 1), DOUBLE)
    shape = g.op("Shape", "ids")
    values = [g.op("Expand", position_function(g, name, i, n), shape) for name in functions]
    return g.cast(g.op("Concat", *(g.unsqueeze(value, 2) for value in values), axis=2))


def _block(g: Nodes, model: Model, block: Block, name: str, x: str, at: PositionNames) -> str:
    """The stream after a layer."""
    first, bias = model.norm_place == "before", g.weight(f"{name}.bias", block.bias)
    norm, added = block.attention_norm, bias
    if block.heads:
        inside = _norm(g, norm, f"{name}.attention_norm", x) if norm is not None and first else x
        added = g.op("Add", _of_heads(g, block, name, inside, at), bias)
    x = g.op("Add", x, added)
    if norm is not None and not first:
        x = _norm(g, norm, f"{name}.attention_norm", x)
    norm = block.mlp_norm
    if isinstance(block.mlp, Mlp):
        inside = _norm(g, norm, f"{name}.mlp_norm", x) if norm is not None and first else x
        x = g.op("Add", x, _mlp(g, block.mlp, f"{name}.mlp", inside))
    return _norm(g, norm, f"{name}.mlp_norm", x) if norm is not None and not first else x


def _of_heads(g: Nodes, block: Block, name: str, x: str, at: PositionNames) -> str:
    """What the heads of a layer add to the stream; of heads whose queries do not differ one row for all positions."""
    heads = [filled_head(head) for head in block.heads if isinstance(head, Head)]
    groups, means = alike(heads), []
    for group in groups:
        some = [heads[number] for number in group]
        mean = attend(g, some, f"{name}.heads.{'+'.join(map(str, group))}", x, at)
        one = len(groups) > 1 and all(has_one_query(g, head) for head in some)
        means.append(_at_every_position(g, mean, x) if one else mean)
    output = g.weight(f"{name}.output", np.concatenate([heads[i].output for group in groups for i in group]))
    return g.op("MatMul", means[0] if len(means) == 1 else g.op("Concat", *means, axis=2), output)


def _at_every_position(g: Nodes, mean: str, x: str) -> str:
    """One row (batch, 1, feature) as a row for every position of a stream."""
    return g.op("Expand", mean, g.op("Concat", g.constant([1], INT), g.size(x, 1), g.constant([1], INT), axis=0))


def _norm(g: Nodes, norm: Norm, name: str, x: str) -> str:
    """The rows after a norm."""
    if norm.kind == "layer":
        x = g.op("Sub", x, g.op("ReduceMean", x, axes=[-1], keepdims=1))
    variance = g.op("ReduceMean", g.op("Mul", x, x), axes=[-1], keepdims=1)
    root = g.op("Sqrt", g.op("Add", variance, g.constant(norm.epsilon)))
    scaled = g.op("Mul", g.op("Div", x, root), g.weight(f"{name}.gain", norm.gain))
    return g.op("Add", scaled, g.weight(f"{name}.bias", norm.bias))


def _mlp(g: Nodes, mlp: Mlp, name: str, x: str) -> str:
    """What an MLP adds to the stream."""
    for number, stage in enumerate(filled_mlp(mlp).maps):
        x = affine(g, stage, f"{name}.maps.{number}", _activated(g, mlp.activation, x) if number else x)
    return x


def _activated(g: Nodes, kind: str, x: str) -> str:
    """A hidden stage after its activation."""
    match kind:
        case "relu":
            return g.op("Relu", x)
        case "gelu":
            inner = g.op("Erf", g.op("Mul", x, g.constant(math.sqrt(0.5))))
        case _:
            cube = g.op("Mul", x, g.op("Mul", x, x))
            bent = g.op("Add", x, g.op("Mul", cube, g.constant(0.044715)))
            inner = g.op("Tanh", g.op("Mul", bent, g.constant(math.sqrt(2 / math.pi))))
    return g.op("Mul", g.op("Mul", x, g.constant(0.5)), g.op("Add", inner, g.constant(1)))


def filled_head(head: Head) -> Head:
    """The head, with a coordinate that is always 0 where its keys or values have none."""
    if head.query.outputs == 0:
        query, key = _wider(head.query), _wider(head.key)
        sink = head.sink and Sink(_zero(head.sink.key, 1), head.sink.value)
        head = replace(head, query=query, key=key, sink=sink)
    if head.value.outputs == 0:
        sink = head.sink and Sink(head.sink.key, _zero(head.sink.value, 1))
        output = _zero(head.output, 1, head.query.inputs)
        head = replace(head, value=_wider(head.value), output=output, sink=sink)
    return head


def filled_mlp(mlp: Mlp) -> Mlp:
    """The MLP, with a hidden unit that is always 0 in a stage that has none."""
    maps = list(mlp.maps)
    for i, (one, two) in enumerate(pairwise(mlp.maps)):
        if one.outputs == 0:
            maps[i] = _wider(maps[i])
            maps[i + 1] = Affine(_zero(two.weight, 1, two.outputs), two.bias)
    return replace(mlp, maps=tuple(maps), units=())


def _wider(map: Affine) -> Affine:
    return Affine(_zero(map.weight, map.inputs, 1), _zero(map.bias, 1))


def _zero(like: Array, *shape: int) -> Array:
    return np.zeros(shape, like.dtype)


def position_function(g: Nodes, name: str, i: str, n: str) -> str:
    """The values at positions i (1, position) of words of n (batch, 1) tokens; they broadcast to (batch, position)."""

    def number(value: float) -> str:
        return g.constant(value, DOUBLE)

    def remainder(k: int) -> str:
        return g.op("Mod", i, number(k), fmod=1)

    if match := re.fullmatch(r"\[i%(\d+)=(\d+)\]", name):
        return g.cast(g.op("Equal", remainder(int(match[1])), number(int(match[2]))), DOUBLE)
    if match := re.fullmatch(r"i%(\d+)", name):
        return remainder(int(match[1]))
    if match := re.fullmatch(r"i\^(\d+)", name):
        return g.op("Pow", i, number(int(match[1])))
    if match := re.fullmatch(r"(sin|cos)\(i\*(.+)\)", name):
        return g.op(match[1].capitalize(), g.op("Mul", i, number(float(match[2]))))
    reciprocal = g.op("Div", number(1), g.op("Add", i, number(1)))
    functions: dict[str, Callable[[], str]] = {
        "1": lambda: number(1),
        "i": lambda: i,
        "1/(i+1)": lambda: reciprocal,
        "i/n": lambda: g.op("Div", i, n),
        "1/n": lambda: g.op("Div", number(1), n),
        "(-1)^i": lambda: g.op("Sub", number(1), g.op("Mul", number(2), remainder(2))),
        "sqrt(1/(i+1))": lambda: g.op("Sqrt", reciprocal),
        "sqrt(1-1/(i+1))": lambda: g.op("Sqrt", g.op("Sub", number(1), reciprocal)),
        "[i=0]": lambda: g.cast(g.op("Equal", i, number(0)), DOUBLE),
    }
    return functions[name]()
