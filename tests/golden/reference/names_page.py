"""The page with every public name of the package, from the package itself."""

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import capax
from capax.compiler.compiled import Compiled

TOP = """\
# Every name of the package

All that `capax` exports, with what each takes and gives; this page is written from the program.
[The Python interface](python.md) tells more, with examples. An `Atom` is a string, an integer, a float or a boolean.

"""


def names_page() -> str:
    """The whole page: values, functions, and a section for each class."""
    public = {name: getattr(capax, name) for name in capax.__all__}
    values = {
        name: value for name, value in public.items() if not isinstance(value, type) and not inspect.isroutine(value)
    }
    functions = {name: value for name, value in public.items() if inspect.isroutine(value)}
    classes = {name: value for name, value in public.items() if isinstance(value, type)}
    rows = [f"| `{name}` | {_kind(value)} |" for name, value in values.items()]
    parts = [
        "## Values",
        "\n".join(["| name | is |", "|---|---|", *rows]),
        "## Functions",
        _table(_rows(functions)),
        *(_class_section(name, value) for name, value in {**classes, "Compiled": Compiled}.items()),
    ]
    return TOP + "\n\n".join(parts) + "\n"


def _kind(value: Any) -> str:
    """A program by its kind and its value on a word, anything else by the sentence of its class."""
    if not isinstance(value, capax.Program):
        return _cell(_sentence(value))
    kind = "selector" if isinstance(value, capax.Selector) else "s-op"
    return f'{kind}; on `"120"` it gives `{value("120")!r}`'


def _rows(functions: dict[str, Callable[..., Any]], below: str = "") -> Iterator[str]:
    for name, function in functions.items():
        yield f"| `{_cell(below + name + signature(function))}` | {_cell(_sentence(function))} |"


def _table(rows: Iterator[str]) -> str:
    return "\n".join(["| write | gives |", "|---|---|", *rows])


def _class_section(name: str, owner: type) -> str:
    """A class: its sentence, its fields, its properties and methods."""
    where = "" if name in capax.__all__ else f" It is in `{owner.__module__}`."
    parts = [f"## {name}", _sentence(owner) + where]
    bases = [base for base in owner.__bases__ if getattr(capax, base.__name__, None) is base]
    parts += [f"It has all that [{base.__name__}](#{base.__name__.lower()}) has." for base in bases]
    fields = [f"`{field.name}`" for field in dataclasses.fields(owner)] if dataclasses.is_dataclass(owner) else []
    inherited = {f"`{field}`" for base in owner.__bases__ for field in getattr(base, "__dataclass_fields__", ())}
    if own := [field for field in fields if field not in inherited]:
        parts.append(f"Fields: {', '.join(own)}.")
    if rows := list(_members(owner)):
        parts.append(_table(iter(rows)))
    return "\n\n".join(parts)


def _members(owner: type) -> Iterator[str]:
    for name, member in vars(owner).items():
        if name.startswith("_") and name != "__call__":
            continue
        if isinstance(member, property):
            yield f"| `.{name}` | {_cell(_sentence(member))} |"
        elif isinstance(member, staticmethod | classmethod):
            yield from _rows({name: member.__func__}, f"{owner.__name__}.")
        elif inspect.isfunction(member):
            yield from _rows(
                {"" if name == "__call__" else f".{name}": member}, owner.__name__.lower() * (name == "__call__")
            )


def signature(function: Callable[..., Any]) -> str:
    """What a function takes and gives, as its source says it, without `self`."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    arguments = [part for part in [*tree.args.posonlyargs, *tree.args.args] if part.arg not in ("self", "cls")]
    tree.args.posonlyargs, tree.args.args = [], arguments
    returns = f" -> {ast.unparse(tree.returns)}" if tree.returns is not None else ""
    return re.sub(r"'(\w+)'(?=$|[,\]) ])", lambda found: _plain(found[1]), f"({ast.unparse(tree.args)}){returns}")


def _plain(word: str) -> str:
    """A class that the source has in quotes, without them; a quoted word of other kinds as it is."""
    return word if word[0].isupper() else f"'{word}'"


def _sentence(value: Any) -> str:
    """The first sentence of what the docstring says."""
    first = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    assert first, f"{value!r} has no docstring"
    return re.split(r"(?<=\.) (?=[A-Z`])", first)[0]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
