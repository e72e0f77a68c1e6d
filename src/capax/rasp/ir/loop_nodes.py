"""Loops: a body of s-ops that is run again and again, with states that it reads and sets anew.

A `LoopResult` is one state after the last round. Its operands are the values before the first round; the body is a
graph of its own, over `State` leaves, and is not below the node. So a pass that does not know of loops never walks into
a body by accident: it meets a `LoopResult`, which it must know or reject.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from capax.notation.rounds import Rounds
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.types import Atom


class State(SOpNode):
    """A state of a loop, as its body reads it: what it was before the round.

    `values` are all values that it can have at a position, where they are known; none are listed in a program as
    written. The name is part of the node since the loop binds it, as a function binds its parameters.
    """

    __slots__ = ()
    fields = ("name", "values")
    name: str
    values: tuple[Atom, ...]


class LoopResult(SOpNode):
    """The state with a number after the last round of a loop.

    `states` are what the body reads, `starts` their values before the first round, and `nexts` their values after a
    round; all are set at once.
    """

    __slots__ = ()
    fields = ("rounds", "states", "starts", "nexts", "number")
    rounds: Rounds
    states: tuple[State, ...]
    starts: tuple[SOpNode, ...]
    nexts: tuple[SOpNode, ...]
    number: int

    def _operands(self) -> "tuple[Node, ...]":
        return self.starts

    def _list_length(self) -> int | None:
        inside = (o.list_length for o in (*self.starts, *self.nexts))
        return next((size for size in inside if size is not None), None)

    def over(self, operands: "tuple[Node, ...]") -> "Node":
        """The same with other values before the first round."""
        return LoopResult(self.rounds, self.states, operands, self.nexts, self.number)


@dataclass(frozen=True, slots=True)
class LoopParts:
    """A loop: how many rounds, its states, their values before the first round, and those after a round."""

    rounds: Rounds
    states: tuple[State, ...]
    starts: tuple[SOpNode, ...]
    nexts: tuple[SOpNode, ...]

    @classmethod
    def of(cls, node: LoopResult) -> "LoopParts":
        """The loop of which a node is one state."""
        return cls(node.rounds, node.states, node.starts, node.nexts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the states."""
        return tuple(state.name for state in self.states)


def loops_in(roots: Sequence[Node]) -> list[LoopParts]:
    """The loops below some nodes, in the order of evaluation, each once."""
    return list(dict.fromkeys(LoopParts.of(n) for n in topological(*roots) if isinstance(n, LoopResult)))


def has_loop(root: Node) -> bool:
    """Whether a program has a loop.

    >>> from capax import indices
    >>> has_loop(indices.node)
    False
    """
    return any(isinstance(n, LoopResult) for n in topological(root))


def with_bodies(root: Node) -> Iterator[Node]:
    """All nodes of a program, those of the bodies of its loops among them, each once."""
    seen: set[Node] = set()
    waiting: list[Node] = [root]
    while waiting:
        for node in topological(waiting.pop()):
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, LoopResult):
                waiting += node.nexts
            yield node
