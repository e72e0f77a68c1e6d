"""A plain model as TransformerLens holds it, run in numpy: every node's output, and runs in which edges are patched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np

from capax.model.export.export_check import alphabet as alphabet_of
from capax.model.export.hugging_face.answers import with_logits
from capax.model.export.transformer_lens.weights import config_json, weights
from capax.model.interpretability.graph import GraphShape, head_name, head_of, layer_of, letter_of, mlp_name
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.provenance import Record
from capax.model.vocabulary import Classes, Decoding, Token, token_key

FEW: Final = 4
"""Words of so many letters have letters that repeat."""


@dataclass(frozen=True, slots=True, eq=False)
class LensModel:
    """The settings and weights of a HookedTransformer, and what its words and answers are."""

    config: Record
    tensors: Mapping[str, Array]
    tokens: tuple[Token, ...]
    """The vocabulary: the token of each row of the embedding."""
    alphabet: tuple[Token, ...]
    """The tokens that words are made of."""
    prefix: tuple[Token, ...]
    decoding: Decoding
    min_length: int
    max_length: int

    @property
    def shape(self) -> GraphShape:
        """The layers and heads."""
        return GraphShape(int(self.config["n_layers"]), int(self.config["n_heads"]))

    @property
    def width(self) -> int:
        """The number of directions of the stream."""
        return int(self.config["d_model"])

    @property
    def start(self) -> int:
        """The number of tokens before a word."""
        return len(self.prefix)

    @property
    def rows(self) -> list[int]:
        """The rows of the embedding of the alphabet."""
        known = {token_key(token): row for row, token in enumerate(self.tokens)}
        return [known[token_key(token)] for token in self.alphabet]

    def array(self, name: str) -> Array:
        """A weight by its name."""
        return self.tensors[name]

    def block(self, layer: int, name: str) -> Array:
        """A weight of a layer."""
        return self.tensors[f"blocks.{layer}.{name}"]

    def changed(self, tensors: Mapping[str, Array], **settings: Any) -> "LensModel":
        """The model with some weights and settings replaced."""
        return replace(self, tensors={**self.tensors, **tensors}, config={**self.config, **settings})

    def in_numbers(self, dtype: str) -> "LensModel":
        """The model with its weights in a floating-point type."""
        return replace(self, tensors={name: array.astype(dtype) for name, array in self.tensors.items()})


def lens_model(model: Model, heads: int = 1) -> LensModel:
    """A plain model in TransformerLens' layout, with a logit for each answer, and at least so many heads in a layer."""
    model = with_logits(model)
    config = config_json(model)
    assert model.max_length is not None
    lens = LensModel(
        config,
        weights(model),
        model.vocabulary.tokens,
        alphabet_of(model),
        model.prefix,
        model.decoding,
        max(model.min_length, 1),
        model.max_length,
    )
    return with_heads(lens, max(heads, int(config["n_heads"])))


def with_heads(lens: LensModel, heads: int) -> LensModel:
    """The model with so many heads in each layer, the further ones zeros."""
    more = heads - lens.shape.heads
    tensors = {
        name: np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)])
        for name, array in lens.tensors.items()
        if more and ".attn." in name and not name.endswith("b_O")
    }
    return lens.changed(tensors, n_heads=heads)


def words_of_length(lens: LensModel, length: int, most: int, seed: int = 0) -> Array:
    """All words of a length as rows (words, prefix + length) of the embedding; beyond `most`, seeded random ones."""
    rows = np.array(lens.rows)
    if len(rows) ** length <= most:
        words = np.array(list(product(rows, repeat=length)))
    else:
        words = rows[np.random.default_rng([seed, length]).integers(0, len(rows), (most, length))]
    return with_prefix(lens, words)


def mixed_words(lens: LensModel, length: int, most: int, seed: int = 0) -> Array:
    """All words of a length, or seeded random ones; where there are many letters, half of the words have few.

    Letters that are drawn from many hardly ever repeat, and programs count and compare them.
    """
    words, rows = words_of_length(lens, length, most, seed), np.array(lens.rows)
    if len(rows) <= FEW or len(rows) ** length <= most:
        return words
    draw, half = np.random.default_rng([seed, length, FEW]), len(words) // 2
    letters, count = draw.integers(0, len(rows), (half, FEW)), draw.integers(1, FEW + 1, (half, 1))
    picked = np.take_along_axis(letters, draw.integers(0, FEW, (half, length)) % count, axis=1)
    return np.concatenate([with_prefix(lens, rows[picked]), words[half:]])


def with_prefix(lens: LensModel, words: Array) -> Array:
    """Rows of words (words, length), with those of the prefix before them."""
    known = {token_key(token): row for row, token in enumerate(lens.tokens)}
    prefix = np.array([known[token_key(token)] for token in lens.prefix], dtype=np.int64)
    return np.concatenate([np.broadcast_to(prefix, (len(words), len(prefix))), words], axis=1)


def tokens_of(lens: LensModel, rows: Sequence[int] | Array) -> tuple[Token, ...]:
    """The word of rows, without the prefix."""
    return tuple(lens.tokens[int(row)] for row in rows[lens.start :])


def rows_of(lens: LensModel, word: Sequence[Token]) -> Array:
    """The rows (1, positions) of a word, with the prefix before them."""
    known = {token_key(token): row for row, token in enumerate(lens.tokens)}
    return np.array([[known[token_key(token)] for token in (*lens.prefix, *word)]])


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A reader (`a0.h0<q>`, `m0`, `logits`) that gets `value` (words, positions, d) in place of a node's output."""

    source: str
    target: str
    value: Array


@dataclass(frozen=True, slots=True, eq=False)
class LensRun:
    """A run: the logits (words, positions, answers), each node's output, and the stream before each layer."""

    logits: Array
    outputs: Mapping[str, Array]
    streams: Sequence[Array]


def run(lens: LensModel, rows: Array, patches: Sequence[Patch] = (), base: LensRun | None = None) -> LensRun:
    """Runs words of one length; with `base`, a run of the same words, only from the first patched layer on."""
    table = lens.array("pos_embed.W_pos")[: rows.shape[1]]
    first = 0 if base is None else min((_first_layer(lens, patch.target) for patch in patches), default=0)
    if base is None:
        outputs = {"input": lens.array("embed.W_E")[rows], "pos": np.broadcast_to(table, (len(rows), *table.shape))}
        streams = [outputs["input"] + table]
    else:
        outputs, streams = dict(base.outputs), list(base.streams[: first + 1])
    stream = streams[-1]
    for layer in range(first, lens.shape.layers):
        stream = _layer(lens, layer, stream, patches, outputs)
        streams.append(stream)
    last = normalised(lens, _patched(stream, "logits", patches, outputs), "ln_final")
    return LensRun(last @ lens.array("unembed.W_U") + lens.array("unembed.b_U"), outputs, streams)


def _first_layer(lens: LensModel, target: str) -> int:
    layer = layer_of(target)
    return lens.shape.layers if layer is None else layer


def _patched(stream: Array, target: str, patches: Sequence[Patch], outputs: Mapping[str, Array]) -> Array:
    """What a reader reads."""
    for patch in patches:
        if patch.target == target:
            stream = stream - outputs[patch.source] + patch.value
    return stream


def _layer(lens: LensModel, layer: int, stream: Array, patches: Sequence[Patch], outputs: dict[str, Array]) -> Array:
    """The stream after a layer; the outputs of its nodes are put to the others. What writes nothing is not run."""
    for head in range(lens.shape.heads):
        outputs[head_name(layer, head)] = np.zeros_like(stream)
    before, active = stream, active_heads(lens, layer)
    stream = before + lens.block(layer, "attn.b_O")
    if len(active):
        results = _heads(lens, layer, active, before, patches, outputs)
        for number, head in enumerate(active):
            outputs[head_name(layer, int(head))] = results[:, number]
        stream = stream + results.sum(1)
    name, second = mlp_name(layer), lens.block(layer, "mlp.W_out")
    outputs[name] = np.zeros_like(stream)
    if second.any():
        read = normalised(lens, _patched(stream, name, patches, outputs), f"blocks.{layer}.ln2")
        outputs[name] = activated(lens, read @ lens.block(layer, "mlp.W_in") + lens.block(layer, "mlp.b_in")) @ second
    return stream + outputs[name] + lens.block(layer, "mlp.b_out")


def active_heads(lens: LensModel, layer: int) -> Array:
    """The heads of a layer that write something."""
    return np.flatnonzero(lens.block(layer, "attn.W_O").any((1, 2)))


def _heads(
    lens: LensModel, layer: int, active: Array, stream: Array, patches: Sequence[Patch], outputs: Mapping[str, Array]
) -> Array:
    """What some heads of a layer write (words, heads, positions, d)."""
    norm = f"blocks.{layer}.ln1"
    read = normalised(lens, stream, norm)
    q, k, v = (_map(lens, layer, letter, active, read) for letter in "QKV")
    own = {patch.target for patch in patches if letter_of(patch.target) and layer_of(patch.target) == layer}
    for target in own:
        place, letter = head_of(target), letter_of(target)
        assert place is not None
        assert letter is not None
        if place[1] not in active:
            continue
        changed = normalised(lens, _patched(stream, target, patches, outputs), norm)
        weight, bias = (lens.block(layer, f"attn.{kind}_{letter.upper()}")[place[1]] for kind in "Wb")
        {"q": q, "k": k, "v": v}[letter][:, int(np.searchsorted(active, place[1]))] = changed @ weight + bias
    scores = q @ k.swapaxes(-1, -2) / np.asarray(lens.config["attn_scale"], q.dtype)
    if lens.config["attention_dir"] == "causal":
        scores += np.triu(np.full(scores.shape[-2:], -np.inf, scores.dtype), 1)
    return np.asarray((_softmax(scores) @ v) @ lens.block(layer, "attn.W_O")[active])


def _softmax(scores: Array) -> Array:
    """The weights of keys, which are on the last axis; sums over the first axis are much faster."""
    keys_first = np.ascontiguousarray(np.moveaxis(scores, -1, 0))
    keys_first -= keys_first.max(0)
    np.exp(keys_first, out=keys_first)
    keys_first /= keys_first.sum(0)
    return np.ascontiguousarray(np.moveaxis(keys_first, 0, -1))


def _map(lens: LensModel, layer: int, letter: str, active: Array, read: Array) -> Array:
    """Queries, keys or values (words, heads, positions, numbers) of some heads."""
    weight, bias = lens.block(layer, f"attn.W_{letter}")[active], lens.block(layer, f"attn.b_{letter}")[active]
    heads, width, size = weight.shape
    flat = read.reshape(-1, width) @ weight.transpose(1, 0, 2).reshape(width, heads * size) + bias.reshape(-1)
    return np.ascontiguousarray(flat.reshape(*read.shape[:2], heads, size).swapaxes(1, 2))


def normalised(lens: LensModel, stream: Array, name: str) -> Array:
    """The stream as a sublayer reads it: through its norm, if the model has norms."""
    if lens.config["normalization_type"] is None:
        return stream
    centred = stream - stream.mean(-1, keepdims=True)
    scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.asarray(lens.config["eps"], stream.dtype))
    return np.asarray(centred / scale * lens.array(f"{name}.w") + lens.array(f"{name}.b"))


def activated(lens: LensModel, before: Array) -> Array:
    """The units of an MLP."""
    if lens.config["act_fn"] == "relu":
        return np.maximum(before, 0)
    assert lens.config["act_fn"] == "gelu_new", lens.config["act_fn"]
    inner = np.asarray(np.sqrt(2 / np.pi), before.dtype) * (before + before.dtype.type(0.044715) * before**3)
    return np.asarray(before.dtype.type(0.5) * before * (1 + np.tanh(inner)))


def answer_codes(lens: LensModel, logits: Array) -> Array:
    """The number of the answer at each position of words, the prefix left out."""
    own = logits[:, lens.start :]
    if isinstance(lens.decoding, Classes):
        return np.asarray(own.argmax(-1))
    return np.asarray(np.round(own[..., 0] * 10_000))
