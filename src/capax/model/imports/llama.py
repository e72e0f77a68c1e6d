"""Llama-like checkpoints of Hugging Face as models: RMSNorm, SwiGLU, rotary positions, shared keys and values.

Mistral without a sliding window is a Llama; Qwen2 has biases of queries, keys and values besides.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from capax.model.imports.checkpoint import Checkpoint, labels_of, split_columns, unfit
from capax.model.imports.checkpoint_tokens import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, AnyHead, Array, Block, GatedMlp, Head, Norm, Readout, RotaryHead
from capax.model.provenance import ImportSource
from capax.model.vocabulary import Token

LLAMAS: Final = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2"}
"""The kinds of models that are read, and how their classes are called."""
_TYPES: Final = ("default", "linear")
"""The kinds of rotary positions that have one frequency for each plane, whatever the length."""


def read_llama(checkpoint: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a Llama-like checkpoint, its norms included."""
    family = LLAMAS[str(checkpoint.config["model_type"])]
    names = tuple(f"{family}{what}" for what in ("ForCausalLM", "Model", "ForTokenClassification"))
    architecture = checkpoint.architecture(family, names, names[0])
    checkpoint.refuse(("hidden_act", "silu", "another activation than SiLU"))
    _refuse_windows(checkpoint)
    top = "model." if checkpoint.has("model.embed_tokens.weight") else ""
    size, d = checkpoint.count("vocab_size"), checkpoint.count("hidden_size")
    embedding = checkpoint.take(f"{top}embed_tokens.weight", size, d)
    sizes = _sizes(checkpoint, d)
    frequencies = _frequencies(checkpoint, sizes[2])
    layers = range(checkpoint.layers("num_hidden_layers"))
    blocks = tuple(_block(checkpoint, f"{top}layers.{i}", d, sizes, frequencies) for i in layers)
    norm = _norm(checkpoint, f"{top}norm", d)
    tokens = tokens_of(files, size, checkpoint.name)
    answers: tuple[Token, ...] = tokens
    if architecture.endswith("TokenClassification"):
        answers = labels_of(checkpoint, checkpoint.rows("score.weight"))
        map = _map(checkpoint, "score", d, len(answers))
    elif architecture.endswith("Model") or checkpoint.setting("tie_word_embeddings", bool, False):
        map = Affine(embedding.T, checkpoint.zeros(size))
    else:
        map = _map(checkpoint, "lm_head", d, size)
    checkpoint.done("lm_head.weight", ".rotary_emb.inv_freq")
    source = ImportSource(str(checkpoint.config["model_type"]), architecture)
    positions = checkpoint.count("max_position_embeddings")
    prefix, readout = prefix_of(files, tokens), Readout(map, norm)
    return checkpoint.model(source, tokens, embedding, positions, blocks, readout, answers=answers, prefix=prefix)


def _refuse_windows(checkpoint: Checkpoint) -> None:
    """Refuses heads that do not see all earlier positions."""
    window = checkpoint.config.get("sliding_window")
    used = checkpoint.config.get("use_sliding_window", checkpoint.config["model_type"] != "qwen2")
    if window is not None and used:
        raise unfit(f"its heads see a window of positions (sliding_window is {window!r:.20})")


def _sizes(checkpoint: Checkpoint, d: int) -> tuple[int, int, int]:
    """The numbers of heads and of groups of them that share keys and values, and their size."""
    heads = checkpoint.count("num_attention_heads")
    groups = heads if checkpoint.config.get("num_key_value_heads") is None else checkpoint.count("num_key_value_heads")
    size = checkpoint.count("head_dim") if checkpoint.config.get("head_dim") is not None else d // heads
    if heads % groups or size % 2:
        raise unfit(f"its {heads} heads of size {size} are in {groups} groups")
    return heads, groups, size


def _frequencies(checkpoint: Checkpoint, size: int) -> Array:
    """By how much each plane of queries and keys is turned from one position to the next, in float32."""
    scaling = checkpoint.config.get("rope_scaling") or checkpoint.config.get("rope_parameters") or {}
    if not isinstance(scaling, dict):
        raise unfit("its settings of rotary positions are damaged")
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    theta = scaling.get("rope_theta", checkpoint.config.get("rope_theta", 10000.0))
    factor = scaling.get("factor", 1.0) if kind == "linear" else 1.0
    share = scaling.get("partial_rotary_factor", checkpoint.config.get("partial_rotary_factor", 1.0))
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) and x > 0 for x in (theta, factor))
    if kind not in _TYPES or share != 1.0 or not numbers:
        raise unfit(f"it has rotary positions of the kind {kind!r:.40}", "the kinds default and linear are supported")
    powers = np.arange(0, size, 2).astype(np.float32) / np.float32(size)
    with np.errstate(over="ignore", under="ignore"):
        plain = (1.0 / np.power(np.float32(theta), powers)).astype(np.float32)
        return np.asarray(plain / np.float32(factor), np.float32).astype(checkpoint.numbers)


def _norm(checkpoint: Checkpoint, name: str, d: int) -> Norm:
    epsilon = checkpoint.setting("rms_norm_eps", float, 1e-6)
    return Norm("rms", checkpoint.take(f"{name}.weight", d), checkpoint.zeros(d), epsilon)


def _map(checkpoint: Checkpoint, name: str, inputs: int, outputs: int) -> Affine:
    """A map with a bias, if the file has one."""
    if checkpoint.has(f"{name}.bias"):
        return checkpoint.linear(name, inputs, outputs)
    return Affine(checkpoint.take(f"{name}.weight", outputs, inputs).T, checkpoint.zeros(outputs))


def _block(checkpoint: Checkpoint, name: str, d: int, sizes: tuple[int, int, int], frequencies: Array) -> Block:
    count, groups, size = sizes
    attention, mlp = f"{name}.self_attn", f"{name}.mlp"
    queries = split_columns(_map(checkpoint, f"{attention}.q_proj", d, count * size), count)
    keys = split_columns(_map(checkpoint, f"{attention}.k_proj", d, groups * size), groups)
    values = split_columns(_map(checkpoint, f"{attention}.v_proj", d, groups * size), groups)
    output = _map(checkpoint, f"{attention}.o_proj", count * size, d)
    heads: list[AnyHead] = []
    for number, query in enumerate(queries):
        group, rows = number * groups // count, output.weight[number * size : (number + 1) * size]
        parts = query, keys[group], values[group], rows
        if frequencies.any():
            heads.append(RotaryHead(*parts, frequencies, scale=size**-0.5))
        else:
            heads.append(Head(*parts, mask="causal", scale=size**-0.5))
    hidden = checkpoint.count("intermediate_size")
    gate, up = (_map(checkpoint, f"{mlp}.{part}_proj", d, hidden) for part in ("gate", "up"))
    return Block(
        tuple(heads),
        output.bias,
        GatedMlp(gate, up, _map(checkpoint, f"{mlp}.down_proj", hidden, d)),
        _norm(checkpoint, f"{name}.input_layernorm", d),
        _norm(checkpoint, f"{name}.post_attention_layernorm", d),
    )
