"""The editor with its colours, completion and underlined errors."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from capax.app.web.completion import names
from capax.app.web.pages.frame import call

MOST_MARKS = 50


def editor(text: str, label: str, on_change: Callable[..., Any]) -> ui.codemirror:
    """An editor of RASP."""
    part = ui.codemirror(text, on_change=on_change, indent="  ", line_wrapping=True).classes("cx-editor")
    call("capaxEdit", part.id, names(), label)
    return part


def underline(part: ui.codemirror, text: str, check: Mapping[str, Any]) -> None:
    """Underlines what is wrong in a text, if it is still the editor's, and says it where the mouse rests."""
    marks = [
        {"from": start, "to": end, "kind": kind, "text": finding["what"] + _hint(finding)}
        for kind, findings in (("warning", check["warnings"]), ("error", check["errors"]))
        for finding in findings[:MOST_MARKS]
        if "line" in finding and finding.get("file") == check["file"]
        for start, end in [[_units(text, offset) for offset in span(text, finding)]]
        if start < end
    ]
    call("capaxMark", part.id, _units(text, len(text)), marks)


def _hint(finding: Mapping[str, Any]) -> str:
    return f"\n{finding['hint']}" if finding["hint"] else ""


def _units(text: str, offset: int) -> int:
    """An offset in a text as the browser counts it, in UTF-16."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def span(text: str, finding: Mapping[str, Any]) -> tuple[int, int]:
    """The characters that a finding is about: from its line and column, as many as it has carets."""
    lines = text.split("\n")
    if finding["line"] > len(lines):
        return len(text), len(text)
    before = sum(len(line) + 1 for line in lines[: finding["line"] - 1])
    carets = max(
        (line.count("^") for line in finding["text"].splitlines() if line.rstrip("^").endswith(" ")), default=1
    )
    start = min(before + finding["column"] - 1, before + len(lines[finding["line"] - 1]))
    end = min(start + max(1, carets), len(text))
    if not text[start:end].strip() and start > 0:  # at the end of a line: the character before it
        start -= 1
    return start, end
