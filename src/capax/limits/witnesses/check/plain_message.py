"""Messages of players computed in plain Python integers, position by position."""

from fractions import Fraction
from typing import Any

from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.parts import Affine, AnyHead, Head, Mlp


def embedded(model: Model, system: Integer, word: list[Any], at: int) -> list[int]:
    """The stream of one token of a word before the first layer; the position counts the prefix."""
    tokens = [*model.prefix, *word]
    return entered(model, system, tokens[at], position_vector(model, system, len(tokens), at))


def position_vector(model: Model, system: Integer, length: int, at: int) -> list[int]:
    """What a position of an input of that length, prefix included, adds to the embedding of its token."""
    position = [0] * model.width
    for number, value in enumerate(model.positions.values(length)[at]):
        given = _clip(system, round(float(value)))
        position = [p + given * int(w) for p, w in zip(position, model.positions.weight[number], strict=True)]
    if model.positions.table is not None:
        position = [p + int(c) for p, c in zip(position, model.positions.table[at], strict=True)]
        if model.positions.functions:
            position = [_clip(system, p) for p in position]
    return position


def entered(model: Model, system: Integer, token: Any, position: list[int]) -> list[int]:
    """The stream of a token before the first layer, given what its position adds."""
    row = model.vocabulary.rows([token])[0]
    x = [_clip(system, int(a) + b) for a, b in zip(model.embedding[row], position, strict=True)]
    return _after_mlp(system, model.input_mlp, x) if isinstance(model.input_mlp, Mlp) else x


def to_attention(model: Model, system: Integer, x: list[int]) -> tuple[int, list[int]]:
    """The number of the first block that has heads, and the stream of a token before it."""
    for number, block in enumerate(model.blocks):
        if block.heads:
            return number, x
        x = [_clip(system, c + int(b)) for c, b in zip(x, block.bias, strict=True)]
        if isinstance(block.mlp, Mlp):
            x = _after_mlp(system, block.mlp, x)
    raise AssertionError("a model with attention")


def message(model: Model, system: Integer, word: list[Any], sender: list[int], query_at: int) -> list[Any]:
    """What the tokens at the sender's positions say about a query: for each head its sums, by the definition."""
    start = len(model.prefix)
    layer, query = to_attention(model, system, embedded(model, system, word, query_at + start))
    keys = {at: to_attention(model, system, embedded(model, system, word, at + start))[1] for at in sender}
    return [_head(system, head, query, keys, query_at) for head in model.blocks[layer].heads]


def _head(system: Integer, head: AnyHead, query: list[int], keys: dict[int, list[int]], at: int) -> Any:
    assert isinstance(head, Head), "asked of pairwise heads alone"
    seen = scored(system, head, scaled_query(system, head, query), keys, at)
    if head.attention == "softmax":
        return [sum(column) for column in zip(*(weighed(system, one) for one in seen), strict=True)]
    if not seen:
        return None
    top = max(score for score, _, _ in seen)
    best = [(position, v) for score, position, v in seen if score == top]
    if head.attention == "leftmost-hard":
        best = best[:1]
    if head.attention == "rightmost-hard":
        best = best[-1:]
    sums = [sum(v[c] for _, v in best) for c in range(head.value.outputs)]
    return [top, sums, len(best), [position for position, _ in best] if "most" in head.attention else None]


def scaled_query(system: Integer, head: Head, query: list[int]) -> list[int]:
    """The query of a head, times its scale."""
    return [_clip(system, c) * int(head.scale) for c in _affine(head.query, query)]


def weighed(system: Integer, key: tuple[int, int, list[int]]) -> list[int]:
    """What one key adds to the sums of a softmax head: its value times its weight, and the weight."""
    score, _, value = key
    weight = _weight(system, score)
    return [*(weight * c for c in value), weight]


def scored(
    system: Integer, head: Head, q: list[int], keys: dict[int, list[int]], at: int
) -> list[tuple[int, int, list[int]]]:
    """The score, position and value of every key that the query sees, in order."""
    half = 1 << (system.value_bits - 1)
    rows = []
    for position, x in sorted(keys.items()):
        if not _sees(head.mask, at, position):
            continue
        k = [_clip(system, c) for c in _affine(head.key, x)]
        v = [max(-half, min(half - 1, c)) for c in _affine(head.value, x)]
        rows.append((sum(a * b for a, b in zip(q, k, strict=True)), position, v))
    return rows


def plain_logits(model: Model, word: list[Any], at: int) -> list[int]:
    """The logits of a model of one layer of pairwise heads at one position, in plain integers."""
    system = parse(model.numbers)
    assert isinstance(system, Integer), "asked of exact integers alone"
    start, length = len(model.prefix), len(model.prefix) + len(word)
    streams = [to_attention(model, system, embedded(model, system, word, position)) for position in range(length)]
    layer, x = streams[at + start]
    keys = {position: stream for position, (_, stream) in enumerate(streams)}
    added = [int(b) for b in model.blocks[layer].bias]
    for head in model.blocks[layer].heads:
        assert isinstance(head, Head), "asked of pairwise heads alone"
        mean = _mean(system, head, x, keys, at + start)
        added = [a + sum(m * int(head.output[r, c]) for r, m in enumerate(mean)) for c, a in enumerate(added)]
    x = [_clip(system, a + b) for a, b in zip(x, added, strict=True)]
    for number, block in enumerate(model.blocks[layer:]):
        if number:
            x = [_clip(system, c + int(b)) for c, b in zip(x, block.bias, strict=True)]
        if isinstance(block.mlp, Mlp):
            x = _after_mlp(system, block.mlp, x)
    return _affine(model.readout.map, x)


def _mean(system: Integer, head: Head, query: list[int], keys: dict[int, list[int]], at: int) -> list[int]:
    """The mean of values of one head: sums over the keys and the sink, one quotient rounded to even."""
    q = scaled_query(system, head, query)
    rows = scored(system, head, q, keys, at)
    if head.sink is not None:
        rows.append(
            (sum(a * int(b) for a, b in zip(q, head.sink.key, strict=True)), -1, [int(c) for c in head.sink.value])
        )
    if not rows:
        return [0] * head.value.outputs
    top = max(score for score, _, _ in rows)
    match head.attention:
        case "softmax":
            weights = [_weight(system, score) for score, _, _ in rows]
        case "leftmost-hard" | "rightmost-hard":
            best = [number for number, (score, _, _) in enumerate(rows) if score == top]
            chosen = best[0] if head.attention == "leftmost-hard" else best[-1]
            weights = [int(number == chosen) for number in range(len(rows))]
        case _:
            weights = [int(score == top) for score, _, _ in rows]
    total = sum(weights)
    return [round(Fraction(sum(w * v[c] for w, (_, _, v) in zip(weights, rows, strict=True)), total))
            for c in range(head.value.outputs)]  # fmt: skip


def _sees(mask: str, i: int, j: int) -> bool:
    return {"none": True, "causal": j <= i, "strict past": j < i, "future": j >= i, "strict future": j > i}[mask]


def _weight(system: Integer, score: int) -> int:
    return system.table[max(0, min(len(system.table) - 1, score - system.low))]


def _clip(system: Integer, x: int) -> int:
    return max(-(1 << (system.bits - 1)), min((1 << (system.bits - 1)) - 1, x))


def _affine(map: Affine, x: list[int]) -> list[int]:
    return [
        sum(a * int(w) for a, w in zip(x, map.weight[:, c], strict=True)) + int(map.bias[c]) for c in range(map.outputs)
    ]


def _after_mlp(system: Integer, mlp: Mlp, x: list[int]) -> list[int]:
    y = x
    for stage in mlp.maps[:-1]:
        y = [max(0, _clip(system, c)) for c in _affine(stage, y)]
    return [_clip(system, a + b) for a, b in zip(x, _affine(mlp.maps[-1], y), strict=True)]
