"""A program with a loop taken apart: what is computed before it, its body, and what is computed after it.

What the body needs of the word beyond tokens and positions, a count for instance, is computed before the loop and kept
as a state that no round changes. States that the result does not depend on are left out. Compiler and certificate both
start from here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError
from capax.notation.rounds import Rounds
from capax.rasp.analysis.output_spec import OutputSpec, output_spec
from capax.rasp.analysis.output_types import Unknown, kind_of
from capax.rasp.ir.graph import rebuild, topological, with_operands
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, State, loops_in
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.triple_nodes import HEAD_SOPS
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.prepare import prepare


@dataclass(frozen=True, slots=True, eq=False)
class SplitLoop:
    """A program in three parts, as written: the starts, the values after a round, and the result over the states.

    `kept` are the last of the states: the body never changes them. `node_map` has what the nodes of starts and body
    become when they are rewritten.
    """

    rounds: Rounds
    states: tuple[State, ...]
    starts: tuple[SOpNode, ...]
    nexts: tuple[SOpNode, ...]
    result: SOpNode
    kept: int
    node_map: Mapping[Node, Node]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the states."""
        return tuple(state.name for state in self.states)


@dataclass(frozen=True, slots=True, eq=False)
class LoopSpec:
    """What a model with a loop computes: the three parts, rewritten, over states of which all values are known."""

    rounds: Rounds
    states: tuple[State, ...]
    starts: tuple[SOpNode, ...]
    nexts: tuple[SOpNode, ...]
    coda: OutputSpec
    node_map: Mapping[Node, Node]

    @property
    def typed(self) -> bool:
        """Whether the model gives the type of its answers with their value."""
        return self.coda.typed

    @property
    def changing(self) -> tuple[int, ...]:
        """The numbers of the states that a round may change."""
        return tuple(
            i for i, (state, after) in enumerate(zip(self.states, self.nexts, strict=True)) if state is not after
        )


def split_loop(root: SOpNode) -> SplitLoop:
    """The parts of a program with one loop; one with several is refused."""
    loops = loops_in([root])
    if len(loops) != 1:
        what = f"the program has {len(loops)} loops, one after the other; a model has one"
        raise CapaxError("several-loops", what, hint="put both into one loop, or write one of them with `for`")
    loop = loops[0]
    wanted = {n.number for n in topological(root) if isinstance(n, LoopResult)}
    loop, new = _needed(loop, wanted)
    result = rebuild(root, lambda n: loop.states[new[n.number]] if isinstance(n, LoopResult) else n)[root]
    assert isinstance(result, SOpNode)
    kept = _kept(loop.nexts)
    names = {node: State(f"{_free(loop.names)}{i}", ()) for i, node in enumerate(kept, 1)}
    starts = (*loop.starts, *kept)
    nexts = (*(_replaced(node, names) for node in loop.nexts), *names.values())
    node_map: dict[Node, Node] = {}
    for node in (*starts, *nexts):
        node_map |= prepare(node, causal=False)[1]
    states = (*loop.states, *names.values())
    return SplitLoop(loop.rounds, states, starts, nexts, _replaced(result, names), len(kept), node_map)


def _needed(loop: LoopParts, wanted: set[int]) -> tuple[LoopParts, dict[int, int]]:
    """The loop with the states alone that some depend on, and the new numbers of these."""
    needed, waiting = set(wanted), list(wanted)
    number = {state: i for i, state in enumerate(loop.states)}
    while waiting:
        below = topological(loop.nexts[waiting.pop()])
        fresh = {number[n] for n in below if isinstance(n, State)} - needed
        needed |= fresh
        waiting += fresh
    order = sorted(needed)
    parts = ([each[i] for i in order] for each in (loop.states, loop.starts, loop.nexts))
    states, starts, nexts = (tuple(part) for part in parts)
    return LoopParts(loop.rounds, states, starts, nexts), {old: new for new, old in enumerate(order)}  # type: ignore[arg-type]


def _kept(nexts: Sequence[SOpNode]) -> list[SOpNode]:
    """The s-ops of a body that need attention and read no state: the outermost of them."""
    order = topological(*nexts)
    reads: dict[Node, bool] = {}
    attends: dict[Node, bool] = {}
    for node in order:
        reads[node] = isinstance(node, State) or any(reads[o] for o in node.operands)
        attends[node] = isinstance(node, HEAD_SOPS) or any(attends[o] for o in node.operands)
    outer = [o for node in order if reads[node] or not isinstance(node, SOpNode) for o in node.operands]
    candidates = [*outer, *nexts]
    return [n for n in dict.fromkeys(candidates) if isinstance(n, SOpNode) and attends[n] and not reads[n]]


def _replaced(root: SOpNode, by: Mapping[Any, State]) -> SOpNode:
    """A node with other nodes in place of some below it."""
    return _sop(_rebuilt([root], by)[root])


def _rebuilt(roots: Sequence[Node], by: Mapping[Any, State]) -> dict[Node, Node]:
    """What all nodes below some become, with other nodes in place of some."""
    new: dict[Node, Node] = {}
    for node in topological(*roots):
        new[node] = by[node] if node in by else with_operands(node, new)
    return new


def _sop(node: Node) -> SOpNode:
    assert isinstance(node, SOpNode)
    return node


def _free(names: Sequence[str]) -> str:
    """A stem for names of further states."""
    stem = "kept"
    while any(name.startswith(stem) for name in names):
        stem += "_"
    return stem


def with_values(
    split: SplitLoop,
    values: Sequence[Sequence[Atom]],
    tokens: Sequence[Atom],
    longest: int | None,
    shift: int | None = None,
) -> LoopSpec:
    """The parts over states that have some values; a state whose type changes is refused.

    `shift` is that between the types of answers, where they vary.
    """
    typed = {old: State(old.name, tuple(own)) for old, own in zip(split.states, values, strict=True)}
    for state, start, after in zip(split.states, split.starts, split.nexts, strict=True):
        check_kind(typed[state], start, _replaced(after, typed), tokens)
    coda = output_spec(_replaced(split.result, typed), tokens, causal=False, longest=longest, shift=shift)
    changed = _rebuilt(list(split.node_map.values()), typed)
    became = {old: changed[new] for old, new in split.node_map.items()}
    return LoopSpec(
        split.rounds,
        tuple(typed.values()),
        tuple(_sop(split.node_map[node]) for node in split.starts),
        tuple(_sop(became[node]) for node in split.nexts),
        coda,
        became | dict(coda.node_map),
    )


def check_kind(state: State, start: SOpNode, after: SOpNode, tokens: Sequence[Atom]) -> None:
    """Refuses a state that is of one type before the loop and may be of another after a round."""
    kinds = []
    for node in (state, start, after):
        try:
            kinds.append(kind_of(node, tokens))
        except Unknown:
            kinds.append(-1)
    if any(isinstance(kind, SOpNode) or kind == -1 for kind in kinds) or len(set(kinds)) > 1:
        raise CapaxError(
            "state-kind",
            f"the state `{state.name}` may change its type from round to round",
            hint="a mean of several integers is a float: use `round`, or a selector that selects one key",
            node=after,
        )
