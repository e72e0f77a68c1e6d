"""The parts of a program that are proved one by one: the whole; or for a loop what is before, in and after it.

For a part with states of a loop, links are looked for on words in which each token stands for a token and a value of
each state: any values of the states are possible at every position, whatever they are at others.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from capax.certify.looped.check_loop import parts_of
from capax.certify.plan.links import Links, find_links
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import Token
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.build import length
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import rebuild
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import Input, Node, SOpNode, Table, Width
from capax.rasp.meaning.reference import read_token
from capax.rasp.rewrite.prepare import isolate_best, make_causal
from capax.rasp.rewrite.split_loop import LoopSpec, split_loop

COMBINED: Final = 60
"""So many combinations of a token and values of states are tokens of the words that are tried."""

AnyNode = TypeVar("AnyNode", bound=Node)


@dataclass(frozen=True, slots=True, eq=False)
class ProgramPart:
    """Some blocks as a model, what they compute as compiled, and the same as the program's text has it.

    `states` are those that the part may read, with their values; `kept` has what the text has for the others, which no
    round changes.
    """

    model: Model
    roots: Sequence[SOpNode]
    text: Sequence[SOpNode]
    states: Sequence[State] = ()
    kept: Mapping[str, SOpNode] = field(default_factory=dict)

    def as_text(self, node: AnyNode) -> AnyNode:
        """A node over the states of the text alone, without their values."""

        def step(each: Node) -> Node:
            return self.kept.get(each.name, State(each.name, ())) if isinstance(each, State) else each

        return rebuild(node, step)[node]  # type: ignore[return-value]

    def links(self, computed: Sequence[Node], parts: Mapping[Node, list[Node]]) -> Links:
        """The links between the text and what heads compute."""
        longest, tokens = self.model.max_length or 1, self.model.vocabulary.tokens
        if not self.states:
            return find_links(self.text, computed, dict(parts), tokens, longest)
        words = _StateWords(tokens, self.states)
        roots = [words.read(self.as_text(root)) for root in self.text]
        sums = {words.read(whole): [words.read(one) for one in some] for whole, some in parts.items()}
        found = find_links(roots, [words.read(n) for n in computed], sums, list(range(words.count)), longest)
        return found.over(words.written)


class _StateWords:
    """Tokens that stand for a token and values of states, and what nodes are on words of these."""

    def __init__(self, tokens: Sequence[Token], states: Sequence[State]) -> None:
        draw = random.Random(0)
        rows = [(draw.choice(tokens), *(draw.choice(s.values) for s in states)) for _ in range(4 * COMBINED)]
        self._rows = list(dict.fromkeys(rows))[:COMBINED]
        self._states = {state.name: number for number, state in enumerate(states, 1)}
        self._leaves: dict[Node, Node] = {}

    @property
    def count(self) -> int:
        """How many combinations there are; the tokens are the numbers below."""
        return len(self._rows)

    def read(self, node: Node) -> Node:
        """A node on such words."""
        return rebuild(node, self._leaf)[node]

    def written(self, node: Node) -> Node:
        """The node that another is on such words."""
        return rebuild(node, lambda each: self._leaves.get(each, each))[node]

    def _leaf(self, node: Node) -> Node:
        if not isinstance(node, (Input, State)):
            return node
        entries = []
        for number, row in enumerate(self._rows):
            try:
                value = read_token(node.kind, row[0], 0) if isinstance(node, Input) else row[self._states[node.name]]
            except CapaxError:
                continue
            entries.append((number, value))
        table = Table("dict", tuple(entries), Input("asis"))
        self._leaves[table] = node
        return table


def program_parts(model: Model, root: SOpNode, spec: OutputSpec | LoopSpec, *, causal: bool) -> list[ProgramPart]:
    """The parts of a model and its program, in their order."""
    if isinstance(spec, OutputSpec):
        return [ProgramPart(model, [spec.root], [meant(root, causal=causal)])]
    split, states = split_loop(root), spec.states
    starts, nexts, result = (
        [meant(n, causal=causal) for n in some] for some in (split.starts, split.nexts, [split.result])
    )
    size = len(states) - split.kept
    kept = {state.name: start for state, start in zip(states[size:], starts[size:], strict=True)}
    before, inside, after = (part.model for part in parts_of(model, spec))
    return [
        ProgramPart(before, spec.starts, starts),
        ProgramPart(inside, (*spec.nexts, *states), nexts, states, kept),
        ProgramPart(after, (spec.coda.root, *states), result, states, kept),
    ]


def meant(root: SOpNode, *, causal: bool) -> SOpNode:
    """The program as the checker reads its text: later positions hidden, and every `best` by itself."""
    for step in (_length, *([make_causal] if causal else []), isolate_best):
        root = rebuild(root, step)[root]  # type: ignore[assignment]
    return root


def _length(node: Node) -> Node:
    """The length as a count, which the checker takes it for."""
    return Width(FULL) if node is length.node else node
