"""`capax demo`: every step runs, and the page needs nothing but itself."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from capax.app.commands._demo_page import page
from capax.app.commands._demo_steps import PARTS, DemoPicture, DemoStep
from capax.app.commands._printed import PrintedCommand
from tests.unit.app.conftest import Capax


class Links(HTMLParser):
    """The addresses that a page names, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.names: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [v for k in ("href", "src") if (v := given.get(k)) is not None]
        if given.get("id"):
            self.names.add(str(given["id"]))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_step_runs_and_the_page_stands_alone(capax: Capax, tmp_path: Path) -> None:
    place = tmp_path / "demo.html"
    done = capax("demo", "-o", str(place), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert len(told["steps"]) == len(PARTS)
    assert all(c["exit"] == 0 for s in told["steps"] for c in s["commands"])
    lines = " ".join(s["line"] for s in told["steps"])
    for wanted in (
        "[o, l, l, e, h]",
        "2 layers",
        "certificate follows",
        "the same answers on all words",
        "largest difference of a logit: 0",
        "different right answers",
        "the witness holds",
        "leftmost-hard attention no, softmax attention yes",
    ):
        assert wanted in lines
    found = Links(place.read_text(encoding="utf-8"))
    assert "up to length 20" in found.text
    assert {a.split(",")[0] for a in found.addresses if not a.startswith("#")} == {"data:image/svg+xml;base64"}
    assert {a[1:] for a in found.addresses if a.startswith("#")} <= found.names
    assert not re.search(r"url\(|@import|<script", place.read_text(encoding="utf-8"))


def test_what_is_printed_is_text_on_the_page() -> None:
    step = DemoStep(
        "a < b",
        "see `x<y`",
        (PrintedCommand("capax run '<b>'", "<b>\n" * 40, 2),),
        (DemoPicture("<svg/>", '"q"'),),
        "l&m",
        "why & how",
    )
    found = Links(page([step]))
    assert "<b>" in found.text
    assert "x<y" in found.text
    assert "l&m" in found.text
    assert "why & how" in found.text


def test_a_page_that_cannot_be_written_is_told(capax: Capax, tmp_path: Path) -> None:
    done = capax("demo", "-o", str(tmp_path / "none" / "demo.html"))
    assert done.code == 2
    assert "error" in done.err
