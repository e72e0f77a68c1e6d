"""Where the answer of a model that recognises a language is read: what its file says of it, as data and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capax.display import parts
from capax.rasp.meaning.sequence import visible_string

if TYPE_CHECKING:
    from capax.formal.acceptance import Read
    from capax.model.provenance import Provenance


@dataclass(frozen=True, slots=True)
class AnswerPosition:
    """Where an answer is read: `last` or `end`, and at which end marker; None where the model's file does not say."""

    read: "Read | None"
    end_marker: str | None

    def to_json(self) -> dict[str, Any]:
        """Both as plain data."""
        return parts(self)

    def in_words(self) -> str | None:
        """Where an answer is read; None if it is not known.

        >>> AnswerPosition("end", "$").in_words(), AnswerPosition("last", None).in_words()
        ('at an end marker after the word, $', 'at the last symbol')
        """
        from capax.formal.acceptance import READS

        if self.read is None:
            return None
        words = READS[self.read]
        return words if self.end_marker is None else f"{words}, {visible_string(self.end_marker)}"

    def missing_marker(self, word: Sequence[Any]) -> str | None:
        """A note about a word that lacks the end marker at which its answer is read; None if there is nothing to say.

        >>> AnswerPosition("end", "$").missing_marker("ab$")
        """
        if self.end_marker is None or (word and word[-1] == self.end_marker):
            return None
        marker = visible_string(self.end_marker)
        return f"note: this model's answer is read at the end marker {marker}, but the input does not end with {marker}"


def answer_position(provenance: "Provenance") -> AnswerPosition:
    """Where the file of a model, which may say anything, places its answer.

    >>> from capax.model.provenance import Provenance
    >>> answer_position(Provenance(read="end", end_marker="$")), answer_position(Provenance())
    (AnswerPosition(read='end', end_marker='$'), AnswerPosition(read=None, end_marker=None))
    """
    from capax.formal.acceptance import READS

    known = next((one for one in READS if one == provenance.read), None)
    return AnswerPosition(known, provenance.end_marker if known == "end" else None)
