"""Runs a `repeat` statement: its body is run once, over states, and gives the nodes of a loop."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from capax.errors import CapaxError, Span
from capax.notation.rounds import LOG_ROUNDS, Rounds, rounds_at
from capax.rasp.ir import build, build_loops
from capax.rasp.python.program import SOp
from capax.rasp.text import operators as operate
from capax.rasp.text import syntax as s
from capax.rasp.text.scope import Scope
from capax.rasp.text.text_values import Value


class RepeatFrame(Protocol):
    """Where the statement is run: what the interpreter keeps of it."""

    @property
    def scope(self) -> Scope:
        """The names that are known."""
        ...

    def span(self, item: s.Syntax) -> Span:
        """The location of a piece of syntax."""
        ...


Frame = TypeVar("Frame", bound=RepeatFrame)


@dataclass(slots=True, eq=False, repr=False)
class BodyScope(Scope):
    """The scope of a loop's body: what is assigned to a state is its value after the round, and is not read before."""

    states: dict[str, SOp] = field(default_factory=dict)
    nexts: dict[str, Value] = field(default_factory=dict)

    def set(self, name: str, value: Value, where: Span | None = None) -> None:
        """Gives a name a value; a state takes its own when the round ends."""
        if name not in self.states:
            Scope.set(self, name, value, where)
            return
        if name in self.nexts:
            what = f"the state `{name}` is set twice in one round"
            raise CapaxError("state-twice", what, where, "give the first value another name; states are set at once")
        self.nexts[name] = value


def run_repeat(
    item: s.RepeatOf, frame: Frame, statement: Callable[[s.Statement, Frame], Generator[Any, Value, Value]]
) -> Generator[Any, Value, list[tuple[str, SOp]]]:
    """The states after the last round, by name; `statement` runs a statement of the body."""
    rounds = yield from _rounds(item.rounds, frame)
    names = [each.name for each in item.states]
    build_loops.check_loop(names, frame.span(item))
    inner, around = BodyScope(frame.scope.name + "'", frame.scope), _states_around(frame.scope)
    starts: list[SOp] = []
    for each in item.states:
        start = operate.plain((yield each.start, frame))
        starts.append(build_loops.start_of(start, frame.span(each.start)))
        frame.scope._refuse_reserved(each.name, frame.span(each))
        inner.states[each.name] = build_loops.new_state(each.name, around, frame.span(each))
    inner.variables.update(inner.states)
    for line in item.body:
        yield statement(line, replace(frame, scope=inner))  # type: ignore[type-var]
    nexts = [_next(name, inner, frame.span(item)) for name in names]
    results = build_loops.repeat(rounds, list(inner.states.values()), starts, nexts, frame.span(item))
    return list(zip(names, results, strict=True))


def _states_around(scope: Scope | None) -> list[str]:
    """The names of the states of the loops in whose bodies a scope is."""
    names: list[str] = []
    while scope is not None:
        if isinstance(scope, BodyScope):
            names += [state.node.parts[0] for state in scope.states.values()]
        scope = scope.parent
    return names


def _next(name: str, scope: BodyScope, span: Span) -> SOp:
    """The value of a state after a round: what was assigned, or what it was."""
    return build.as_sop(operate.plain(scope.nexts.get(name, scope.states[name])), span)


def _rounds(expr: s.Expr, frame: Frame) -> Generator[Any, Value, Rounds]:
    """How many rounds an expression asks for."""
    match expr:
        case s.Call(function=s.Name(id="ceil_log2"), args=(arg,)) if not frame.scope.has("ceil_log2"):
            value = operate.plain((yield arg, frame))
            if isinstance(value, SOp) and value.node is build.length.node:
                return LOG_ROUNDS
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return rounds_at(LOG_ROUNDS, value)
            what = "`ceil_log2` takes the length, or a number from 1 on"
            raise CapaxError("bad-rounds", what, frame.span(arg), "write `length`, or a parameter that is a number")
    return build_loops.read_rounds(operate.plain((yield expr, frame)), frame.span(expr))
