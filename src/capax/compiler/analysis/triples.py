"""What is known of selectors over triples before they are heads."""

from collections.abc import Mapping

from capax.compiler.analysis.analysis import SelectorAnalysis
from capax.compiler.domain import Domain
from capax.rasp.analysis.output_types import INT, Unknown, kind_of
from capax.rasp.ir.graph import conjuncts
from capax.rasp.ir.nodes import Node, SelectorNode
from capax.rasp.ir.triple_nodes import SumSelect, TripleNode
from capax.rasp.ir.triple_parts import conjunction


def triple_analysis(node: TripleNode, known: Mapping[Node, SelectorAnalysis], domain: Domain) -> SelectorAnalysis:
    """At most one pair is selected where at most one first and one second key are; it may be none.

    `known` has the analysis of ordinary selectors.
    """

    def unique(selector: SelectorNode | None) -> bool:
        return selector is not None and any(s in known and known[s].unique for s in conjuncts(selector))

    parts = conjunction(node)
    one = parts is not None and unique(parts.first) and unique(parts.second)
    return SelectorAnalysis(one or domain.max_length == 1, False)


def sum_may_fail(node: SumSelect, domain: Domain) -> bool:
    """Whether a sum may be one of something else than integers."""
    try:
        return any(kind_of(o, domain.alphabet) != INT for o in (node.key1, node.key2, node.query))
    except Unknown:
        return True
