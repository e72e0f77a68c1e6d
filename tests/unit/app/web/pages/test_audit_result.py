"""The verdict of an audit as HTML: what strangers name is escaped, and what is unknown is explained."""

from typing import Any

import pytest

pytest.importorskip("nicegui", reason="the playground needs the extra `web`")

from capax.app.web.pages import audit_result as html

EVIL = "<img src=x onerror=alert(1)>"


def audit(**changes: Any) -> dict[str, Any]:
    """An audit of three lengths."""
    lengths = [{"length": n, "outcome": "unknown", "note": "no time", "counterexample": None} for n in (1, 2)]
    plain = {"model": EVIL, "summary": EVIL, "prefix": [EVIL], "letters": [EVIL], "end": EVIL, "decoding": EVIL}
    more = {"proved": [], "wrong": [], "unknown": [1, 2], "no_bounds_because": EVIL, "lengths": lengths}
    return plain | more | {"read_in_words": "at the last letter", "numbers": "float32"} | changes


def test_texts_are_escaped() -> None:
    """Names of files, letters and answers are texts of others."""
    wrong = {"word": [EVIL], "position": 0, "answer": EVIL, "expected": [EVIL], "margins": {EVIL: -1.0}}
    size = {"attention_layers": 1, "heads": [1], "width": 2, "parameters": 3}
    drawn = {"word": [EVIL], "margin": 1.0, "picture": "", "note": EVIL}
    found = "".join(
        (
            html.brought_html({EVIL: "AAAA"}, [EVIL]),
            html.summary_html(audit(), size),
            html.counterexample_html(audit(), drawn),
            html.counterexample_html(audit(lengths=[{"counterexample": wrong}]), drawn),
            html.table_html([["length", "verdict"], ["1", EVIL]], audit()),
            html.attention_html(drawn),
        )
    )
    assert "&lt;img" in found
    assert "<img" not in found


def test_columns_without_entries_are_left_out() -> None:
    """And lengths that are unknown have their reason below."""
    found = html.table_html([["length", "verdict", "bound"], ["1", "unknown", "-"]], audit())
    assert "bound</th>" not in found
    assert "Lengths 1 to 2: no time" in found
    assert "No bounds" in found
    assert "No bounds" not in html.table_html([["length", "verdict"], ["1", "proved"]], audit(unknown=[]))


def test_no_word_was_tried() -> None:
    """Then nothing is drawn, and there is no card."""
    none = {"word": None, "margin": None, "picture": "", "note": "no word was tried"}
    assert html.counterexample_html(audit(), none) == html.attention_html(none) == ""
