"""The table of models and languages, and the list of claims, as one page with filters that needs nothing else."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from capax.draw.ink.style import asset

MARKS = {"yes": "yes", "no": "no", "conditional": "no*", "unknown": "?"}


def draw_table(
    table: Mapping[str, Any],
    claims: Sequence[Mapping[str, Any]],
    fields: Mapping[str, Sequence[str]],
    what_if: str | None = None,
) -> str:
    """The page. It can be read without scripts; filters need them."""
    title = "What transformers recognise" + (f", if {what_if}" if what_if else "")
    parts = [
        f"<h1>{escape(title)}</h1>",
        "<p>yes, no, no* (under a conjecture), ? (no record decides it). Choose a cell to see the records that prove "
        "it; choose values to filter rows.</p>",
        _filters(fields),
        f'<div id="proof" aria-live="polite">No cell is chosen yet.</div><div id="cells-count" class="count"></div>'
        f'<div class="wide" tabindex="0">{_cells(table)}</div>',
        '<h2>The claims</h2><div id="claims-count" class="count"></div>',
        f'<div class="wide" tabindex="0">{_claims(claims, fields)}</div>'
        "<p>† the source does not give it: our reading.</p>",
    ]
    data = json.dumps({"claims": {claim["id"]: dict(claim) for claim in claims}}).replace("<", "\\u003c")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>\n{asset('atlas.css')}</style></head>"
        f"<body>\n{''.join(parts)}\n"
        f'<script type="application/json" id="data">{data}</script>'
        f"<script>\n{asset('atlas.js')}</script></body></html>\n"
    )


def _filters(fields: Mapping[str, Sequence[str]]) -> str:
    choices = []
    for name, values in fields.items():
        options = "".join(f"<option>{escape(value)}</option>" for value in values)
        choices.append(
            f'<label>{name} <select data-field="{name}"><option value="">all</option>{options}</select></label>'
        )
    search = '<label>language or word <input id="search" type="search"></label>'
    seen = (
        '<label>seen <select data-field="seen"><option value="">all</option><option>checked</option>'
        "<option>our argument</option><option>cited, not checked</option></select></label>"
    )
    return f'<form id="filters">{"".join(choices)}{seen}{search}<button type="reset">all</button></form>'


def _row(attributes: Mapping[str, str], cells: str) -> str:
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in attributes.items())
    return f"<tr{data}>{cells}</tr>"


def _cells(table: Mapping[str, Any]) -> str:
    names = table["languages"]
    head = "".join(
        f'<th scope="col" data-language="{escape(n)}" title="{escape(w)}">{escape(n)}</th>' for n, w in names.items()
    )
    rows = []
    for model, setting in table["models"].items():
        cells = [
            f'<th scope="row" title="{escape("; ".join(f"{k} {v}" for k, v in setting.items()))}">{escape(model)}</th>'
        ]
        for language in names:
            cell = table["cells"][model][language]
            by = escape(" · ".join(cell["by"]))
            carried = escape("; ".join(cell["carried"]))
            assuming = escape(", ".join(cell["assuming"]))
            cells.append(
                f'<td class="{cell["answer"]}" tabindex="0" data-language="{escape(language)}" '
                f'data-answer="{cell["answer"]}" '
                f'data-model="{escape(model)}" '
                f'data-by="{by}" data-carried="{carried}" data-assuming="{assuming}">{MARKS[cell["answer"]]}</td>'
            )
        rows.append(_row(setting, "".join(cells)))
    return f'<table id="cells"><thead><tr><th></th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _claims(claims: Sequence[Mapping[str, Any]], fields: Mapping[str, Sequence[str]]) -> str:
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("claim", "kind", "object", *fields, "seen", "source", "note")
    )
    rows = []
    for claim in claims:
        setting = claim["setting"]
        texts = [claim["id"], claim["kind"], claim["object"]]
        texts += [setting[name] + ("†" if name in claim["unstated"] else "") for name in fields]
        texts += [
            claim["seen"],
            "; ".join(claim["cites"]),
            "; ".join([claim["note"] or "", *claim["runs"]]).strip("; "),
        ]
        cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
        rows.append(_row(setting | {"seen": claim["seen"]}, cells))
    return f'<table id="claims"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
