"""Pass: the three networks of a program with a loop, over states that have one direction each.

The body ends with an MLP that sets the states: it takes the old code away and adds the new one, in the same direction.
So a state has the same slot and the same code before and after every round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from capax.budget import Budget
from capax.compiler.analysis.analyse import analyse
from capax.compiler.analysis.analysis import TOKEN, Analysis
from capax.compiler.analysis.value_sets import finite
from capax.compiler.domain import Domain
from capax.compiler.encode.encodings import ValueEncoding
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.network_builder import NetworkBuilder
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layer_schedule import LayerSchedule, schedule
from capax.compiler.layout.network import Network, PlannedReadout
from capax.compiler.node_meanings.node_names import SourceNotes, node_names
from capax.compiler.plan_network import emit_node, plan_readout
from capax.compiler.rounding.rounding_check import RoundingBounds, check_rounding
from capax.errors import CapaxError
from capax.model.vocabulary import Classes
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import Indices, Node, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.split_loop import LoopSpec


@dataclass(frozen=True, slots=True, eq=False)
class StateCode:
    """How a state stands in the stream: the number for each of its values."""

    state: State
    codes: Mapping[Atom, float]
    plain: bool

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest number."""
        return min(self.codes.values()), max(self.codes.values())


@dataclass(frozen=True, slots=True, eq=False)
class PlannedPart:
    """A part of a program as a network: what it reads of the states, and where it leaves their new values.

    `analysis` and the other passes are those of the part alone.
    """

    roots: tuple[SOpNode, ...]
    analysis: Analysis
    rounding: RoundingBounds
    schedule: LayerSchedule
    titles: Mapping[Node, str]
    network: Network
    reads: Mapping[Direction, int]
    sets: Mapping[Direction, int]


@dataclass(frozen=True, slots=True, eq=False)
class PlannedLoop:
    """The networks before the loop, of its body and after it, and the codes of the states."""

    spec: LoopSpec
    codes: tuple[StateCode, ...]
    prelude: PlannedPart
    body: PlannedPart
    coda: PlannedPart


def plan_loop(spec: LoopSpec, coda: OutputSpec, domain: Domain, source: SourceNotes, *, floats: bool) -> PlannedLoop:
    """The networks of a program; `coda` is its last part, with the type of the answers where that is computed."""
    codes = tuple(_code(state, domain) for state in spec.states)
    planner = _PartPlanner(spec, codes, domain, source, floats)
    return PlannedLoop(
        spec,
        codes,
        planner.part(spec.starts, range(len(spec.states)), first=True),
        planner.part(spec.nexts, spec.changing),
        planner.part((coda.root,), (), coda),
    )


def _code(state: State, domain: Domain) -> StateCode:
    """The numbers of a state's values: themselves where they are small integers, else their ranks."""
    values = finite(state.values)
    small = values.numeric and values.integral and all(abs(v) < domain.exact_below / 8 for v in values.values)  # type: ignore[arg-type]
    if small:
        return StateCode(state, {v: float(v) for v in state.values}, True)
    return StateCode(state, {v: float(values.rank(v)) for v in state.values}, False)


@dataclass(frozen=True, slots=True, eq=False)
class _PartPlanner:
    spec: LoopSpec
    codes: tuple[StateCode, ...]
    domain: Domain
    source: SourceNotes
    floats: bool

    def part(
        self,
        roots: Sequence[SOpNode],
        changed: Sequence[int],
        answer: OutputSpec | None = None,
        *,
        first: bool = False,
    ) -> PlannedPart:
        """A part of the program; the states with the numbers in `changed` are set to what the roots are."""
        budget = Budget.of_units(self.domain.budget)
        analysis = analyse(roots, self.domain, budget, floats=self.floats)
        rounding = check_rounding(roots, analysis, budget)
        if answer is None:
            _refuse_rounded(roots, rounding, self.spec)
        layers = schedule(roots, analysis)
        titles = node_names(topological(*roots), self.source.names, self.source.statements)
        network = NetworkBuilder(self.domain)
        builder = FeatureBuilder(analysis, network, layers.layers, titles, self.source.names, budget)
        reads = self._read_states(builder, roots, () if first else changed)
        for node in layers.encoded:
            if node not in builder.encodings:
                emit_node(builder.at(self.source.locations.get(node)), node, layers)
        sets: dict[Direction, int] = {}
        for number in changed:
            direction = Direction(self.codes[number].state.name, *self.codes[number].bounds, 2 * layers.depth + 1)
            sets[direction] = number
            if not (first and self._embed(builder, roots[number], number, direction)):
                self._set(builder, roots[number], number, direction, layers.depth)
        readout = PlannedReadout((), Classes(())) if answer is None else plan_readout(builder, answer)
        done = network.finish(readout, layers.depth)
        return PlannedPart(tuple(roots), analysis, rounding, layers, titles, done, reads, sets)

    def _read_states(
        self, builder: FeatureBuilder, roots: Sequence[SOpNode], changed: Sequence[int]
    ) -> dict[Direction, int]:
        """A direction for each state that a part reads, with its encoding, or that it takes away."""
        below = set(topological(*roots))
        reads: dict[Direction, int] = {}
        for number, code in enumerate(self.codes):
            if code.state in below or number in changed:
                direction = builder.network.direction(code.state.name, *code.bounds, 0)
                reads[direction] = number
                kind: Literal["plain", "code"] = "plain" if code.plain else "code"
                builder.encodings[code.state] = ValueEncoding(
                    SignalSum.of(direction), 0, kind, True, code.state.name, None if code.plain else code.codes
                )
        return reads

    def _embed(self, builder: FeatureBuilder, node: SOpNode, number: int, direction: Direction) -> bool:
        """Has the embedding write the code of a state before the first round, where token or position tells it."""
        code, network, base = self.codes[number].codes, builder.network, builder.analysis.base_of(node)
        if base is TOKEN:
            network.by_token[direction] = tuple(builder.over_base(node, code.__getitem__))
        elif base is Indices():
            network.by_position[direction] = tuple(builder.over_base(node, code.__getitem__))
        elif len(builder.analysis.finite_values(node)) == 1:
            (value,) = builder.analysis.finite_values(node).values
            network.by_token[direction] = (code[value],) * len(self.domain.alphabet)
        else:
            return False
        return True

    def _set(self, builder: FeatureBuilder, node: SOpNode, number: int, direction: Direction, depth: int) -> None:
        """Has the MLP of the last layer write the new code of a state, without noise."""
        name = f"new {self.codes[number].state.name}"
        value = builder.feature(node, self.codes[number].codes.__getitem__, name, exact=True)
        if value.terms:
            value = builder.here(value, node, depth, name)
        builder.network.mlp(depth).write(value, direction)


def _refuse_rounded(roots: Sequence[SOpNode], rounding: RoundingBounds, spec: LoopSpec) -> None:
    """Refuses a state whose values are rounded: the error of one round would be that of the next one's input."""
    for root, state in zip(roots, spec.states, strict=True):
        if rounding.slacks.get(root):
            what = f"the state `{state.name}` has values that are rounded"
            raise CapaxError("rests-on-rounding", what, hint="round it to integers, or compare it", node=root)
