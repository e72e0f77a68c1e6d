"""The standard library as a scope, and the other library files on top of it."""

from functools import cache

from capax.errors import CapaxError, Source
from capax.rasp import library
from capax.rasp.ir import build
from capax.rasp.ir.ops import calls
from capax.rasp.text.interpreter import Interpreter
from capax.rasp.text.parser import parse
from capax.rasp.text.scope import Scope


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
