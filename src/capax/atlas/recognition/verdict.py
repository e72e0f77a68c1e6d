"""A verdict: whether a kind of transformer recognises a language, why, and who proved it."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from capax.formal.acceptance import Read

Answer: TypeAlias = Literal["yes", "no", "unknown"]

ASSUMPTION = "TC0 != NC1"


@dataclass(frozen=True, slots=True)
class RecognitionVerdict:
    """An answer for a kind of models that are read at one place.

    `assuming` is a conjecture that the answer needs; empty where it needs none.
    """

    models: str
    answer: Answer
    because: str
    source: str
    assuming: str = ""
    by: tuple[str, ...] = ()
    """The records of the atlas that prove it."""
    read: Read = "last"

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return {
            "models": self.models,
            "read": self.read,
            "answer": self.answer,
            "because": self.because,
            "source": self.source,
            "assuming": self.assuming or None,
            "by": list(self.by),
        }


FIXED = "softmax, fixed precision, strict past mask, no positions"
MASKED = "hard attention, strict past mask, no positions"
MASKED_MOD = "hard attention, strict past mask, periodic positions"
UNIQUE = "hard attention, any positions"
CRASP = "softmax, rounded outside attention alone, causal mask, no positions (C-RASP)"
CONSTANT = "constant depth, logarithmic precision"
LOGARITHMIC = "depth log n"
THOUGHTS = "chain of thought, a step for each symbol"
