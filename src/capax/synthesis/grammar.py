"""Which programs a search goes through: the grammar, and the limits on size, layers and heads.

Every s-op has a type: a token, a count (an integer), a truth value, or a share (a mean). Selectors compare keys and
queries of one type. The size of a program is the number of nodes of its expression, written out:
`selector_width(select(tokens, tokens, ==))` has four. `length` and `full_s` are one node each; the default of an
aggregate is none.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from capax.errors import CapaxError


class ValueKind(IntEnum):
    """The type of an s-op."""

    TOKEN = 0
    COUNT = 1
    TRUTH = 2
    SHARE = 3


PARTS: Final = {
    "width": "selector_width(SELECTOR)",
    "best": "best(SELECTOR, COUNT)",
    "mean": "aggregate(SELECTOR, COUNT), where several positions are selected",
    "where": "VALUE if TRUTH else VALUE",
    "mod": "COUNT % 2",
    "length": "length",
    "or": "SELECTOR or SELECTOR, TRUTH or TRUTH",
    "not": "not SELECTOR, not TRUTH",
    "reciprocal": "1 / COUNT",
    "round": "round(1 / SHARE)",
    "times": "COUNT * COUNT",
}
"""The parts of the grammar that can be left out, or added, with what they allow."""
USUAL: Final = frozenset(PARTS) - {"reciprocal", "round", "times"}
AVERAGES: Final = frozenset(PARTS) - {"width", "times"}
"""Averages alone, as the paper on RASP has them: a count has to be read off a mean."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The parts that programs may have, and their constants: integers, and strings beside the answers' own."""

    parts: frozenset[str] = USUAL
    integers: tuple[int, ...] = (0, 1, 2)
    letters: tuple[str, ...] | None = None
    """The letters that programs may name; None for all of an alphabet of two letters, and none of a larger one."""

    def __post_init__(self) -> None:
        unknown = self.parts - set(PARTS)
        if unknown:
            what = f"the grammar has no part called {', '.join(sorted(unknown))}"
            raise CapaxError("bad-option", what, hint=f"the parts are {', '.join(PARTS)}")

    def has(self, part: str) -> bool:
        """Whether programs may have a part."""
        return part in self.parts

    def to_json(self) -> dict[str, Any]:
        """The grammar as plain data."""
        letters = None if self.letters is None else list(self.letters)
        return {"parts": sorted(self.parts), "integers": list(self.integers), "letters": letters}


MOST_NODES: Final = 40
MOST_LAYERS: Final = 8


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How large a program may be: nodes, layers (or an order of sublayers), and heads in all; None for no limit."""

    size: int = 16
    layers: int | None = None
    heads: int | None = None
    order: str | None = None
    """Sublayers in order, `s` for attention and `f` for feed-forward; it takes the place of `layers`."""
    megabytes: int = 1000
    """A bank that would be larger is not grown further."""

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MOST_NODES:
            raise CapaxError("bad-option", f"the size is a number from 1 to {MOST_NODES}, not {self.size}")
        if self.layers is not None and not 0 <= self.layers <= MOST_LAYERS:
            raise CapaxError("bad-option", f"the layers are a number up to {MOST_LAYERS}, not {self.layers}")
        if self.heads is not None and self.heads < 0:
            raise CapaxError("bad-option", f"the heads cannot be {self.heads}")
        if self.order is not None and (set(self.order) - set("sf") or len(self.order) > 2 * MOST_LAYERS):
            what = f"an order of sublayers is a text of s and f, not {self.order!r:.40}"
            raise CapaxError("bad-option", what, hint="--order ssf")
        if self.order is not None and self.layers is not None:
            raise CapaxError("bad-option", "an order of sublayers says how many layers there are", hint="leave one out")
        if not 10 <= self.megabytes <= 1_000_000:
            raise CapaxError("bad-option", f"the memory is at least 10 megabytes, not {self.megabytes}")

    @property
    def sublayers(self) -> str | None:
        """The order of the sublayers that a program may use; None for any number of layers."""
        if self.order is not None:
            return self.order
        if self.layers is None and self.heads is not None:
            return "sf" * MOST_LAYERS  # a selector is a head of its own in every layer
        return None if self.layers is None else "sf" * self.layers

    def text(self) -> str:
        """The limits but for the size, in words; empty if there are none."""
        parts = []
        if self.order is not None:
            parts.append(f"the order {self.order}")
        elif self.layers is not None:
            parts.append(f"at most {self.layers} layer{'' if self.layers == 1 else 's'}")
        if self.heads is not None:
            parts.append(f"at most {self.heads} head{'' if self.heads == 1 else 's'}")
        return " and ".join(parts)
