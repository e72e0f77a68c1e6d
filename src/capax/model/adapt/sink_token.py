"""Sinks as a token: a first token that the tokenizer adds does the work of every head's sink.

The new token has a direction b of its own, which is 1 at its position and 0 at all others; nothing else writes b.

Lemma (clean row). If the stream at the token's position is exactly the unit vector of b, then a row of weights at b
that is c - bias gives a map the value c there, and words do not see that row. Queries are made 0, keys and values those
of the sink (0 in a head without one). The token attends to itself alone: in a causal model it comes first, else one
more dimension of its query and key sees to that. So it gets the heads' sink values and the biases, which are known; the
layer's MLP, whose other units are kept at 0 at that position by a large negative weight at b, takes them away again.
Lemma (hidden row). A head without a sink has one more dimension: its query is 1 at words and -1 at the token, its key
-K at the token. No word sees the token, since the weight exp(-K * scale - top) underflows to zero. In compiled heads
the token has the score of an ordinary sink, which is below that of selected keys and above that of others."""

import math
from dataclasses import dataclass, replace

import numpy as np

from capax.model.adapt.widen import widened
from capax.model.model import Model
from capax.model.parts import Activation, Affine, Array, Block, Head, Mlp, Origin
from capax.model.positions import Positions
from capax.model.vocabulary import Token, Vocabulary

UNDERFLOW = {"float32": 128.0, "float64": 1024.0, "bfloat16": 128.0}
"""A score that is lower by so much than the highest has the weight zero, with room to spare."""
MOST = {"float32": 2.0**100, "float64": 2.0**900, "bfloat16": 2.0**100}
CLEARS = "clears the row of the sink token"


def has_sinks(model: Model) -> bool:
    """Whether some head has a sink."""
    return any(isinstance(h, Head) and h.sink is not None for b in model.blocks for h in b.heads)


def sink_token(vocabulary: Vocabulary) -> str:
    """A token that the vocabulary does not have."""
    taken = set(vocabulary.tokens)
    names = ("<bos>", *(f"<bos{number}>" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def with_sink_token(model: Model, *, selective: bool) -> Model | None:
    """The model with a token before every word in place of its sinks; None if scores may be too large to hide it.

    `selective` says that in every head without a sink each query has a key with a score of at least 0, as compiled
    heads have. The model has a table of positions, no input MLP, no norms, and shallow MLPs.
    """
    tops = [[0.0 for _ in block.heads] for block in model.blocks] if selective else _largest_scores(model)
    if any(top > MOST[model.numbers] for block in tops for top in block):
        return None
    token: Token = sink_token(model.vocabulary)
    model = widened(model, [f"is {token}"])
    mlps = [block.mlp for block in model.blocks if isinstance(block.mlp, Mlp)]
    nothing = _nothing(model, mlps[0].activation if mlps else "relu")
    blocks = [
        _block(block, nothing, model.numbers, scores, last=number == len(model.blocks) - 1)
        for number, (block, scores) in enumerate(zip(model.blocks, tops, strict=True))
    ]
    table = model.positions.table
    assert table is not None
    assert model.input_mlp is None
    row: Array = np.zeros((1, model.width), model.embedding.dtype)
    own = row.copy()
    own[0, -1] = 1
    return replace(
        model,
        vocabulary=Vocabulary((*model.vocabulary.tokens, token)),
        embedding=np.concatenate([model.embedding, own]),
        positions=Positions((), model.positions.weight, np.concatenate([row, table])),
        blocks=tuple(blocks),
        prefix=(token, *model.prefix),
    )


def _nothing(model: Model, activation: Activation) -> Mlp:
    """An MLP without units."""
    dtype = model.embedding.dtype
    reads = Affine(np.zeros((model.width, 0), dtype), np.zeros(0, dtype))
    return Mlp((reads, Affine(np.zeros((0, model.width), dtype), np.zeros(model.width, dtype))), activation)


def _block(block: Block, nothing: Mlp, numbers: str, tops: list[float], *, last: bool) -> Block:
    """The block with heads that treat the token as told, and an MLP that clears its row where a later layer reads."""
    heads: list[Head] = []
    left: Array = np.array(block.bias, np.float64)
    for head, top in zip(block.heads, tops, strict=True):
        assert isinstance(head, Head)
        heads.append(_head(head, numbers, top))
        if head.sink is not None:
            left = left + np.asarray(head.sink.value, np.float64) @ np.asarray(head.output, np.float64)
    if last:
        return replace(block, heads=tuple(heads))
    assert isinstance(block.mlp, Mlp | None)
    if block.mlp is None and not left.any():
        return replace(block, heads=tuple(heads))
    return replace(block, heads=tuple(heads), mlp=_clearing(block.mlp or nothing, left))


def _head(head: Head, numbers: str, top: float) -> Head:
    """The head with a row of weights at the token's direction, which is the last of the stream."""
    if head.scale == 0:  # all keys alike: the same with queries that are zero
        none = Affine(np.zeros_like(head.query.weight), np.zeros_like(head.query.bias))
        head = replace(head, query=none, scale=1.0)
    large = math.copysign(_power_above((UNDERFLOW[numbers] + top) / abs(head.scale)), head.scale)
    sink = head.sink
    query = _at_token(head.query, None)
    key = _at_token(head.key, None if sink is None else sink.key)
    value = _at_token(head.value, None if sink is None else sink.value)
    if sink is None:
        query, key = _more(query, at_words=1.0, at_token=-1.0), _more(key, at_words=0.0, at_token=-large)
    elif head.mask == "none":
        query, key = _more(query, at_words=0.0, at_token=1.0), _more(key, at_words=0.0, at_token=large)
    return replace(head, query=query, key=key, value=value, sink=None)


def _at_token(map: Affine, output: Array | None) -> Affine:
    """The map with the value `wanted` at the token, zero if None."""
    weight = np.array(map.weight)
    weight[-1] = -map.bias if output is None else output - map.bias
    return Affine(weight, map.bias)


def _more(map: Affine, *, at_words: float, at_token: float) -> Affine:
    """The map with one more output, which has one value at words and another at the token."""
    column: Array = np.zeros((map.inputs, 1), map.weight.dtype)
    column[-1, 0] = at_token - at_words
    bias = np.concatenate([map.bias, np.array([at_words], map.bias.dtype)])
    return Affine(np.concatenate([map.weight, column], axis=1), bias)


def _power_above(number: float) -> float:
    """The least power of two that is at least a positive number."""
    return float(2.0 ** math.ceil(math.log2(number)))


SILENT = {"relu": 0.0, "gelu": 40.0, "gelu-tanh": 40.0}
"""An activation is exactly zero at and below minus this."""


def _clearing(mlp: Mlp, left: Array) -> Mlp:
    """The MLP with its units at zero at the token's position, and one unit that takes away what was left there."""
    first, second = mlp.maps
    d, dtype = len(left), second.weight.dtype
    weight = np.array(first.weight)
    weight[-1] = [_gate(column, bias, left, mlp) for column, bias in zip(first.weight.T, first.bias, strict=True)]
    taken = left + second.bias
    if not taken.any():
        return replace(mlp, maps=(Affine(weight, first.bias), second))
    # gelu(64) is 64 and gelu(0) is 0, so any activation passes the token's direction on
    strength = 1.0 if mlp.activation == "relu" else 64.0
    column: Array = np.zeros((d, 1), dtype)
    column[-1, 0] = strength
    reads = Affine(np.concatenate([weight, column], axis=1), np.concatenate([first.bias, np.zeros(1, dtype)]))
    row = (-taken / strength).astype(dtype)[None]
    units = ((*mlp.units[0], Origin(CLEARS)),) if mlp.units else ()
    return Mlp((reads, Affine(np.concatenate([second.weight, row]), second.bias)), mlp.activation, units)


def _gate(column: Array, bias: float, left: Array, mlp: Mlp) -> float:
    """The weight at the token's direction with which a unit is silent there."""
    terms = left * column
    slack = 1e-3 * (float(np.abs(terms).sum()) + abs(float(bias)))
    need = float(terms.sum()) + float(bias) + slack + SILENT[mlp.activation]
    return -_power_above(need) if need > 0 else 0.0


@dataclass(slots=True)
class _Magnitudes:
    """How large each direction of the stream can be, at words."""

    stream: Array

    def after(self, map: Affine) -> Array:
        """How large what a map makes of the stream can be."""
        bounds: Array = self.stream @ np.abs(map.weight.astype(np.float64)) + np.abs(map.bias)
        return bounds


def _largest_scores(model: Model) -> list[list[float]]:
    """A bound on the scores of each head of each block, from the sizes of the weights."""
    table = model.positions.table
    assert table is not None
    sizes = _Magnitudes(np.abs(model.embedding).max(axis=0).astype(np.float64) + np.abs(table).max(axis=0, initial=0))
    largest: list[list[float]] = []
    for block in model.blocks:
        scores, more = [], np.abs(block.bias.astype(np.float64))
        for head in block.heads:
            assert isinstance(head, Head)
            scores.append(abs(head.scale) * float(sizes.after(head.query) @ sizes.after(head.key)))
            values = sizes.after(head.value)
            if head.sink is not None:
                values = np.maximum(values, np.abs(head.sink.value))
            more = more + values @ np.abs(head.output.astype(np.float64))
        largest.append(scores)
        sizes = _Magnitudes(sizes.stream + more)
        if isinstance(block.mlp, Mlp):
            hidden = _Magnitudes(sizes.after(block.mlp.maps[0]))
            sizes = _Magnitudes(sizes.stream + hidden.after(block.mlp.maps[1]))
    return largest
