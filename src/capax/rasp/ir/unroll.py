"""Loops written out: the program that a loop stands for on words of one length, which is its definition."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from capax.errors import CapaxError
from capax.notation.rounds import rounds_at
from capax.rasp.ir.graph import rebuild, topological, with_operands
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, has_loop, loops_in
from capax.rasp.ir.nodes import Node, SOpNode

MOST_NODES = 2_000_000
"""A program that is larger when written out is rejected."""


def unrolled(root: Node, length: int) -> Node:
    """The program without loops that has the same value on words of a length.

    >>> from capax import indices, repeat
    >>> from capax.rasp.ir.describe import describe
    >>> (doubled,) = repeat(lambda x: x + x, [indices], 2)
    >>> describe(unrolled(doubled.node, 3))
    '(indices + indices) + (indices + indices)'
    """
    if not has_loop(root):
        return root
    known: dict[LoopParts, tuple[Node, ...]] = {}

    def step(node: Node) -> Node:
        if not isinstance(node, LoopResult):
            return node
        loop = LoopParts.of(node)
        if loop not in known:
            known[loop] = after_rounds(loop, rounds_at(loop.rounds, length))
        return known[loop][node.number]

    return rebuild(root, step)[root]


def without_constant_loops(root: SOpNode) -> SOpNode:
    """The program with its loops written out, where all of them have a constant number of rounds; else as it is."""
    if all(isinstance(loop.rounds, int) for loop in loops_in([root])):
        root = unrolled(root, 1)  # type: ignore[assignment]
    return root


def after_rounds(loop: LoopParts, rounds: int) -> tuple[SOpNode, ...]:
    """The states after some rounds, as s-ops without the loop."""
    order = topological(*loop.nexts)
    if rounds * len(order) > MOST_NODES:
        what = f"the loop over {', '.join(loop.names)} would be written out as {rounds * len(order):,} nodes"
        raise CapaxError("too-large", what, hint="use shorter words or fewer rounds")
    return next(islice(by_rounds(loop), rounds, None))


def by_rounds(loop: LoopParts) -> Iterator[tuple[SOpNode, ...]]:
    """The states before the first round and after each, without end, as s-ops without the loop."""
    order = topological(*loop.nexts)
    values: Sequence[Node] = loop.starts
    while True:
        yield tuple(values)  # type: ignore[arg-type]
        values = _after_round(order, dict(zip(loop.states, values, strict=True)), loop)


def _after_round(order: Sequence[Node], states: Mapping[Node, Node], loop: LoopParts) -> list[Node]:
    """The states after one more round."""
    new: dict[Node, Node] = {}
    for node in order:
        new[node] = states[node] if node in states else with_operands(node, new)
    return [new[node] for node in loop.nexts]


def refuse_loops(root: Node, what: str, hint: str | None = None) -> None:
    """Refuses a program with a loop, for something that does not know of loops."""
    if has_loop(root):
        usual = "write the loop out for words of one length first: capax.rasp.ir.unroll.unrolled(node, length)"
        raise CapaxError("has-loop", f"{what} of a program with a `repeat` loop is not supported", hint=hint or usual)
