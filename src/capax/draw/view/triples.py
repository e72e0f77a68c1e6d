"""Heads of third order in pictures: the weights of first keys, and a slice for each query."""

from collections.abc import Iterable, Sequence

from capax.draw.view.dependencies import sides
from capax.draw.view.node_values import MOST_BINS, ValuesOn
from capax.draw.view.view import CELLS, Cells, HeadGrid, Row
from capax.rasp.ir.nodes import Const, SOpNode
from capax.rasp.ir.triple_nodes import Lift, SumSelect, TripleNode
from capax.rasp.ir.triple_parts import triple_order

MOST_SLICES = 12
"""Longer words are drawn without slices."""


def triple_sides(selector: TripleNode) -> tuple[list[SOpNode], list[SOpNode], list[SOpNode]]:
    """The s-ops that a selector over triples reads at the first key, at the second key and at the query."""
    first: dict[SOpNode, None] = {}
    second: dict[SOpNode, None] = {}
    query: dict[SOpNode, None] = {}
    for node in triple_order(selector):
        match node:
            case SumSelect():
                first[node.key1], second[node.key2], query[node.query] = None, None, None
            case Lift():
                keys, queries = sides(node.selector)
                ends = {"first": (first, query), "second": (second, query), "keys": (first, second)}[node.side]
                ends[0].update(dict.fromkeys(keys))
                ends[1].update(dict.fromkeys(queries))
    return _varied(first), _varied(second), _varied(query)


def _varied(nodes: Iterable[SOpNode]) -> list[SOpNode]:
    some = list(nodes) or [Const(1)]
    return [node for node in some if not isinstance(node, Const)] or some[:1]


def triple_cells(values: ValuesOn, selector: TripleNode) -> Cells:
    """For each query the share of its selected pairs that each first key has; for long words shares of all triples."""
    counts = values.pair_counts(selector)
    n = values.size
    if n <= CELLS:
        rows = tuple(tuple(count / (sum(row) or 1) for count in row) for row in counts)
        return Cells("weights", n, 1, rows)
    step = -(-n // MOST_BINS)
    bins = [range(start, min(start + step, n)) for start in range(0, n, step)]
    shares = tuple(
        tuple(sum(counts[i][j] for i in down for j in across) / (len(down) * len(across) * n) for across in bins)
        for down in bins
    )
    return Cells("density", n, step, shares)


def triple_slices(
    values: ValuesOn, selector: TripleNode, first: Sequence[Row], second: Sequence[Row], queries: Sequence[Row]
) -> tuple[HeadGrid, ...]:
    """The pairs that each query selects, where there are few queries."""
    if values.size > MOST_SLICES:
        return ()
    slices = []
    for query in range(values.size):
        rows = tuple(tuple(map(float, row)) for row in values.pairs(selector, query))
        named = f": {queries[0].name} {queries[0].values[query]}" if len(queries) == 1 else ""
        cells = Cells("selected", values.size, 1, rows)
        ends = _few(second, values.size), _few(first, values.size)
        slices.append(HeadGrid("", f"query {query}{named}", "", *ends, cells, across="second key", down="first key"))
    return tuple(slices)


def _few(rows: Sequence[Row], size: int) -> tuple[Row, ...]:
    """The rows, or the positions where they are many: a slice is small."""
    if len(rows) == 1:
        return tuple(rows)
    return (Row("position", tuple(map(str, range(size))), "ints", size, 0),)
