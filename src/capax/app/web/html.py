"""Results as pieces of HTML: plain data in, text out; every text of a user is escaped."""

from collections.abc import Iterable, Mapping
from html import escape
from itertools import zip_longest
from typing import Any

from capax.app.options import count

MOST_CELLS = 24
"""Selectors on longer inputs are not drawn in the table; the picture has them."""


def esc(value: object) -> str:
    """A value as text that a page can hold."""
    return escape(str(value))


def chips(items: Iterable[tuple[str, str]]) -> str:
    """Short facts in a row, each with a kind: good, bad or none."""
    inside = "".join(f'<span class="cx-chip {kind}">{text}</span>' for text, kind in items)
    return f'<div class="cx-chips">{inside}</div>'


def value(one: Any) -> str:
    """A value of an s-op as the table shows it."""
    if isinstance(one, bool):
        return "T" if one else "F"
    if isinstance(one, float):
        return f"{one:.4g}"
    return str(one)


def prose(text: object) -> str:
    """A text with what stands between backquotes as code."""
    parts = esc(text).split("`")
    if len(parts) % 2 == 0:  # a backquote without a partner: the text is left as it is
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def error(data: Mapping[str, Any], kind: str = "") -> str:
    """An error or a warning: what, where, the source line with the caret, and the hint."""
    where = (
        f' <span class="cx-quiet cx-small">line {data["line"]}, column {data["column"]}</span>'
        if "line" in data
        else ""
    )
    text = str(data.get("text", ""))
    source = "\n".join(line for line in text.splitlines()[1:] if not line.startswith("hint:") and "-->" not in line)
    excerpt = f"<pre>{esc(source)}</pre>" if "line" in data and source else ""
    hint = f'<div class="cx-small">{prose(data["hint"])}</div>' if data.get("hint") else ""
    return f'<div class="cx-error {kind}" role="alert"><div>{prose(data["what"])}{where}</div>{excerpt}{hint}</div>'


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML already."""
    names = list(head)
    titles = "".join(f"<th>{esc(title)}</th>" for title in names)
    # On a narrow page the cells of a row flow one after the other, each behind its title.
    named = [""] + [f' data-title="{esc(title)}"' if title else "" for title in names[1:]]
    body = "".join(
        "<tr>"
        + "".join(f"<td{name}>{cell}</td>" for name, cell in zip_longest(named[: len(cells)], cells, fillvalue=""))
        + "</tr>"
        for cells in map(list, rows)
    )
    top = f'<tr class="cx-titles">{titles}</tr>' if titles else ""
    return f'<div class="cx-scroll"><table class="cx-plain{"" if top else " cx-snug"}">{top}{body}</table></div>'


def steps(run: Mapping[str, Any]) -> str:
    """The table of every named step of a run: a column for each position, a row for each step."""
    word = run["input"]
    head = "".join(f"<th>{at}</th>" for at in range(len(word)))
    lines = [f"<tr><th></th>{head}</tr>", _line("tokens", word)]
    trace = run.get("trace") or [{"name": run["program"], **{k: run[k] for k in ("kind", "type", "values")}}]
    for step in trace:
        last = step is trace[-1]
        if step["kind"] == "selector":
            lines.append(_selector(step, len(word)))
        else:
            lines.append(_line(step["name"], step["values"], "cx-result" if last else ""))
    if trace[-1]["kind"] != "selector" and trace[-1]["values"] != run["values"]:
        lines.append(_line(run["program"], run["values"], "cx-result"))
    return f'<div class="cx-scroll"><table class="cx-steps">{"".join(lines)}</table></div>'


def _line(name: str, values: Iterable[Any], kind: str = "") -> str:
    cells = "".join(f"<td>{esc(value(one))}</td>" for one in values)
    return f'<tr class="{kind}"><td title="{esc(name)}">{esc(name)}</td>{cells}</tr>'


def _selector(step: Mapping[str, Any], size: int) -> str:
    rows = step["values"]
    chosen = sum(map(sum, rows))
    told = f'<span class="cx-quiet">{count(chosen, "pair")} of {size * size}</span>'
    drawn = grid(rows) if size <= MOST_CELLS else ""
    cell = f'<td colspan="{size}" style="text-align:left">{drawn} {told}</td>'
    return f'<tr><td title="{esc(step["name"])}">{esc(step["name"])}</td>{cell}</tr>'


def grid(rows: list[list[bool]], cell: int = 7) -> str:
    """A selector as a small picture: a row for each query, a column for each key."""
    size = len(rows)
    wide = size * cell
    marks = "".join(
        f"M{j * cell + 1} {i * cell + 1}h{cell - 2}v{cell - 2}h{2 - cell}z"
        for i, row in enumerate(rows)
        for j, chosen in enumerate(row)
        if chosen
    )
    return (
        f'<svg class="cx-grid" width="{wide}" height="{wide}" role="img" aria-label="selector of {size} by {size}">'
        f'<rect width="{wide}" height="{wide}" rx="2" fill="var(--panel)" stroke="var(--line)"/>'
        f'<path d="{marks}" fill="var(--full)"/></svg>'
    )


def costs(cost: Mapping[str, Any]) -> str:
    """The layers and heads of a program, with the reason for the depth and what each head does."""
    heads = ", ".join(map(str, cost["heads_merged"])) or "none"
    facts = [(f"<b>{count(cost['layers'], 'layer')}</b>", ""), (f"heads in each: <b>{esc(heads)}</b>", "")]
    facts += [(f"{esc(v['dialect'])}", "good" if v["inside"] else "") for v in cost["fragments"] if v["inside"]]
    rows = []
    for head in cost["heads"]:
        what = "counts" if head["counts"] else "averages " + ", ".join(head["values"])
        mask = f", {head['mask']} mask" if head["mask"] else ""
        rows.append(
            (
                f'<span class="cx-mono">{head["layer"]}.{head["head"]}</span>',
                f'<span class="cx-mono">{esc(head["selector"])}</span>',
                f'<span class="cx-mono">{esc(what)}</span>',
                f"{esc(head['dimension'])}{esc(mask)}",
            )
        )
    detail = table(("head", "looks where", "and", "dimension"), rows) if rows else ""
    path = "".join(f"<li>{esc(reason['text'])}</li>" for reason in cost["critical_path"])
    why = f'<div class="cx-small cx-quiet">Why so deep</div><ul class="cx-list cx-small">{path}</ul>' if path else ""
    return chips(facts) + detail + why


def picture(svg: str | None, fit: bool = False) -> str:
    """A picture that scrolls sideways where it is too wide, or shrinks."""
    return "" if not svg else f'<div class="cx-scroll{" cx-fit" if fit else ""}">{svg}</div>'


def by_width(wide: str | None, narrow: str | None) -> str:
    """A picture for wide windows, and another one in its place for a telephone."""
    if not wide or not narrow:
        return ""
    return f'<div class="cx-fit cx-wide">{wide}</div><div class="cx-fit cx-narrow">{narrow}</div>'


def awake(fragment: str) -> str:
    """A picture with scripts of its own; the page runs them when it puts the picture into place."""
    return f'<div class="cx-wake" data-html="{escape(fragment)}"></div>' if fragment else ""
