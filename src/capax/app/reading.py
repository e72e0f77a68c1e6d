"""Where the answer of a model that recognises a language is read: what its file says of it, as data and in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from capax.formal.acceptance import READS
from capax.rasp.meaning.sequence import visible_string


def reading(facts: Mapping[str, Any]) -> dict[str, Any]:
    """`read` (last or end) and `end_marker` of a model's facts, which may say anything; None where they say nothing.

    >>> reading({"read": "end", "end_marker": "$"}), reading({"read": 7})
    ({'read': 'end', 'end_marker': '$'}, {'read': None, 'end_marker': None})
    """
    place, marker = facts.get("read"), facts.get("end_marker")
    known = place if isinstance(place, str) and place in READS else None
    return {"read": known, "end_marker": marker if known == "end" and isinstance(marker, str) else None}


def in_words(told: Mapping[str, Any]) -> str | None:
    """Where an answer is read, such as `at an end marker after the word, $`; None where nothing is known.

    >>> in_words({"read": "end", "end_marker": "$"}), in_words({"read": "last", "end_marker": None})
    ('at an end marker after the word, $', 'at the last symbol')
    """
    if told["read"] is None:
        return None
    words: str = READS[told["read"]]
    return words if told["end_marker"] is None else f"{words}, {visible_string(told['end_marker'])}"


def marker_missing(facts: Mapping[str, Any], word: Sequence[Any]) -> str | None:
    """What is to be said of a word without the end marker at which its answer would be read; None if nothing is.

    >>> marker_missing({"read": "end", "end_marker": "$"}, "ab$")
    """
    marker = reading(facts)["end_marker"]
    if marker is None or (word and word[-1] == marker):
        return None
    shown = visible_string(marker)
    return f"note: the answer of this model is read at the end marker {shown}, and the input does not end with {shown}"
