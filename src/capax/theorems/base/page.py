"""Theorems as Markdown: a table of all, and a section for each, from running them."""

from collections.abc import Iterable
from typing import Final

from capax.auditor.model_proof import ModelProof
from capax.report import Report
from capax.theorems.base.theorem import Theorem, TheoremRun

HEAD: Final = """# Theorems: every construction

Positive results as code: each is a file of `capax.theorems` that states the result, builds the weights of a
transformer, checks it and shows its sizes beside the paper's bounds. `capax theorem NAME` runs one, with other
parameters if they are given; `--break` drops an assumption and shows the failure; `-o FILE` saves the model, and
`capax draw FILE` shows its attention.

This page is printed by `capax theorems --page`, which runs every theorem at its defaults; the tests hold it current.
[A page of its own](theorem-labels.md) says on which inputs the models are proved right.
"""

LABELS: Final = """\
# What is proved of the theorems' models

The models of [the theorems](theorems.md), with their default parameters, are right on all of these inputs. By
exhaustion: capax's runtime ran each in the model's own numbers. By bounds: the margins of all words of a length are
bounded at once. By weights: the weights of the head on each set bound the errors over all vectors. Beyond these inputs
models are tested, as the page of the theorems says. This page is printed by `capax theorems --labels`.

| theorem | label | by |
|---|---|---|"""


def page(runs: Iterable[TheoremRun]) -> str:
    """The whole page."""
    done = list(runs)
    table = ["| theorem | attention | layers, heads | evidence |", "|---|---|---|---|", *map(line, done)]
    return "\n".join([HEAD, *table, "", *map(section, done)])


def labels_page(theorems: Iterable[Theorem]) -> str:
    """The page of labels: on which inputs each theorem's model is proved right, at the default parameters."""
    return "\n".join([LABELS, *(proved_line(one.name, one.proof(one.build())) for one in theorems), ""])


def proved_line(name: str, proof: ModelProof | None) -> str:
    """The line of a theorem in the table of what is proved."""
    label, method = ("not proved", "") if proof is None else (proof.label, proof.method)
    return f"| [{name}](theorems.md#{name}) | {label} | {method} |"


def line(run: TheoremRun) -> str:
    """The line of the table."""
    theorem, size = run.theorem, run.model.size
    heads = "+".join(map(str, size.heads))
    depth = f"{size.attention_layers}, {heads}" + (f"; {run.oracles} oracle" if run.oracles else "")
    cells = (
        f"[{theorem.name}](#{theorem.name})<br>{theorem.title}",
        theorem.attention,
        depth,
        evidence(run.check),
    )
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def evidence(report: Report) -> str:
    """What a check found, in a few words that do not change from machine to machine."""
    facts: list[str] = [report.evidence]
    facts += [f"{report.count:,} inputs"] if report.count is not None else []
    facts += [f"seed {report.seed}"] if report.seed is not None else []
    return f"{'holds' if report.holds else 'FAILS'} ({', '.join(facts)})"


def section(run: TheoremRun) -> str:
    """The section of one theorem: statement, parameters, sizes, evidence."""
    theorem = run.theorem
    text = [f"## {theorem.name}", f"**{theorem.title}.** {theorem.statement}", ""]
    text += [f"- Assuming {assumption}." for assumption in theorem.assumptions]
    text += [f"- Attention: {theorem.attention}.", f"- Precision: {theorem.precision}."]
    text += [f"- Scope: {theorem.scope}", f"- Source: {theorem.citation}", ""]
    text += ["| parameter | here | range | what |", "|---|---|---|---|"]
    text += [
        f"| `--{p.name.replace('_', '-')}` | {run.parameters[p.name]} | {p.range.replace('|', 'or')} | {p.what} |"
        for p in theorem.parameters
    ]
    text += ["", "| size | built | bound | note |", "|---|---|---|---|"]
    text += [f"| {row.what} | {number(row.built)} | {number(row.bound)} | {row.note} |" for row in run.rows]
    text += ["", *(f"- {evidence(part)}: {part.statement}" for part in (run.check.parts or (run.check,)))]
    if run.oracles:
        text.append("- An oracle map: an arbitrary function of one position stands for a network.")
    return "\n".join([*text, ""])


def number(value: int | float | str) -> str:
    """A number as tables show it."""
    match value:
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.4g}"
        case _:
            return value
