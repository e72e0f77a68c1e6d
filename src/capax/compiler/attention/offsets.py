"""Comparisons of positions as masks: which offsets j - i between key and query are seen."""

import math
from dataclasses import dataclass

from capax.compiler.analysis.analysis import Analysis, Failed
from capax.compiler.analysis.value_sets import is_integer
from capax.model.parts import Mask
from capax.rasp.ir.nodes import Indices, Select, SelectorNode, SOpNode


@dataclass(frozen=True, slots=True)
class Offsets:
    """The offsets j - i from `low` to `high`."""

    low: float = -math.inf
    high: float = math.inf

    def __and__(self, other: "Offsets") -> "Offsets":
        return Offsets(max(self.low, other.low), min(self.high, other.high))

    @property
    def mask(self) -> Mask | None:
        """The mask that shows exactly these offsets, if there is one."""
        return _MASKS.get((self.low, self.high))


_MASKS: dict[tuple[float, float], Mask] = {
    (-math.inf, math.inf): "none",
    (-math.inf, 0): "causal",
    (-math.inf, -1): "strict past",
    (0, math.inf): "future",
    (1, math.inf): "strict future",
}


def offsets_of(node: SelectorNode, analysis: Analysis) -> Offsets | None:
    """The offsets that a comparison of shifted positions selects, if it is one."""
    if not isinstance(node, Select) or node.op not in ("<", "<=", ">", ">="):
        return None
    key, query = _shift(node.key, analysis), _shift(node.query, analysis)
    if key is None or query is None:
        return None
    # j + key < i + query, and so on: a bound on j - i
    bound = query - key
    match node.op:
        case "<":
            return Offsets(high=bound - 1)
        case "<=":
            return Offsets(high=bound)
        case ">":
            return Offsets(low=bound + 1)
        case _:
            return Offsets(low=bound)


def _shift(node: SOpNode, analysis: Analysis) -> int | None:
    """c where the node is the position plus an integer c."""
    known = analysis.sops[node]
    if known.bases != (Indices(),) or known.table is None:
        return None
    first = known.table[0]
    if isinstance(first, (Failed, str)) or not is_integer(first):
        return None
    same = all(not isinstance(e, (Failed, str)) and e - i == first for i, e in enumerate(known.table))
    return int(first) if same else None
