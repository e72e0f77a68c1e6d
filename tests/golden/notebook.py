"""Notebooks, run cell by cell without Jupyter: what is printed, and the value of the last line of each cell."""

import ast
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def load(path: Path) -> dict[str, Any]:
    """A notebook as data."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def outputs(notebook: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """For each code cell, in one namespace, what it shows, in the form in which notebooks keep it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        yield _run("".join(cell["source"]), names, count)


def _run(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value: Any = None
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        shown.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        shown.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": _data(value)})
    return shown


def _data(value: Any) -> dict[str, list[str]]:
    """A value in the forms in which a notebook shows it."""
    found = {"text/plain": _lines(repr(value))}
    bundle = getattr(type(value), "_repr_mimebundle_", None)
    made = dict(bundle(value)) if bundle is not None else {}
    for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
        if hasattr(type(value), method):
            made[kind] = getattr(value, method)()
    found |= {kind: _lines(text) for kind, text in made.items() if kind != "text/plain" and isinstance(text, str)}
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def with_outputs(notebook: dict[str, Any], found: list[list[dict[str, Any]]]) -> str:
    """The text of the notebook with what its cells show."""
    rest = iter(found)
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        made = {**cell, "id": f"cell-{number}"}
        if cell["cell_type"] == "code":
            count = 1 + sum(c["cell_type"] == "code" for c in cells)
            made |= {"outputs": next(rest), "execution_count": count}
        cells.append(made)
    return json.dumps({**notebook, "cells": cells}, indent=1, ensure_ascii=False) + "\n"
