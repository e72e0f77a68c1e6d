"""Orders of attention and feed-forward sublayers.

Orders are written as strings of `s` (self-attention) and `f` (feed-forward), as in the study of sandwich
transformers (Press, Smith, Levy: Improving Transformer Models by Reordering their Sublayers, ACL 2020). Work on
the input alone is free, as in RASP: it is part of the embedding. A count is read off an average, so it is there after
the next feed-forward sublayer.
"""

from collections.abc import Iterator
from itertools import combinations

from capax.rasp.analysis.schedule import depths
from capax.rasp.ir.graph import postorder, topological
from capax.rasp.ir.nodes import Map, Node, SOpNode, Table, Width
from capax.rasp.ir.triple_nodes import HEAD_SOPS, MEANS, AnySelector, PairWidth, selector_of

MOST_ARRANGEMENTS = 1000
"""Orders are listed only if there are no more arrangements than this."""


def needed_order(root: Node) -> str:
    """The sublayers that a program needs, in order: one `s` for each layer, and as few `f` as will do.

    A result of element-wise work in layer i that attention in layer j uses needs an `f` after some layer from i to
    j - 1; the fewest that serve all such results are found from the earliest deadline on.
    """
    depth = depths(root)
    count = max(depth.values(), default=0)
    chosen: list[int] = []
    for deadline, ready in sorted((last, first) for first, last in _spans(root, depth)):
        if not chosen or chosen[-1] < ready:
            chosen.append(deadline)
    return "".join("s" + ("f" if layer in chosen else "") for layer in range(1, count + 1))


def _spans(root: Node, depth: dict[Node, int]) -> Iterator[tuple[int, int]]:
    """For each result of element-wise work the layers after which it may be computed: the first and the last."""
    for node in topological(root):
        if isinstance(node, SOpNode) and isinstance(node, HEAD_SOPS):
            for read in _reads(node):
                if _is_work(read, depth):
                    yield depth[read], depth[node] - 1
    if _is_work(root, depth):
        yield depth[root], max(depth.values())


def _reads(node: SOpNode) -> list[Node]:
    """The s-ops that an attention step reads: keys, queries, scores and the value."""
    inside = postorder([selector_of(node)], lambda n: [o for o in n.operands if isinstance(o, AnySelector)])
    read: list[Node] = [o for selector in inside for o in selector.operands if isinstance(o, SOpNode)]
    return [*read, node.value] if isinstance(node, MEANS) else read


def _is_work(node: Node, depth: dict[Node, int]) -> bool:
    """Whether a node is computed by a feed-forward sublayer."""
    return depth[node] > 0 and isinstance(node, (Map, Table, Width, PairWidth))


def runs_on(root: Node, order: str) -> bool:
    """Whether a program can run on an order of sublayers.

    Every step is put into the first sublayer of its kind after its operands, which is best for all that follows.
    """
    reached: dict[Node, int] = {}
    depth = depths(root)
    for node in topological(root):
        at: int | None = max((reached[o] for o in node.operands), default=0)
        assert at is not None
        if isinstance(node, HEAD_SOPS):
            at = _next(order, "s", at)
        if at is not None and _is_work(node, depth):
            inside = at > 0 and order[at - 1] == "f"  # the sublayer that made the operand does this too
            at = at if inside else _next(order, "f", at)
        if at is None:
            return False
        reached[node] = at
    return True


def _next(order: str, kind: str, after: int) -> int | None:
    """The place just behind the next sublayer of a kind, if there is one."""
    at = order.find(kind, after)
    return None if at < 0 else at + 1


def orders(root: Node) -> list[str] | None:
    """The orders of the sublayers that a program needs on which it runs, its own among them; None if too many."""
    needed = needed_order(root)
    attention = needed.count("s")
    choices = list(combinations(range(len(needed)), attention)) if _few(len(needed), attention) else None
    if choices is None or not needed:
        return None if choices is None else []
    arranged = ("".join("s" if i in chosen else "f" for i in range(len(needed))) for chosen in map(set, choices))
    return [order for order in arranged if runs_on(root, order)]


def _few(length: int, attention: int) -> bool:
    ways = 1
    for i in range(attention):
        ways = ways * (length - i) // (i + 1)
    return ways <= MOST_ARRANGEMENTS
