"""Where the answer of a model that recognises a language is read: what its file says of it, as data and in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from capax.formal.acceptance import READS
from capax.model.provenance import Provenance
from capax.rasp.meaning.sequence import visible_string


def reading(provenance: Provenance) -> dict[str, Any]:
    """`read` (last or end) and `end_marker` of a model's file; None where it says nothing.

    >>> reading(Provenance(read="end", end_marker="$")), reading(Provenance())
    ({'read': 'end', 'end_marker': '$'}, {'read': None, 'end_marker': None})
    """
    known = provenance.read if provenance.read in READS else None
    return {"read": known, "end_marker": provenance.end_marker if known == "end" else None}


def in_words(told: Mapping[str, Any]) -> str | None:
    """Where an answer is read, such as `at an end marker after the word, $`; None where nothing is known.

    >>> in_words({"read": "end", "end_marker": "$"}), in_words({"read": "last", "end_marker": None})
    ('at an end marker after the word, $', 'at the last symbol')
    """
    if told["read"] is None:
        return None
    words: str = READS[told["read"]]
    return words if told["end_marker"] is None else f"{words}, {visible_string(told['end_marker'])}"


def marker_missing(provenance: Provenance, word: Sequence[Any]) -> str | None:
    """What is to be said of a word without the end marker at which its answer would be read; None if nothing is.

    >>> marker_missing(Provenance(read="end", end_marker="$"), "ab$")
    """
    marker = reading(provenance)["end_marker"]
    if marker is None or (word and word[-1] == marker):
        return None
    shown = visible_string(marker)
    return f"note: the answer of this model is read at the end marker {shown}, and the input does not end with {shown}"
