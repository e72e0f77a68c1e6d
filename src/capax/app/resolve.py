"""From a PROGRAM argument to a program: a library name, FILE.rasp, FILE.rasp:NAME, or an expression."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from capax.app.files.text_files import read_text
from capax.app.inputs import are_numbers
from capax.app.session import Session
from capax.errors import CapaxError, Source, nearest
from capax.rasp import library
from capax.rasp.ir.construction import Construction
from capax.rasp.python.program import Program
from capax.rasp.text import syntax as s
from capax.rasp.text.interpreter import BUDGET, limits_of
from capax.rasp.text.parser import parse_expression
from capax.rasp.text.scope import Scope
from capax.rasp.text.syntax import everything
from capax.rasp.text.text_values import Function, Value

_FILE = re.compile(r"(?P<path>.+?\.rasp)(?::(?P<name>.+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A program, the name to show for it, the session that made it, and the file that it is from, if any."""

    name: str
    program: Program
    session: Session
    file: Source | None = None


def resolve(spec: str | Resolved, *, split: str = "chars", budget: int = BUDGET) -> Resolved:
    """The program that an argument names, for inputs that are split so; one that was found already is itself.

    Building it takes no more work than the budget: 100 steps for each unit.
    """
    if isinstance(spec, Resolved):
        return spec
    session = Session(limits=limits_of(budget), numbers=are_numbers(split))
    file = _FILE.fullmatch(spec)
    if file:
        return _from_file(Path(file["path"]), file["name"], session)
    entry = library.entries().get(spec)
    if entry is not None:
        scope = _load_module(session, entry.module)
        return _program(spec, scope.get(spec), scope, session)
    return _from_expression(spec, session)


def _load_module(session: Session, module: str) -> Scope:
    if module == library.STANDARD:
        return session.console
    return session.files.load_source(library.module_source(module), session.console, f"library:{module}", module)


def _from_file(path: Path, name: str | None, session: Session) -> Resolved:
    source = Source(str(path), read_text(path))
    return replace(_from_source(source, str(path.resolve()), name, session), file=source)


def resolve_text(source: Source, name: str | None, session: Session) -> Resolved:
    """The program that a name stands for in a text, or the last that it defines; the session says what it may load."""
    return _from_source(source, f"text:{source.name}", name, session)


def _from_source(source: Source, key: str, name: str | None, session: Session) -> Resolved:
    path = source.name
    scope = session.files.load_source(source, session.console, key)
    if name is None:
        programs = [n for n, v in scope.variables.items() if isinstance(v, Program) and _is_public(n)]
        if not programs:
            raise CapaxError(
                "not-a-program",
                f"{path} defines no s-op or selector",
                hint=f"name one: {path}:NAME",
                path=path,
            )
        name = programs[-1]
    if name.isidentifier():
        if not scope.has(name):
            known = [n for n in scope.variables if _is_public(n)]
            close = nearest(name, known)
            hint = f"did you mean {path}:{close}?" if close else f"it defines {', '.join(known[:8]) or 'nothing'}"
            raise CapaxError("unknown-program", f"{path} does not define `{name}`", hint=hint, name=name)
        return _program(name, scope.get(name), scope, session, f"{path}:")
    text = Source(f"{path}:{name}", name)
    expr = parse_expression(text)
    return _program(_title(name, expr), session.interpreter.evaluate(expr, scope, text), scope, session)


def _is_public(name: str) -> bool:
    return not name.startswith("_") and name != "out"


def _from_expression(spec: str, session: Session) -> Resolved:
    source = Source("program", spec)
    if spec.isidentifier() and not session.console.has(spec):
        raise _unknown(spec)
    expr = parse_expression(source)
    used = {item.id for item in everything(expr) if isinstance(item, s.Name)}
    for module in {library.entries()[n].module for n in used if n in library.entries()}:
        _load_module(session, module)
    return _program(
        _title(spec, expr), session.interpreter.evaluate(expr, session.console, source), session.console, session
    )


def _title(text: str, expr: s.Expr) -> str:
    """An expression as something that can be applied: in parentheses unless it is whole by itself."""
    text = text.strip().removesuffix(";").rstrip()
    whole = expr.grouped or isinstance(expr, (s.Name, s.Call, s.Index, s.SelectOf, s.Primitive))
    return text if whole else f"({text})"


def _unknown(spec: str) -> CapaxError:
    close = nearest(spec, list(library.entries()))
    hint = f"did you mean `{close}`? " if close else ""
    return CapaxError(
        "unknown-program",
        f"there is no program `{spec}`",
        hint=hint + "`capax list` shows the library; a file is given as FILE.rasp or FILE.rasp:NAME",
        name=spec,
    )


def _program(name: str, value: Value, scope: Scope, session: Session, prefix: str = "") -> Resolved:
    if isinstance(value, Program):
        if value.name is None:
            value = type(value)(
                value.node, Construction(value.node, value.construction.parts, value.construction.span, name)
            )
        return Resolved(name, value, session)
    if isinstance(value, Function):
        applied = None if prefix else _example_of(value.name)
        if applied is not None:
            text = applied.source.text[slice(*applied.expr.at)]
            return _program(text, session.interpreter.evaluate(applied.expr, scope, applied.source), scope, session)
        call = f"{value.name}({', '.join(value.params)})"
        example = f"{prefix}{value.name}({', '.join(['tokens'] * len(value.params))})"
        raise CapaxError(
            "not-a-program",
            f"`{name}` is a function, {call}, not an s-op or selector",
            hint=f'give its arguments, for instance "{example}"',
            name=name,
        )
    raise CapaxError("not-a-program", f"`{name}` is not an s-op or selector", name=name)


@dataclass(frozen=True, slots=True)
class _Example:
    expr: s.Expr
    source: Source


def _example_of(function: str) -> _Example | None:
    """How the library's own example applies a function: `sort(tokens, tokens)` for `sort`."""
    entry = library.entries().get(function)
    for text in entry.examples if entry else ():
        source = Source("example", text)
        match parse_expression(source):
            case s.Binary(op="==", left=s.Call(function=applied)):
                return _Example(applied, source)
    return None
