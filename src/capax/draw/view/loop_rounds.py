"""A loop on a word, round by round: the body is drawn once, with the values that the states have before a round."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from capax.draw.view.flow import flow
from capax.draw.view.view import Flow, LayerBox
from capax.notation.rounds import rounds_at
from capax.rasp.analysis.loop_schedule import states_by_round
from capax.rasp.ir.build import listed
from capax.rasp.ir.build_pads import inner
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.graph import rebuild, topological
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, State, loops_in
from capax.rasp.ir.nodes import Map, Node, SOpNode
from capax.rasp.ir.pad_node import padded
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import Program, SOp

MOST_DRAWN = 32
"""So many rounds are drawn; of more, the first and the last."""
JOINED = "all states"
"""The name of what joins the states of a round to one program; it is not drawn."""


def with_rounds(program: Program, word: Iterable[Any], *, everything: bool = False) -> Flow:
    """The flow of a program on a word, with its pads; that of a program with one loop has its rounds besides."""
    tokens = word if isinstance(word, str) else list(word)
    program, pads = inner(program)
    if pads is not None:
        tokens = padded(pads, tokens)
    whole = flow(program, tokens, everything=everything)
    loops = loops_in([program.node])
    if len(loops) != 1 or not isinstance(program.node, SOpNode):
        return whole
    return replace(whole, rounds=_rounds(program, loops[0], tokens, everything=everything))


def _rounds(program: Program, loop: LoopParts, tokens: Any, *, everything: bool) -> tuple[tuple[str, Flow], ...]:
    """The pictures of what is before the loop, of each round and of what is after it, with their titles."""
    size = rounds_at(loop.rounds, len(tokens))
    trace = states_by_round(program, tokens).rounds
    names, own_name = dict(program.names()), program.name or "result"
    starts = dict(zip(loop.names, loop.starts, strict=True))
    steps = [("before", _part(starts, {}, names, tokens, f"before the loop of {own_name}", everything))]
    changed = {
        f"{state.name} after": node for state, node in zip(loop.states, loop.nexts, strict=True) if state is not node
    }
    for number in _drawn(size):
        known = dict(zip(loop.states, trace[number], strict=True))
        title = f"round {number + 1} of {size} of {own_name}"
        steps.append((str(number + 1), _part(changed, known, names, tokens, title, everything)))
    result = rebuild(program.node, lambda n: loop.states[n.number] if isinstance(n, LoopResult) else n)[program.node]
    assert isinstance(result, SOpNode)
    known = dict(zip(loop.states, trace[-1], strict=True))
    own = {own_name: result}
    steps.append(("after", _part(own, known, names, tokens, f"after the loop of {own_name}", everything)))
    return tuple(steps)


def _drawn(size: int) -> list[int]:
    """The numbers of the rounds that are drawn."""
    if size <= MOST_DRAWN:
        return list(range(size))
    return [*range(MOST_DRAWN // 2), *range(size - MOST_DRAWN // 2, size)]


def _part(
    roots: Mapping[str, SOpNode],
    known: Mapping[State, tuple[Atom, ...]],
    names: Mapping[Node, str],
    tokens: Any,
    title: str,
    everything: bool,
) -> Flow:
    """The flow of some s-ops over states whose values are known."""
    values = {state: listed(list(row)).node for state, row in known.items()}
    called: dict[Node, str] = {values[state]: state.name for state in values}
    nodes: list[SOpNode] = []
    for name, root in roots.items():
        mapping = rebuild(root, lambda n: values.get(n, n) if isinstance(n, State) else n)
        called |= {mapping[n]: own for n, own in names.items() if n in mapping and not isinstance(n, State)}
        node = mapping[root]
        assert isinstance(node, SOpNode)
        called[node] = name if node not in values.values() else called[node]
        nodes.append(node)
    joined = list(dict.fromkeys(nodes))
    whole = reduce(lambda a, b: Map("==", (a, b)), joined[1:], joined[0])
    hidden = set(topological(whole)) - {part for node in joined for part in topological(node)}
    called |= dict.fromkeys(hidden, JOINED)
    drawn = flow(_program(whole, called), tokens, everything=everything)
    return replace(_tidied(drawn, {state.name for state in known}), title=title)


def _program(root: SOpNode, names: Mapping[Node, str]) -> Program:
    made: dict[Node, Construction] = {}
    for node in topological(root):
        made[node] = Construction(node, tuple(made[o] for o in node.operands), None, names.get(node))
    return SOp(root, made[root])


def _tidied(drawn: Flow, states: Collection[str]) -> Flow:
    """A flow without what only joins its states; states are given, so that no arrow leads to them."""
    given = {row.item for box in drawn.layers for row in box.feed_forward if row.name in states}
    gone = {row.item for box in drawn.layers for row in box.feed_forward if row.name == JOINED}
    boxes = []
    for box in drawn.layers:
        rows = [row for row in box.feed_forward if row.name != JOINED]
        shown = [replace(row, formula="") if row.name in states else row for row in rows]
        boxes.append(LayerBox(box.number, box.heads, tuple(shown)))
    kept = tuple(a for a in drawn.arrows if a.target not in gone | given and a.source not in gone)
    return replace(drawn, layers=tuple(boxes), arrows=kept)
