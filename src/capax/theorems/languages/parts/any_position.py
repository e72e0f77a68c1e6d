"""The head that says whether some position has a number above 0, however small."""

from collections.abc import Sequence

from capax.model.parts import Head, Mask
from capax.theorems.weights.stream import Stream, Terms


def any_place(
    stream: Stream, query: Terms, key: Terms, into: str, *, mask: Mask = "causal", name: str = "any place"
) -> Head:
    """A head of dimension 1 that adds 1 if the product of query and key is above 0 at a position that is seen, else 0.

    The products are not negative, the sink's is 0, and the sink counts as the last position: attending to the last
    position of the highest score, it has the weight exactly if no product is above 0. No bound on the length is needed.
    """
    sink: tuple[Sequence[float], Sequence[float]] = ((0.0,), (0.0,))
    return stream.head(
        query=[query],
        key=[key],
        value=[{"": 1.0}],
        into=[into],
        sink=sink,
        attention="rightmost-hard",
        mask=mask,
        name=name,
    )
