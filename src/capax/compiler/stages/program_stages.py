"""The stages that are about the program: its source, what is computed, the values of every node, and rounding."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from capax.compiler.analysis.analysis import TOKEN, SelectorAnalysis
from capax.compiler.analysis.value_sets import Finite, ValueSet
from capax.compiler.compiled import Passes
from capax.compiler.rounding.rounding_error import Slack
from capax.compiler.stages.stage_lines import (
    WIDTH,
    counted,
    defined,
    defined_json,
    definition,
    name_of,
    value_json,
    value_text,
    wrapped,
)
from capax.compiler.stages.stage_parts import StagePart, sections
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, Input, Node, SelectorNode, SOpNode
from capax.rasp.ir.triple_nodes import TripleNode

MOST_VALUES: Final = 8
"""How many values of a set the text shows."""
MOST_VALUES_JSON: Final = 100
"""How many values of a set the JSON lists."""


@dataclass(frozen=True, slots=True)
class SourceStage:
    """The program as text."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """The text."""
        return {"text": self.text}

    def render(self) -> str:
        """The text."""
        return self.text


def _state_line(state: Mapping[str, Any]) -> str:
    """A state of a loop in a line."""
    count = counted(state["values"], "value")
    return f"state  {state['state']} ({count}): {state['start']}; after a round {state['next']}"


@dataclass(frozen=True, slots=True, eq=False)
class OutputSpecStage:
    """What is compiled: the node of the answers after rewriting, and the type of the answers."""

    passes: Passes

    def to_json(self) -> dict[str, Any]:
        """The node, the type, and the shift that tells types apart."""
        spec = self.passes.spec
        states = {} if self.passes.loop is None else {"states": self._states_json()}
        return {
            "value": defined_json(self.passes.titles, spec.value),
            "type": self._type(),
            "shift": spec.shift,
            **states,
        }

    def _states_json(self) -> list[dict[str, Any]]:
        """The states of a loop: how many values each has, and those before the loop and after a round."""
        if self.passes.loop is None:
            return []
        loop, planned = self.passes.loop.spec, self.passes.loop.planned
        parts = zip(loop.states, loop.starts, loop.nexts, strict=True)
        return [
            {
                "state": state.name,
                "values": len(state.values),
                "start": definition(planned.prelude.titles, start),
                "next": state.name if after is state else definition(planned.body.titles, after),
            }
            for state, start, after in parts
        ]

    def render(self) -> str:
        """The node and the type."""
        lines = [f"value  {defined(self.passes.titles, self.passes.spec.value)}", f"type   {self._type()}"]
        lines += map(_state_line, self._states_json())
        shift = self.passes.spec.shift
        if shift is not None:
            lines.append(f"shift  {shift}: the model computes value + {shift} * type, from which both are read")
        return "\n".join(lines)

    def _type(self) -> str:
        spec = self.passes.spec
        if isinstance(spec.kind, SOpNode):
            return f"{name_of(self.passes.titles, spec.kind)} (0 float, 1 int, 2 bool)"
        values = self.passes.analysis.values(spec.value)
        if isinstance(values, Finite) and all(isinstance(v, str) for v in values.values):
            return "string"
        return "that of the value" if spec.kind is None else ("float", "int", "bool")[spec.kind]


@dataclass(frozen=True, slots=True, eq=False)
class AnalysisStage:
    """The values that every s-op can have, and how many keys every selector selects."""

    parts: tuple[StagePart, ...]

    def to_json(self) -> dict[str, Any]:
        """Every node but constants, in order, and the errors that the values do not exclude."""
        nodes = [
            part.tag | defined_json(part.titles, node) | _known_json(part, node)
            for part in self.parts
            for node in _nodes(part)
        ]
        errors = [
            part.tag | {"code": error.code, "node": name_of(part.titles, error.node)}
            for part in self.parts
            for error in part.analysis.possible_errors
        ]
        return {"nodes": nodes, "possible_errors": errors}

    def render(self) -> str:
        """A line for each node, and for each possible error."""
        return sections(self.parts, _analysis_lines)


def _analysis_lines(part: StagePart) -> list[str]:
    errors = (f"possible error: {e.code} in {name_of(part.titles, e.node)}" for e in part.analysis.possible_errors)
    return [*(_analysis_line(part, node) for node in _nodes(part)), *errors]


def _nodes(part: StagePart) -> Iterator[Node]:
    return (n for n in topological(*part.roots) if not isinstance(n, Const))


def _known_json(part: StagePart, node: Node) -> dict[str, Any]:
    if isinstance(node, TripleNode):
        return {"kind": "selector over triples", "at_most_one_pair": part.analysis.selectors[node].unique}
    if isinstance(node, SelectorNode):
        known = part.analysis.selectors[node]
        return {"kind": "selector", "at_most_one_key": known.unique, "at_least_one_key": known.filled}
    assert isinstance(node, SOpNode)
    return {"kind": "s-op", "values": _values_json(part.analysis.values(node)), "function_of": _bases(part, node)}


def _analysis_line(part: StagePart, node: Node) -> str:
    start = f"{defined(part.titles, node)}:"
    if isinstance(node, TripleNode):
        unique = part.analysis.selectors[node].unique
        return f"{start} selects {'at most one pair' if unique else 'any number of pairs'} of keys"
    if isinstance(node, SelectorNode):
        return f"{start} {_keys(part.analysis.selectors[node])}"
    assert isinstance(node, SOpNode)
    values, bases = _values(part.analysis.values(node)), _bases(part, node)
    over = f"; a function of {', '.join(bases)}" if bases else ""
    line = f"{start} {', '.join(values)}{over}"
    if len(line) <= WIDTH:
        return line
    below = [wrapped("    a function of ", bases)] if bases else []
    return "\n".join([start, wrapped("    ", values), *below])


def _bases(part: StagePart, node: SOpNode) -> list[str]:
    """What the s-op is tabulated over, where it is."""
    known = part.analysis.sops[node]
    if known.table is None or isinstance(node, Input):
        return []
    return ["tokens" if base is TOKEN else name_of(part.titles, base) for base in known.bases if base is not node]


def _keys(known: SelectorAnalysis) -> str:
    keys = {(True, True): "one key", (True, False): "at most one key", (False, True): "at least one key"}
    return f"selects {keys.get((known.unique, known.filled), 'any number of keys')}"


def _values(values: ValueSet) -> list[str]:
    if not isinstance(values, Finite):
        low, high = f"{float(values.low):g}", f"{float(values.high):g}"
        return [f"{low} to {high}", f"multiples of {values.unit} / m for m up to {values.most}"]
    more = [f"... ({len(values):,} values)"] if len(values) > MOST_VALUES else []
    return [*map(value_text, values.values[:MOST_VALUES]), *more]


def _values_json(values: ValueSet) -> dict[str, Any]:
    if isinstance(values, Finite):
        return {"count": len(values), "first": [value_json(v) for v in values.values[:MOST_VALUES_JSON]]}
    ends = {"low": float(values.low), "high": float(values.high)}
    return ends | {"multiples_of": str(values.unit), "over_at_most": values.most}


@dataclass(frozen=True, slots=True, eq=False)
class RoundingStage:
    """How far values may be from the interpreter's floats."""

    parts: tuple[StagePart, ...]

    def to_json(self) -> dict[str, Any]:
        """The s-ops that are not exact, with a bound, and the number of those that are."""
        inexact = [
            part.tag | {"node": name_of(part.titles, node), "within": _bound(slack)}
            for part in self.parts
            for node, slack in _inexact(part).items()
        ]
        exact = sum(map(_exact, self.parts))
        return {"dtype": self.parts[0].analysis.domain.dtype, "inexact": inexact, "exact": exact}

    def render(self) -> str:
        """A line for each s-op that is not exact."""
        return sections(self.parts, _rounding_lines)


def _rounding_lines(part: StagePart) -> list[str]:
    lines = [
        f"{name_of(part.titles, node)}: within {_bound(slack):.3g} of the interpreter's float"
        for node, slack in _inexact(part).items()
    ]
    return [*lines, f"{counted(_exact(part), 's-op')} exact in {part.analysis.domain.dtype}"]


def _inexact(part: StagePart) -> dict[Node, Slack]:
    return {node: slack for node, slack in part.rounding.slacks.items() if slack}


def _exact(part: StagePart) -> int:
    return len(part.rounding.slacks) - len(_inexact(part))


def _bound(slack: Slack) -> float:
    return max([slack.absolute, slack.relative, slack.zero, *slack.listed.values()])
