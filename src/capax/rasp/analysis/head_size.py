"""The head dimension that an exact attention head needs, and how much of its score table a head uses.

Statement. A head that gives exactly equal weight to the selected keys and none to others, by scores q.k that are 0 on
selected pairs and at most -1 elsewhere, needs: 3 dimensions for the equality of two integers, 1 for a
condition on the key alone or the query alone, none for an index comparison that a mask makes, and at least
n - 1 for an index comparison without a mask. Conjunctions add dimensions; a disjunction takes a table with a
dimension for each combination of values that its keys can have.
A head of third order scores triples by sums of products of three numbers: 6 for `sum == c`, v^2 for any other test of
a sum of three that have v values each, and what its ordinary selectors need; a mask must be that of both keys.
Idea. -(x - y)^2 is bilinear of rank 3. The table of `key index < query index` is triangular with a non-zero diagonal,
so its rank is n.
Cite. The calculus is ours; the rank argument answers a question from the slides of Thinking Like Transformers (2021).
Scope. An upper bound by this construction, except that n - 1 without a mask is a lower bound too.
"""

from dataclasses import dataclass

from capax.rasp.ir.graph import conjuncts
from capax.rasp.ir.nodes import And, Best, Const, Indices, Node, Not, Or, Select, SelectorNode
from capax.rasp.ir.triple_nodes import LIFT_SIDES, AnySelector, SumSelect, TripleNode
from capax.rasp.ir.triple_parts import conjunction, conjunctions

_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, slots=True)
class HeadSize:
    """A dimension: a number, multiples of n - 1 and of the number of values v of a key, and tables.

    A table is a product (number, power of v, power of n): so many kinds of keys are told apart.
    """

    fixed: int = 0
    per_length: int = 0
    per_value: int = 0
    tables: tuple[tuple[int, int, int], ...] = ()
    mask: str | None = None

    def __str__(self) -> str:
        parts = [str(self.fixed)] if self.fixed else []
        if self.per_length:
            parts.append("(n-1)" if self.per_length == 1 else f"{self.per_length}(n-1)")
        if self.per_value:
            parts.append("v" if self.per_value == 1 else f"{self.per_value}v")
        for number, values, length in self.tables:
            factors = [str(number)] if number > 1 or not (values or length) else []
            parts.append("*".join([*factors, *["v"] * values, *["n"] * length]))
        text = " + ".join(parts) or "0"
        return f"at most {text}, by a table" if self.tables else text

    def at(self, n: int, values: int) -> int:
        """The dimension at a length and a number of values."""
        tables: int = sum(number * values**v * n**power for number, v, power in self.tables)
        return self.fixed + self.per_length * (n - 1) + self.per_value * values + tables


def head_size(selector: AnySelector, *, masks: bool) -> HeadSize:
    """The dimension of an exact head for a selector, with or without attention masks."""
    return _of_triples(selector, masks=masks) if isinstance(selector, TripleNode) else _of_pairs(selector, masks=masks)


MOST_PARTS = 16
"""A disjunction over triples of more conjunctions is not measured part by part."""


def _of_triples(selector: TripleNode, *, masks: bool) -> HeadSize:
    """The dimension of a head of third order; of a disjunction, of the heads for its parts."""
    conjunctive = conjunction(selector)
    if conjunctive is None:
        parts = conjunctions(selector, MOST_PARTS)
        return HeadSize(tables=((1, 2, 0),)) if parts is None else _added([_of_triples(p, masks=False) for p in parts])
    sides = {side: conjunctive.side(side) for side in LIFT_SIDES}
    sizes = {side: _of_pairs(s, masks=masks and side != "keys") for side, s in sides.items() if s is not None}
    shared = sizes["first"].mask if {"first", "second"} <= sizes.keys() else None
    if shared is None or sizes["second"].mask != shared:
        sizes = {side: _of_pairs(s, masks=False) for side, s in sides.items() if s is not None}
        shared = None
    return _added([*sizes.values(), *(_of_sum(test) for test in conjunctive.sums)], shared)


def _of_sum(node: SumSelect) -> HeadSize:
    return HeadSize(6) if node.op == "==" and not node.modulus else HeadSize(tables=((1, 2, 0),))


def _added(parts: list[HeadSize], mask: str | None = None) -> HeadSize:
    return HeadSize(
        sum(p.fixed for p in parts),
        sum(p.per_length for p in parts),
        sum(p.per_value for p in parts),
        tuple(t for p in parts for t in p.tables),
        mask,
    )


def _of_pairs(selector: SelectorNode, *, masks: bool) -> HeadSize:
    mask: str | None = None
    parts: list[HeadSize] = []
    for leaf in conjuncts(selector):
        name = _mask_of(leaf) if masks and mask is None else None
        if name is not None:
            mask = name
            continue
        part = _best(leaf, masks=masks and mask is None) if isinstance(leaf, Best) else _leaf(leaf)
        mask = mask or part.mask
        parts.append(part)
    return _added(parts, mask)


def _best(node: Best, *, masks: bool) -> HeadSize:
    """The selector's dimension and two more, for the score and its order by position."""
    inner = _of_pairs(node.selector, masks=masks)
    return HeadSize(inner.fixed + 2, inner.per_length, inner.per_value, inner.tables, inner.mask)


def _comparison(node: SelectorNode) -> tuple[Node, Node, str] | None:
    """The key, query and operator of a comparison, with a `not` around it taken in."""
    if isinstance(node, Select):
        return node.key, node.query, node.op
    if isinstance(node, Not) and isinstance(node.inner, Select):
        return node.inner.key, node.inner.query, _NEGATED[node.inner.op]
    return None


def _mask_of(node: SelectorNode) -> str | None:
    """The attention mask that makes an index comparison, if one does."""
    comparison = _comparison(node)
    if comparison is None or not (isinstance(comparison[0], Indices) and isinstance(comparison[1], Indices)):
        return None
    return {"<=": "causal", "<": "strict past", ">": "strict future", ">=": "future"}.get(comparison[2])


def _leaf(node: SelectorNode) -> HeadSize:
    comparison = _comparison(node)
    if comparison is None:
        return _compound(node)
    key, query, op = comparison
    if isinstance(key, Const) and isinstance(query, Const):
        return HeadSize(0)
    if isinstance(key, Const) or isinstance(query, Const):
        return HeadSize(1)
    if op == "==":
        return HeadSize(3)
    if isinstance(key, Indices) and isinstance(query, Indices):
        return HeadSize(0, per_length=1)
    return HeadSize(0, per_value=1)


def _compound(node: SelectorNode) -> HeadSize:
    """Disjunctions and other negations: a table over all combinations of what the comparisons see of a key."""
    varying: set[Node] = set()
    fixed: set[Node] = set()
    for leaf in _leaves(node):
        if not isinstance(leaf.key, Const):
            (fixed if isinstance(leaf.query, Const) else varying).add(leaf.key)
    positions = sum(isinstance(k, Indices) for k in varying)
    yes_or_no = 2 ** len(fixed - varying)  # of a key that meets only constants, only the outcome counts
    return HeadSize(tables=((yes_or_no, len(varying) - positions, positions),))


def _leaves(node: SelectorNode) -> list[Select]:
    comparisons: list[Select] = []
    stack: list[SelectorNode] = [node]
    while stack:
        item = stack.pop()
        match item:
            case Select():
                comparisons.append(item)
            case And() | Or():
                stack += [item.left, item.right]
            case Not():
                stack.append(item.inner)
            case Best():
                stack.append(item.selector)
    return comparisons
