"""S-ops that depend on position and length alone: their values on all words up to a length, as the definition has them.

Such an s-op reads no token, so that one word of each length tells everything. Its values are few, where those that its
operations could give are many: `aggregate(select(indices, 5, >=), indices)` is one of n means, not any mean of n
positions. Compiler and certificate both use this.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from weakref import WeakKeyDictionary

from capax.errors import CapaxError
from capax.rasp.ir.graph import postorder, topological
from capax.rasp.ir.loop_nodes import LoopResult, State
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Input, Node, SOpNode, Width
from capax.rasp.ir.triple_nodes import TripleNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import FastRun
from capax.rasp.meaning.sequence import Sequence as Values

LONGEST = 128
"""Longer words are not gone through."""

MOST_CELLS = 1_000_000
"""So many values are kept, of all s-ops of a program together."""

NEAR = 2.0**-40
"""Numbers that differ by no more than this share of themselves may differ by rounding only."""

_known: WeakKeyDictionary[Node, bool] = WeakKeyDictionary()
"""What is known of nodes already. A node never changes, so this only saves time."""


def is_positional(root: Node) -> bool:
    """Whether an s-op or a selector reads no token, and so depends on position and length alone.

    >>> from capax import indices, length, tokens
    >>> is_positional((length - 1 - indices).node), is_positional((tokens == "a").node)
    (True, False)
    """
    for node in postorder([root], lambda n: [o for o in n.operands if o not in _known]):
        _known[node] = not isinstance(node, (Input, State, LoopResult, TripleNode)) and all(
            _known[o] for o in node.operands
        )
    return _known[root]


@dataclass(frozen=True, slots=True)
class PositionValues:
    """The values of positional s-ops: for each the same list of pairs of a length and a position.

    Lengths on which one of them fails are left out: there the program has no value. `errors` has what fails there.
    """

    rows: Mapping[Node, Sequence[Atom]] = field(default_factory=dict)
    errors: tuple[CapaxError, ...] = ()

    def of(self, node: Node) -> Sequence[Atom] | None:
        """The values of a positional s-op by length and position; None where they are not known."""
        return self.rows.get(node)


@lru_cache(maxsize=4)
def position_values(roots: tuple[SOpNode, ...], longest: int) -> PositionValues:
    """The values of the positional aggregates and widths below some roots, and of what is made of them.

    The last few are kept: a compilation asks for the same ones several times.
    """
    nodes = [n for n in topological(*roots) if isinstance(n, SOpNode) and is_positional(n) and not isinstance(n, Const)]
    cells = longest * (longest + 1) // 2
    if (
        longest > LONGEST
        or not any(isinstance(n, (Aggregate, Width)) for n in nodes)
        or len(nodes) * cells > MOST_CELLS
    ):
        return PositionValues()
    nodes = list(dict.fromkeys([Indices(), *nodes]))
    run = FastRun(["a" * n for n in range(1, longest + 1)])
    run.run(list(nodes), keep=True)
    if not run.batch.count:
        return PositionValues()  # the program fails on all words
    rows: dict[Node, Sequence[Atom]] = {}
    for node in nodes:
        outcomes = [o for o in run.outcomes(node) if not isinstance(o, CapaxError)]
        values = [v for o in outcomes if isinstance(o, Values) for v in o.values]
        if not _rounded_twice(values):
            rows[node] = values
    return PositionValues(rows, tuple(e for e in run.errors.values() if isinstance(e, CapaxError)))


def _rounded_twice(values: Sequence[Atom]) -> bool:
    """Whether two different numbers are so near that they may be two roundings of one."""
    numbers = sorted(v for v in set(values) if not isinstance(v, str))
    return any(b - a <= NEAR * max(abs(a), abs(b)) for a, b in pairwise(numbers))
