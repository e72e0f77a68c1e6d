"""The page of the atlas: a question with its proof, and the classes to click on."""

from typing import Any

from nicegui import ui

from capax.app.web import html as show
from capax.app.web.pages.frame import Desk, add_script, call, card, frame, html, remember, state
from capax.app.web.sandbox.pool import Pool
from capax.atlas.dataset import ATLAS
from capax.atlas.setting import FIELDS

OFTEN = ("attention", "mask", "positions", "precision", "steps")
"""The fields that stand open; the others are in a fold."""
CLICK = """
document.addEventListener('click',e=>{const box=e.target.closest&&e.target.closest('.cx-lattice');if(!box)return;
let t=e.target.closest('rect.panel,text');if(!t)return;
if(t.tagName==='rect'){while(t&&!(t.tagName==='text'&&t.classList.contains('name')))t=t.nextElementSibling}
else{while(t&&!t.classList.contains('name'))t=t.previousElementSibling}
if(t)emitEvent('cx-class',t.textContent.split(' = ')[0])});
"""
ANSWERS = {"yes": "good", "no": "bad"}


class Atlas:
    """The page: a question at the left, the answer at the right, the lattice below."""

    def __init__(self, pool: Pool) -> None:
        self._desk, self._classes, self._picture = Desk(pool), Desk(pool), Desk(pool)
        given = state()
        languages = {one.id: f"{one.id}: {one.what}" for one in ATLAS.languages}
        self._names = {one.id: one.what for one in ATLAS.classes}
        self._fields: dict[str, ui.select] = {}
        add_script(CLICK)
        with frame("/atlas"):
            with ui.element("div").classes("cx-side"):
                with card("Do these transformers recognise it?"), ui.element("div").classes("cx-stack"):
                    name = given.get("language", "PARITY")
                    self._language = ui.select(
                        languages, value=name if name in languages else "PARITY", label="language", with_input=True
                    )
                    self._language.props("outlined dense").on_value_change(self._changed)
                    self._field_boxes(OFTEN, given)
                    more = ui.expansion("further assumptions").props("dense").style("width:100%")
                    with more, ui.element("div").classes("cx-stack"):
                        self._field_boxes([name for name in FIELDS if name not in OFTEN], given)
                with ui.element("div").classes("cx-stack"):
                    self._desk.place_errors()
                    self._answer = html("", "cx-answer")
            with card("Classes of languages, and what transformers recognise: click on one"):
                self._classes.place_errors()
                self._class = html("", "cx-class")
                self._lattice = html("", "cx-lattice").style("margin-top:10px")
        ui.on("cx-class", lambda event: self._clicked(str(event.args)))
        first = given.get("class", "")
        ui.timer(0.05, lambda: self._desk.later(lambda: self._begin(first)), once=True)

    def _field_boxes(self, names: Any, given: dict[str, str]) -> None:
        for name in names:
            options = {"": f"as the atlas takes it ({FIELDS[name].default})"} | {v: v for v in FIELDS[name].values}
            chosen = given.get(name, "")
            if not given and name == "attention":
                chosen = "leftmost-hard"
            box = ui.select(options, value=chosen if chosen in options else "", label=name).props("outlined dense")
            box.on_value_change(self._changed)
            self._fields[name] = box

    def _changed(self) -> None:
        self._desk.later(self._ask)

    def _given(self) -> dict[str, str]:
        return {name: str(box.value) for name, box in self._fields.items() if box.value}

    async def _begin(self, cls: str) -> None:
        await self._ask()
        found = await self._picture.ask("lattice", {})
        if found is not None:
            self._lattice.set_content(show.picture(found["picture"]))
        if cls in self._names:
            await self._clicked(cls)

    async def _ask(self) -> None:
        asked = {"about": "language", "name": self._language.value, "fields": self._given()}
        remember("/atlas", {"language": str(self._language.value)} | self._given())
        found = await self._desk.ask("atlas", asked)
        if found is not None:
            self._answer.set_content(answered(found))

    async def _clicked(self, name: str) -> None:
        if name not in self._names:
            return
        found = await self._classes.ask("atlas-class", {"name": name})
        if found is not None:
            self._class.set_content(placed(found))
            call("capaxSee", ".cx-class")
            remember("/atlas", {"language": str(self._language.value), "class": name} | self._given())


def answered(found: dict[str, Any]) -> str:
    """An answer of the atlas, with its shortest proof line by line."""
    verdict = found["answer"]
    assuming = f" if {show.esc(', '.join(found['assuming']))}" if found["assuming"] else ""
    parts = [
        f'<section class="cx-card"><h1 class="cx-h">{show.esc(found["language"])}: '
        f'<span class="cx-{ANSWERS.get(verdict, "quiet")}">{show.esc(verdict)}</span>{assuming}</h1>'
    ]
    if not found["proofs"]:
        parts.append('<p class="cx-quiet">No record decides this. That is no statement that it is impossible.</p>')
    for number, proof in enumerate(found["proofs"][:2]):
        lines = "".join(_line(line) for line in proof["lines"])
        title = "because" if number == 0 else "and another way"
        parts.append(f'<div class="cx-quiet cx-small">{title}</div><ul class="cx-list">{lines}</ul>')
    sources = "".join(f"<li>{show.esc(text)}</li>" for text in found["sources"].values())
    parts.append(
        f'<details class="cx-more"><summary>sources</summary><ul class="cx-list cx-small">{sources}</ul></details>'
    )
    commands = dict.fromkeys(one["command"] for one in found["runs"])
    runs = "".join(f'<li class="cx-mono">{show.esc(command)}</li>' for command in commands)
    if runs:
        parts.append(
            f'<div class="cx-quiet cx-small" style="margin-top:8px">see it run</div><ul class="cx-list">{runs}</ul>'
        )
    return "".join(parts) + "</section>"


def _line(line: dict[str, Any]) -> str:
    quiet = " class='cx-quiet cx-small'" if line["by_definition"] else ""
    seen = "" if line["by_definition"] else f' <span class="cx-quiet cx-small">({show.esc(line["seen"])})</span>'
    return f"<li{quiet}>{show.esc(line['says'])}{seen}</li>"


def placed(found: dict[str, Any]) -> str:
    """What is known of a class and every kind of transformers in the table."""
    rows = []
    for kind, row in found["rows"].items():
        cells = [row["contains"]["answer"], row["within"]["answer"]]
        if cells == ["unknown", "unknown"]:
            continue
        shown = [f'<b class="cx-{ANSWERS.get(cell, "quiet")}">{show.esc(cell)}</b>' for cell in cells]
        rows.append((show.esc(kind), *shown, "exactly this class" if cells == ["yes", "yes"] else ""))
    told = (
        show.table(("transformers", "recognise all of it", "and nothing else", ""), rows)
        if rows
        else "Nothing is recorded."
    )
    what = f'<p class="cx-quiet" style="margin:0 0 8px">{show.esc(found["what"])}</p>'
    return f'<h1 class="cx-h">{show.esc(found["class"])}</h1>{what}{told}'
