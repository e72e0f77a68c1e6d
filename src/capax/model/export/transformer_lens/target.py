"""TransformerLens: settings and weights for HookedTransformer and TransformerBridge, and the names of the hooks."""

import json
import runpy
from pathlib import Path
from typing import Any, Final

from safetensors.numpy import save

from capax.model.adapt.make_plain import why_not_plain
from capax.model.export.bundle import assemble
from capax.model.export.readme import readme
from capax.model.export.target import NOT_ASKED, ExportOutput, Files, Meanings, Runner, Target
from capax.model.export.transformer_lens.names import names_json
from capax.model.export.transformer_lens.weights import config_json, weights
from capax.model.io.header import header_json
from capax.model.model import Model

ABOUT: Final = """A transformer written by capax, in TransformerLens; it needs only transformer_lens.

`load(folder)` gives a `Lens`: `lens("abc")` has the answers for a word, `lens.model` is the `HookedTransformer` (or the
`TransformerBridge`, from version 4 on), and `lens.model.run_with_cache(lens.tokens("abc"))` has every activation.
"""


def refused(model: Model) -> str | None:
    """Why TransformerLens cannot hold a model, or None."""
    if model.numbers not in ("float32", "float64"):
        return f"it computes in {model.numbers:.60}, not in float32 or float64"
    return why_not_plain(model) or _norms(model)


def _norms(model: Model) -> str | None:
    """What TransformerLens has no room for among a model's norms."""
    norms = [model.readout.norm, *(b.attention_norm for b in model.blocks if b.heads)]
    norms += [b.mlp_norm for b in model.blocks if b.mlp is not None]
    present = [n for n in norms if n is not None]
    if not present:
        return None
    if len(present) < len(norms):
        return "some of its sublayers have norms and others have none"
    if model.norm_place == "after":
        return "its norms stand after the sublayers"
    if len({(n.kind, n.epsilon) for n in present}) > 1:
        return "its norms are of different kinds"
    if present[0].kind == "rms" and any(n.bias.any() for n in present):
        return "its RMS norms have biases"
    return None


def write(model: Model, folder: Path, meanings: Meanings = NOT_ASKED) -> Files:
    """The settings, the weights, the names, what the words and answers are, and code that loads them."""
    description = header_json(model)
    words = {name: description[name] for name in ("vocabulary", "prefix", "min_length", "max_length", "decoding")}
    return {
        "config.json": _json(config_json(model)),
        "model.safetensors": save(weights(model)),
        "words.json": _json(words),
        "names.json": _json(names_json(model, meanings)),
        "load.py": assemble("words", "lens_load", about=ABOUT).encode(),
        "README.md": readme(model, "transformer_lens").encode(),
    }


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def load(folder: Path) -> Runner:
    """The answers of the model that stands in a folder, by the code that stands there."""
    lens = runpy.run_path(str(folder / "load.py"))["load"](folder)
    return lambda words: run_lens(lens, words)


def run_lens(lens: Any, words: Any) -> list[ExportOutput]:
    """What a loaded model makes of words."""
    return [ExportOutput(lens.words.answers(out.tolist()), out.numpy()) for out in lens.logits(words)]


TARGET: Final = Target(
    name="transformer-lens",
    what="a folder for TransformerLens, with the names of all heads at its hooks",
    extra="lens",
    packages=("torch", "transformer_lens"),
    refuse=refused,
    write=write,
    load=load,
    needs_plain=True,
    meant=True,
)
