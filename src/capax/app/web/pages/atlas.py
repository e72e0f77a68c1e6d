"""The page of the atlas: a question with its proof, and the classes to click on."""

from typing import Any

from nicegui import ui

from capax.app.web import html as show
from capax.app.web.pages.frame import Desk, add_script, call, card, frame, html, remember, state
from capax.app.web.request import Reply
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


class AtlasPage:
    """The page: a question at the left, the answer at the right, the lattice below."""

    def __init__(self, pool: Pool) -> None:
        self._desk, self._classes, self._picture = Desk(pool), Desk(pool), Desk(pool)
        query = state()
        languages = {one.id: f"{one.id}: {one.what}" for one in ATLAS.languages}
        self._names = {one.id: one.what for one in ATLAS.classes}
        self._fields: dict[str, ui.select] = {}
        add_script(CLICK)
        with frame("/atlas"):
            with ui.element("div").classes("cx-side"):
                with card("Do these transformers recognise it?"), ui.element("div").classes("cx-stack"):
                    name = query.get("language", "PARITY")
                    self._language = ui.select(
                        languages, value=name if name in languages else "PARITY", label="language", with_input=True
                    )
                    self._language.props("outlined dense").on_value_change(self._changed)
                    self._field_boxes(OFTEN, query)
                    more = ui.expansion("further assumptions").props("dense").style("width:100%")
                    with more, ui.element("div").classes("cx-stack"):
                        self._field_boxes([name for name in FIELDS if name not in OFTEN], query)
                with ui.element("div").classes("cx-stack"):
                    self._desk.show_errors_here()
                    self._answer = html("", "cx-answer")
            with card("Classes of languages, and what transformers recognise: click on one"):
                self._classes.show_errors_here()
                self._class = html("", "cx-class")
                self._lattice = html("", "cx-lattice").style("margin-top:10px")
        ui.on("cx-class", lambda event: self._clicked(str(event.args)))
        first = query.get("class", "")
        ui.timer(0.05, lambda: self._desk.later(lambda: self._begin(first)), once=True)

    def _field_boxes(self, names: Any, query: dict[str, str]) -> None:
        for name in names:
            options = {"": f"as the atlas takes it ({FIELDS[name].default})"} | {v: v for v in FIELDS[name].values}
            chosen = query.get(name, "")
            if not query and name == "attention":
                chosen = "leftmost-hard"
            box = ui.select(options, value=chosen if chosen in options else "", label=name).props("outlined dense")
            box.on_value_change(self._changed)
            self._fields[name] = box

    def _changed(self) -> None:
        self._desk.later(self._ask)

    def _chosen_fields(self) -> dict[str, str]:
        return {name: str(box.value) for name, box in self._fields.items() if box.value}

    async def _begin(self, cls: str) -> None:
        await self._ask()
        reply = await self._picture.ask("lattice", {})
        if reply is not None:
            self._lattice.set_content(show.picture(reply["picture"]))
        if cls in self._names:
            await self._clicked(cls)

    async def _ask(self) -> None:
        request = {"about": "language", "name": self._language.value, "fields": self._chosen_fields()}
        remember("/atlas", {"language": str(self._language.value)} | self._chosen_fields())
        reply = await self._desk.ask("atlas", request)
        if reply is not None:
            self._answer.set_content(answered(reply))

    async def _clicked(self, name: str) -> None:
        if name not in self._names:
            return
        reply = await self._classes.ask("atlas-class", {"name": name})
        if reply is not None:
            self._class.set_content(placed(reply))
            call("capaxSee", ".cx-class")
            remember("/atlas", {"language": str(self._language.value), "class": name} | self._chosen_fields())


def answered(reply: Reply) -> str:
    """An answer of the atlas, with its shortest proof line by line."""
    verdict = reply["answer"]
    assuming = f" if {show.esc(', '.join(reply['assuming']))}" if reply["assuming"] else ""
    parts = [
        f'<section class="cx-card"><h1 class="cx-h">{show.esc(reply["language"])}: '
        f'<span class="cx-{ANSWERS.get(verdict, "quiet")}">{show.esc(verdict)}</span>{assuming}</h1>'
    ]
    if not reply["proofs"]:
        parts.append('<p class="cx-quiet">No record decides this. That does not mean that it is impossible.</p>')
    for number, proof in enumerate(reply["proofs"][:2]):
        lines = "".join(_line(line) for line in proof["lines"])
        title = "because" if number == 0 else "and another way"
        parts.append(f'<div class="cx-quiet cx-small">{title}</div><ul class="cx-list">{lines}</ul>')
    sources = "".join(f"<li>{show.esc(text)}</li>" for text in reply["sources"].values())
    parts.append(
        f'<details class="cx-more"><summary>sources</summary><ul class="cx-list cx-small">{sources}</ul></details>'
    )
    commands = dict.fromkeys(one["command"] for one in reply["runs"])
    runs = "".join(f'<li class="cx-mono">{show.esc(command)}</li>' for command in commands)
    if runs:
        parts.append(
            f'<div class="cx-quiet cx-small" style="margin-top:8px">see it run</div><ul class="cx-list">{runs}</ul>'
        )
    return "".join(parts) + "</section>"


def _line(line: Reply) -> str:
    quiet = " class='cx-quiet cx-small'" if line["by_definition"] else ""
    seen = "" if line["by_definition"] else f' <span class="cx-quiet cx-small">({show.esc(line["seen"])})</span>'
    return f"<li{quiet}>{show.esc(line['says'])}{seen}</li>"


def placed(reply: Reply) -> str:
    """What is known of a class and every kind of transformers in the table."""
    rows = []
    for kind, row in reply["rows"].items():
        cells = [row["contains"]["answer"], row["within"]["answer"]]
        if cells == ["unknown", "unknown"]:
            continue
        marks = [f'<b class="cx-{ANSWERS.get(cell, "quiet")}">{show.esc(cell)}</b>' for cell in cells]
        rows.append((show.esc(kind), *marks, "exactly this class" if cells == ["yes", "yes"] else ""))
    table = (
        show.table(("transformers", "recognise all of it", "and nothing else", ""), rows)
        if rows
        else "Nothing is recorded."
    )
    what = f'<p class="cx-quiet" style="margin:0 0 8px">{show.esc(reply["what"])}</p>'
    return f'<h1 class="cx-h">{show.esc(reply["class"])}</h1>{what}{table}'
