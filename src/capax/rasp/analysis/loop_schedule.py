"""What a program with a loop costs: the layers before it, those of its body, which are there once, and those after it.

On words of length n the depth is prelude + rounds(n) x body + coda, and the number of different layers is constant.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from capax.notation.rounds import Rounds, rounds_at
from capax.rasp.analysis.schedule import Layer, depths, layers_of
from capax.rasp.ir.describe import describe
from capax.rasp.ir.loop_nodes import LoopParts, loops_in
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.ir.unroll import by_rounds
from capax.rasp.meaning.evaluation import evaluation_on
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.python.program import Program
from capax.rasp.rewrite.rewrite import rewrite
from capax.rasp.rewrite.split_loop import split_loop


@dataclass(frozen=True, slots=True)
class LoopSchedule:
    """The layers of the three parts of a program with a loop; the first of each part is what is before attention.

    `states` are the names of the states; the last `kept` of them are computed before the loop and never change.
    """

    rounds: Rounds
    states: tuple[str, ...]
    kept: tuple[str, ...]
    prelude: tuple[Layer, ...]
    body: tuple[Layer, ...]
    coda: tuple[Layer, ...]
    names: Mapping[Node, str]

    @property
    def layers(self) -> tuple[int, int, int]:
        """How many attention layers the parts have."""
        return len(self.prelude) - 1, len(self.body) - 1, len(self.coda) - 1

    def depth(self, length: int) -> int:
        """How many attention layers a word of a length goes through."""
        before, each, after = self.layers
        return before + rounds_at(self.rounds, length) * each + after

    @property
    def formula(self) -> str:
        """The depth as a formula."""
        before, each, after = self.layers
        times = f"({self.rounds})" if self.rounds == "length - 1" else f"{self.rounds}"
        return f"{before} + {each} x {times} + {after}"

    def title(self, node: Node, longest: int = 90) -> str:
        """A node's name, or what it computes."""
        return self.names.get(node) or describe(node, self.names, longest)


def loop_schedule(program: Program) -> LoopSchedule:
    """The layers of a program with one loop."""
    assert isinstance(program.node, SOpNode)
    split = split_loop(program.node)
    names: dict[Node, str] = {}
    parts = []
    for roots in (split.starts, split.nexts, (split.result,)):
        rewritten = [rewrite(root) for root in roots]
        for one in rewritten:
            names |= {one.mapping[n]: name for n, name in program.names().items() if n in one.mapping}
        parts.append(layers_of(depths(*(one.node for one in rewritten))))
    count = len(split.states) - split.kept
    kept = tuple(describe(node) for node in split.starts[count:])
    prelude, body, coda = parts
    return LoopSchedule(split.rounds, split.names[:count], kept, prelude, body, coda, names)


MOST_TRACED = 500
"""So many rounds are evaluated for a trace; those after them are known only where the states recur."""


@dataclass(frozen=True, slots=True)
class StateTrace:
    """The values of the states of a loop on a word: before the first round, and after each.

    `left_out` is the number of rounds at the end that were not evaluated.
    """

    names: tuple[str, ...]
    rounds: tuple[tuple[tuple[Atom, ...], ...], ...]
    left_out: int = 0

    def to_json(self) -> list[dict[str, Any]]:
        """For each round the values of each state, by name."""
        return [dict(zip(self.names, map(list, values), strict=True)) for values in self.rounds]


def states_by_round(program: Program, word: Iterable[Any]) -> StateTrace:
    """The values of the states of the last loop of a program, round by round.

    Rounds are run until all states are as they were once before: from there on they recur.

    >>> from capax import library
    >>> states_by_round(library.parity_in_rounds, "110").rounds[-1]
    ((True, False, False),)
    """
    loop: LoopParts = loops_in([program.node])[-1]
    evaluation = evaluation_on(word)
    total = rounds_at(loop.rounds, len(evaluation.tokens))
    rounds: list[tuple[tuple[Atom, ...], ...]] = []
    seen: dict[tuple[tuple[tuple[type, Atom], ...], ...], int] = {}
    for number, nodes in enumerate(islice(by_rounds(loop), min(total, MOST_TRACED) + 1)):
        values = [evaluation.value(node) for node in nodes]
        rounds.append(tuple(tuple(value.values) for value in values if isinstance(value, Sequence)))
        first = seen.setdefault(tuple(tuple((type(v), v) for v in state) for state in rounds[-1]), number)
        if first < number:
            period = number - first
            rounds += [rounds[first + (k - first) % period] for k in range(number + 1, total + 1)]
            break
    return StateTrace(loop.names, tuple(rounds), total + 1 - len(rounds))
