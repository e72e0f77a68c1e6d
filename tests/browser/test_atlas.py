"""The page of the atlas in a browser: filters, proofs, and that it asks nobody for anything."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from capax.app.commands._atlas_pictures import lattice_svg, table_html
from capax.atlas.dataset import ATLAS
from tests.browser.chromium import Window

pytestmark = pytest.mark.xdist_group("browser-window")


def after(window: Window, tmp_path: Path, script: str) -> dict[str, Any]:
    """What is shown after a script has used the page."""
    report = """
      var told = {};
      told.rows = Array.from(document.querySelectorAll("#cells tbody tr:not(.out) th")).map(e => e.textContent);
      told.languages = Array.from(document.querySelectorAll("#cells thead th[data-language]:not(.out)"))
        .map(e => e.textContent);
      told.claims = Array.from(document.querySelectorAll("#claims tbody tr:not(.out) td:first-child"))
        .map(e => e.textContent);
      told.proof = Array.from(document.querySelectorAll("#proof div")).map(e => e.textContent);
      told.counts = ["cells-count", "claims-count"].map(i => document.getElementById(i).textContent);
      told.asked = performance.getEntriesByType("resource").map(e => e.name);
      var pre = document.createElement("pre");
      pre.id = "told";
      pre.textContent = JSON.stringify(told);
      document.body.appendChild(pre);
    """
    set_ = """
      function set(field, value) { document.querySelector('[data-field="' + field + '"]').value = value; }
      function typed(text) { document.getElementById("search").value = text; }
      function tell() { document.getElementById("filters").dispatchEvent(new Event("input")); }
    """
    page = tmp_path / "table.html"
    page.write_text(
        table_html(ATLAS).replace("</body>", f"<script>{set_}{script}{report}</script></body>"), encoding="utf-8"
    )
    found = re.search(r'<pre id="told">(.*?)</pre>', window.after(page), re.DOTALL)
    assert found
    told: dict[str, Any] = json.loads(unescape(found[1]))
    return told


def test_filters(window: Window, tmp_path: Path) -> None:
    """A field, a word and a mark leave the rows and columns that fit, and say how many."""
    told = after(window, tmp_path, 'set("attention", "softmax"); set("seen", "checked"); typed("parity"); tell();')
    assert told["rows"]
    assert all(row.startswith("softmax") for row in told["rows"])
    assert told["languages"] == ["PARITY"]
    assert {"L6", "U2a", "one-layer-parity"} <= set(told["claims"])
    assert "parity-log-bits" not in told["claims"], "which is cited, not checked"
    assert "L1" not in told["claims"]
    assert all(" of " in text for text in told["counts"])
    assert told["asked"] == []


def test_a_cell_shows_its_proof(window: Window, tmp_path: Path) -> None:
    """The records, with papers and marks."""
    cell = 'document.querySelector(\'td[data-model="hard, masked, no positions"][data-language="(aa)*"]\').click();'
    proof = after(window, tmp_path, cell)["proof"]
    assert proof[0] == "hard, masked, no positions : (aa)* - no"
    assert "masked-hard-is-star-free (Yang, Chiang and Angluin 2024; checked)" in proof[1]
    assert any("(aa)* not in FO" in line for line in proof)


def test_all_is_shown_again(window: Window, tmp_path: Path) -> None:
    """A word that nothing has leaves all languages and no claims; without filters everything is there."""
    told = after(window, tmp_path, 'typed("zebra"); tell();')
    assert told["claims"] == []
    assert len(told["languages"]) > 15
    told = after(window, tmp_path, 'set("attention", "softmax"); tell(); set("attention", ""); tell();')
    assert told["counts"] == ["", ""]
    assert len(told["claims"]) > 60


@pytest.mark.parametrize("dark", [False, True])
def test_it_is_readable_by_day_and_by_night(window: Window, tmp_path: Path, dark: bool) -> None:
    """The page is light or dark as the reader likes, and fills a narrow window without a margin of its own."""
    page = tmp_path / "table.html"
    page.write_text(table_html(ATLAS), encoding="utf-8")
    rows = window.screenshot(page, 420, 600, dark=dark)
    corner = sum(rows[2][2])
    assert (corner < 150) if dark else (corner > 700)


def test_the_picture_is_drawn(window: Window, tmp_path: Path) -> None:
    """The classes as an image have ink."""
    page = tmp_path / "classes.svg"
    page.write_text(lattice_svg(ATLAS), encoding="utf-8")
    rows = window.screenshot(page, 700, 500)
    assert len({pixel for row in rows for pixel in row}) > 3
