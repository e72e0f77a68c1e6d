"""Reading a whole number off the stream as one logit for each value."""

from capax.model.parts import Readout
from capax.theorems.weights.stream import Stream


def whole_numbers(stream: Stream, name: str, count: int, first: int = 0) -> Readout:
    """The readout whose highest logit is that of the value nearest to a direction: 2 c v - c^2 for each value c."""
    values = range(first, first + count)
    return Readout(stream.affine([{name: 2.0 * c, "": -float(c * c)} for c in values]))
