"""Tables over the values of several s-ops, in the order of `itertools.product`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capax.rasp.ir.nodes import SOpNode


def broadcast(
    table: Sequence[Any], own: Sequence[SOpNode], bases: Sequence[SOpNode], sizes: Mapping[SOpNode, int]
) -> list[Any]:
    """The entries of a table over some bases, for every combination of values of more of them.

    >>> from capax.rasp.ir.nodes import Const
    >>> a, b = Const(0), Const(1)
    >>> broadcast("xyz", (b,), (a, b), {a: 2, b: 3})
    ['x', 'y', 'z', 'x', 'y', 'z']
    """
    steps, step = {}, 1
    for base in reversed(own):
        steps[base] = step
        step *= sizes[base]
    index = np.zeros((1,) * len(bases), np.int64)
    for axis, base in enumerate(bases):
        shape = [1] * len(bases)
        shape[axis] = sizes[base]
        index = index + (np.arange(sizes[base]) * steps.get(base, 0)).reshape(shape)
    return [table[i] for i in index.reshape(-1).tolist()]
