"""The files of a Hugging Face model: configuration, weights, tokenizer, generation, certificate and card."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from capax.model.io.container import Stored, pack
from capax.model.parts import Array

_DTYPES = {"float32": ("F32", "<f4"), "float64": ("F64", "<f8")}


def weights_file(tensors: Mapping[str, Array]) -> bytes:
    """The tensors as a safetensors file, in the order that loaders like: by name."""
    found = {}
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        kind, order = _DTYPES[str(array.dtype)]
        found[name] = Stored(kind, array.shape, array.astype(order).tobytes())
    return pack(found, {"format": "pt"})


def json_file(data: Mapping[str, Any]) -> bytes:
    """Plain data as the bytes of a JSON file."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()
