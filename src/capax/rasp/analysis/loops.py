"""Loops of equal layers: where one block of layers, run several times, would do.

Statement. Layers a to b are a loop of period p if each layer from a + p on does to the p layers before it what the
layer p earlier did to those before that, and what an iteration leaves is used by the next one only. The first
iteration may take any values where the others take what the one before left.
Cite. Dehghani et al.: Universal Transformers, ICLR 2019, for the architecture; the check is ours.
Scope. It compares the rewritten program layer by layer, so it finds loops however they were written, and says nothing
of programs that could be rewritten into a loop.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from capax.rasp.analysis.schedule import Schedule, depths
from capax.rasp.ir.graph import postorder, topological
from capax.rasp.ir.nodes import Node
from capax.rasp.ir.triple_nodes import HEAD_SOPS, AnySelector

LONGEST_PERIOD = 64
"""Longer blocks are not looked for."""


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
    output: int
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """A selector or element-wise work inside a layer: what it is, and its operands. Equal ones are one object."""

    what: str
    parts: "tuple[_Form, ...]"


_Form: TypeAlias = Node | _Recent | _Step
"""What a node is to its layer."""
_Steps: TypeAlias = dict[tuple[object, ...], _Step]


def loops(schedule: Schedule) -> list[Loop]:
    """The loops of a program, those with the shortest blocks first; no layer is in two.

    Blocks have at most `LONGEST_PERIOD` layers.
    """
    separate: list[Loop] = []
    depth = depths(schedule.root)
    latest = _latest_uses(schedule, depth)
    for period in range(1, min(schedule.depth // 2, LONGEST_PERIOD) + 1):
        for loop in _loops_of(schedule, period, depth, latest):
            if not any(f.first <= loop.last and loop.first <= f.last for f in separate):
                separate.append(loop)
    return separate


def _loops_of(schedule: Schedule, period: int, depth: dict[Node, int], latest: dict[Node, int]) -> Iterable[Loop]:
    steps: _Steps = {}
    forms = {layer: _form_of_layer(schedule, layer, period, depth, steps) for layer in range(1, schedule.depth + 1)}
    first = 1
    while first + 2 * period - 1 <= schedule.depth:
        last = first + period - 1
        bound: dict[_Form, _Form] = {}
        while last < schedule.depth and _same_layer(
            forms[last + 1 - period], forms[last + 1], bound, last < first + 2 * period - 1
        ):
            last += 1
        times = (last - first + 1) // period
        loop = Loop(first, first + times * period - 1, period)
        if times > 1 and _kept_inside(schedule, loop, depth, latest):
            yield loop
            first = loop.last + 1
        else:
            first += 1


_Head: TypeAlias = tuple[bool, tuple[_Form, ...]]


def _form_of_layer(
    schedule: Schedule, layer: int, period: int, depth: dict[Node, int], steps: _Steps
) -> tuple[_Head, ...]:
    """What a layer does, with the outputs of the last `period` layers by number, and everything older by identity."""
    recent: dict[Node, _Recent] = {}
    for back in range(1, period + 1):
        if layer - back >= 1:
            outputs = [o for head in schedule.layers[layer - back].heads for o in head.outputs]
            recent |= {o: _Recent(back, i, o) for i, o in enumerate(outputs)}
    return tuple(
        (h.counts, tuple(_form(v, recent, depth, steps) for v in (h.selector, *h.values)))
        for h in schedule.layers[layer].heads
    )


def _form(root: Node, recent: dict[Node, _Recent], depth: dict[Node, int], steps: _Steps) -> _Form:
    def is_older(node: Node) -> bool:
        return isinstance(node, HEAD_SOPS) or (depth[node] == 0 and not isinstance(node, AnySelector))

    forms: dict[Node, _Form] = {}
    for node in postorder([root], lambda n: () if n in recent or is_older(n) else n.operands):
        if node in recent:
            forms[node] = recent[node]
        elif is_older(node):
            forms[node] = node
        else:
            fields = [p for p in node.parts if not isinstance(p, Node) and p != node.operands]
            what, parts = f"{type(node).__name__}{fields!r}", tuple(forms[o] for o in node.operands)
            forms[node] = steps.setdefault((what, *parts), _Step(what, parts))
    return forms[root]


def _same_layer(earlier: tuple[_Head, ...], later: tuple[_Head, ...], bound: dict[_Form, _Form], opening: bool) -> bool:
    """Whether a later layer does what an earlier one did; the first iteration may have any value for a recent one."""
    if [(counts, len(forms)) for counts, forms in earlier] != [(counts, len(forms)) for counts, forms in later]:
        return False
    pairs = [pair for (_, a), (_, b) in zip(earlier, later, strict=True) for pair in zip(a, b, strict=True)]
    seen: set[tuple[_Form, _Form]] = set()  # steps are shared, and would be compared once for each way to them
    left: dict[_Form, bool] = {}
    while pairs:
        pair = a, b = pairs.pop()
        if pair in seen:
            continue
        seen.add(pair)
        if opening and _left_by_last(b, left):
            if bound.setdefault(b, a) != a:
                return False
        elif isinstance(a, _Step) and isinstance(b, _Step):
            if a.what != b.what or len(a.parts) != len(b.parts):
                return False
            pairs += zip(a.parts, b.parts, strict=True)
        elif not _same_leaf(a, b):
            return False
    return True


def _same_leaf(earlier: _Form, later: _Form) -> bool:
    match earlier, later:
        case _Recent(), _Recent():
            return (earlier.back, earlier.output) == (later.back, later.output)
        case _Recent(), _:
            return earlier.node is later
        case _:
            return earlier is later


def _left_by_last(root: _Form, known: dict[_Form, bool]) -> bool:
    """Whether a form is something that the iteration before left: an output, or element-wise work on one."""
    for form in postorder([root], lambda f: f.parts if isinstance(f, _Step) and f not in known else ()):
        work = isinstance(form, _Step) and form.what.startswith(("Map", "Table"))
        known.setdefault(form, isinstance(form, _Recent) or (work and any(known[p] for p in form.parts)))
    return known[root]


def _latest_uses(schedule: Schedule, depth: dict[Node, int]) -> dict[Node, int]:
    """The last layer that uses each node."""
    latest: dict[Node, int] = {}
    for node in reversed(topological(schedule.root)):
        here = depth[node] if isinstance(node, (*HEAD_SOPS, AnySelector)) else latest.get(node, schedule.depth + 1)
        for operand in node.operands:
            latest[operand] = max(latest.get(operand, 0), here)
    return latest


def _kept_inside(schedule: Schedule, loop: Loop, depth: dict[Node, int], latest: dict[Node, int]) -> bool:
    """Whether what an iteration leaves, the last aside, is used by the next one only."""
    inner = [
        o
        for layer in range(loop.first, loop.last - loop.period + 1)
        for h in schedule.layers[layer].heads
        for o in h.outputs
    ]
    return all(latest.get(o, 0) <= depth[o] + loop.period for o in inner)
