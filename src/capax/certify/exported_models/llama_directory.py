"""A Llama directory as the plain model that it stands for, read from its own bytes; any other Llama is refused.

Lemma (norms). Let a row hold B at direction 0, and let the squares of all its other numbers add up to at most
2^-26 B^2. In any order of adding up, each partial sum that has B^2 in it is rounded to B^2: the mean square is
B^2 / D, for the width D a power of 4, and 1 / sqrt of it is a power of two. So a norm whose gain is B / sqrt(D), and
1 / sqrt(D) at direction 0, gives back every number as it was, and 1 at direction 0. What a map reads there is a bias.
Lemma (rotary positions). Frequencies that are 0 leave queries and keys as they are.
Lemma (SwiGLU). Where the second factor reads the constant 1 alone, a unit holds silu(C x); see `stream_bounds`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from capax.certify.exported_models.directory import ABOUT, listed_answers, output_map
from capax.certify.exported_models.llama_positions import check_counter, table_of
from capax.certify.exported_models.llama_settings import LlamaSettings, llama_settings
from capax.certify.not_certified import NotCertified
from capax.errors import CapaxError
from capax.model.export.llama.weights import STEEP
from capax.model.io.container import Stored, parse_json, unpack
from capax.model.io.storage import array_of, is_exact, storage_of
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary

LARGEST: Final = 2.0**70
"""With weights up to this, nothing that is multiplied by 0 can be infinite before."""
ROOM: Final = 2.0**-13
"""Rows may be this much of the pinned number long."""


@dataclass(frozen=True, slots=True, eq=False)
class LlamaExport:
    """The plain model with ReLUs, whose first token stands before every word; rows of it may be `reach` long."""

    model: Model
    reach: float


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """The maps of a layer, each (inputs, outputs)."""

    query: Array
    key: Array
    value: Array
    output: Array
    gate: Array
    up: Array
    down: Array


def need(holds: bool, why: str, where: str = "") -> None:
    """Refuses what does not hold."""
    if not holds:
        raise NotCertified(why, where)


def read_llama(files: Mapping[str, bytes], about: Mapping[str, Any], before: Sequence[int]) -> LlamaExport:
    """What the files of an export hold; `before` has the ids of the tokens that the tokenizer puts before words."""
    try:
        return _read(files, about, before)
    except CapaxError as error:
        raise NotCertified(f"the files are damaged: {error.what}") from None
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise NotCertified(f"the files are damaged: {error!s:.80}") from None


def _read(files: Mapping[str, bytes], about: Mapping[str, Any], before: Sequence[int]) -> LlamaExport:
    config, notes = (parse_json(files[name], name, "it") for name in ("config.json", "capax.json"))
    tokens = tuple(token for _, token in notes["tokens"])
    need(len(before) <= 1, "several tokens stand before every word")
    values, decoding_outputs = listed_answers(notes)
    settings = llama_settings(config, notes["task"], values, len(tokens))
    tensors = _tensors(files["model.safetensors"], settings)
    embedding, readout = tensors.pop("embedding"), tensors.pop("readout")
    gains, layers = [tensors.pop("norm")], []
    for number in range(settings.layers):
        part = {name.split(" ")[1]: tensors[name] for name in tensors if name.startswith(f"{number} ")}
        gains += [part.pop("input"), part.pop("post")]
        layers.append(_Layer(**part))
    pin = _pinned(embedding, gains, layers)
    hints = about.get("heads")
    need(isinstance(hints, list | tuple), "the file does not say what its heads compute")
    assert isinstance(hints, list | tuple)
    front = settings.layers - len(hints)
    need(front in (0, 2), "there are more layers than the file describes")
    first = 3 if front else 1
    table: Array = np.zeros((settings.positions, settings.width - first))
    if front:
        need(len(before) == 1, "no token stands before every word, from which positions could be counted")
        check_counter(layers[0], embedding[: len(tokens)], before[0], settings.positions, settings.numbers)
        table = table_of(layers[1], embedding, settings.positions, settings.numbers)[:, first:]
    words = embedding[: len(tokens), first:]
    blocks = tuple(_block(layer, settings, first, hint) for layer, hint in zip(layers[front:], hints, strict=True))
    map, answers = output_map(_affine(readout, first), values, decoding_outputs)
    dtype = np.float32
    model = Model(
        vocabulary=Vocabulary(tokens),
        embedding=words.astype(dtype),
        positions=Positions((), np.zeros((0, settings.width - first), dtype), table.astype(dtype)),
        blocks=blocks,
        readout=Readout(map),
        decoding=Classes(answers),
        names=tuple(f"direction {i}" for i in range(first, settings.width)),
        numbers=settings.numbers,
        max_length=settings.positions - len(before),
        prefix=tuple(tokens[i] for i in before),
        provenance=Provenance.from_json({name: about[name] for name in ABOUT if name in about}),
    )
    need(np.array_equal(model.positions.table, table), "a row of a position is rounded")  # type: ignore[arg-type]
    for name, array in model.arrays():
        need(is_exact(array, storage_of(settings.numbers)), f"{name} has numbers that {settings.numbers} has not")
    return LlamaExport(model, pin * ROOM - 2.0**25)


def _tensors(data: bytes, settings: LlamaSettings) -> dict[str, Array]:
    """The tensors by short names, as (inputs, outputs); one that is missing or is no part of the class is refused."""
    stored = dict(unpack(data, "the export")[1])
    s, tensors, storage = settings, dict[str, Array](), storage_of(settings.numbers)

    def take(name: str, *shape: int) -> Array:
        tensor = stored.pop(name, None)
        need(
            isinstance(tensor, Stored) and tensor.shape == shape and tensor.dtype == storage.file, f"the tensor {name}"
        )
        assert isinstance(tensor, Stored)
        return np.asarray(array_of(tensor, storage), np.float64)

    tensors["embedding"] = take("model.embed_tokens.weight", s.vocabulary, s.width)
    tensors["norm"] = take("model.norm.weight", s.width)
    heads, groups = s.heads * s.dimension, s.groups * s.dimension
    for number in range(s.layers):
        name = f"model.layers.{number}"
        for short, part, size in (("query", "q", heads), ("key", "k", groups), ("value", "v", groups)):
            tensors[f"{number} {short}"] = take(f"{name}.self_attn.{part}_proj.weight", size, s.width).T
        tensors[f"{number} output"] = take(f"{name}.self_attn.o_proj.weight", s.width, heads).T
        for part in ("gate", "up"):
            tensors[f"{number} {part}"] = take(f"{name}.mlp.{part}_proj.weight", s.hidden, s.width).T
        tensors[f"{number} down"] = take(f"{name}.mlp.down_proj.weight", s.width, s.hidden).T
        tensors[f"{number} input"] = take(f"{name}.input_layernorm.weight", s.width)
        tensors[f"{number} post"] = take(f"{name}.post_attention_layernorm.weight", s.width)
    head = "lm_head" if s.generates else "score"
    tensors["readout"] = take(f"{head}.weight", s.outputs, s.width).T
    if not s.generates:
        need(not take("score.bias", s.outputs).any(), "the last map has a bias of its own", "the readout")
    need(not stored, "there are tensors that are not part of the class")
    need(all((np.abs(t) <= LARGEST).all() for t in tensors.values()), "a weight is too large, or is not finite")
    return tensors


def _pinned(embedding: Array, gains: Sequence[Array], layers: Sequence[_Layer]) -> float:
    """The pinned number; refused unless every norm gives back what it is given, and nothing writes direction 0."""
    width = embedding.shape[1]
    root = math.isqrt(width)
    pin = float(embedding[0, 0])
    need(width == root * root and root.bit_count() == 1, "the width is not a power of 4", "the norms")
    mantissa, exponent = math.frexp(pin)
    need(mantissa == 0.5 and 30 <= exponent <= 61, "the pinned number is not a power of two in range", "the norms")
    need(bool((embedding[:, 0] == pin).all()), "the first direction is not the same at every token", "the norms")
    gain: Array = np.full(width, pin / root)
    gain[0] = 1 / root
    need(all(np.array_equal(g, gain) for g in gains), "a norm does something", "the norms")
    free = not any(layer.output[:, 0].any() or layer.down[:, 0].any() for layer in layers)
    need(free, "something is added to the pinned number", "the norms")
    return pin


def _affine(map: Array, first: int) -> Affine:
    """A map with its bias, which it reads at direction 0; what positions are counted in, it must not read."""
    need(not map[1:first].any(), "a map reads what positions are counted in")
    return Affine(map[first:].astype(np.float32), map[0].astype(np.float32))


def _block(layer: _Layer, settings: LlamaSettings, first: int, hint: object) -> Block:
    """A layer as a block of ordinary heads and an MLP of ReLUs."""
    size, shared = settings.dimension, settings.heads // settings.groups
    need(not layer.output[:, 1:first].any() and not layer.down[:, 1:first].any(), "a layer writes to what is counted")
    heads = []
    for number in range(settings.heads):
        own, group = (slice(n * size, (n + 1) * size) for n in (number, number // shared))
        query, key = _affine(layer.query[:, own], first), _affine(layer.key[:, group], first)
        value, output = layer.value[:, group], layer.output[own, first:]
        used = np.nonzero(output.any(axis=1))[0]
        both = np.nonzero(layer.query[:, own].any(axis=0) & layer.key[:, group].any(axis=0))[0]
        both = both if len(both) else np.array([0])
        query, key = (Affine(m.weight[:, both], m.bias[both]) for m in (query, key))
        if len(used):
            values = _affine(value[:, used], first)
            heads.append(
                Head(query, key, values, output[used].astype(np.float32), mask="causal", scale=settings.dimension**-0.5)
            )
    count = len(hint) if isinstance(hint, list | tuple) else -1
    need(len(heads) == count, "there are other heads than the file describes")
    one: Array = np.zeros(settings.width)
    one[0] = 1
    units = np.nonzero(layer.down.any(axis=1))[0]
    need(bool((one == layer.up.T).all()), "the second factor of a unit is not the constant 1")
    gate = _affine(layer.gate[:, units] / STEEP, first)
    down = (layer.down[units, first:] * STEEP).astype(np.float32)
    nothing: Array = np.zeros(settings.width - first, np.float32)
    mlp = Mlp((gate, Affine(down, nothing))) if len(units) else None
    return Block(tuple(heads), nothing, mlp)


def with_own_queries(model: Model) -> Model:
    """The model with the same scores, its queries smaller by a power of two and its scales greater by it."""
    return replace(model, blocks=tuple(replace(b, heads=tuple(_scaled(h) for h in b.heads)) for b in model.blocks))


def _scaled(head: Any) -> Any:
    """The head with a scale of 256, if its queries can be divided so."""
    factor = 256.0 / head.scale
    query = Affine(head.query.weight / np.float32(factor), head.query.bias / np.float32(factor))
    return replace(head, query=query, scale=256.0) if math.frexp(factor)[0] == 0.5 else head
