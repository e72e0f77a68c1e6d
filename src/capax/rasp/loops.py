"""Loops of equal layers: where one block of layers, run several times, would do.

Statement. Layers a to b are a loop of period p if each layer from a + p on does to the p layers before it what the
layer p earlier did to those before that, and what an iteration leaves is used by the next one only. The first
iteration may take any values in the places where the others take what the one before left.
Cite. Dehghani et al.: Universal Transformers, ICLR 2019, for the architecture; the check is ours.
Scope. It compares the rewritten program layer by layer, so it finds loops however they were written, and says nothing
of programs that could be rewritten into a loop.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.rasp.graph import topological
from capax.rasp.nodes import Aggregate, Node, SelectorNode, Width
from capax.rasp.schedule import Schedule, depths


@dataclass(frozen=True, slots=True)
class Loop:
    """A block of `period` layers, from layer `first` on, that is run several times, up to layer `last`."""

    first: int
    last: int
    period: int

    @property
    def times(self) -> int:
        """How often the block is run."""
        return (self.last - self.first + 1) // self.period


@dataclass(frozen=True, slots=True)
class _Recent:
    """An output of one of the last p layers: how many layers back, which of its outputs, and the node itself."""

    back: int
    place: int
    node: Node


def loops(schedule: Schedule) -> list[Loop]:
    """The loops of a program, those with the shortest blocks first; no layer is in two."""
    found: list[Loop] = []
    for period in range(1, schedule.depth // 2 + 1):
        for loop in _loops_of(schedule, period):
            if not any(f.first <= loop.last and loop.first <= f.last for f in found):
                found.append(loop)
    return found


def _loops_of(schedule: Schedule, period: int) -> Iterable[Loop]:
    depth = depths(schedule.root)
    forms = {layer: _form_of_layer(schedule, layer, period, depth) for layer in range(1, schedule.depth + 1)}
    first = 1
    while first + 2 * period - 1 <= schedule.depth:
        last = first + period - 1
        bound: dict[object, object] = {}
        while last < schedule.depth and _same(
            forms[last + 1 - period], forms[last + 1], bound, last < first + 2 * period - 1
        ):
            last += 1
        times = (last - first + 1) // period
        loop = Loop(first, first + times * period - 1, period)
        if times > 1 and _kept_inside(schedule, loop, depth):
            yield loop
            first = loop.last + 1
        else:
            first += 1


def _form_of_layer(schedule: Schedule, layer: int, period: int, depth: dict[Node, int]) -> object:
    """What a layer does, with the outputs of the last `period` layers by place, and everything older by identity."""
    recent: dict[Node, _Recent] = {}
    for back in range(1, period + 1):
        if layer - back >= 1:
            outputs = [o for head in schedule.layers[layer - back].heads for o in head.outputs]
            recent |= {o: _Recent(back, i, o) for i, o in enumerate(outputs)}
    return tuple(
        (_form(h.selector, recent, depth), h.counts, tuple(_form(v, recent, depth) for v in h.values))
        for h in schedule.layers[layer].heads
    )


def _form(root: Node, recent: dict[Node, _Recent], depth: dict[Node, int]) -> object:
    forms: dict[Node, object] = {}
    for node in topological(root):
        if node in recent:
            forms[node] = recent[node]
        elif isinstance(node, (Aggregate, Width)) or (depth[node] == 0 and not isinstance(node, SelectorNode)):
            forms[node] = node
        else:
            plain = tuple(p for p in node.parts if not isinstance(p, (Node, tuple)))
            forms[node] = (type(node).__name__, plain, tuple(forms[o] for o in node.operands))
    return forms[root]


def _same(earlier: object, later: object, bound: dict[object, object], opening: bool) -> bool:
    """Whether a later layer does what an earlier one did; the first iteration may have any value for a recent one."""
    if opening and _left_by_last(later):
        return bound.setdefault(later, earlier) == earlier
    if isinstance(earlier, _Recent):
        match later:
            case _Recent():
                return (earlier.back, earlier.place) == (later.back, later.place)
            case _:
                return earlier.node is later
    if isinstance(earlier, tuple) and isinstance(later, tuple) and len(earlier) == len(later):
        return all(_same(a, b, bound, opening) for a, b in zip(earlier, later, strict=True))
    return earlier is later if isinstance(earlier, Node) else earlier == later


def _left_by_last(form: object) -> bool:
    """Whether a form is something that the iteration before left: an output, or element-wise work on one."""
    if isinstance(form, _Recent):
        return True
    if isinstance(form, tuple) and form and form[0] in ("Map", "Table"):
        return any(map(_left_by_last, form[2]))
    return False


def _kept_inside(schedule: Schedule, loop: Loop, depth: dict[Node, int]) -> bool:
    """Whether what an iteration leaves, the last aside, is used by the next one only."""
    latest: dict[Node, int] = {}
    for node in reversed(topological(schedule.root)):
        here = (
            depth[node] if isinstance(node, (Aggregate, Width, SelectorNode)) else latest.get(node, schedule.depth + 1)
        )
        for operand in node.operands:
            latest[operand] = max(latest.get(operand, 0), here)
    inner = [
        o
        for layer in range(loop.first, loop.last - loop.period + 1)
        for h in schedule.layers[layer].heads
        for o in h.outputs
    ]
    return all(latest.get(o, 0) <= depth[o] + loop.period for o in inner)
