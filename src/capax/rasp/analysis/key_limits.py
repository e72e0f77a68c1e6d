"""How many keys a selector selects at most: by what it says of positions and of occurrences, or by keys that differ.

Compiler and certificate both use this.
"""

from collections.abc import Sequence
from typing import cast

from capax.errors import CapaxError
from capax.rasp.analysis.offsets import window_of
from capax.rasp.analysis.output_types import is_total_order
from capax.rasp.analysis.uniform import is_uniform
from capax.rasp.ir.graph import conjuncts, postorder, rebuild, topological
from capax.rasp.ir.nodes import Const, Indices, Input, Map, Node, Select, SelectorNode, SOpNode, Table, Width
from capax.rasp.ir.types import Atom
from capax.rasp.meaning import reference

_SUMS = ("+", "-", "neg", "pos")
ONE_SIDE = (Select(Indices(), Indices(), "<"), Select(Indices(), Indices(), ">"))


def most_keys(selector: SelectorNode, tokens: Sequence[Atom], longest: int) -> int:
    """The most keys that a query selects, on words of up to a length.

    Lemma (positions). Where the positions of keys go from a constant and up to another, there are no more of them.
    Lemma (windows). Where comparisons of positions leave so many offsets between key and query, there are no more keys.
    Lemma (occurrences). Let x be a function of the token with v values, and W the number of earlier positions (or of
    later ones) with an equal x. No two positions with an equal x have an equal W. So if a selector asks that a function
    of W has some value, which it has at m counts only, then at most m v keys are selected.
    """
    first, end, most = 0, longest, int(min(longest, window_of(selector).size))
    for part in conjuncts(selector):
        if not isinstance(part, Select) or not isinstance(part.query, Const):
            continue
        value = part.query.value
        if part.key is Indices() and type(value) is int and part.op == ">=":
            first = max(first, value)
        elif part.key is Indices() and type(value) is int and part.op == "<":
            end = min(end, value)
        elif part.op == "==":
            most = min(most, _most_occurrences(part.key, value, tokens, longest))
    return max(0, min(end - first, most))


def _most_occurrences(node: SOpNode, value: Atom, tokens: Sequence[Atom], longest: int) -> int:
    """At most how many positions have a value of a node that counts occurrences."""
    counted = of_count(node, longest)
    if counted is None:
        return longest
    count, values = counted
    conditions = list(conjuncts(count.selector))
    if len(conditions) != 2 or not any(c in ONE_SIDE for c in conditions):
        return longest
    same = next((c for c in conditions if c not in ONE_SIDE), None)
    if not isinstance(same, Select) or same.op != "==" or same.key is not same.query:
        return longest
    kinds = of_token(same.key, tokens)
    return longest if kinds is None else min(longest, values.count(value) * len(kinds))


def of_token(node: SOpNode, tokens: Sequence[Atom]) -> set[Atom] | None:
    """The values of a node that is a function of the token; None where it is not, or has no value for a token."""
    if not all(isinstance(n, (Input, Const, Map, Table)) for n in topological(node)):
        return None
    try:
        values = {cast(Atom, reference.evaluate(node, (token,))[0]) for token in tokens}
    except CapaxError:
        return None
    return values if all(v == v for v in values) else None


def of_count(node: SOpNode, longest: int) -> tuple[Width, list[Atom]] | None:
    """The width that a node is a function of, and its values at the widths from 0 on.

    None where it is no function of one width, or has no value at one.
    """
    top: tuple[Node, ...] = (node,)
    reached = postorder(top, lambda n: n.operands if isinstance(n, (Map, Table)) else ())
    leaves = [n for n in reached if not isinstance(n, (Const, Map, Table))]
    if any(isinstance(n, Table) and n.kind == "positions" for n in reached):
        return None
    if len(leaves) != 1 or not isinstance(count := leaves[0], Width):
        return None
    counts = Input("asis")
    read = rebuild(node, lambda n: counts if n is count else n)[node] if node is not count else counts
    assert isinstance(read, SOpNode)
    try:
        return count, cast(list[Atom], list(reference.evaluate(read, tuple(range(longest + 1)))))
    except (CapaxError, TypeError, ValueError):
        return None


def tells_positions_apart(root: SOpNode) -> bool:
    """Whether an s-op surely has another value at each position of a word.

    So have the position and the rank in an order of all positions; so has their sum or difference with an integer that
    is the same at all positions, and their product with a constant that is not zero. Integers are never rounded.

    >>> from capax import indices
    >>> tells_positions_apart((1 - 2 * indices).node), tells_positions_apart((indices % 2).node)
    (True, False)
    """
    apart: dict[Node, bool] = {}
    for node in _sums_and_leaves(root):
        apart[node] = _tells_apart(node, apart)
    return apart[root]


def _tells_apart(node: Node, apart: dict[Node, bool]) -> bool:
    match node:
        case Indices():
            return True
        case Width():
            return is_total_order(node.selector)
        case Map(op="*", args=(one, two)):
            return any(apart[a] and _is_nonzero(b) for a, b in ((one, two), (two, one)))
        case Map() if node.op in _SUMS:
            return sum(apart[a] for a in node.args) == 1 and all(apart[a] or _is_uniform_integer(a) for a in node.args)
        case _:
            return False


def _is_nonzero(node: SOpNode) -> bool:
    return isinstance(node, Const) and type(node.value) is int and node.value != 0


def _is_uniform_integer(root: SOpNode) -> bool:
    """Whether an s-op is surely one integer, the same at all positions."""
    return is_uniform(root) and all(
        isinstance(n, Width)
        or (isinstance(n, Const) and type(n.value) is int)
        or (isinstance(n, Map) and (n.op in _SUMS or n.op == "*"))
        for n in _sums_and_leaves(root)
    )


def _sums_and_leaves(root: Node) -> list[Node]:
    """What an s-op is made of by operations, operands first."""
    return postorder([root], lambda n: n.operands if isinstance(n, Map) else ())
