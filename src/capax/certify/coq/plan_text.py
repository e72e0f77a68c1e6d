"""What a proof over states needs besides model and program: ranges, constraints, and what each head computes.

None of it is trusted: Coq checks every line of it, and a wrong one fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from capax.certify.coq.expressions import CoqExpr, State, apply, here, num, there
from capax.certify.coq.model_text import not_covered
from capax.certify.coq.program_text import FIRST, LENGTH, POSITION, TOKEN, ProgramText, is_everything
from capax.certify.hints import HeadHints, HeadTask
from capax.model.model import Model
from capax.model.parts import Head
from capax.rasp.ir.nodes import Aggregate, SelectorNode, SOpNode, Width

SMALL = 4
"""The length at which hints are tried out; Coq tries them at the full length."""


@dataclass(frozen=True, slots=True)
class StatePlan:
    """The facts about states, and the plan of each head of each block, as Coq text."""

    facts: str
    plans: str


def _states(tokens: int) -> list[State]:
    return [(t, i, SMALL) for t, i in product(range(tokens), range(SMALL))]


def _base(expression: CoqExpr) -> bool:
    """Whether an expression reads tokens, positions and lengths alone."""
    return expression.entries() <= {TOKEN, POSITION, LENGTH}


class _Planner:
    """Plans the proof for one program and length."""

    def __init__(self, program: ProgramText, longest: int, hints: HeadHints) -> None:
        self.program, self.longest, self.hints = program, longest, hints
        self.states = _states(len(program.tokens))
        self.reasons = ["Index"]
        self.parts = {whole: self._parts(selectors) for whole, selectors in hints.width_parts.items()}

    def _parts(self, selectors: Sequence[SelectorNode]) -> list[int]:
        """The entries of the parts of a width, which are definitions of their own."""
        return [self.program.width(Width(selector)) for selector in selectors]

    def counts(self) -> None:
        """Adds the bounds of counts, and that parts add up."""
        groups = [[FIRST + k] for k, d in enumerate(self.program.definitions) if d.kind == "Count"]
        groups += [numbers for numbers in self.parts.values() if len(numbers) > 1]
        for group in groups:
            selectors = [self.program.definitions[c - FIRST].expressions[0] for c in group]
            if not all(map(_base, selectors)):
                raise not_covered("counts of positions by other counts, over states")
            own = {sum(s.value(q, q) for s in selectors) for q in self.states}
            if len(own) == 1:
                b = own.pop()
                self.reasons += [f"Group {_entries(group)} {b}", f"Limit {_entries(group)} {b} {self.longest + b}"]
        for whole, numbers in self.parts.items():
            if len(numbers) > 1 and whole in self.program.numbers:
                self.reasons.append(f"Parts {self.program.numbers[whole]} {_entries(numbers)}")

    def ranges(self) -> list[str]:
        """The range of each entry."""
        longest = self.longest
        ranges = [f"zrange 0 {len(self.program.tokens) - 1}", f"zrange 0 {longest - 1}", f"zrange 1 {longest}"]
        for number, definition in enumerate(self.program.definitions, FIRST):
            if definition.kind == "Count":
                ranges.append(f"zrange 0 {longest}")
                continue
            value = definition.expressions[-1]
            if value.entries() - {TOKEN}:
                raise not_covered("aggregates of other values than functions of the token")
            values = [value.value(s, s) for s in self.states]
            if definition.kind == "Total":
                low, high = min(values), max(values)
                self.reasons.append(f"Bounds {number} ({low}) ({high})")
                ranges.append(f"zrange ({longest * min(0, low)}) ({longest * max(0, high)})")
            else:
                # one key is always selected, so the default is never used: it is one of the values
                self.program.definitions[number - FIRST] = replace(definition, default=values[0])
                ranges.append(f"zrange ({min(values)}) ({max(values)})")
        return ranges

    def head(self, task: HeadTask, head: Head) -> str:
        """The plan of one head."""
        if len(task.nodes) != 1:
            raise not_covered("heads that compute several aggregates")
        masked = [] if head.mask == "none" else [POSITION]
        what, keys = self._task(task.nodes[0], head)
        return f"{{| what := {what}; query_entries := {_entries(masked)}; key_entries := {_entries(masked + keys)} |}}"

    def _task(self, node: SOpNode, head: Head) -> tuple[str, list[int]]:
        """What a head computes, and the entries of keys to look at besides those that its scores read."""
        if isinstance(node, Width) and is_everything(node.selector):
            if head.sink is not None:
                raise not_covered("heads that count all positions")
            last = apply("Equal", there(POSITION), apply("Minus", here(LENGTH), num(1)))
            after = apply("Plus", there(POSITION), num(1))
            return f"Reads ({last.text()}) ({after.text()}) ({here(LENGTH).text()}) ByIndex", [LENGTH]
        if isinstance(node, Width):
            return f"Counts {self.program.width(node)}", []
        if not isinstance(node, Aggregate):
            raise not_covered(f"heads that compute a {type(node).__name__}")
        if is_everything(node.selector):
            return f"Means {self.program.total(node)}", []
        number = self.program.pick(node)
        selector, value = self.program.definitions[number - FIRST].expressions
        unique = self._unique(selector)
        return f"Reads ({selector.text()}) ({value.text()}) ({here(number).text()}) ({unique})", []

    def _unique(self, selector: CoqExpr) -> str:
        """Why a selector selects one key."""
        if selector.name != "Equal" or selector.operands[0].name != "There":
            raise not_covered("aggregates that may select several positions, or none")
        entry, target = selector.operands[0].number, selector.operands[1]
        if not _base(target) or target.entries("There"):
            raise not_covered("aggregates at positions that other counts say")
        if any(not 0 <= target.value(q, q) < q[LENGTH] for q in self.states):
            raise not_covered("aggregates that may select no position, over states")
        if entry == POSITION:
            return "ByIndex"
        definition = self.program.definitions[entry - FIRST] if entry >= FIRST else None
        if definition is None or definition.kind != "Count" or not _base(definition.expressions[0]):
            raise not_covered("aggregates that may select several positions, or none")
        return f"ByRank ({self._order(definition.expressions[0]).text()})"

    def _order(self, selector: CoqExpr) -> CoqExpr:
        """An integer by which a selector is the strict order of positions."""
        rank, position = apply("Times", num(self.longest), there(TOKEN)), there(POSITION)
        candidates = [position, apply("Minus", num(0), position)]
        for sign in (rank, apply("Minus", num(0), rank)):
            candidates += [apply("Plus", sign, position), apply("Minus", sign, position)]
        for order in candidates:
            pairs = [(q, k) for q in self.states for k in self.states if q[POSITION] != k[POSITION]]
            if all(selector.value(q, k) == (order.value(k, k) < order.value(q, q)) for q, k in pairs):
                return order
        raise not_covered("aggregates by the rank in an order that is not known to be strict")


def _entries(numbers: Sequence[int]) -> str:
    return f"[{'; '.join(map(str, numbers))}]%nat"


def state_plan(model: Model, program: ProgramText, hints: HeadHints) -> StatePlan:
    """The plan of a proof over states; a program or head that it does not cover is refused."""
    assert model.max_length is not None
    planner = _Planner(program, model.max_length, hints)
    rows = [
        "; ".join(
            planner.head(task, head) for task, head in zip(tasks, block.heads, strict=True) if isinstance(head, Head)
        )
        for tasks, block in zip(hints.blocks, model.blocks, strict=True)
    ]
    planner.counts()
    ranges = ";\n    ".join(planner.ranges())
    facts = (
        f"Definition the_facts : facts := {{|\n  token_count := {len(program.tokens)}; longest := {model.max_length};\n"
        f"  ranges := [{ranges}];\n  reasons := [{'; '.join(planner.reasons)}] |}}."
    )
    plans = "Definition the_plans : list (list head_plan) := [" + ";\n  ".join(f"[{row}]" for row in rows) + "]."
    return StatePlan(facts, plans)
