"""Disjunctions of equalities with one s-op, of which each value has one owner.

`key == a or key == b or ...`, where no two of a, b, ... can have a value in common: whether the key is selected is
then what the owner of its value says, and no table over the combinations of all owners is needed. This is how a row
of bits selects positions: `select(indices, 3 if bit_3 else -1, ==)` for each bit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from capax.compiler.encode.features import FeatureBuilder
from capax.rasp.ir.nodes import Or, Select, SelectorNode, SOpNode
from capax.rasp.ir.types import Atom

FEWEST = 3
"""A table does for fewer comparisons."""


@dataclass(frozen=True, slots=True, eq=False)
class Membership:
    """The s-op that all comparisons share, on which side it is, and the owner of each of its values that has one."""

    shared: SOpNode
    is_key: bool
    owners: Mapping[Atom, SOpNode]


def membership_of(builder: FeatureBuilder, node: SelectorNode, comparisons: Sequence[Select]) -> Membership | None:
    """How a disjunction of equalities is decided value by value; None for other selectors.

    `comparisons` are those that the selector is made of.
    """
    if len(comparisons) < FEWEST or any(leaf.op != "==" for leaf in comparisons) or not _only_or(node):
        return None
    keys, queries = ({leaf.key for leaf in comparisons}, {leaf.query for leaf in comparisons})
    for shared, is_key in ((keys, True), (queries, False)):
        if len(shared) == 1:
            (one,) = shared
            others = [leaf.query if is_key else leaf.key for leaf in comparisons]
            owners = _owners(builder, one, others)
            if owners is not None:
                return Membership(one, is_key, owners)
    return None


def _only_or(root: SelectorNode) -> bool:
    """Whether a selector is a disjunction of comparisons, and of nothing else."""
    waiting, seen = [root], {root}
    while waiting:
        part = waiting.pop()
        if isinstance(part, Or):
            new = {part.left, part.right} - seen
            seen |= new
            waiting += new
        elif not isinstance(part, Select):
            return False
    return True


def _owners(builder: FeatureBuilder, shared: SOpNode, others: Sequence[SOpNode]) -> dict[Atom, SOpNode] | None:
    """The s-op that can have a value of the shared one, for each such value; None if two of them can."""
    values = set(builder.analysis.finite_values(shared).values)
    owners: dict[Atom, SOpNode] = {}
    for other in others:
        for value in values.intersection(builder.analysis.finite_values(other).values):
            if owners.setdefault(value, other) is not other:
                return None
    return owners
