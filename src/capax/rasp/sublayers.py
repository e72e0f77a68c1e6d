"""Orders of attention and feed-forward sublayers, and loops of equal layers.

The orders are written as strings of `s` (self-attention) and `f` (feed-forward), as in the study of
sandwich transformers (Press, Smith, Levy: Improving Transformer Models by Reordering their Sublayers, ACL
2020). A loop of equal layers is what a Universal Transformer runs (Dehghani et al., ICLR 2019).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from capax.rasp.graph import topological
from capax.rasp.nodes import Aggregate, Map, Node, SelectorNode, Table, Width
from capax.rasp.schedule import Schedule, depths

MOST_LAYERS = 6
"""For deeper programs the orders are not listed: there are too many."""


def needed_order(root: Node) -> str:
    """The sublayers that a program needs, in order: `f` first if there is element-wise work before attention."""
    found = depths(root)
    count = max(found.values(), default=0)
    work = {layer for node, layer in found.items() if isinstance(node, (Map, Table))}
    return ("f" if 0 in work else "") + "".join("s" + ("f" if layer in work else "") for layer in range(1, count + 1))


def runs_on(root: Node, order: str) -> bool:
    """Whether a program can run on an order of sublayers; element-wise work on the input alone is free.

    Every step is put into the first sublayer of its kind after its operands, which is best for all that follows.
    """
    place: dict[Node, int] = {}
    depth = depths(root)
    for node in topological(root):
        ready = max((place[o] for o in node.operands), default=0)
        if isinstance(node, (Aggregate, Width)):
            place[node] = order.find("s", ready) + 1
        elif isinstance(node, (Map, Table)) and depth[node] > 0:
            # Work that follows a feed-forward sublayer directly is done inside it.
            inside = ready > 0 and order[ready - 1] == "f"
            place[node] = ready if inside else order.find("f", ready) + 1
        else:
            place[node] = ready
            continue
        if place[node] == 0:
            return False
    return True


def orders(root: Node) -> list[str] | None:
    """The orders of one attention and one feed-forward sublayer per layer on which a program runs."""
    count = max(depths(root).values(), default=0)
    if count > MOST_LAYERS:
        return None
    return [order for order in _arrangements(count) if runs_on(root, order)]


def _arrangements(count: int) -> Iterator[str]:
    for attention in combinations(range(2 * count), count):
        chosen = set(attention)
        yield "".join("s" if i in chosen else "f" for i in range(2 * count))


@dataclass(frozen=True, slots=True)
class Loop:
    """A run of layers that do the same thing, each to what the one before left."""

    first: int
    last: int

    @property
    def times(self) -> int:
        """How often the layer is run."""
        return self.last - self.first + 1


def loops(schedule: Schedule) -> list[Loop]:
    """The runs of two or more consecutive layers of the same shape."""
    shapes = [_shape(schedule, layer) for layer in range(1, schedule.depth + 1)]
    found: list[Loop] = []
    start = 0
    for i in range(1, len(shapes) + 1):
        if i == len(shapes) or shapes[i] != shapes[start]:
            if i - start > 1:
                found.append(Loop(start + 1, i))
            start = i
    return found


def _shape(schedule: Schedule, layer: int) -> tuple[object, ...]:
    """What a layer does, with what the layer before left replaced by its place there."""
    depth = depths(schedule.root)
    before = {o: i for i, o in enumerate(_outputs(schedule, layer - 1))}
    heads = []
    for head in schedule.layers[layer].heads:
        values = tuple(_form(v, before, depth, layer) for v in head.values)
        heads.append((_form(head.selector, before, depth, layer), head.counts, values))
    return tuple(heads)


def _outputs(schedule: Schedule, layer: int) -> Iterable[Node]:
    return [o for head in schedule.layers[layer].heads for o in head.outputs] if layer > 0 else []


def _form(root: Node, before: Mapping[Node, int], depth: Mapping[Node, int], layer: int) -> object:
    """A node as a nested tuple: outputs of the layer before by place, everything older by identity."""
    forms: dict[Node, object] = {}
    for node in topological(root):
        if node in before:
            forms[node] = ("before", before[node])
        elif isinstance(node, (Aggregate, Width)) or (depth[node] == 0 and not isinstance(node, SelectorNode)):
            forms[node] = node
        else:
            parts = tuple(p for p in node.parts if not isinstance(p, (Node, tuple)))
            forms[node] = (type(node).__name__, parts, tuple(forms[o] for o in node.operands))
    return forms[root]
