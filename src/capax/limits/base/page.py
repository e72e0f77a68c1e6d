"""Limits as Markdown: a table of all, and a section for each, from running them."""

from collections.abc import Iterable
from typing import Final

from capax.limits.base.large_numbers import shown
from capax.limits.base.limit import LimitResult

HEAD: Final = """# Lower bounds: every calculator

Negative results as calculators: each is a file of `capax.limits` that states a lower bound and evaluates it at given
sizes. `capax limit NAME` runs one, at other sizes if they are given; `--draw FILE` draws it. Where a bound is vacuous
the verdict is *no statement at this size*, which never means that something is possible. [What each bound proves and
does not prove](../explanation/limits.md) is explained elsewhere.

Sources of numbers: *stated* were compared with the statement as published or reproduced in lecture notes; *derived* are
worked out in the code; *cited* are constants from a paper, not checked here; *measured* on a model; *unproved* is a
sketch.

This page is printed by `capax limits --page`, which runs every limit at its defaults; the tests hold it current.
"""


def page(results: Iterable[LimitResult]) -> str:
    """The whole page."""
    rows = list(results)
    table = ["| limit | at the defaults | cited, not checked here |", "|---|---|---|", *map(line, rows)]
    return "\n".join([HEAD, *table, "", *map(section, rows)])


def line(result: LimitResult) -> str:
    """The line of the table."""
    limit = result.limit
    cells = (f"[{limit.name}](#{limit.name})<br>{limit.title}", result.verdict.text, limit.unchecked)
    return f"| {' | '.join(map(_cell, cells))} |"


def section(result: LimitResult) -> str:
    """The section of one limit: statement, parameters, numbers, verdict."""
    limit = result.limit
    text = [f"## {limit.name}", f"**{limit.title}.** {limit.statement}", ""]
    text += [f"- Assuming {assumption}." for assumption in limit.assumptions]
    text += [
        f"- Cited, not checked here: {limit.unchecked}",
        f"- Escapes: {limit.escapes}",
        f"- Source: {limit.citation}",
        "",
    ]
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
