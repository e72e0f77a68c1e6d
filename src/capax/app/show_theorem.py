"""How the command line prints theorems."""

from textwrap import wrap
from typing import Any

from capax.formal.acceptance import READS
from capax.theorems.base.theorem import BREAKS

WIDTH = 100


def show_list(found: list[dict[str, Any]]) -> str:
    """The printed form of `capax theorems`."""
    wide = max((len(item["name"]) for item in found), default=0)
    return "\n".join(f"{item['name'].ljust(wide)}  {item['title']}" for item in found)


def show_outcome(result: dict[str, Any]) -> str:
    """The printed form of `capax theorem NAME`."""
    lines = [*_statement(result), "", *_sizes(result["sizes"]), "", "the model", _indented(result["size_table"])]
    if result["oracles"]:
        lines.append("  an oracle map: an arbitrary function stands for a network")
    return "\n".join([*lines, "", result["text"]])


def show_broken(result: dict[str, Any]) -> str:
    """The printed form of `capax theorem NAME --break`."""
    given_up = wrap(BREAKS[result["breaks"]], WIDTH, initial_indent="given up   ", subsequent_indent=" " * 11)
    return "\n".join([*_statement(result), *given_up, "", result["text"]])


def _statement(result: dict[str, Any]) -> list[str]:
    lines = [f"{result['name']}: {result['title']}", "", *wrap(result["statement"], WIDTH), ""]
    facts = [*(("assuming", text) for text in result["assumptions"])]
    facts += [(key, result[key]) for key in ("attention", "precision")]
    facts += [("read", READS[read])] if (read := result.get("read")) in READS else []
    facts += [(key, result[key]) for key in ("limits", "citation")]
    facts.append(("at", ", ".join(f"{name} {value}" for name, value in result["at"].items()) or "no parameters"))
    for name, text in facts:
        lines += wrap(text, WIDTH, initial_indent=f"{name:<10} ", subsequent_indent=" " * 11)
    return lines


def _sizes(rows: list[dict[str, Any]]) -> list[str]:
    """A table: what, built, bound, note."""
    cells = [["size", "built", "bound", ""]]
    cells += [[row["what"], _number(row["built"]), _number(row["bound"]), row["note"]] for row in rows]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in cells]


def _number(value: Any) -> str:
    match value:
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.4g}"
        case _:
            return str(value)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
