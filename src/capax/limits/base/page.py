"""Limits as Markdown: a table of all, and a section for each, from running them."""

from collections.abc import Iterable
from typing import Final

from capax.limits.base.count import shown
from capax.limits.base.limit import Result

HEAD: Final = """# The limits

Negative results as calculators: each is a file of `capax.limits` that states a lower bound and computes what it says at
given sizes. `capax limit NAME` runs one, with other sizes if they are given; `--plot FILE` draws it. Where a bound says
nothing it says so: *no statement at this size* never means that something is possible.
[What each bound says and does not say](../explanation/limits.md) is told elsewhere.

Sources of numbers: *stated* were compared with the statement as published or reproduced in lecture notes; *derived* are
worked out in the code; *recalled* were written from memory, their constants not checked; *measured* on a model;
*unproved* is a sketch.

This page is printed by `capax limits --page`, which runs every limit at its defaults; the tests hold it current.
"""


def page(results: Iterable[Result]) -> str:
    """The whole page."""
    found = list(results)
    table = ["| limit | at the defaults | recalled |", "|---|---|---|", *map(line, found)]
    return "\n".join([HEAD, *table, "", *map(section, found)])


def line(result: Result) -> str:
    """The line of the table."""
    limit = result.limit
    cells = (f"[{limit.name}](#{limit.name})<br>{limit.title}", result.verdict.text, limit.unchecked)
    return f"| {' | '.join(map(_cell, cells))} |"


def section(result: Result) -> str:
    """The section of one limit: statement, parameters, numbers, verdict."""
    limit = result.limit
    text = [f"## {limit.name}", f"**{limit.title}.** {limit.statement}", ""]
    text += [f"- Assuming {assumption}." for assumption in limit.assumptions]
    text += [f"- Recalled: {limit.unchecked}", f"- Escapes: {limit.escapes}", f"- Source: {limit.citation}", ""]
    text += ["| parameter | here | range | what |", "|---|---|---|---|"]
    text += [
        f"| `--{p.name.replace('_', '-')}` | {_value(result.inputs[p.name])} | {_cell(p.range)} | {_cell(p.what)} |"
        for p in limit.parameters
    ]
    if result.quantities:
        text += ["", "| quantity | value | source | note |", "|---|---|---|---|"]
        text += [
            f"| {_cell(row.name)} | {row.measure} | {row.source} | {_cell(row.note)} |" for row in result.quantities
        ]
    return "\n".join([*text, "", f"Verdict: {result.verdict.text}.", ""])


def _cell(text: str) -> str:
    return text.replace("|", "or").replace("*", "\\*")


def _value(value: object) -> str:
    return shown(value) if type(value) is int else str(value)
