"""TransformerLens checkpoints, the state of a HookedTransformer and its settings, as models."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from capax.model.imports.checkpoint import Checkpoint, unfit
from capax.model.imports.checkpoint_tokens import tokens_of
from capax.model.io.container import bad_file
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mask, Mlp, Norm, Readout
from capax.model.provenance import ImportSource
from capax.model.vocabulary import Token

NORMS: Final = {"LN": "layer", "LNPre": "layer", "RMS": "rms", "RMSPre": "rms"}
_BUFFERS: Final = (".mask", ".IGNORE")
_REFUSED: Final = (
    ("positional_embedding_type", "standard", "positions of another kind"),
    ("gated_mlp", False, "gated MLPs"),
    ("parallel_attn_mlp", False, "MLPs beside attention"),
    ("n_key_value_heads", None, "keys and values that heads share"),
    ("num_experts", None, "experts"),
    ("use_local_attn", False, "local attention"),
    ("window_size", None, "local attention"),
    ("use_qk_norm", False, "norms of queries and keys"),
    ("use_logn_attn", False, "scores that depend on the length"),
    ("clip_qkv", None, "clipped queries and keys"),
    ("post_embedding_ln", False, "a norm after the embedding"),
    ("use_normalization_before_and_after", False, "norms before and after sublayers"),
    ("use_attention_sinks", False, "attention sinks"),
    ("attn_scores_soft_cap", (-1.0, -1, 0, 0.0), "capped scores"),
    ("output_logits_soft_cap", (-1.0, -1, 0, 0.0), "capped logits"),
    ("load_in_4bit", False, "quantised weights"),
)


def read_lens(checkpoint: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a HookedTransformer, its norms included."""
    checkpoint.refuse(*_REFUSED)
    d, size, rows = checkpoint.count("d_model"), checkpoint.count("d_vocab"), checkpoint.count("n_ctx")
    outputs = checkpoint.count("d_vocab_out", size)
    direction = checkpoint.setting("attention_dir", str, "causal")
    if direction not in ("causal", "bidirectional"):
        raise unfit(f"its attention is {direction!r:.40}")
    mask: Mask = "causal" if direction == "causal" else "none"
    embedding = checkpoint.take("embed.W_E", size, d)
    table = checkpoint.take("pos_embed.W_pos", rows, d)
    blocks = tuple(_block(checkpoint, f"blocks.{i}", i, d, mask) for i in range(checkpoint.layers("n_layers")))
    norm = _norm(checkpoint, "ln_final", d, rms=checkpoint.setting("final_rms", bool, False))
    bias = checkpoint.take("unembed.b_U", outputs) if checkpoint.has("unembed.b_U") else checkpoint.zeros(outputs)
    map = Affine(checkpoint.take("unembed.W_U", d, outputs), bias)
    checkpoint.done(*_BUFFERS)
    tokens = tokens_of(files, size, checkpoint.name)
    answers: tuple[Token, ...] = tokens if outputs == size else tuple(range(outputs))
    source = ImportSource("transformer-lens", "HookedTransformer")
    return checkpoint.model(source, tokens, embedding, table, blocks, Readout(map, norm), answers=answers)


def _norm(checkpoint: Checkpoint, name: str, d: int, *, rms: bool = False) -> Norm | None:
    """A norm; one that was folded into the maps after it has a gain of 1 and no bias. The last may be an `rms` one."""
    if (
        "normalization_type" not in checkpoint.config
    ):  # its absence is not null: folded norms leave no tensor that would tell
        raise bad_file(checkpoint.name, "its configuration lacks normalization_type", "null stands for no norms")
    kind = checkpoint.config["normalization_type"]
    if kind is None:
        return None
    if not isinstance(kind, str) or kind not in NORMS:
        raise unfit(f"it has norms of the kind {kind!r:.40}")
    layer = NORMS[kind] == "layer" and not rms
    folded = kind.endswith("Pre")
    gain: Array = np.ones(d, checkpoint.numbers) if folded else checkpoint.take(f"{name}.w", d)
    bias = checkpoint.take(f"{name}.b", d) if layer and not folded else checkpoint.zeros(d)
    return Norm("layer" if layer else "rms", gain, bias, checkpoint.setting("eps", float, 1e-5))


def _block(checkpoint: Checkpoint, name: str, number: int, d: int, mask: Mask) -> Block:
    count, k = checkpoint.count("n_heads"), checkpoint.count("d_head")
    scale = 1.0
    if checkpoint.setting("use_attn_scale", bool, True):
        divisor = checkpoint.setting("attn_scale", float, float(k) ** 0.5)
        scale = 1 / (divisor if divisor > 0 else float(k) ** 0.5)
    if checkpoint.setting("scale_attn_by_inverse_layer_idx", bool, False):
        scale /= number + 1
    query, key, value = (
        _maps(checkpoint.take(f"{name}.attn.W_{part}", count, d, k), checkpoint.take(f"{name}.attn.b_{part}", count, k))
        for part in "QKV"
    )
    output = checkpoint.take(f"{name}.attn.W_O", count, k, d)
    heads = tuple(Head(query[i], key[i], value[i], output[i], mask=mask, scale=scale) for i in range(count))
    mlp = None
    if not checkpoint.setting("attn_only", bool, False):
        hidden = checkpoint.count("d_mlp", 4 * d)
        first = Affine(checkpoint.take(f"{name}.mlp.W_in", d, hidden), checkpoint.take(f"{name}.mlp.b_in", hidden))
        second = Affine(checkpoint.take(f"{name}.mlp.W_out", hidden, d), checkpoint.take(f"{name}.mlp.b_out", d))
        mlp = Mlp((first, second), checkpoint.activation("act_fn"))
    after = None if mlp is None else _norm(checkpoint, f"{name}.ln2", d)
    return Block(heads, checkpoint.take(f"{name}.attn.b_O", d), mlp, _norm(checkpoint, f"{name}.ln1", d), after)


def _maps(weights: Array, biases: Array) -> list[Affine]:
    """The map of each head."""
    return [Affine(weight, bias) for weight, bias in zip(weights, biases, strict=True)]
