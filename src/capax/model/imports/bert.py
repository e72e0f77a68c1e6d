"""BERT and RoBERTa checkpoints of Hugging Face as models whose norms stand after the sublayers.

The norm of the embedding is a first block without heads. The head of a masked language model, which puts a map with an
activation and a norm before the last map, is a last block without heads: an MLP adds what it computes and takes away
what was there, by act(x) - act(-x) = x, which holds for ReLU and both kinds of GELU.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.model.imports.checkpoint import Checkpoint, unfit
from capax.model.imports.heads import heads_of
from capax.model.imports.labels import labels_of
from capax.model.imports.words import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import ImportSource, Provenance
from capax.model.vocabulary import Classes, Token, Vocabulary

KINDS: Final = {"bert": "Bert", "roberta": "Roberta"}
_IGNORED: Final = (".position_ids", "pooler.dense.weight", "pooler.dense.bias")


@dataclass(frozen=True, slots=True)
class _Sizes:
    d: int
    epsilon: float
    kind: str


def read_bert(given: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a BERT or RoBERTa checkpoint: of a masked language model, a classifier of tokens, or without a head.

    Without a head the outputs are the coordinates of the stream. The token type is always the first.
    """
    kind = given.setting("model_type", str)
    architecture = _architecture(given, KINDS[kind])
    given.refuse(
        ("add_cross_attention", False, "cross-attention"),
        ("position_embedding_type", "absolute", "relative positions"),
    )
    sizes = _Sizes(given.count("hidden_size"), given.setting("layer_norm_eps", float, 1e-12), kind)
    top = f"{kind}." if given.has(f"{kind}.embeddings.word_embeddings.weight") else ""
    words, embedding, table = _embedding(given, top, sizes)
    mask_all = "causal" if given.setting("is_decoder", bool, False) else "none"
    none = given.zeros(sizes.d)
    blocks = [Block((), none, None, given.norm(f"{top}embeddings.LayerNorm", sizes.d, sizes.epsilon))]
    for number in range(given.layers("num_hidden_layers")):
        blocks.append(_block(given, f"{top}encoder.layer.{number}", sizes, mask_all))
    tokens = tokens_of(files, len(embedding), given.name)
    map, answers = _readout(given, architecture, blocks, words, tokens, sizes)
    given.done(*_IGNORED)
    prefix = prefix_of(files, tokens)
    return Model(
        vocabulary=Vocabulary(tokens),
        embedding=embedding,
        positions=Positions((), given.zeros(0, sizes.d), table),
        blocks=tuple(blocks),
        readout=Readout(map),
        decoding=Classes(answers),
        names=tuple(f"x{i}" for i in range(sizes.d)),
        numbers=given.numbers,
        max_length=len(table) - len(prefix),
        prefix=prefix,
        norm_place="after",
        provenance=Provenance(source=ImportSource(kind, architecture)),
    )


def _architecture(given: Checkpoint, family: str) -> str:
    found = given.config.get("architectures")
    name = found[0] if isinstance(found, list) and found else f"{family}Model"
    known = [f"{family}{end}" for end in ("ForMaskedLM", "ForTokenClassification", "Model")]
    if name not in known:
        raise unfit(f"it is a {name!s:.60}", f"of {family.upper()} these are read: {', '.join(known)}")
    return str(name)


def _embedding(given: Checkpoint, top: str, sizes: _Sizes) -> tuple[Array, Array, Array]:
    """The embedding as it is, the one with the first token type added, and the table of positions."""
    name, d = f"{top}embeddings", sizes.d
    size, places = given.count("vocab_size"), given.count("max_position_embeddings")
    words = given.take(f"{name}.word_embeddings.weight", size, d)
    types = given.take(f"{name}.token_type_embeddings.weight", given.count("type_vocab_size", 2), d)
    table = given.take(f"{name}.position_embeddings.weight", places, d)
    if sizes.kind == "roberta":  # its first places are for padding
        padding = given.setting("pad_token_id", int, 1)
        table = table[padding + 1 :]
        if padding < 0 or not len(table):
            raise unfit("it has no positions beside those for padding")
    return words, words + types[0], table


def _block(given: Checkpoint, name: str, sizes: _Sizes, mask: Any) -> Block:
    d, count = sizes.d, given.heads("num_attention_heads", sizes.d)
    query, key, value = (given.linear(f"{name}.attention.self.{part}", d, d) for part in ("query", "key", "value"))
    output = given.linear(f"{name}.attention.output.dense", d, d)
    hidden = given.count("intermediate_size")
    first = given.linear(f"{name}.intermediate.dense", d, hidden)
    second = given.linear(f"{name}.output.dense", hidden, d)
    return Block(
        heads_of(query, key, value, output.weight, count, mask=mask, scale=(d // count) ** -0.5),
        output.bias,
        Mlp((first, second), given.activation("hidden_act")),
        given.norm(f"{name}.attention.output.LayerNorm", d, sizes.epsilon),
        given.norm(f"{name}.output.LayerNorm", d, sizes.epsilon),
    )


def _readout(
    given: Checkpoint, architecture: str, blocks: list[Block], words: Array, tokens: tuple[Token, ...], sizes: _Sizes
) -> tuple[Affine, tuple[Token, ...]]:
    """The last map and the answers; the head of a masked language model adds a block."""
    d = sizes.d
    if architecture.endswith("ForTokenClassification"):
        labels = labels_of(given, given.rows("classifier.weight"))
        return given.linear("classifier", d, len(labels)), labels
    if architecture.endswith("ForMaskedLM"):
        masked = ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions")
        dense, norm, last = masked if sizes.kind == "bert" else ("lm_head.dense", "lm_head.layer_norm", "lm_head")
        activation = given.activation("hidden_act") if sizes.kind == "bert" else "gelu"
        transform = Mlp(_in_place_of(given.linear(dense, d, d), given), activation)
        blocks.append(Block((), given.zeros(d), transform, None, given.norm(norm, d, sizes.epsilon)))
        bias = given.take(f"{last}.bias", len(tokens))
        if given.has(f"{last}.decoder.bias"):
            bias = given.take(f"{last}.decoder.bias", len(tokens))
        if given.has(f"{last}.decoder.weight") or not given.setting("tie_word_embeddings", bool, True):
            words = given.take(f"{last}.decoder.weight", len(tokens), d)
        return Affine(words.T, bias), tokens
    return Affine(np.eye(d, dtype=given.numbers), given.zeros(d)), tuple(f"x{i}" for i in range(d))


def _in_place_of(dense: Affine, given: Checkpoint) -> tuple[Affine, Affine]:
    """The two maps of an MLP that puts the activation of a map in place of the stream."""
    d = dense.inputs
    one = np.eye(d, dtype=given.numbers)
    first = Affine(np.concatenate([dense.weight, one, -one], axis=1), np.concatenate([dense.bias, given.zeros(2 * d)]))
    return first, Affine(np.concatenate([one, -one, one]), given.zeros(d))
