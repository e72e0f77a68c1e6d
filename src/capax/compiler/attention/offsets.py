"""Comparisons of positions as masks."""

import math
from functools import partial

from capax.compiler.analysis.analysis import Analysis, Failed
from capax.compiler.analysis.value_sets import is_integer
from capax.model.parts import Mask
from capax.rasp.analysis import offsets
from capax.rasp.analysis.offsets import Offsets, Range
from capax.rasp.ir.nodes import Indices, SelectorNode, SOpNode

_MASKS: dict[tuple[Range, ...], Mask] = {
    ((-math.inf, math.inf),): "none",
    ((-math.inf, 0),): "causal",
    ((-math.inf, -1),): "strict past",
    ((0, math.inf),): "future",
    ((1, math.inf),): "strict future",
}


def mask_of(seen: Offsets) -> Mask | None:
    """The mask that shows exactly these offsets, if there is one."""
    return _MASKS.get(seen.ranges)


def offsets_of(selector: SelectorNode, analysis: Analysis) -> Offsets | None:
    """The offsets that comparisons of shifted positions select together; None where a selector has others."""
    return offsets.offsets_of(selector, partial(_shift, analysis=analysis))


def _shift(node: SOpNode, analysis: Analysis) -> int | None:
    """c where the node is the position plus an integer c, on words of the domain."""
    shift = offsets.shift_of(node)
    known = analysis.sops[node]
    if shift is not None or known.bases != (Indices(),) or known.table is None:
        return shift
    first = known.table[0]
    if isinstance(first, (Failed, str)) or not is_integer(first):
        return None
    same = all(not isinstance(e, (Failed, str)) and e - i == first for i, e in enumerate(known.table))
    return int(first) if same else None
