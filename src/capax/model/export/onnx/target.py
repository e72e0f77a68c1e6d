"""ONNX: a graph for onnxruntime and other tools, with free batch and length."""

import json
import runpy
from pathlib import Path
from typing import Final

from capax.model.export.bundle import assemble
from capax.model.export.readme import readme
from capax.model.export.target import ExportOutput, Files, Runner, Target, predicate_refused
from capax.model.io.header import header_json
from capax.model.loop import HAS_LOOP
from capax.model.model import Model
from capax.model.parts import GatedMlp, Mlp, OracleMap, RotaryHead, TensorHead

KEPT: Final = ("numbers", "vocabulary", "prefix", "min_length", "max_length", "decoding")
"""What of a model's description travels with the graph."""
ABOUT: Final = """A transformer written by capax, run by onnxruntime; it needs only onnxruntime and numpy.

`load(folder)` reads model.onnx: `load(".")("abc")` gives answers for a word, `model.batch(words)` for several.
"""


def refused(model: Model) -> str | None:
    """Why the graph cannot hold a model, or None."""
    if model.numbers not in ("float64", "float32"):
        return f"it computes in {model.numbers:.60}, and the graph in float64 or float32 (Model.to converts a model)"
    if model.loop is not None:
        return HAS_LOOP
    for mlp in (model.input_mlp, *(block.mlp for block in model.blocks)):
        if isinstance(mlp, OracleMap):
            return f"the map `{mlp.name:.60}` is an arbitrary function"
        if isinstance(mlp, GatedMlp):
            return "it has gated MLPs"
        if isinstance(mlp, Mlp) and mlp.activation == "gelu" and model.numbers == "float64":
            return "onnxruntime has no error function in float64, which its GELU needs"
    for head in (head for block in model.blocks for head in block.heads):
        if isinstance(head, TensorHead):
            return "it has a third-order head"
        if isinstance(head, RotaryHead):
            return "it has rotary positions"
        if head.attention == "sparsemax":
            return "it has a sparsemax head"
    return predicate_refused(model)


def write(model: Model, folder: Path) -> Files:
    """The graph, a file that runs it, and a page that tells how to use them."""
    from capax.model.export.onnx.graph.layers import onnx_model

    description = header_json(model)
    config = json.dumps({name: description[name] for name in KEPT})
    return {
        "model.onnx": onnx_model(model, {"config": config}).SerializeToString(deterministic=True),
        "run.py": assemble("onnx_run", "words", about=ABOUT).encode(),
        "README.md": readme(model, "onnx").encode(),
    }


def load(folder: Path) -> Runner:
    """The answers of the graph that stands in a folder, by onnxruntime and the code that stands there."""
    # Not an import, which would leave compiled code in the folder.
    model = runpy.run_path(str(folder / "run.py"))["load"](folder)
    return lambda words: [ExportOutput(model.words.answers(rows.tolist()), rows) for rows in model.logits(words)]


TARGET: Final = Target(
    name="onnx",
    what="a folder with an ONNX graph and a file that runs it in onnxruntime",
    extra="onnx",
    packages=("onnx", "onnxruntime"),
    refuse=refused,
    write=write,
    load=load,
)
