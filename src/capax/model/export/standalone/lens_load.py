"""A transformer in TransformerLens, from the folder that it was exported to."""

import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from capax.model.export.standalone.words import Config, Words


class Lens:
    """A transformer in TransformerLens: `lens.model` is its model, `lens("abc")` gives answers for a word.

    `lens.model.run_with_cache(lens.tokens("abc"))` gives logits and activations, the prefix included.
    """

    def __init__(self, model: Any, config: Config, dtype: str) -> None:
        self.model, self.words, self.dtype = model, Words(config), dtype

    def tokens(self, word: Iterable[Any]) -> Tensor:
        """The rows (1, position) of a word, with the prefix before it: what `lens.model` reads."""
        return torch.tensor([self.words.rows(word)])

    def logits(self, words: Iterable[Iterable[Any]]) -> list[Tensor]:
        """The logits (position, output) of each word, without the prefix; words of one length run together."""
        now = str(next(self.model.parameters()).dtype).removeprefix("torch.")
        if now != self.dtype:
            warnings.warn(f"this model is made for {self.dtype}; in {now} its answers may be wrong", stacklevel=2)
        rows = [self.words.rows(word) for word in words]
        outputs: list[Any] = [torch.zeros(0, 1)] * len(rows)
        for length in {len(row) for row in rows} - {0}:
            group = [number for number, row in enumerate(rows) if len(row) == length]
            with torch.no_grad():
                logits = self.model(torch.tensor([rows[number] for number in group]))
            for number, one in zip(group, logits, strict=True):
                outputs[number] = one[len(self.words.prefix) :]
        return outputs

    def batch(self, words: Iterable[Iterable[Any]]) -> list[list[Any]]:
        """The answers for several words, which may differ in length."""
        return [self.words.answers(logits.tolist()) for logits in self.logits(words)]

    def __call__(self, word: Iterable[Any]) -> list[Any]:
        """The answers for a word: one for each token."""
        return self.batch([word])[0]


def load(folder: str | os.PathLike[str], kind: str | None = None) -> Lens:
    """The model of a folder as a `HookedTransformer`, or as a `TransformerBridge` where there is none any more.

    `kind` is the name of one of the two, for versions of TransformerLens that have both.
    """
    directory = Path(folder)
    config = json.loads((directory / "config.json").read_text())
    weights = load_file(directory / "model.safetensors")
    make = {"HookedTransformer": hooked, "TransformerBridge": bridge}[kind or oldest()]
    return Lens(make(config, weights), json.loads((directory / "words.json").read_text()), config["dtype"])


def oldest() -> str:
    """The older of the two kinds of models that the installed TransformerLens has."""
    try:
        from transformer_lens import HookedTransformer
    except ImportError:  # from version 4 on
        return "TransformerBridge"
    return str(HookedTransformer.__name__)


def hooked(config: Config, weights: dict[str, Tensor]) -> Any:
    """A `HookedTransformer` with these weights."""
    from transformer_lens import HookedTransformer, HookedTransformerConfig

    settings = {**config, "dtype": getattr(torch, config["dtype"]), "device": "cpu"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it goes away in version 4, and is here still
        model = HookedTransformer(HookedTransformerConfig(**settings))
    missing, unknown = model.load_state_dict(weights, strict=False)
    left = [name for name in missing if not name.endswith((".mask", ".IGNORE"))]  # these are no weights
    if left or unknown:
        raise ValueError(f"the weights do not fit: {left} are missing, {list(unknown)} are not known")
    return model.eval()


def bridge(config: Config, weights: dict[str, Tensor]) -> Any:
    """A `TransformerBridge` over TransformerLens' own model, with these weights."""
    from transformer_lens.model_bridge import TransformerBridge

    dtype = getattr(torch, config["dtype"])
    divisor = 2.0  # it refuses 1 when it is made, and takes it afterwards
    settings = {name: value for name, value in config.items() if name != "dtype"} | {"attn_scale": divisor}
    model = TransformerBridge.boot_native(settings, device="cpu", dtype=dtype)
    own = model.original_model
    attentions = [part for part in own.modules() if type(part).__name__ == "NativeAttention"]
    if len(attentions) == config["n_layers"] and all(part.scale == divisor for part in attentions):
        for part in attentions:
            part.scale = config["attn_scale"]
        model.cfg.attn_scale = config["attn_scale"]
    else:  # a version of another make: then `hook_q` has the queries times the divisor
        weights = {n: w * divisor if n.endswith((".W_Q", ".b_Q")) else w for n, w in weights.items()}
    biases = [(name, buffer) for name, buffer in own.named_buffers() if name.endswith(".bias")]  # of the unembedding
    inside = {n.replace("._original_component", ""): p for n, p in [*own.named_parameters(), *biases]}
    renamed = bridge_weights(weights)
    if set(renamed) != set(inside):
        raise ValueError(f"the weights do not fit: {sorted(set(renamed) ^ set(inside))}")
    with torch.no_grad():
        for name, parameter in inside.items():
            parameter.copy_(renamed[name])
    return model.eval()


LINEAR = {"mlp.W_in": "mlp.fc_in.weight", "mlp.W_out": "mlp.fc_out.weight", "mlp.b_in": "mlp.fc_in.bias"}
LINEAR |= {"mlp.b_out": "mlp.fc_out.bias", "attn.b_O": "attn.o.bias", "W_E": "weight", "W_pos": "weight"}
LINEAR |= {"W_U": "weight", "b_U": "bias", "ln1.w": "ln1.weight", "ln1.b": "ln1.bias", "ln2.w": "ln2.weight"}
LINEAR |= {"ln2.b": "ln2.bias", "w": "weight", "b": "bias"}
ROOTS = {"embed": "tok_embed", "pos_embed": "pos", "unembed": "head", "ln_final": "ln_out"}


def bridge_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights by the names, and in the layout, of the model inside a bridge: maps are transposed, heads joined."""
    renamed = {}
    for name, weight in weights.items():
        root, _, rest = name.partition(".")
        if root == "blocks":
            number, _, rest = rest.partition(".")
            root = f"layers.{number}"
        letter = rest.removeprefix("attn.W_").removeprefix("attn.b_").lower()
        if rest.startswith("attn.W_"):  # (head, inputs, outputs), heads joined on the side of the head
            joined = weight.transpose(0, 1).flatten(1) if letter != "o" else weight.flatten(0, 1)
            renamed[f"{root}.attn.{letter}.weight"] = joined.T
        elif rest.startswith("attn.b_") and letter != "o":
            renamed[f"{root}.attn.{letter}.bias"] = weight.flatten()
        else:
            turned = weight.T if rest in ("mlp.W_in", "mlp.W_out", "W_U") else weight
            renamed[f"{ROOTS.get(root, root)}.{LINEAR[rest]}"] = turned
    return renamed
