"""What the operands of an operation can be together where they are functions of two means over the same keys.

The mean of digits and that of their squares have 91 and 739 sums of ten, and 4,947 pairs of them happen. So
`aggregate(s, x * x) - aggregate(s, x) * aggregate(s, x)` has few values, and none is below zero, where all pairs of a
value of the one operand and one of the other are many and near to each other.

Lemma. Each key that a query selects adds what x and y are there to the sums of both means. Where x and y are functions
of the token and the position, the pairs (x, y) of all tokens and positions are all that a key can add, so the means
over k keys are the quotients of sums of k such pairs by k; over none they are the defaults.
"""

from collections.abc import Sequence

from capax.compiler.analysis.analysis import TOKEN, Analysis, Entry, Failed, SOpAnalysis
from capax.compiler.analysis.operation_tables import broadcast
from capax.rasp.analysis.joint_means import all_pairs, joint_means
from capax.rasp.ir.nodes import Aggregate, Indices, SOpNode
from capax.rasp.ir.types import Atom


def paired(
    analysis: Analysis, bases: Sequence[SOpNode], operands: Sequence[SOpAnalysis]
) -> list[tuple[Entry, ...]] | None:
    """The values that operands have together, tables over two means over the same keys; None where it is not known."""
    if len(bases) != 2 or any(o.table is None for o in operands):
        return None
    one, two = bases
    if not isinstance(one, Aggregate) or not isinstance(two, Aggregate) or one.selector is not two.selector:
        return None
    pairs = None if analysis.selectors[one.selector].unique else _pairs(analysis, one, two)
    sets = analysis.base_values(one), analysis.base_values(two)
    if pairs is None or not all(a in sets[0] and b in sets[1] for a, b in pairs):
        return None
    ranks: list[dict[SOpNode, int]] = [{one: sets[0].rank(a), two: sets[1].rank(b)} for a, b in pairs]
    return [tuple(_entry(o, rank) for o in operands) for rank in ranks]


def _entry(operand: SOpAnalysis, rank: dict[SOpNode, int]) -> Entry:
    """What a table over one base, or none, has where the base has the value of a rank."""
    assert operand.table is not None
    return operand.table[rank[operand.bases[0]] if operand.bases else 0]


def _pairs(analysis: Analysis, one: Aggregate, two: Aggregate) -> list[tuple[Atom, Atom]] | None:
    """The means that go together, and the defaults where no key may be selected."""
    added = _added(analysis, [analysis.sops[mean.value] for mean in (one, two)])
    together = None if added is None else joint_means(added, analysis.domain.max_length)
    if together is None:
        return None
    pairs: list[tuple[Atom, Atom]] = sorted(all_pairs(together))
    return pairs if analysis.selectors[one.selector].filled else [*pairs, (one.default, two.default)]


def _added(analysis: Analysis, values: Sequence[SOpAnalysis]) -> list[tuple[Entry, ...]] | None:
    """What s-ops can be together at one key; None where they depend on more than its token and position."""
    over = tuple(dict.fromkeys(b for v in values for b in v.bases))
    if any(v.table is None for v in values) or not {*over} <= {TOKEN, Indices()}:
        return None
    sizes = {b: len(analysis.base_values(b)) for b in over}
    columns = [broadcast(v.table or (), v.bases, over, sizes) for v in values]
    return [row for row in zip(*columns, strict=True) if not any(isinstance(e, Failed) for e in row)]
