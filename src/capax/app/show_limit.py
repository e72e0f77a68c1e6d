"""How the command line prints limits."""

from textwrap import wrap
from typing import Any

WIDTH = 100


def show_result(result: dict[str, Any]) -> str:
    """The printed form of `capax limit NAME`: what it says first, then the numbers and the small print."""
    lines = [f"{result['name']}: {result['title']}", "", *wrap(result["statement"], WIDTH), ""]
    at = ", ".join(f"{name.replace('_', '-')} {text}" for name, text in result["at_texts"].items())
    lines += [*_fact("at", at or "no parameters"), *_fact("verdict", result["verdict"]["text"]), ""]
    if result["quantities"]:
        lines += [*_table(result), ""]
    for text in result["assumptions"]:
        lines += _fact("assuming", text)
    for key in ("recalled", "escapes", "citation"):
        lines += _fact(key, result[key])
    return "\n".join(lines)


def _table(result: dict[str, Any]) -> list[str]:
    """A table: what, value with its unit, where it comes from, a remark."""
    cells = [["quantity", "value", "source", ""]]
    for row, text in zip(result["quantities"], result["texts"], strict=True):
        cells.append([row["name"], text, row["source"], row["note"]])
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in cells]


def _fact(name: str, text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent=f"{name:<10} ", subsequent_indent=" " * 11)
