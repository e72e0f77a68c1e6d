"""Reading a transformer from the folder that it was exported to."""

import json
import os
from pathlib import Path

import torch
from torch import Tensor

from capax.model.export.standalone.torch_model import Transformer
from capax.model.export.standalone.words import Config


def load(folder: str | os.PathLike[str]) -> Transformer:
    """The model in the file model.safetensors of a folder."""
    return Transformer(*read_safetensors((Path(folder) / "model.safetensors").read_bytes()))


def read_safetensors(data: bytes) -> tuple[Config, dict[str, Tensor]]:
    """The description of the model and its weights: 8 bytes with the length of the header, the header, the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    config = json.loads(header.pop("__metadata__")["model"])
    dtypes = {"F64": torch.float64, "F32": torch.float32}
    weights = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        dtype = dtypes[entry["dtype"]]
        numbers = torch.frombuffer(bytearray(data[start + first : start + last]), dtype=dtype) if last > first else None
        weights[name] = (torch.zeros(0, dtype=dtype) if numbers is None else numbers).view(entry["shape"])
    return config, weights
