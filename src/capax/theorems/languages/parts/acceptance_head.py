"""The answer of a model that recognises a language: yes or no at every position, and that at the last position counts.

The empty word has no position, so no model is asked about it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from capax.model.model import Model
from capax.model.parts import Block, Head, Mask, Mlp, Readout
from capax.model.provenance import Provenance
from capax.model.vocabulary import Nearest, Vocabulary
from capax.theorems.weights.stream import Stream, Terms

YES_OR_NO: Final = Nearest((0.0, 1.0), (False, True))
"""One number: yes if it is above 1/2."""


def recogniser(
    stream: Stream,
    rows: Mapping[str, Terms],
    blocks: tuple[Block, ...],
    answer: Terms,
    *,
    positions: Mapping[str, str] | None = None,
    input_mlp: Mlp | None = None,
    prefix: tuple[str, ...] = (),
    max_length: int | None = None,
    formula: str | None = None,
) -> Model:
    """The model with a row of the stream for each token, whose answer is yes where a sum is above 1/2."""
    return Model(
        vocabulary=Vocabulary(tuple(rows)),
        embedding=stream.rows(list(rows.values())),
        positions=stream.positions(positions or {}),
        blocks=blocks,
        readout=Readout(stream.affine([answer])),
        decoding=YES_OR_NO,
        names=stream.names,
        input_mlp=input_mlp,
        max_length=max_length,
        prefix=prefix,
        provenance=Provenance(formula=formula, answer="yes or no at the last position", read="last"),
    )


def any_position(
    stream: Stream, query: Terms, key: Terms, into: str, *, mask: Mask = "causal", name: str = "any position"
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
