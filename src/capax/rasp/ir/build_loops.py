"""Constructors of loops: states, and what they are after the last round."""

from collections.abc import Collection
from collections.abc import Sequence as Items

from capax.errors import CapaxError, Span
from capax.notation.rounds import BEFORE_LENGTH, LENGTH_ROUNDS, MOST_ROUNDS, ROUNDS, Rounds
from capax.rasp.ir.build import as_sop, describe_value, length, sop, written
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, State, has_loop
from capax.rasp.ir.nodes import Const, Map, SOpNode
from capax.rasp.ir.unroll import after_rounds
from capax.rasp.python.program import SOp


def read_rounds(value: object, span: Span | None = None) -> Rounds:
    """The number of rounds that a value stands for: a constant, or a function of the length."""
    if isinstance(value, SOp):
        if value.node is length.node:
            return LENGTH_ROUNDS
        if value.node is Map("-", (length.node, Const(1))):
            return BEFORE_LENGTH
    for known in ROUNDS:
        if isinstance(value, str) and value == known:
            return known
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_ROUNDS:
        return value
    raise CapaxError(
        "bad-rounds",
        f"{describe_value(value)} cannot be the number of rounds of a loop",
        span,
        f"write a number from 0 to {MOST_ROUNDS:,}, `length`, `length - 1` or `ceil_log2(length)`",
        value=value,
    )


def new_state(name: str, taken: Collection[str] = (), span: Span | None = None) -> SOp:
    """A state as the body of a loop reads it.

    `taken` are the names of the states of loops around this one: those of an inner loop are other nodes, also where
    they have the same name.
    """
    free = name
    while free in taken:
        free += "_inner"
    state = sop(State(free, ()), span=span)
    state.construction.rename(name)
    return state


def repeat(
    rounds: Rounds, states: Items[SOp], starts: Items[SOp], nexts: Items[SOp], span: Span | None = None
) -> tuple[SOp, ...]:
    """The states after the last round.

    A loop in the body of another must have a constant number of rounds, and is written out; so is a loop whose body
    reads the states of a loop around it.
    """
    parts = LoopParts(
        rounds,
        tuple(_state(s.node) for s in states),
        tuple(s.node for s in starts),
        tuple(s.node for s in nexts),
    )
    own = set(parts.states)
    inside = [n for n in topological(*parts.nexts) if isinstance(n, State) and n not in own]
    outside = [n for n in topological(*parts.starts) if isinstance(n, State)]
    nested = next((n for n in topological(*parts.nexts) if isinstance(n, LoopResult)), None)
    if nested is not None:
        raise nested_loop(nested, span)
    if inside or outside:  # the body of a loop around this one
        if not isinstance(rounds, int):
            raise nested_loop(LoopResult(rounds, parts.states, parts.starts, parts.nexts, 0), span)
        return tuple(sop(node, *starts, *nexts, span=span) for node in after_rounds(parts, rounds))
    constructions = (*starts, *nexts)
    results = []
    for number, name in enumerate(parts.names):
        node = LoopResult(rounds, parts.states, parts.starts, parts.nexts, number)
        result = SOp(node, written(node, constructions, span))
        result.construction.rename(name)
        results.append(result)
    return tuple(results)


def _state(node: SOpNode) -> State:
    assert isinstance(node, State)
    return node


def nested_loop(node: LoopResult, span: Span | None) -> CapaxError:
    """The error for a loop in the body of a loop that cannot be written out."""
    return CapaxError(
        "nested-loop",
        f"a loop of {node.rounds} rounds is used in the body of another loop",
        span,
        "a loop inside a loop reads the outer states and has a constant number of rounds; or move it before the loop",
    )


def check_loop(names: Items[str], span: Span | None = None) -> None:
    """Refuses a loop without states, and one with two states of one name."""
    if not names:
        raise CapaxError("no-states", "the loop has no state", span, "declare one: `state a = value;`")
    if len(set(names)) < len(names):
        twice = next(n for n in names if list(names).count(n) > 1)
        raise CapaxError("state-twice", f"the state `{twice}` is declared twice", span, "give each state its own name")


def start_of(value: object, span: Span | None = None) -> SOp:
    """The s-op that a state has before the first round."""
    return as_sop(value, span)


__all__ = ["check_loop", "has_loop", "nested_loop", "new_state", "read_rounds", "repeat", "start_of"]
