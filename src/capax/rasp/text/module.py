"""Texts as Python modules: the names a text defines, as programs, functions and values.

A program in the file of a model is from outside: building one takes a bounded amount of work.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from capax.budget import Budget
from capax.display import Displayed
from capax.errors import CapaxError, Source, Span, nearest
from capax.rasp import library
from capax.rasp.ir import build
from capax.rasp.ir.ops import calls
from capax.rasp.python.program import Program, Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector
from capax.rasp.text.interpreter import Interpreter, Limits, Loader
from capax.rasp.text.parser import parse
from capax.rasp.text.scope import Scope
from capax.rasp.text.syntax import COMMANDS
from capax.rasp.text.text_values import Applied, Builtin, Function, Named, Value


class Module:
    """The public names of a text, as attributes.

    S-ops and selectors are programs; functions of the text can be called from Python.
    """

    def __init__(self, name: str, scope: Scope, interpreter: Interpreter) -> None:
        self._name = name
        self._scope = scope
        self._interpreter = interpreter

    def __getattr__(self, name: str) -> Any:
        """The value of a name that the text defines."""
        if name.startswith("_") or name not in self._public():
            close = nearest(name, self._public())
            hint = f"; did you mean `{close}`?" if close else ""
            raise AttributeError(f"{self._name} defines no `{name}`{hint}")
        return _for_python(self._scope.variables[name], self._interpreter)

    def __dir__(self) -> list[str]:
        return self._public()

    def __repr__(self) -> str:
        return f"<module {self._name}: {', '.join(self._public())}>"

    def _public(self) -> list[str]:
        return [n for n in self._scope.variables if not n.startswith("_") and n not in ("out", "tokens")]


class TextFunction(Displayed):
    """A function of a text, to be called from Python."""

    def __init__(self, value: Function | Builtin, interpreter: Interpreter) -> None:
        self._value = value
        self._interpreter = interpreter
        entry = library.entries().get(value.name)
        self.__name__ = self.__qualname__ = value.name
        self.__doc__ = entry.doc if entry else f"{value}"

    def __call__(self, *args: Any) -> Any:
        """The value of the function for these arguments."""
        source = Source("python", f"{self.__name__}({', '.join('...' for _ in args)})")
        value = self._interpreter.call(self._value, list(args), Span(source, 0, len(source.text)))
        return _for_python(value, self._interpreter)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


def _for_python(value: Value, interpreter: Interpreter) -> Any:
    return TextFunction(value, interpreter) if isinstance(value, (Function, Builtin)) else value


def _no_files(interpreter: Interpreter) -> Loader:
    """Carries out `load` for library files only."""

    def load(path: str, source: Source, scope: Scope, span: Span) -> None:
        if path == library.STANDARD:
            return  # it is there already
        if path not in library.modules():
            raise CapaxError("file-not-found", f'only library files can be loaded here, not "{path}"', span, path=path)
        inside = Scope(path, scope.root(), export_to=scope, top_level=True)
        run_source(interpreter, library.module_source(path), inside)

    return load


def open_module(
    source: Source, loader: Callable[[Interpreter], Loader] = _no_files, *, limits: Limits | None = None
) -> Module:
    """A text as a module; the first error in it is raised."""
    interpreter = Interpreter(limits=limits)
    interpreter.loader = loader(interpreter)
    inside = Scope(source.name, standard_scope(interpreter), top_level=True)
    run_source(interpreter, source, inside)
    return Module(source.name, inside, interpreter)


def standard_module() -> Module:
    """The standard library as a module."""
    interpreter = Interpreter()
    return Module(library.STANDARD, standard_scope(interpreter), interpreter)


def program_from_text(text: str, name: str | None = None, *, limits: Limits | None = None) -> Program:
    """The program that a text defines under a name, or the last it makes."""
    interpreter = Interpreter(limits=limits)
    interpreter.loader = _no_files(interpreter)
    parsed = parse(Source("text", text))
    if parsed.unfinished and parsed.errors[-1].code == "missing-semicolon":
        parsed = parse(Source("text", text + "\n;"))
    source = parsed.source
    scope = Scope("text", standard_scope(interpreter), top_level=True)
    last: Value = None
    for item in parsed.items:
        if isinstance(item, CapaxError):
            raise item
        if isinstance(item, COMMANDS):
            continue
        for outcome in interpreter.run(item, scope, source):
            if (isinstance(outcome, Named) and isinstance(outcome.value, Program)) or isinstance(outcome, Applied):
                last = outcome.value
    program = last if name is None else scope.get(name)
    if not isinstance(program, (SOp, Selector, TripleSelector)):
        what = "the text defines no s-op or selector" if name is None else f"`{name}` is not an s-op or selector"
        raise CapaxError("not-a-program", what, hint="assign or write one as the last statement", name=name)
    return program


def standard_scope(interpreter: Interpreter) -> Scope:
    """The scope that every text sees: the standard library, and `tokens`. It is made once and shared."""
    base, made_by = _standard()
    interpreter.hidden |= made_by.hidden
    interpreter.intrinsics |= made_by.intrinsics
    interpreter.operations |= made_by.operations
    return base


@cache
def _standard() -> tuple[Scope, Interpreter]:
    interpreter = Interpreter()
    base = Scope("console")
    base.variables["tokens"] = build.inputs["tokens_str"]
    source = library.module_source(library.STANDARD)
    interpreter.hidden.add(source)
    run_source(interpreter, source, Scope(library.STANDARD, base, export_to=base))
    base.locked = frozenset(base.variables) - {"tokens"}
    for name in ("length", "full_s"):
        base.variables[name].construction.share(name)
    # The library defines the width by two averages; the graph keeps it as one node.
    interpreter.intrinsics[base.variables["selector_width"]] = build.width
    interpreter.operations |= {base.variables[op.symbol]: op.symbol for op in calls("library")}
    return base, interpreter


def run_source(interpreter: Interpreter, source: Source, scope: Scope) -> None:
    """Runs a text in a scope; the first error is raised."""
    for item in parse(source).items:
        if isinstance(item, CapaxError):
            raise item
        interpreter.run(item, scope, source)
    scope.variables.pop("out", None)


STORED_BUDGET: Final = 2_000
"""The usual budget of a program in a model's file, in units of a hundred steps: less than for one a person names."""
PER_CHARACTER: Final = 2
"""This many steps more for each character: capax writes a statement or two for each node and no loop, so that its own
programs take about a third of a step for each character of their text."""
CALL_DEPTH: Final = 2_000
CHARACTERS_PER_UNIT: Final = 250
"""The most characters of a text for each unit of the budget; capax writes some ten for each node."""
NOT_BY_CAPAX: Final = "capax writes programs without loops, so that another program wrote this file"


def stored_program(text: str, *, budget: int | None = None) -> Program:
    """The program that the text in a model's file defines last; one that takes more work to build is refused."""
    units = STORED_BUDGET if budget is None else budget
    steps = int(Budget.of_units(units).steps) + PER_CHARACTER * len(text)
    most = CHARACTERS_PER_UNIT * units
    if len(text) > most:
        what = f"the program in the model's file has {len(text):,} characters; at most {most:,} are read"
        hint = f"if you trust the file: a budget of {-(-len(text) // CHARACTERS_PER_UNIT)} reads it (--budget)"
        raise CapaxError("too-many-steps", what, hint=hint)
    try:
        return program_from_text(text, limits=Limits(CALL_DEPTH, steps))
    except CapaxError as error:
        if error.code != "too-many-steps":
            raise
        what = f"the program in the model's file takes more than {steps:,} steps to build, with a budget of {units:,}"
        hint = f"{NOT_BY_CAPAX}; if you trust it, raise the budget (--budget)"
        raise CapaxError("too-many-steps", what, hint=hint) from None
