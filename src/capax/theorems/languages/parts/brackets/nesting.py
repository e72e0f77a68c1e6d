"""Brackets of several kinds that match, to any depth: four layers that find each bracket's level and its partner."""

from collections.abc import Sequence

from capax.model.model import Model
from capax.model.parts import Block, Head
from capax.theorems.languages.parts.acceptance_head import any_position, recogniser
from capax.theorems.weights.bits import bits_of, differing, kind_bits
from capax.theorems.weights.stream import Stream, each

MARK = "start"


def nesting(pairs: Sequence[tuple[str, str]], attention: str, length: int, scale: float, kinds: bool = True) -> Model:
    """The model for k kinds of brackets; `kinds` says whether a bracket's kind is compared with its partner's.

    The level of a bracket is the number of brackets that are open while it stands last: the height after an opening
    one, and one more than the height after a closing one. Partners are at one level with no other of that level
    between.
    """
    bits, partner_bits = kind_bits(len(pairs)), kind_bits(len(pairs), "partner's kind")
    counted = ("i", "i^2", "1/(i+1)", "open", "close")
    model = ("height/(i+1)", "close/(i+1)", "level", "level^2", "has partner", "amiss", "not 0", "ever amiss", "wrong")
    stream = Stream((*counted, *bits, *model, *partner_bits))
    rows: dict[str, dict[str, float]] = {MARK: {}}
    for kind, (opening, close) in enumerate(pairs):
        rows[opening] = {"open": 1.0, **bits_of(kind, bits)}
        rows[close] = {"close": 1.0, **bits_of(kind, bits)}
    hard = attention == "hard"
    blocks = (
        _heights(stream),
        stream.block(_level(stream, hard, length, scale)),
        _partners(stream, bits, partner_bits, hard, length, scale, kinds),
        stream.block(*_ending(stream, hard)),
    )
    steep = float(length + 1) ** 2
    answer = {"": 1.0, "wrong": -1.0} if hard else {"": 1.0, "ever amiss": -steep, "not 0": -steep}
    return recogniser(
        stream,
        rows,
        blocks,
        answer,
        positions={name: name for name in ("i", "i^2", "1/(i+1)")},
        prefix=(MARK,),
        max_length=length,
    )


def _heights(stream: Stream) -> Block:
    """The first layer: the height over the number of positions, and whether it is below 0, or is not 0."""
    head = stream.head(
        query=[{}],
        key=[{}],
        value=[{"open": 1.0, "close": -1.0}],
        into=["height/(i+1)"],
        mask="causal",
        name="mean height of the prefix",
    )
    units = {
        "above": {"height/(i+1)": 1.0},
        "below": {"height/(i+1)": -1.0},
        "close": {"1/(i+1)": 1.0, "close": 1.0, "": -1.0},
    }
    writes = {"amiss": {"below": 1.0}, "not 0": {"above": 1.0, "below": 1.0}, "close/(i+1)": {"close": 1.0}}
    return stream.block(head, mlp=stream.mlp([units], writes))


def _level(stream: Stream, hard: bool, length: int, scale: float) -> Head:
    """The head that finds the position whose number is the level L: (2 L j - j^2) / (i + 1) is highest at j = L."""
    return stream.head(
        query=[{"height/(i+1)": 2.0, "close/(i+1)": 2.0}, {"1/(i+1)": -1.0}],
        key=[{"i": 1.0}, {"i^2": 1.0}],
        value=[{"i": 1.0}, {"i^2": 1.0}],
        into=["level", "level^2"],
        attention="average-hard" if hard else "softmax",
        mask="causal",
        scale=1.0 if hard else scale * (length + 2),
        name="the position whose number is the level",
    )


def _partners(
    stream: Stream,
    bits: Sequence[str],
    partner_bits: Sequence[str],
    hard: bool,
    length: int,
    scale: float,
    kinds: bool,
) -> Block:
    """The third layer: the last earlier opening bracket of the level, and whether its kind is another.

    The score is -(difference of levels)^2, and -4 more for what does not open; by softmax it is multiplied by
    2 (N + 1), and the position is added. The sink is between 0 and what is one lower.
    """
    weight = 1.0 if hard else 2.0 * (length + 2)
    late: dict[str, float] = {} if hard else {"i": 1.0}
    head = stream.head(
        query=[{"level": 2 * weight}, {"": -weight}, {"level^2": -weight}, {"": 1.0}],
        key=[{"level": 1.0}, {"level^2": 1.0}, {"": 1.0}, {"open": 4 * weight, "": -4 * weight, **late}],
        value=[{"": 1.0}, *each(bits)],
        into=["has partner", *partner_bits],
        sink=((0.0, 0.0, 0.0, -weight / 2), [0.0] * (1 + len(partner_bits))),
        attention="rightmost-hard" if hard else "softmax",
        mask="strict past",
        scale=1.0 if hard else scale,
        name="the last opening bracket of the level",
    )
    units: dict[str, dict[str, float]] = {"alone": {"close": 1.0, "has partner": -1.0}}
    if kinds:
        units |= differing(bits, partner_bits, {"close": 1.0, "": -1.0}, "kind")
    return stream.block(head, mlp=stream.mlp([units], {"amiss": dict.fromkeys(units, 1.0)}))


def _ending(stream: Stream, hard: bool) -> list[Head]:
    """The heads of the last layer: whether anything was amiss in the prefix, and whether the height is not 0."""
    if hard:
        return [
            any_position(stream, {"": 1.0}, {"amiss": 1.0}, "wrong", name="something amiss"),
            any_position(stream, {"not 0": 1.0}, {"": 1.0}, "wrong", name="the height is not 0 here"),
        ]
    mean = stream.head(
        query=[{}], key=[{}], value=[{"amiss": 1.0}], into=["ever amiss"], mask="causal", name="mean of what is amiss"
    )
    return [mean]
