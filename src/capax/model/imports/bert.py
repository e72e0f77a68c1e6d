"""BERT and RoBERTa checkpoints of Hugging Face as models whose norms stand after the sublayers.

The norm of the embedding is a first block without heads. The head of a masked language model, which puts a map with an
activation and a norm before the last map, is a last block without heads: an MLP adds what it computes and takes away
what was there, by act(x) - act(-x) = x, which holds for ReLU and both kinds of GELU.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.model.imports.checkpoint import Checkpoint, heads_of, labels_of, unfit
from capax.model.imports.checkpoint_tokens import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Mlp, Readout
from capax.model.provenance import ImportSource
from capax.model.vocabulary import Token

KINDS: Final = {"bert": "Bert", "roberta": "Roberta"}
_IGNORED: Final = (".position_ids", "pooler.dense.weight", "pooler.dense.bias")


@dataclass(frozen=True, slots=True)
class _BertSizes:
    d: int
    epsilon: float
    kind: str


def read_bert(checkpoint: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a BERT or RoBERTa checkpoint: of a masked language model, a classifier of tokens, or without a head.

    Without a head the outputs are the coordinates of the stream. The token type is always the first.
    """
    kind = checkpoint.setting("model_type", str)
    family = KINDS[kind]
    known = [f"{family}{end}" for end in ("ForMaskedLM", "ForTokenClassification", "Model")]
    architecture = checkpoint.architecture(family.upper(), known, f"{family}Model")
    checkpoint.refuse(
        ("add_cross_attention", False, "cross-attention"),
        ("position_embedding_type", "absolute", "relative positions"),
    )
    sizes = _BertSizes(checkpoint.count("hidden_size"), checkpoint.setting("layer_norm_eps", float, 1e-12), kind)
    top = f"{kind}." if checkpoint.has(f"{kind}.embeddings.word_embeddings.weight") else ""
    words, embedding, table = _embedding(checkpoint, top, sizes)
    mask_all = "causal" if checkpoint.setting("is_decoder", bool, False) else "none"
    none = checkpoint.zeros(sizes.d)
    blocks = [Block((), none, None, checkpoint.norm(f"{top}embeddings.LayerNorm", sizes.d, sizes.epsilon))]
    for number in range(checkpoint.layers("num_hidden_layers")):
        blocks.append(_block(checkpoint, f"{top}encoder.layer.{number}", sizes, mask_all))
    tokens = tokens_of(files, len(embedding), checkpoint.name)
    map, answers = _readout(checkpoint, architecture, blocks, words, tokens, sizes)
    checkpoint.done(*_IGNORED)
    return checkpoint.model(
        ImportSource(kind, architecture),
        tokens,
        embedding,
        table,
        blocks,
        Readout(map),
        answers=answers,
        prefix=prefix_of(files, tokens),
        norm_place="after",
    )


def _embedding(checkpoint: Checkpoint, top: str, sizes: _BertSizes) -> tuple[Array, Array, Array]:
    """The embedding as it is, the one with the first token type added, and the table of positions."""
    name, d = f"{top}embeddings", sizes.d
    size, rows = checkpoint.count("vocab_size"), checkpoint.count("max_position_embeddings")
    words = checkpoint.take(f"{name}.word_embeddings.weight", size, d)
    types = checkpoint.take(f"{name}.token_type_embeddings.weight", checkpoint.count("type_vocab_size", 2), d)
    table = checkpoint.take(f"{name}.position_embeddings.weight", rows, d)
    if sizes.kind == "roberta":  # its first positions are for padding
        padding = checkpoint.setting("pad_token_id", int, 1)
        table = table[padding + 1 :]
        if padding < 0 or not len(table):
            raise unfit("it has no positions beside those for padding")
    return words, words + types[0], table


def _block(checkpoint: Checkpoint, name: str, sizes: _BertSizes, mask: Any) -> Block:
    d, count = sizes.d, checkpoint.heads("num_attention_heads", sizes.d)
    query, key, value = (checkpoint.linear(f"{name}.attention.self.{part}", d, d) for part in ("query", "key", "value"))
    output = checkpoint.linear(f"{name}.attention.output.dense", d, d)
    hidden = checkpoint.count("intermediate_size")
    first = checkpoint.linear(f"{name}.intermediate.dense", d, hidden)
    second = checkpoint.linear(f"{name}.output.dense", hidden, d)
    return Block(
        heads_of(query, key, value, output.weight, count, mask=mask, scale=(d // count) ** -0.5),
        output.bias,
        Mlp((first, second), checkpoint.activation("hidden_act")),
        checkpoint.norm(f"{name}.attention.output.LayerNorm", d, sizes.epsilon),
        checkpoint.norm(f"{name}.output.LayerNorm", d, sizes.epsilon),
    )


def _readout(
    checkpoint: Checkpoint,
    architecture: str,
    blocks: list[Block],
    words: Array,
    tokens: tuple[Token, ...],
    sizes: _BertSizes,
) -> tuple[Affine, tuple[Token, ...]]:
    """The last map and the answers; the head of a masked language model adds a block."""
    d = sizes.d
    if architecture.endswith("ForTokenClassification"):
        labels = labels_of(checkpoint, checkpoint.rows("classifier.weight"))
        return checkpoint.linear("classifier", d, len(labels)), labels
    if architecture.endswith("ForMaskedLM"):
        masked = ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions")
        dense, norm, last = masked if sizes.kind == "bert" else ("lm_head.dense", "lm_head.layer_norm", "lm_head")
        activation = checkpoint.activation("hidden_act") if sizes.kind == "bert" else "gelu"
        transform = Mlp(_in_place_of(checkpoint.linear(dense, d, d), checkpoint), activation)
        blocks.append(Block((), checkpoint.zeros(d), transform, None, checkpoint.norm(norm, d, sizes.epsilon)))
        bias = checkpoint.take(f"{last}.bias", len(tokens))
        if checkpoint.has(f"{last}.decoder.bias"):
            bias = checkpoint.take(f"{last}.decoder.bias", len(tokens))
        if checkpoint.has(f"{last}.decoder.weight") or not checkpoint.setting("tie_word_embeddings", bool, True):
            words = checkpoint.take(f"{last}.decoder.weight", len(tokens), d)
        return Affine(words.T, bias), tokens
    return Affine(np.eye(d, dtype=checkpoint.numbers), checkpoint.zeros(d)), tuple(f"x{i}" for i in range(d))


def _in_place_of(dense: Affine, checkpoint: Checkpoint) -> tuple[Affine, Affine]:
    """The two maps of an MLP that puts the activation of a map in place of the stream."""
    d = dense.inputs
    one = np.eye(d, dtype=checkpoint.numbers)
    first = Affine(
        np.concatenate([dense.weight, one, -one], axis=1), np.concatenate([dense.bias, checkpoint.zeros(2 * d)])
    )
    return first, Affine(np.concatenate([one, -one, one]), checkpoint.zeros(d))
