"""OPT checkpoints of Hugging Face as models."""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.imports.checkpoint import Checkpoint, unfit
from capax.model.imports.heads import heads_of
from capax.model.imports.words import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, Block, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import ImportSource, Provenance
from capax.model.vocabulary import Classes, Vocabulary

EPSILON: Final = 1e-5
"""What the norms of the class add to the variance; it has no setting for it."""
OFFSET: Final = 2
"""The rows of the table of positions before that of the first position."""
HEADS: Final = (None, "OPTForCausalLM", "OPTModel")


def read_opt(given: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of an OPT checkpoint whose norms stand before the sublayers, its norms included."""
    architecture = _architecture(given)
    given.refuse(
        ("do_layer_norm_before", True, "norms after the sublayers"),
        ("_remove_final_layer_norm", False, "no norm before the last map"),
        ("enable_bias", True, "maps without biases"),
        ("layer_norm_elementwise_affine", True, "norms without weights"),
    )
    top = "model.decoder." if given.has("model.decoder.embed_tokens.weight") else "decoder."
    size, d, places = given.count("vocab_size"), given.count("hidden_size"), given.count("max_position_embeddings")
    if given.config.get("word_embed_proj_dim", d) != d:
        raise unfit("its embedding has another width than its layers")
    embedding = given.take(f"{top}embed_tokens.weight", size, d)
    table = given.take(f"{top}embed_positions.weight", places + OFFSET, d)[OFFSET:]
    blocks = tuple(_block(given, f"{top}layers.{i}", d) for i in range(given.layers("num_hidden_layers")))
    norm = given.norm(f"{top}final_layer_norm", d, EPSILON)
    tokens = tokens_of(files, size, given.name)
    tied = architecture == "OPTModel" or given.setting("tie_word_embeddings", bool, True)
    map = embedding.T if tied else given.take("lm_head.weight", size, d).T
    given.done("lm_head.weight")
    prefix = prefix_of(files, tokens)
    return Model(
        vocabulary=Vocabulary(tokens),
        embedding=embedding,
        positions=Positions((), given.zeros(0, d), table),
        blocks=blocks,
        readout=Readout(Affine(map, given.zeros(size)), norm),
        decoding=Classes(tokens),
        names=tuple(f"x{i}" for i in range(d)),
        numbers=given.numbers,
        max_length=places - len(prefix),
        prefix=prefix,
        provenance=Provenance(source=ImportSource("opt", architecture or "OPTForCausalLM")),
    )


def _architecture(given: Checkpoint) -> str | None:
    found = given.config.get("architectures")
    name = found[0] if isinstance(found, list) and found else None
    if name not in HEADS:
        raise unfit(f"it is a {name!s:.60}", f"of OPT these are read: {', '.join(h for h in HEADS if h)}")
    return name if name is None else str(name)


def _block(given: Checkpoint, name: str, d: int) -> Block:
    count, hidden = given.heads("num_attention_heads", d), given.count("ffn_dim")
    query, key, value, output = (given.linear(f"{name}.self_attn.{part}_proj", d, d) for part in ("q", "k", "v", "out"))
    first, second = given.linear(f"{name}.fc1", d, hidden), given.linear(f"{name}.fc2", hidden, d)
    return Block(
        heads_of(query, key, value, output.weight, count, mask="causal", scale=(d // count) ** -0.5),
        output.bias,
        Mlp((first, second), given.activation("activation_function")),
        given.norm(f"{name}.self_attn_layer_norm", d, EPSILON),
        given.norm(f"{name}.final_layer_norm", d, EPSILON),
    )
