"""The output of the matching theorems: from the weight on matches to 0 or 1."""

from capax.model.parts import Affine, Mlp, Readout
from capax.model.vocabulary import Nearest
from capax.theorems.weights.stream import Stream

ANSWER = Nearest((0.0, 1.0), (0, 1))
"""The answer is the nearer of 0 and 1."""


def ramp(stream: Stream, weight: str, answer: str) -> Mlp:
    """Two ReLU units: `answer` becomes 0 where `weight` is at most 1/6, 1 where it is at least 1/3, linear between."""
    units = {"above 1/6": {weight: 6.0, "": -1.0}, "above 1/3": {weight: 6.0, "": -2.0}}
    return stream.mlp([units], {answer: {"above 1/6": 1.0, "above 1/3": -1.0}})


def answer_of(stream: Stream, answer: str) -> Readout:
    """The readout of one direction."""
    read: Affine = stream.affine([{answer: 1.0}])
    return Readout(read)
