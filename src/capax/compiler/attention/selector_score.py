"""The score of a selector, as a head computes it."""

from dataclasses import dataclass, field

from capax.compiler.encode.signals import SignalSum
from capax.model.parts import Mask


@dataclass(frozen=True, slots=True, eq=False)
class SelectorScore:
    """The score: sum of query * key over the pairs, plus a part of the query and a part of the key."""

    pairs: tuple[tuple[SignalSum, SignalSum], ...] = ()
    query: SignalSum = field(default_factory=SignalSum)
    key: SignalSum = field(default_factory=SignalSum)
    mask: Mask = "none"

    def __add__(self, other: "SelectorScore") -> "SelectorScore":
        return SelectorScore(self.pairs + other.pairs, self.query + other.query, self.key + other.key, self.mask)

    def scaled(self, factor: float) -> "SelectorScore":
        """The score times a factor."""
        pairs = tuple((q * factor, k) for q, k in self.pairs)
        return SelectorScore(pairs, self.query * factor, self.key * factor, self.mask)
