"""Brackets of several kinds, a bounded number inside each other: each layer erases the innermost pairs."""

from collections.abc import Sequence

from capax.model.model import Model
from capax.model.parts import Head, Mlp
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.weights.bits import bits_of, differing, kind_bits
from capax.theorems.weights.staged import staged
from capax.theorems.weights.stream import Stream, each


def erasing(pairs: Sequence[tuple[str, str]], layers: int) -> Model:
    """The model that erases pairs of neighbours layer by layer, and then asks whether a bracket is left.

    Neighbours are brackets with no bracket between them that is left. No positions: masks tell before from after.
    """
    bits, before, after = (kind_bits(len(pairs), name) for name in ("kind", "kind before", "kind after"))
    stream = Stream(("open", "left", *bits, "open before", *before, "close after", *after, "any left"))
    rows: dict[str, dict[str, float]] = {}
    for kind, (opening, close) in enumerate(pairs):
        rows[opening] = {"open": 1.0, "left": 1.0, **bits_of(kind, bits)}
        rows[close] = {"left": 1.0, **bits_of(kind, bits)}
    heads = _neighbours(stream, bits, before, after)
    erase = stream.block(*heads, mlp=_erase(stream, bits, before, after))
    rest = stream.head(
        query=[{"": 1.0}],
        key=[{"left": 1.0}],
        value=[{"": 1.0}],
        into=["any left"],
        sink=((0.5,), (0.0,)),
        attention="rightmost-hard",
        name="a bracket that is left",
    )
    return recogniser(stream, rows, (*[erase] * layers, stream.block(rest)), {"": 1.0, "any left": -1.0})


def _neighbours(stream: Stream, bits: Sequence[str], before: Sequence[str], after: Sequence[str]) -> list[Head]:
    """The heads for the last bracket before, and the first after, that is left; the sinks say that there is none."""
    none = [0.0] * (1 + len(bits))
    earlier = stream.head(
        query=[{"": 1.0}],
        key=[{"left": 1.0}],
        value=[{"open": 1.0}, *each(bits)],
        into=["open before", *before],
        sink=((0.5,), none),
        attention="rightmost-hard",
        mask="strict past",
        name="the neighbour before",
    )
    later = stream.head(
        query=[{"": 1.0}],
        key=[{"left": 1.0}],
        value=[{"": 1.0, "open": -1.0}, *each(bits)],
        into=["close after", *after],
        sink=((0.5,), none),
        attention="leftmost-hard",
        mask="strict future",
        name="the neighbour after",
    )
    return [earlier, later]


def _erase(stream: Stream, bits: Sequence[str], before: Sequence[str], after: Sequence[str]) -> Mlp:
    """The MLP that erases an opening bracket before its closing one, and the closing one; it forgets the neighbours."""
    units = differing(bits, after, {}, "after") | differing(bits, before, {}, "before")
    unlike_after = dict.fromkeys((name for name in units if name.startswith("after")), -1.0)
    unlike_before = dict.fromkeys((name for name in units if name.startswith("before")), -1.0)
    units["erased: open"] = {"left": 1.0, "open": 1.0, "close after": 1.0, **unlike_after, "": -2.0}
    units["erased: close"] = {"left": 1.0, "open": -1.0, "open before": 1.0, **unlike_before, "": -1.0}
    writes = {name: {name: -1.0} for name in ("open before", *before, "close after", *after)}
    writes["left"] = {"erased: open": -1.0, "erased: close": -1.0}
    return staged(stream, units, writes, positive=stream.names)
