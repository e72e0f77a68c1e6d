"""`layers x` and `compile x` at the prompt: what a program costs, and its certified weights."""

from typing import Final, TextIO

from capax.app.resolve import Resolved
from capax.app.session import Session
from capax.errors import CapaxError, Source
from capax.rasp.python.program import Program
from capax.rasp.text.parser import parse_expression

LENGTH: Final = 10
"""The longest words that `compile` at the prompt is for, unless the running example is longer."""


def show_cost(session: Session, command: str, expression: str, out: TextIO) -> None:
    """Writes the layers and heads of a program, or its size and certificate once compiled for the running example."""
    try:
        resolved = _program(session, expression)
        out.write((_layers(resolved) if command == "layers" else _compiled(resolved)) + "\n")
    except CapaxError as error:
        session.screen.error(session, session.with_hint(error), 0)


def _program(session: Session, expression: str) -> Resolved:
    source = Source("console", expression)
    value = session.interpreter.evaluate(parse_expression(source), session.console, source)
    if not isinstance(value, Program):
        raise CapaxError(
            "not-a-program", f"`{expression:.60}` is not an s-op or selector", hint="for instance: layers reverse"
        )
    return Resolved(expression, value, session)


def _layers(resolved: Resolved) -> str:
    from capax.app.commands.layers import layers

    example = resolved.session.example_for(resolved.program)
    return layers(resolved, example, example if isinstance(example, str) else " ".join(map(str, example))).render()


def _compiled(resolved: Resolved) -> str:
    from capax.compiler.compile import compile as compile_program

    example = list(resolved.session.example_for(resolved.program))
    compiled = compile_program(
        resolved.program, alphabet=list(dict.fromkeys(example)), max_length=max(LENGTH, len(example))
    )
    letters = ", ".join(map(str, dict.fromkeys(example)))
    return (
        f"{resolved.name}: words of 1 to {compiled.model.max_length} over {letters}\n{compiled.size}\n{compiled.label}"
    )
