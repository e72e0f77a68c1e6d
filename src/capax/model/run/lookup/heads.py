"""The store of a head in cached generation: the lookup where it pays, arrays elsewhere."""

from typing import Final

from capax.model.arithmetic.interface import Arithmetic
from capax.model.numbers import Float, Integer, parse
from capax.model.parts import HARD_KINDS, Head
from capax.model.run.cache import Store, array_store
from capax.model.run.lookup.store import KeyStore

MOST_DIMENSIONS: Final = 8
"""In more dimensions random keys leave nearly all groups in question, and the bounds only cost time."""


def lookup_store(head: Head, a: Arithmetic) -> Store:
    """A lookup for a hard-attention head with small keys in float64, float32 or exact integers; else arrays.

    Scores are those of an uncached run, to the last bit; a mean of floats is rounded less often than there.
    """
    system = parse(a.name)
    exact = isinstance(system, Integer) or (isinstance(system, Float) and system.name in ("float64", "float32"))
    k = head.query.outputs
    for kind in HARD_KINDS:
        if kind == head.attention and exact and k <= MOST_DIMENSIONS:
            sink = None
            if head.sink is not None:
                sink = a.weights(head.sink.key, "a sink's key"), a.weights(head.sink.value, "a sink's value")
            return KeyStore(kind, k, head.value.outputs, a.dtype.name, sink=sink)
    return array_store(head, a)
