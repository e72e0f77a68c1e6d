"""The head that reads the position whose number stands in the stream."""

from collections.abc import Sequence

from capax.model.parts import AttentionKind, Head, Mask, Readout
from capax.theorems.weights.stream import Stream, Terms

SCALE = {"float64": 2048.0, "float32": 256.0}
"""So steep that a softmax is exactly 0 on every key whose score is 1 below the highest."""


def lookup(
    stream: Stream,
    position: Terms,
    values: Sequence[Terms],
    into: Sequence[str],
    *,
    attention: AttentionKind = "softmax",
    mask: Mask = "none",
    scale: float = 1.0,
    name: str = "lookup",
) -> Head:
    """A head of dimension 2 that reads the position given by a sum p, with positions i and i^2 in the stream.

    The score 2 p j - j^2 is p^2 - (p - j)^2: highest at j = p, by 1. It is linear in p, so no square of p is needed.
    """
    query = [{name: 2 * coefficient for name, coefficient in position.items()}, {"": -1.0}]
    return stream.head(
        query=query,
        key=[{"i": 1.0}, {"i^2": 1.0}],
        value=values,
        into=into,
        attention=attention,
        mask=mask,
        scale=1.0 if attention.endswith("hard") else scale,
        name=name,
    )


def whole_numbers(stream: Stream, name: str, count: int, first: int = 0) -> Readout:
    """The readout whose highest logit is that of the value nearest to a direction: 2 c v - c^2 for each value c."""
    values = range(first, first + count)
    return Readout(stream.affine([{name: 2.0 * c, "": -float(c * c)} for c in values]))
