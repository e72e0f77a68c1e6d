"""OPT checkpoints of Hugging Face as models."""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.imports.checkpoint import Checkpoint, heads_of, unfit
from capax.model.imports.checkpoint_tokens import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, Block, Mlp, Readout
from capax.model.provenance import ImportSource

EPSILON: Final = 1e-5
"""What the norms of the class add to the variance; it has no setting for it."""
OFFSET: Final = 2
"""The rows of the table of positions before that of the first position."""
HEADS: Final = ("OPTForCausalLM", "OPTModel")


def read_opt(checkpoint: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of an OPT checkpoint whose norms stand before the sublayers, its norms included."""
    architecture = checkpoint.architecture("OPT", HEADS, HEADS[0])
    checkpoint.refuse(
        ("do_layer_norm_before", True, "norms after the sublayers"),
        ("_remove_final_layer_norm", False, "no norm before the last map"),
        ("enable_bias", True, "maps without biases"),
        ("layer_norm_elementwise_affine", True, "norms without weights"),
    )
    top = "model.decoder." if checkpoint.has("model.decoder.embed_tokens.weight") else "decoder."
    size, d = checkpoint.count("vocab_size"), checkpoint.count("hidden_size")
    rows = checkpoint.count("max_position_embeddings")
    if checkpoint.config.get("word_embed_proj_dim", d) != d:
        raise unfit("its embedding has another width than its layers")
    embedding = checkpoint.take(f"{top}embed_tokens.weight", size, d)
    table = checkpoint.take(f"{top}embed_positions.weight", rows + OFFSET, d)[OFFSET:]
    blocks = tuple(_block(checkpoint, f"{top}layers.{i}", d) for i in range(checkpoint.layers("num_hidden_layers")))
    norm = checkpoint.norm(f"{top}final_layer_norm", d, EPSILON)
    tokens = tokens_of(files, size, checkpoint.name)
    tied = architecture == "OPTModel" or checkpoint.setting("tie_word_embeddings", bool, True)
    map = embedding.T if tied else checkpoint.take("lm_head.weight", size, d).T
    checkpoint.done("lm_head.weight")
    source, readout = ImportSource("opt", architecture), Readout(Affine(map, checkpoint.zeros(size)), norm)
    return checkpoint.model(source, tokens, embedding, table, blocks, readout, prefix=prefix_of(files, tokens))


def _block(checkpoint: Checkpoint, name: str, d: int) -> Block:
    count, hidden = checkpoint.heads("num_attention_heads", d), checkpoint.count("ffn_dim")
    query, key, value, output = (
        checkpoint.linear(f"{name}.self_attn.{part}_proj", d, d) for part in ("q", "k", "v", "out")
    )
    first, second = checkpoint.linear(f"{name}.fc1", d, hidden), checkpoint.linear(f"{name}.fc2", hidden, d)
    return Block(
        heads_of(query, key, value, output.weight, count, mask="causal", scale=(d // count) ** -0.5),
        output.bias,
        Mlp((first, second), checkpoint.activation("activation_function")),
        checkpoint.norm(f"{name}.self_attn_layer_norm", d, EPSILON),
        checkpoint.norm(f"{name}.final_layer_norm", d, EPSILON),
    )
