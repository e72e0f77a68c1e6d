"""PyTorch: one file with a plain `nn.Module`, and the weights."""

import json
import runpy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from capax.errors import CapaxError
from capax.model.export.bundle import assemble
from capax.model.export.readme import readme
from capax.model.export.target import ExportOutput, Files, Runner, Target, need, predicate_refused, refuse
from capax.model.io.build_model import build
from capax.model.io.container import Stored
from capax.model.io.fields import Fields
from capax.model.io.file import to_bytes
from capax.model.io.header import header_json
from capax.model.model import Model
from capax.model.parts import GatedMlp, OracleMap, RotaryHead

if TYPE_CHECKING:
    from capax.model.export.standalone.torch_model import Transformer

DTYPES: Final = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16"}
"""The dtypes of weights that come back, and what files call them."""
ABOUT: Final = """A transformer written by capax, as a PyTorch module; it needs only PyTorch.

`load(folder)` reads model.safetensors: `load(".")("abc")` gives answers for a word, `model.batch(words)` for several,
and `model(*model.encode(words))` gives logits, through which gradients reach every weight.

Vectors are rows; the weights of maps are (outputs, inputs), as in `nn.Linear`. `Transformer` is the whole.
"""


def refused(model: Model) -> str | None:
    """Why PyTorch cannot hold a model, or None."""
    if model.numbers not in ("float64", "float32"):
        return f"it computes in {model.numbers:.60}, and the module in float64 or float32 (Model.to converts a model)"
    for mlp in (model.input_mlp, *(block.mlp for block in model.blocks)):
        if isinstance(mlp, OracleMap):
            return f"the map `{mlp.name:.60}` is an arbitrary function"
        if isinstance(mlp, GatedMlp):
            return "it has gated MLPs"
    if any(isinstance(head, RotaryHead) for block in model.blocks for head in block.heads):
        return "it has rotary positions"
    return predicate_refused(model)


def write(model: Model, folder: Path) -> Files:
    """The module's source, the weights, and a page that tells how to use them."""
    source = assemble("words", "torch_attention", "torch_third_order", "torch_model", about=ABOUT)
    return {
        "model.py": source.encode(),
        "model.safetensors": to_bytes(model),
        "README.md": readme(model, "torch").encode(),
    }


def load(folder: Path) -> Runner:
    """The answers of the module that stands in a folder, by the code that stands there."""
    # Not an import, which would leave compiled code in the folder.
    module = runpy.run_path(str(folder / "model.py"))["load"](folder)
    return lambda words: run_module(module, words)


def run_module(module: Any, words: Any) -> list[ExportOutput]:
    """What a module makes of words."""
    import torch

    ids, lengths = module.encode(words)
    with torch.no_grad():
        logits = module(ids, lengths)
    outputs = []
    for row, word in zip(logits, words, strict=True):
        part = row[: len(word)]
        outputs.append(ExportOutput(module.words.answers(part.tolist()), part.numpy()))
    return outputs


def to_torch(model: Model) -> "Transformer":
    """The model as an `nn.Module`: `module("abc")` gives answers, `module(*module.encode(words))` logits."""
    need("torch", ("torch",))
    reason = refused(model)
    if reason is not None:
        raise refuse(model, TARGET, reason)
    import torch

    from capax.model.export.standalone.torch_model import Transformer

    config = json.loads(json.dumps(header_json(model)))
    return Transformer(config, {name: torch.from_numpy(array.astype(model.numbers)) for name, array in model.arrays()})


def from_torch(module: Any) -> Model:
    """The model of a module that `to_torch` made or that an export has loaded, with the weights it has now.

    Where they are not those it began with, what the model said of itself that need not hold any more, its certificate
    and the report of its check, is left out.
    """
    config, loaded = getattr(module, "config", None), getattr(module, "loaded", None)
    if not isinstance(config, dict) or not isinstance(loaded, dict):
        raise CapaxError(
            "bad-model",
            f"a {type(module).__name__} is not a module that capax made",
            hint="give a module that Model.to_torch has made, or one that an export to torch has loaded",
        )
    weights = {name: weight.detach().cpu() for name, weight in module.weights().items()}
    dtypes = {str(weight.dtype).removeprefix("torch.") for weight in weights.values()}
    if len(dtypes) != 1 or not dtypes <= set(DTYPES):
        raise CapaxError("bad-model", f"the weights of the module are of {', '.join(sorted(dtypes))}, not of one float")
    (numbers,) = dtypes
    stored = {name: Stored(DTYPES[numbers], tuple(w.shape), _bytes(w)) for name, w in weights.items()}
    model = build(Fields(config | {"numbers": numbers}, "", "the module"), stored, "the module")
    same = all(w.dtype == loaded[name].dtype and w.equal(loaded[name]) for name, w in weights.items())
    return model if same else replace(model, provenance=replace(model.provenance, certificate=None, check=None))


def _bytes(weight: Any) -> bytes:
    import torch

    plain = weight.contiguous()
    return bytes((plain.view(torch.int16) if plain.dtype == torch.bfloat16 else plain).numpy().tobytes())


TARGET: Final = Target(
    name="torch",
    what="a folder with a plain PyTorch module, which can be trained, and its weights",
    extra="torch",
    packages=("torch",),
    refuse=refused,
    write=write,
    load=load,
)
