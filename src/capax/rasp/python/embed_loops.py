"""Loops in Python: `repeat` runs a step again and again, as often as the length asks."""

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from capax.errors import CapaxError
from capax.notation.rounds import Rounds
from capax.rasp.ir import build, build_loops
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import SOp

_open: ContextVar[tuple[str, ...]] = ContextVar("states", default=())
"""The states of the loops whose steps are being called: a step may make a loop of its own."""


def repeat(
    step: Callable[..., SOp | Atom | Sequence[SOp | Atom]], start: Sequence[SOp | Atom], rounds: Rounds | SOp
) -> tuple[SOp, ...]:
    """The states after the last round of a loop.

    Args:
        step: from the states before a round to those after it; it is called once. The names of its parameters are
            the names of the states.
        start: the states before the first round.
        rounds: a number, `length`, `length - 1` or "ceil_log2(length)".

    >>> from capax import aggregate, indices, length, select, tokens
    >>> before = select(indices, indices - 1, "==")
    >>> (parity,) = repeat(lambda odd: (tokens == "1") != aggregate(before, odd, False), [tokens == "1"], length)
    >>> parity("1101")
    [True, False, False, True]
    """
    if not callable(step):
        raise CapaxError("bad-option", f"the step of a loop is a function, not {build.describe_value(step)}")
    if isinstance(start, (SOp, str)) or not isinstance(start, Sequence):
        raise CapaxError("bad-option", "the states before the first round are a list, one for each state")
    names = _names(step, len(start))
    build_loops.check_loop(names)
    starts = [build_loops.start_of(value) for value in start]
    states = [build_loops.new_state(name, _open.get()) for name in names]
    around = _open.set((*_open.get(), *(state.node.parts[0] for state in states)))
    try:
        result = step(*states)
    finally:
        _open.reset(around)
    values: list[Any] = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(values) != len(states):
        what = f"the step gives {_number(len(values), 'value')} for {_number(len(states), 'state')}"
        raise CapaxError("bad-option", what, hint="return one value for each state, in the order of the parameters")
    nexts = [build.as_sop(value) for value in values]
    return build_loops.repeat(build_loops.read_rounds(rounds), states, starts, nexts)


def _names(step: Callable[..., Any], count: int) -> list[str]:
    """The names of the states: those of the step's parameters, or numbered ones where it takes any."""
    kinds = [(p.name, p.kind) for p in inspect.signature(step).parameters.values()]
    names = [
        name
        for name, kind in kinds
        if kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    ]
    if any(kind is inspect.Parameter.VAR_POSITIONAL for _, kind in kinds):
        return [*names, *(f"state{i}" for i in range(len(names) + 1, count + 1))][:count]
    if len(names) != count:
        what = f"the step takes {_number(len(names), 'state')}, and the loop starts with {_number(count, 'value')}"
        raise CapaxError("bad-option", what, hint="give a value before the first round for each parameter of the step")
    return names


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
