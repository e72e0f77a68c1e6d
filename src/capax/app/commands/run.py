"""`capax run`: a program on an input, on every line of a file, or the plan of its selectors."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish, is_word
from capax.app.options import DASHES, PROGRAM, Budget, Json, Split
from capax.display import Card
from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.meaning.evaluation import Evaluation, evaluation_on
from capax.rasp.meaning.sequence import Matrix, ProgramValue, Triples
from capax.rasp.text.interpreter import BUDGET

if TYPE_CHECKING:
    from capax.app.resolve import Resolved
    from capax.rasp.meaning.plan import PlanStep

GROUP: Final = ("Programs", 1)
SETTINGS: Final = DASHES


def command(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    word: Annotated[str | None, typer.Argument(metavar="INPUT", help="The input; - reads standard input.")] = None,
    split: Split = "chars",
    trace: Annotated[bool, typer.Option("--trace", help="Show every named step.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Show how the selectors are evaluated on long inputs.")] = False,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="FILE", help="Run on every line of a file; - reads standard input.")
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="With --batch: stop at the first bad line.")] = False,
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Run a program on an input, or on every line of a file.

    Example: capax run reverse hello
    """
    from capax.app.commands._batches import run_batch
    from capax.app.inputs import read_input
    from capax.app.resolve import resolve

    if stop and batch is None:
        raise CapaxError("bad-option", "--stop goes with --batch FILE")
    if trace and (batch is not None or plan):
        raise CapaxError("bad-option", "--trace goes with one INPUT")
    if not plan and (batch is None) == (word is None):
        hint = "for instance: capax run reverse hello"
        raise CapaxError("bad-option", "give either INPUT or --batch FILE", hint=hint)
    resolved = resolve(program, split=split, budget=budget)
    if plan:
        finish(plan_of(resolved), as_json=as_json)
    elif batch is not None:
        run_batch(resolved.program, batch, split, stop=stop, as_json=as_json)
    elif word is not None:
        finish(run(resolved, read_input(word, split), trace=trace), as_json=as_json)


@dataclass(frozen=True, slots=True)
class ProgramRun(Card):
    """A program's value on an input, with the value of every named step if it was traced."""

    program: str
    tokens: list[Any]
    value: ProgramValue
    trace: tuple[tuple[str, ProgramValue], ...] | None = None

    def to_json(self) -> Any:
        """The values alone; with a trace everything."""
        whole = _value_json(self.value)
        if self.trace is None:
            return whole["values"]
        steps = [{"name": name, **_value_json(value)} for name, value in self.trace]
        return {"program": self.program, "input": self.tokens, **whole, "trace": steps}

    def render(self) -> str:
        """The value, after every step if there are any."""
        from capax.app.repl.screen import show_word

        steps = self.trace or ()
        wide = max((len(name) for name, _ in steps), default=0)
        lines = [self._titled(value, name.ljust(wide)) for name, value in steps]
        if not steps or steps[-1][0] != self.program:
            word = "".join(self.tokens) if is_word(self.tokens) else self.tokens
            lines.append(self._titled(self.value, f"{self.program}({show_word(word)})"))
        return "\n".join(lines)

    def _titled(self, value: ProgramValue, title: str) -> str:
        from capax.app.repl.screen import show_matrix, show_triples, show_values

        if isinstance(value, Triples):
            return f"{title} =\n{show_triples(value, self.tokens)}"
        if isinstance(value, Matrix):
            return f"{title} =\n{show_matrix(value, self.tokens)}"
        return f"{title} = {show_values(list(value.values), value.type)}"


def _value_json(value: ProgramValue) -> dict[str, Any]:
    if isinstance(value, Triples):
        return {"kind": "selector over triples", "type": "bools", "values": value.plain()}
    if isinstance(value, Matrix):
        return {"kind": "selector", "type": "bools", "values": [list(row) for row in value.rows]}
    return {"kind": "s-op", "type": value.type, "values": list(value.values)}


def run(resolved: "Resolved", word: Iterable[Any], *, trace: bool = False) -> ProgramRun:
    """The value of a program on a word, and with `trace` that of every named step."""
    evaluation = evaluation_on(word)
    value = resolved.program.on(evaluation)
    steps = _steps(resolved, evaluation) if trace else None
    return ProgramRun(resolved.name, evaluation.tokens, value, steps)


def _steps(resolved: "Resolved", evaluation: Evaluation) -> tuple[tuple[str, ProgramValue], ...]:
    names = resolved.program.names()
    nodes = [node for node in topological(resolved.program.node) if node in names]
    return tuple((names[node], evaluation.value(node)) for node in nodes)


@dataclass(frozen=True, slots=True)
class SelectorPlan:
    """How the fast evaluator answers each selector of a program, with the selector's name if it has one."""

    steps: tuple[tuple[str | None, "PlanStep"], ...]

    def to_json(self) -> list[dict[str, Any]]:
        """The selectors in order."""
        return [{"name": n, "what": s.what, "how": list(s.how), "cost": s.cost} for n, s in self.steps]

    def render(self) -> str:
        """A line for each selector, and below it how it is evaluated."""
        lines = []
        for name, step in self.steps:
            lines.append(f"{f'{name}: ' if name else ''}{step.what}   [{step.cost}]")
            lines += [f"    {how}" for how in step.how]
        return "\n".join(lines) or "no selectors: every step is element-wise   [n]"


def plan_of(resolved: "Resolved") -> SelectorPlan:
    """How the fast evaluator answers each selector of a program."""
    from capax.rasp.meaning.plan import plan  # brings numpy

    names = resolved.program.names()
    return SelectorPlan(tuple((names.get(step.node), step) for step in plan(resolved.program.node, names)))
