"""What the operands of an operation can be together where they are functions of two means over the same keys."""

from collections.abc import Sequence

from capax.compiler.analysis.analysis import TOKEN, Analysis, Entry, Failed, SOpAnalysis
from capax.compiler.analysis.operation_tables import broadcast
from capax.rasp.analysis.joint_means import joint_means
from capax.rasp.ir.nodes import Aggregate, Indices, SOpNode
from capax.rasp.ir.types import Atom


def rows_of_means(
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
    return [tuple((o.table or ())[rank[o.bases[0]] if o.bases else 0] for o in operands) for rank in ranks]


def _pairs(analysis: Analysis, one: Aggregate, two: Aggregate) -> list[tuple[Atom, Atom]] | None:
    """The means that go together, and the defaults where no key may be selected."""
    values = [analysis.sops[mean.value] for mean in (one, two)]
    over = tuple(dict.fromkeys(b for v in values for b in v.bases))
    if any(v.table is None for v in values) or not {*over} <= {TOKEN, Indices()}:
        return None
    sizes = {b: len(analysis.base_values(b)) for b in over}
    columns = [broadcast(v.table or (), v.bases, over, sizes) for v in values]
    added = [row for row in zip(*columns, strict=True) if not any(isinstance(e, Failed) for e in row)]
    together = joint_means(added, analysis.domain.max_length)
    if together is None:
        return None
    pairs: list[tuple[Atom, Atom]] = list({pair for means in together for pair in zip(*means.tolist(), strict=True)})
    return pairs if analysis.selectors[one.selector].filled else [*pairs, (one.default, two.default)]
