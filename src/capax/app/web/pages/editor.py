"""The editor with its colours, completion and underlined errors."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from capax.app.web.names import names
from capax.app.web.scripts import EDITOR


def editor(text: str, label: str, on_change: Callable[..., Any]) -> ui.codemirror:
    """An editor of RASP."""
    part = ui.codemirror(text, on_change=on_change, indent="  ", line_wrapping=True).classes("cx-editor")
    ui.run_javascript(f"{EDITOR}({part.id},{json.dumps(names())},{json.dumps(label)})")
    return part


def underline(part: ui.codemirror, check: Mapping[str, Any]) -> None:
    """Underlines what is wrong in the text of an editor, and says it where the mouse rests."""
    marks: list[dict[str, Any]] = []
    tips: dict[int, str] = {}
    for kind, findings in (("warning", check["warnings"]), ("error", check["errors"])):
        for finding in findings:
            if "line" not in finding or finding.get("file") != check["file"]:
                continue
            start, end = span(part.value, finding)
            if start < end:
                marks.append({"kind": "mark", "from": start, "to": end, "class": f"rasp-{kind}"})
            tips[finding["line"]] = finding["what"] + (f"\n{finding['hint']}" if finding["hint"] else "")
    part.decorations = marks
    part.line_tooltips = tips


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
