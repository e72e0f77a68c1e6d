"""GPT-2 checkpoints of Hugging Face as models."""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.imports.checkpoint import Checkpoint, heads_of, labels_of, split_columns
from capax.model.imports.checkpoint_tokens import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, Block, Mlp, Readout
from capax.model.provenance import ImportSource
from capax.model.vocabulary import Token

HEADS: Final = ("GPT2LMHeadModel", "GPT2Model", "GPT2ForTokenClassification")
_OLD: Final = (".attn.bias", ".attn.masked_bias")
"""Buffers that old files hold: the mask."""


def read_gpt2(checkpoint: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a GPT-2 checkpoint, its norms included."""
    architecture = checkpoint.architecture("GPT-2", HEADS, HEADS[0])
    checkpoint.refuse(("add_cross_attention", False, "cross-attention"))
    top = "transformer." if checkpoint.has("transformer.wte.weight") else ""
    size, d, rows = checkpoint.count("vocab_size"), checkpoint.count("n_embd"), checkpoint.count("n_positions")
    epsilon = checkpoint.setting("layer_norm_epsilon", float, 1e-5)
    embedding = checkpoint.take(f"{top}wte.weight", size, d)
    table = checkpoint.take(f"{top}wpe.weight", rows, d)
    blocks = tuple(_block(checkpoint, f"{top}h.{i}", i, d, epsilon) for i in range(checkpoint.layers("n_layer")))
    norm = checkpoint.norm(f"{top}ln_f", d, epsilon)
    tokens = tokens_of(files, size, checkpoint.name)
    answers: tuple[Token, ...] = tokens
    if architecture == "GPT2ForTokenClassification":
        answers = labels_of(checkpoint, checkpoint.rows("classifier.weight"))
        map = checkpoint.linear("classifier", d, len(answers))
    elif architecture != "GPT2Model" and not checkpoint.setting("tie_word_embeddings", bool, True):
        map = Affine(checkpoint.take("lm_head.weight", size, d).T, checkpoint.zeros(size))
    else:
        map = Affine(embedding.T, checkpoint.zeros(size))
    checkpoint.done(*_OLD, "lm_head.weight")
    source, prefix = ImportSource("gpt2", architecture), prefix_of(files, tokens)
    readout = Readout(map, norm)
    return checkpoint.model(source, tokens, embedding, table, blocks, readout, answers=answers, prefix=prefix)


def _block(checkpoint: Checkpoint, name: str, number: int, d: int, epsilon: float) -> Block:
    count = checkpoint.heads("n_head", d)
    scale = (d // count) ** -0.5 if checkpoint.setting("scale_attn_weights", bool, True) else 1.0
    if checkpoint.setting("scale_attn_by_inverse_layer_idx", bool, False):
        scale /= number + 1
    hidden = checkpoint.config.get("n_inner")
    hidden = checkpoint.count("n_inner") if hidden is not None else 4 * d
    query, key, value = split_columns(checkpoint.affine(f"{name}.attn.c_attn", d, 3 * d), 3)
    output = checkpoint.affine(f"{name}.attn.c_proj", d, d)
    first = checkpoint.affine(f"{name}.mlp.c_fc", d, hidden)
    second = checkpoint.affine(f"{name}.mlp.c_proj", hidden, d)
    return Block(
        heads_of(query, key, value, output.weight, count, mask="causal", scale=scale),
        output.bias,
        Mlp((first, second), checkpoint.activation("activation_function")),
        checkpoint.norm(f"{name}.ln_1", d, epsilon),
        checkpoint.norm(f"{name}.ln_2", d, epsilon),
    )
