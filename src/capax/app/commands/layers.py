"""`capax layers`: what a program costs as a transformer."""

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import DASHES, PROGRAM, Budget, Json, Split, count
from capax.display import Card, parts
from capax.errors import CapaxError
from capax.rasp.ir.build_pads import inner
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.nodes import Node, Width
from capax.rasp.ir.pad_node import count_text, padded
from capax.rasp.ir.triple_nodes import PairWidth, TripleNode
from capax.rasp.meaning.evaluation import Evaluation, evaluation_on
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.text.interpreter import BUDGET

if TYPE_CHECKING:
    from capax.app.resolve import Resolved
    from capax.rasp.analysis.dialects import DialectVerdict
    from capax.rasp.analysis.head_size import HeadSize
    from capax.rasp.analysis.loops import Loop
    from capax.rasp.analysis.schedule import Schedule, ScheduledHead

GROUP: Final = ("Programs", 5)
SETTINGS: Final = DASHES
EXAMPLE: Final = "hello"
TYPED: Final = ("program", "example")
"""The names of sources that are an argument of the command, or the call that stands for a function."""
IN_FULL: Final = 10_000
"""How long the description of a step may be."""
WIDEST: Final = 120
"""The columns of printed lines; what is longer goes on below, indented."""
MOST_STEPS: Final = 6
"""How many element-wise steps of a layer are named, if more than one is left."""


def command(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    word: Annotated[str, typer.Argument(metavar="INPUT", help="An input to try the heads on.")] = EXAMPLE,
    split: Split = "chars",
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Show what a program costs as a transformer: layers, heads, and why.

    Example: capax layers reverse
    """
    from capax.app.inputs import read_input
    from capax.app.resolve import resolve

    resolved = resolve(program, split=split, budget=budget)
    if has_loop(resolved.program.node):
        from capax.app.commands._loop_layers import loop_layers

        finish(loop_layers(resolved, read_input(word, split)), as_json=as_json)
        return
    finish(layers(resolved, read_input(word, split), word), as_json=as_json)


@dataclass(frozen=True, slots=True)
class HeadCost:
    """A head: what it selects and averages, its size with and without masks, and how much of an input it uses."""

    head: "ScheduledHead"
    number: int
    selector: str
    values: tuple[str, ...]
    outputs: tuple[str, ...]
    masked: "HeadSize"
    bare: "HeadSize"
    used: float | None

    def to_json(self) -> dict[str, Any]:
        """The head as plain data."""
        return {
            "layer": self.head.layer,
            "head": self.number,
            "selector": self.selector,
            "order": self.head.order,
            "counts": self.head.counts,
            **parts(self, "values", "outputs"),
            "dimension": str(self.masked),
            "mask": self.masked.mask,
            "dimension_without_masks": str(self.bare),
            "used_on_example": self.used,
        }

    def render(self, word: str) -> str:
        """The head in a line."""
        what = "counts" if self.head.counts else f"averages {', '.join(self.values)}"
        size = f"dimension {self.masked}"
        if self.masked.mask:
            size += f", {self.masked.mask} mask ({self.bare} without masks)"
        example = word if len(word) <= 20 else word[:17] + "..."
        of = "pairs" if self.head.order == 2 else "triples"
        used = "" if self.used is None else f", uses {self.used:.0%} of the {of} on {example!r}"
        kind = "head" if self.head.order == 2 else "third-order head"
        return f"  {kind} {self.head.layer}.{self.number} {self.selector}: {what}; {size}{used}"


@dataclass(frozen=True, slots=True)
class ProgramCost(Card):
    """The layers and heads of a program, the orders of sublayers it runs on, and the dialects it is in."""

    program: str
    word: str
    schedule: "Schedule"
    heads: tuple[HeadCost, ...]
    order: str
    orders: "list[str] | None"
    loops: "tuple[Loop, ...]"
    dialects: "tuple[DialectVerdict, ...]"
    pads: str | None = None
    """How many pause tokens follow the word, if any do."""
    repeats: tuple[str, ...] = ()
    """Where the program's file has `for` loops that can be `repeat` loops: the file and the line of each."""

    @property
    def steps(self) -> list[list[str]]:
        """The element-wise steps of each layer, the one before the first attention included."""
        return [[self.schedule.title(node) for node in layer.feed_forward] for layer in self.schedule.layers]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        schedule = self.schedule
        return {
            "program": self.program,
            "layers": schedule.depth,
            **({} if self.pads is None else {"pads": self.pads}),
            **parts(schedule, "heads_as_written", "heads_merged", "layers_as_written"),
            **parts(self, "heads"),
            "feed_forward": self.steps,
            "critical_path": [parts(reason, "layer", "text") for reason in schedule.path],
            **parts(self, "order", "orders"),
            "loops": [parts(loop, "first", "last", "period", "times") for loop in self.loops],
            "repeats": list(self.repeats),
            "rewrites": dict(schedule.rewrites),
            "fragments": [_dialect_json(verdict) for verdict in self.dialects],
        }

    def render(self) -> str:
        """Layer by layer; then why it is so deep, the orders of sublayers, and the dialects."""
        schedule = self.schedule
        lines = [
            f"{self.program}: {count(schedule.depth, 'layer')}",
            f"  heads as written  {_listed(schedule.heads_as_written)}",
            f"  heads merged      {_listed(schedule.heads_merged)}",
        ]
        lines += [] if self.pads is None else [f"  pause tokens      {self.pads}"]
        for number, steps in enumerate(self.steps[1:], 1):
            lines += self._layer(number, steps)
        if schedule.path:
            lines.append("why so deep")
            lines += [line for reason in schedule.path for line in _folded(f"  {reason.text}")]
        lines += self._order()
        for where in self.repeats:
            file = where.rpartition(":")[0]
            what = f"the `for` loop at {where} can be one block with shared weights: `capax fmt {file} --repeat`"
            lines += _folded(f"{what} writes it as `repeat`")
        lines.append("dialects")
        lines += [line for verdict in self.dialects for line in _folded(_dialect_line(verdict))]
        return "\n".join(lines)

    def _layer(self, number: int, steps: list[str]) -> list[str]:
        """What a layer does: its heads, then its element-wise steps."""
        lines = [f"layer {number}"]
        heads = [head for head in self.heads if head.head.layer == number]
        if not heads:
            lines.append("  the selector itself: it becomes a head when an s-op uses it")
        for head in heads:
            lines += _folded(head.render(self.word))
        named = steps if len(steps) <= MOST_STEPS + 1 else steps[:MOST_STEPS]
        lines += [f"  then {name}" for name in named]
        if len(named) < len(steps):
            lines.append(f"  and {len(steps) - len(named)} more element-wise steps")
        return lines

    def _order(self) -> list[str]:
        if not self.order:
            return ["sublayers needed: none"]
        lines = [f"sublayers needed: {self.order} (s attention, f feed-forward)"]
        if self.orders is not None:
            others = [order for order in self.orders if order != self.order]
            more = ", ..." if len(others) > 6 else ""
            also = f"also runs on {', '.join(others[:6])}{more}" if others else "runs on no other order of them"
            lines.append(f"  {also}")
        for loop in self.loops:
            block = "one layer" if loop.period == 1 else f"a block of {loop.period} layers"
            lines.append(f"  layers {loop.first} to {loop.last} are a loop: {block}, run {loop.times} times, would do")
        return lines


def layers(program: "str | Resolved", tokens: Any = EXAMPLE, word: str = EXAMPLE) -> ProgramCost:
    """The layers and heads of a program, and what follows from them; heads are tried on an input."""
    from capax.app.resolve import resolve
    from capax.rasp.analysis.dialects import check_all
    from capax.rasp.analysis.loops import loops
    from capax.rasp.analysis.schedule import schedule
    from capax.rasp.analysis.sublayers import needed_order, orders

    resolved = resolve(program)
    bare, pads = inner(resolved.program)
    plan = schedule(bare)
    whole, evaluation = whole_text(plan), _evaluation_on(tokens if pads is None else padded(pads, list(tokens)))
    return ProgramCost(
        resolved.name,
        word,
        plan,
        tuple(_cost(h, i, whole, evaluation) for layer in plan.layers for i, h in enumerate(layer.heads, 1)),
        needed_order(plan.root),
        orders(plan.root),
        tuple(loops(plan)),
        tuple(check_all(bare)),
        None if pads is None else count_text(pads),
        _repeats(resolved),
    )


def _repeats(resolved: "Resolved") -> tuple[str, ...]:
    """Where the program's file has `for` loops that can be `repeat` loops, and be compiled then, from the top."""
    from capax.rasp.text.for_to_repeat import loop_results, repeats

    if resolved.file is None:
        return ()
    text, lines = resolved.file.text, []
    for begin, _, loop in repeats(text):
        from capax.compiler.looped.state_values import grows

        if not any(grows(state) for state in loop_results(text[:begin] + loop)):
            lines.append(text.count("\n", 0, begin) + 1)
    return tuple(f"{resolved.file.name}:{line}" for line in sorted(lines))


def whole_text(plan: "Schedule") -> Callable[[Node], str]:
    """Gives the whole texts of the nodes of a schedule, cut only where shared parts would make them huge."""
    from capax.draw.view.labels import MOST_PARTS, text_sizes
    from capax.rasp.ir.describe import LONGEST

    sizes = text_sizes(plan.root, plan.names)
    return lambda node: plan.title(node, IN_FULL if sizes[node] <= MOST_PARTS else LONGEST)


def _cost(head: "ScheduledHead", number: int, whole: Callable[[Node], str], evaluation: Evaluation | None) -> HeadCost:
    from capax.rasp.analysis.head_size import head_size

    return HeadCost(
        head,
        number,
        whole(head.selector),
        tuple(whole(v) for v in head.values),
        tuple(whole(o) for o in head.outputs),
        head_size(head.selector, masks=True),
        head_size(head.selector, masks=False),
        _used(head, evaluation),
    )


def _evaluation_on(tokens: Any) -> Evaluation | None:
    """The evaluation of an input, which all heads share; None if it cannot be one."""
    try:
        return evaluation_on(tokens)
    except CapaxError:
        return None


def _used(head: "ScheduledHead", evaluation: Evaluation | None) -> float | None:
    """The share of all pairs (query, key), or triples, that a head selects on an input; None if it fails there."""
    if evaluation is None:
        return None
    try:
        selector = head.selector
        widths = evaluation.value(PairWidth(selector) if isinstance(selector, TripleNode) else Width(selector))
    except CapaxError:
        return None
    assert isinstance(widths, Sequence)
    return sum(int(w) for w in widths) / float(len(widths) ** head.order)


def _dialect_json(verdict: "DialectVerdict") -> dict[str, Any]:
    reasons = [
        {"what": f.what, "line": f.span.line if f.span else None, "file": f.span.source.name if f.span else None}
        for f in verdict.findings
    ]
    return {"dialect": verdict.dialect, "inside": verdict.inside, "reasons": reasons}


def _dialect_line(verdict: "DialectVerdict") -> str:
    if verdict.inside:
        return f"  {verdict.dialect}: inside"
    first = verdict.findings[0]
    if first.span is None:
        return f"  {verdict.dialect}: outside, {first.what}"
    file = first.span.source.name
    named = "" if file in TYPED else f" of {file}"  # a program that was typed has no file
    return f"  {verdict.dialect}: outside, {first.what} (line {first.span.line}{named})"


def _folded(line: str) -> list[str]:
    return wrap(line, WIDEST, subsequent_indent="    ", break_on_hyphens=False)


def _listed(heads: tuple[int, ...]) -> str:
    return ", ".join(map(str, heads)) or "none"
