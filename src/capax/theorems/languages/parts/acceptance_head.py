"""The answer of a model that recognises a language: yes or no at every place, and that at the last place counts.

The empty word has no place, so no model is asked about it.
"""

from collections.abc import Mapping
from typing import Any, Final

from capax.model.model import Model
from capax.model.parts import Block, Mlp, Readout
from capax.model.provenance import Provenance
from capax.model.vocabulary import Nearest, Vocabulary
from capax.theorems.weights.stream import Stream, Terms

YES_OR_NO: Final = Nearest((0.0, 1.0), (False, True))
"""One number: yes if it is above 1/2."""


def last(answers: list[Any]) -> bool:
    """The answer that counts."""
    return bool(answers[-1])


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
        provenance=Provenance(formula=formula, answer="yes or no at the last place", read="last"),
    )
