"""Classes that are built as Llama is, but for names and a few settings: Mistral, Qwen2 and Phi-3.

Qwen2 has biases of queries, keys and values, which are zeros here. Phi-3 keeps queries, keys and values in one map, and
both maps before the product of its MLP in another; its rotary positions have no factor, but a share of the dimensions
that are turned, which is 0 here. (Qwen3 has norms of queries and keys, which nothing pinned makes neutral.)
The proof is about the Llama class: these directories are tested, and their certificates claim nothing of the answers.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from capax.model.export.hugging_face.target import json_file
from capax.model.export.target import Files
from capax.model.io.container import Stored, pack, unpack
from capax.model.model import Model

CLASSES: Final = {"mistral": "Mistral", "qwen2": "Qwen2", "phi3": "Phi3"}
"""What the names of the classes begin with."""

Tensors = dict[str, Stored]


def writer(family: str, write: Callable[..., Files]) -> Callable[[Model, Path], Files]:
    """What writes a directory for a class of another family: as that of a Llama, with other names."""

    def written(model: Model, directory: Path) -> Files:
        files = dict(write(model, directory))
        config = json.loads(files["config.json"])
        kind, name = config["architectures"][0], CLASSES[family]
        files["config.json"] = json_file(_config_json(config, family))
        tensors = unpack(files["model.safetensors"], "the export")[1]
        files["model.safetensors"] = pack(_tensors(dict(tensors), family), {"format": "pt"})
        own = kind.replace("Llama", name)
        files["README.md"] = files["README.md"].replace(kind.encode(), own.encode())
        certificate = json.loads(files["certificate.json"]) | {"class": own}
        files["certificate.json"] = json_file(certificate)
        return files

    return written


def _config_json(config: dict[str, Any], family: str) -> dict[str, Any]:
    """The settings of a Llama as those of another class."""
    left_out = {"attention_bias", "mlp_bias"} | ({"rope_scaling"} if family == "phi3" else set())
    own = {name: value for name, value in config.items() if name not in left_out}
    own |= {"model_type": family, "architectures": [config["architectures"][0].replace("Llama", CLASSES[family])]}
    if family == "phi3":
        own["partial_rotary_factor"] = 0.0
    return own | ({"use_sliding_window": False} if family == "qwen2" else {"sliding_window": None})


def _tensors(tensors: Tensors, family: str) -> Tensors:
    """The tensors of a Llama as those of another class, in the order of their names."""
    if family == "qwen2":
        for name in [name for name in tensors if name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight"))]:
            tensor = tensors[name]
            size = len(tensor.data) // (tensor.shape[0] * tensor.shape[1])
            bias = name.removesuffix("weight") + "bias"
            tensors[bias] = Stored(tensor.dtype, tensor.shape[:1], bytes(size * tensor.shape[0]))
    if family == "phi3":
        for layer in sorted({name.rsplit(".self_attn.", 1)[0] for name in tensors if ".self_attn." in name}):
            _join(tensors, f"{layer}.self_attn", ("q_proj", "k_proj", "v_proj"), "qkv_proj")
            _join(tensors, f"{layer}.mlp", ("gate_proj", "up_proj"), "gate_up_proj")
    return {name: tensors[name] for name in sorted(tensors)}


def _join(tensors: Tensors, name: str, parts: tuple[str, ...], whole: str) -> None:
    """Puts maps one below the other."""
    taken = [tensors.pop(f"{name}.{part}.weight") for part in parts]
    rows = int(np.sum([tensor.shape[0] for tensor in taken]))
    data = b"".join(bytes(tensor.data) for tensor in taken)
    tensors[f"{name}.{whole}.weight"] = Stored(taken[0].dtype, (rows, taken[0].shape[1]), data)
