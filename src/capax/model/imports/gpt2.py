"""GPT-2 checkpoints of Hugging Face as models."""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.imports.checkpoint import Checkpoint, unfit
from capax.model.imports.heads import heads_of, split_columns
from capax.model.imports.labels import labels_of
from capax.model.imports.words import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, Block, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import ImportSource, Provenance
from capax.model.vocabulary import Classes, Token, Vocabulary

HEADS: Final = (None, "GPT2LMHeadModel", "GPT2Model", "GPT2ForTokenClassification")
_OLD: Final = (".attn.bias", ".attn.masked_bias")
"""Buffers that old files hold: the mask."""


def read_gpt2(given: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a GPT-2 checkpoint, its norms included."""
    architecture = _architecture(given)
    given.refuse(("add_cross_attention", False, "cross-attention"))
    top = "transformer." if given.has("transformer.wte.weight") else ""
    size, d, places = given.count("vocab_size"), given.count("n_embd"), given.count("n_positions")
    epsilon = given.setting("layer_norm_epsilon", float, 1e-5)
    embedding = given.take(f"{top}wte.weight", size, d)
    table = given.take(f"{top}wpe.weight", places, d)
    blocks = tuple(_block(given, f"{top}h.{i}", i, d, epsilon) for i in range(given.layers("n_layer")))
    norm = given.norm(f"{top}ln_f", d, epsilon)
    tokens = tokens_of(files, size, given.name)
    answers: tuple[Token, ...] = tokens
    if architecture == "GPT2ForTokenClassification":
        answers = labels_of(given, given.rows("classifier.weight"))
        map = given.linear("classifier", d, len(answers))
    elif architecture != "GPT2Model" and not given.setting("tie_word_embeddings", bool, True):
        map = Affine(given.take("lm_head.weight", size, d).T, given.zeros(size))
    else:
        map = Affine(embedding.T, given.zeros(size))
    given.done(*_OLD, "lm_head.weight")
    prefix = prefix_of(files, tokens)
    return Model(
        vocabulary=Vocabulary(tokens),
        embedding=embedding,
        positions=Positions((), given.zeros(0, d), table),
        blocks=blocks,
        readout=Readout(map, norm),
        decoding=Classes(answers),
        names=tuple(f"x{i}" for i in range(d)),
        numbers=given.numbers,
        max_length=places - len(prefix),
        prefix=prefix,
        provenance=Provenance(source=ImportSource("gpt2", architecture or "GPT2LMHeadModel")),
    )


def _architecture(given: Checkpoint) -> str | None:
    found = given.config.get("architectures")
    name = found[0] if isinstance(found, list) and found else None
    if name not in HEADS:
        raise unfit(f"it is a {name!s:.60}", f"of GPT-2 these are read: {', '.join(h for h in HEADS if h)}")
    return name if name is None else str(name)


def _block(given: Checkpoint, name: str, number: int, d: int, epsilon: float) -> Block:
    count = given.heads("n_head", d)
    scale = (d // count) ** -0.5 if given.setting("scale_attn_weights", bool, True) else 1.0
    if given.setting("scale_attn_by_inverse_layer_idx", bool, False):
        scale /= number + 1
    hidden = given.config.get("n_inner")
    hidden = given.count("n_inner") if hidden is not None else 4 * d
    joined = Affine(given.take(f"{name}.attn.c_attn.weight", d, 3 * d), given.take(f"{name}.attn.c_attn.bias", 3 * d))
    query, key, value = split_columns(joined, 3)
    output = given.take(f"{name}.attn.c_proj.weight", d, d)
    first = Affine(given.take(f"{name}.mlp.c_fc.weight", d, hidden), given.take(f"{name}.mlp.c_fc.bias", hidden))
    second = Affine(given.take(f"{name}.mlp.c_proj.weight", hidden, d), given.take(f"{name}.mlp.c_proj.bias", d))
    return Block(
        heads_of(query, key, value, output, count, mask="causal", scale=scale),
        given.take(f"{name}.attn.c_proj.bias", d),
        Mlp((first, second), given.activation("activation_function")),
        given.norm(f"{name}.ln_1", d, epsilon),
        given.norm(f"{name}.ln_2", d, epsilon),
    )
