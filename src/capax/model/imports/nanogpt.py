"""nanoGPT checkpoints as models: GPT-2 with plain linear maps, exact GELU, and biases or none.

The files are safetensors of the model's state dict, and a config.json of its settings (`model_args` in its own
checkpoints): n_layer, n_head, n_embd, block_size, vocab_size, bias.
"""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.imports.checkpoint import Checkpoint, heads_of, split_columns
from capax.model.imports.checkpoint_tokens import prefix_of, tokens_of
from capax.model.model import Model
from capax.model.parts import Affine, Block, Mlp, Norm, Readout
from capax.model.provenance import ImportSource

EPSILON: Final = 1e-5
"""What its norms add to the variance."""
COMPILED: Final = "_orig_mod."
"""What the names of a compiled module begin with."""


def read_nanogpt(checkpoint: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a nanoGPT checkpoint, its norms included; its last map is its embedding."""
    top = f"{COMPILED}transformer." if checkpoint.has(f"{COMPILED}transformer.wte.weight") else "transformer."
    size, d = checkpoint.count("vocab_size"), checkpoint.count("n_embd")
    embedding = checkpoint.take(f"{top}wte.weight", size, d)
    table = checkpoint.take(f"{top}wpe.weight", checkpoint.count("block_size"), d)
    blocks = tuple(_block(checkpoint, f"{top}h.{i}", d) for i in range(checkpoint.layers("n_layer")))
    norm = _norm(checkpoint, f"{top}ln_f", d)
    tokens = tokens_of(files, size, checkpoint.name)
    checkpoint.done("lm_head.weight", ".attn.bias")  # the mask of old versions
    readout = Readout(Affine(embedding.T, checkpoint.zeros(size)), norm)
    source, prefix = ImportSource("nanogpt", "GPT"), prefix_of(files, tokens)
    return checkpoint.model(source, tokens, embedding, table, blocks, readout, prefix=prefix)


def _norm(checkpoint: Checkpoint, name: str, d: int) -> Norm:
    """A LayerNorm with a bias, if the file has one."""
    if checkpoint.has(f"{name}.bias"):
        return checkpoint.norm(name, d, EPSILON)
    return Norm("layer", checkpoint.take(f"{name}.weight", d), checkpoint.zeros(d), EPSILON)


def _map(checkpoint: Checkpoint, name: str, inputs: int, outputs: int) -> Affine:
    """A map with a bias, if the file has one."""
    if checkpoint.has(f"{name}.bias"):
        return checkpoint.linear(name, inputs, outputs)
    return Affine(checkpoint.take(f"{name}.weight", outputs, inputs).T, checkpoint.zeros(outputs))


def _block(checkpoint: Checkpoint, name: str, d: int) -> Block:
    count = checkpoint.heads("n_head", d)
    query, key, value = split_columns(_map(checkpoint, f"{name}.attn.c_attn", d, 3 * d), 3)
    output = _map(checkpoint, f"{name}.attn.c_proj", d, d)
    first, second = _map(checkpoint, f"{name}.mlp.c_fc", d, 4 * d), _map(checkpoint, f"{name}.mlp.c_proj", 4 * d, d)
    return Block(
        heads_of(query, key, value, output.weight, count, mask="causal", scale=(d // count) ** -0.5),
        output.bias,
        Mlp((first, second), "gelu"),
        _norm(checkpoint, f"{name}.ln_1", d),
        _norm(checkpoint, f"{name}.ln_2", d),
    )
