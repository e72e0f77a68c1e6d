"""The nodes of an ONNX graph, added one by one; a value is known by its name."""

from typing import Any, Final

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from capax.model.parts import Array

OPSET: Final = 17
IR_VERSION: Final = 8
"""Of the year 2021: what runs ONNX today reads it."""

INT: Final = np.dtype(np.int64)
DOUBLE: Final = np.dtype(np.float64)


class Nodes:
    """A graph under construction, whose numbers are of `dtype`."""

    def __init__(self, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self.nodes: list[NodeProto] = []
        self.weights: dict[str, TensorProto] = {}
        self.patterns: dict[str, str] | None = None
        """The attention of heads by their name, where it is asked for."""
        self._known: dict[tuple[Any, ...], str] = {}

    def op(self, kind: str, *inputs: str, **settings: Any) -> str:
        """The name of an operation's result; the same operation on the same values is done once."""
        key = (kind, inputs, *sorted((name, str(value)) for name, value in settings.items()))
        if key not in self._known:
            name = self._known[key] = f"{kind.lower()}_{len(self.nodes)}"
            self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **settings))
        return self._known[key]

    def weight(self, name: str, array: Array) -> str:
        """A weight of the model."""
        self.weights[name] = numpy_helper.from_array(np.ascontiguousarray(array.astype(self.dtype)), name)
        return name

    def constant(self, value: Any, dtype: "np.dtype[Any] | None" = None) -> str:
        """A number or an array; floats are of the graph's type unless another is given."""
        array = np.asarray(value, self.dtype if dtype is None else dtype)
        name = f"constant_{array.dtype}_{array.shape}_{array.tolist()}"
        if name not in self.weights:
            self.weights[name] = numpy_helper.from_array(array, name)
        return name

    def cast(self, value: str, dtype: "np.dtype[Any] | None" = None) -> str:
        """The value as numbers of another type, or of the graph's own."""
        return self.op("Cast", value, to=helper.np_dtype_to_tensor_dtype(self.dtype if dtype is None else dtype))

    def unsqueeze(self, value: str, *axes: int) -> str:
        """The value with new axes of length 1."""
        return self.op("Unsqueeze", value, self.constant(axes, INT))

    def size(self, value: str, axis: int) -> str:
        """The length of an axis, as a list of one number."""
        return self.op("Gather", self.op("Shape", value), self.constant([axis], INT), axis=0)

    def total(self, value: str) -> str:
        """The sum over the last axis, which stays with length 1."""
        return self.op("ReduceSum", value, self.constant([-1], INT), keepdims=1)
