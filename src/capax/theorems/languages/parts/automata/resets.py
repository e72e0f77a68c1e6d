"""A cascade of resets as a transformer: a layer of one head for each level."""

from capax.formal.automata.cascade import Cascade, Level
from capax.formal.automata.dfa import Dfa
from capax.model.model import Model
from capax.model.parts import Block, Head, Mlp
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.languages.parts.latest_set_bit import latest, latest_soft, recency_unit
from capax.theorems.weights.staged import staged
from capax.theorems.weights.stream import Stream, Terms, family


def resetting(dfa: Dfa, resets: Cascade, attention: str, length: int, scale: float) -> Model:
    """The model of an automaton's cascade: by rightmost-hard heads, or by softmax for words of at most `length`.

    At position i, the number of a level before the letter is that of the last earlier position with a reset of this
    level. The inputs of each level are a one-hot vector; those of the next are its AND with the number.
    """
    hard = attention == "hard"
    stream = _stream(resets, hard)
    blocks = []
    for at, level in enumerate(resets.levels):
        blocks.append(_block(stream, resets, at, level, hard, length, scale))
    states = (node[2].bit_length() - 1 for node in resets.last)
    answer = {_node(len(resets.levels), n): 1.0 for n, q in enumerate(states) if q in dfa.accepting}
    return recogniser(
        stream,
        {symbol: {_node(0, n): 1.0} for n, symbol in enumerate(dfa.alphabet)},
        tuple(blocks),
        answer,
        positions={} if hard else {"i": "i"},
        input_mlp=None if hard or not resets.levels else _first_recency(stream, resets.levels[0], length),
        max_length=None if hard else length,
    )


def _node(level: int, number: int) -> str:
    return f"input {number} of level {level}"


def _value(level: int, count: int) -> tuple[str, ...]:
    return family(f"level {level} holds", count)


def _recency(level: int) -> str:
    return f"recency of level {level}"


def _stream(resets: Cascade, hard: bool) -> Stream:
    names: list[str] = [] if hard else ["i"]
    counts = [*(len(level.nodes) for level in resets.levels), len(resets.last)]
    names += [_node(at, n) for at, count in enumerate(counts) for n in range(count)]
    for at, level in enumerate(resets.levels):
        names += [*_value(at, level.values), *([] if hard else [_recency(at)])]
    return Stream(tuple(names))


def _block(stream: Stream, resets: Cascade, at: int, level: Level, hard: bool, length: int, scale: float) -> Block:
    """The layer of a level: its number before the letter, and the inputs of the next level."""
    units: dict[str, Terms] = {}
    writes: dict[str, dict[str, float]] = {}
    values = _value(at, level.values)
    for n, row in enumerate(level.after):
        for target in dict.fromkeys(after for after in row if after is not None):
            unchanged = [value for value, after in zip(values, row, strict=True) if after == target]
            unit = f"{_node(at, n)} to {target}"
            # If every number that occurs leads there, the input alone decides.
            alone = all(after in (target, None) for after in row)
            units[unit] = (
                {_node(at, n): 1.0} if alone else {_node(at, n): 1.0, **dict.fromkeys(unchanged, 1.0), "": -1.0}
            )
            writes.setdefault(_node(at + 1, target), {})[unit] = 1.0
    if not hard and at + 1 < len(resets.levels):
        following = resets.levels[at + 1]
        chosen: dict[str, float] = {}
        for n, reset in enumerate(following.resets):
            chosen |= writes[_node(at + 1, n)] if reset is not None else {}
        units["recency"] = recency_unit(chosen, length)
        writes[_recency(at + 1)] = {"recency": 1.0}
    mlp = staged(stream, units, writes, positive=stream.names)
    return stream.block(_head(stream, at, level, hard, scale), mlp=mlp)


def _selected(at: int, level: Level) -> dict[str, float]:
    return {_node(at, n): 1.0 for n, reset in enumerate(level.resets) if reset is not None}


def _head(stream: Stream, at: int, level: Level, hard: bool, scale: float) -> Head:
    """The head that reads the last reset of a level."""
    into = _value(at, level.values)
    values: list[Terms] = [
        {_node(at, n): 1.0 for n, reset in enumerate(level.resets) if reset == value} for value in range(level.values)
    ]
    default = [float(value == level.start) for value in range(level.values)]
    name = f"the last reset of level {at}"
    if hard:
        return latest(stream, _selected(at, level), values, into, default, name=name)
    return latest_soft(stream, {_recency(at): 1.0}, values, into, default, scale=scale, name=name)


def _first_recency(stream: Stream, level: Level, length: int) -> Mlp:
    """The input MLP of the softmax form: how late the resets of the first level are."""
    units = {"recency": recency_unit(_selected(0, level), length)}
    return staged(stream, units, {_recency(0): {"recency": 1.0}}, positive=stream.names)
