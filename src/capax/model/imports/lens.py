"""TransformerLens checkpoints, the state of a HookedTransformer and its settings, as models."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from capax.model.imports.checkpoint import Checkpoint, unfit
from capax.model.imports.words import tokens_of
from capax.model.io.container import bad_file
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mask, Mlp, Norm, Readout
from capax.model.positions import Positions
from capax.model.provenance import ImportSource, Provenance
from capax.model.vocabulary import Classes, Token, Vocabulary

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


def read_lens(given: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a HookedTransformer, its norms included."""
    given.refuse(*_REFUSED)
    d, size, places = given.count("d_model"), given.count("d_vocab"), given.count("n_ctx")
    outputs = given.count("d_vocab_out", size)
    direction = given.setting("attention_dir", str, "causal")
    if direction not in ("causal", "bidirectional"):
        raise unfit(f"its attention is {direction!r:.40}")
    mask: Mask = "causal" if direction == "causal" else "none"
    embedding = given.take("embed.W_E", size, d)
    table = given.take("pos_embed.W_pos", places, d)
    blocks = tuple(_block(given, f"blocks.{i}", i, d, mask) for i in range(given.layers("n_layers")))
    norm = _norm(given, "ln_final", d, rms=given.setting("final_rms", bool, False))
    bias = given.take("unembed.b_U", outputs) if given.has("unembed.b_U") else given.zeros(outputs)
    map = Affine(given.take("unembed.W_U", d, outputs), bias)
    given.done(*_BUFFERS)
    tokens = tokens_of(files, size, given.name)
    answers: tuple[Token, ...] = tokens if outputs == size else tuple(range(outputs))
    return Model(
        vocabulary=Vocabulary(tokens),
        embedding=embedding,
        positions=Positions((), given.zeros(0, d), table),
        blocks=blocks,
        readout=Readout(map, norm),
        decoding=Classes(answers),
        names=tuple(f"x{i}" for i in range(d)),
        numbers=given.numbers,
        max_length=places,
        provenance=Provenance(source=ImportSource("transformer-lens", "HookedTransformer")),
    )


def _norm(given: Checkpoint, name: str, d: int, *, rms: bool = False) -> Norm | None:
    """A norm; one that was folded into the maps after it has a gain of 1 and no bias. The last may be an `rms` one."""
    if (
        "normalization_type" not in given.config
    ):  # its absence is not null: folded norms leave no tensor that would tell
        raise bad_file(given.name, "its configuration does not say normalization_type", "null stands for no norms")
    kind = given.config["normalization_type"]
    if kind is None:
        return None
    if not isinstance(kind, str) or kind not in NORMS:
        raise unfit(f"it has norms of the kind {kind!r:.40}")
    layer = NORMS[kind] == "layer" and not rms
    folded = kind.endswith("Pre")
    gain: Array = np.ones(d, given.numbers) if folded else given.take(f"{name}.w", d)
    bias = given.take(f"{name}.b", d) if layer and not folded else given.zeros(d)
    return Norm("layer" if layer else "rms", gain, bias, given.setting("eps", float, 1e-5))


def _block(given: Checkpoint, name: str, number: int, d: int, mask: Mask) -> Block:
    count, k = given.count("n_heads"), given.count("d_head")
    scale = 1.0
    if given.setting("use_attn_scale", bool, True):
        said = given.setting("attn_scale", float, float(k) ** 0.5)
        scale = 1 / (said if said > 0 else float(k) ** 0.5)
    if given.setting("scale_attn_by_inverse_layer_idx", bool, False):
        scale /= number + 1
    query, key, value = (
        _maps(given.take(f"{name}.attn.W_{part}", count, d, k), given.take(f"{name}.attn.b_{part}", count, k))
        for part in "QKV"
    )
    output = given.take(f"{name}.attn.W_O", count, k, d)
    heads = tuple(Head(query[i], key[i], value[i], output[i], mask=mask, scale=scale) for i in range(count))
    mlp = None
    if not given.setting("attn_only", bool, False):
        hidden = given.count("d_mlp", 4 * d)
        first = Affine(given.take(f"{name}.mlp.W_in", d, hidden), given.take(f"{name}.mlp.b_in", hidden))
        second = Affine(given.take(f"{name}.mlp.W_out", hidden, d), given.take(f"{name}.mlp.b_out", d))
        mlp = Mlp((first, second), given.activation("act_fn"))
    after = None if mlp is None else _norm(given, f"{name}.ln2", d)
    return Block(heads, given.take(f"{name}.attn.b_O", d), mlp, _norm(given, f"{name}.ln1", d), after)


def _maps(weights: Array, biases: Array) -> list[Affine]:
    """The map of each head."""
    return [Affine(weight, bias) for weight, bias in zip(weights, biases, strict=True)]
