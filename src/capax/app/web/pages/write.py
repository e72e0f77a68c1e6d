"""The first page: a program, what it computes on an input, what it costs, its picture, and its weights."""

from nicegui import ui

from capax.app.web import html as show
from capax.app.web.gallery import GALLERY, REVERSE
from capax.app.web.pages.compiling import Compiling
from capax.app.web.pages.editor import editor, underline
from capax.app.web.pages.frame import Desk, Pause, card, frame, html, remember, state
from capax.app.web.request import Reply, Request
from capax.app.web.sandbox.pool import Pool
from capax.app.web.sandbox.request_budget import MOST_WORD

SPLITS = {"chars": "letters", "words": "words", "ints": "whole numbers", "floats": "numbers", "json": "JSON"}
LEAD = (
    "RASP is a language for what a transformer computes: <b>select</b> says where attention looks, <b>aggregate</b> "
    "averages what it finds there, and everything else happens at each position by itself. In a "
    "picture of a selector, a row is a position that looks, and the marks in it are the positions that it looks at."
)


class WritePage:
    """The page: an editor at the left, results at the right, the picture and the weights below."""

    def __init__(self, pool: Pool) -> None:
        self._desk, query = Desk(pool), state()
        self._program = next((p for p in GALLERY if p.name == query.get("shelf")), REVERSE)
        text = query.get("text", self._program.text)
        word, split = query.get("word", self._program.word), query.get("split", "chars")
        self._name = query.get("name", "")
        self._changed = Pause(self._desk, self._evaluate)
        with frame("/"):
            html(f'<p class="cx-lead">{LEAD}</p>')
            with ui.element("div").classes("cx-two"):
                with ui.element("div").classes("cx-stack"):
                    self._left(text, word[:MOST_WORD], split if split in SPLITS else "chars")
                with ui.element("div").classes("cx-stack"):
                    self._right()
            with ui.element("div").classes("cx-two"):
                with card("The picture"):
                    self._picture = html("", "cx-flow")
                self._compiling = Compiling(
                    pool, self._request, query.get("alphabet") or self._program.alphabet, self._program.longest
                )
        ui.timer(0.05, lambda: self._desk.later(self._evaluate), once=True)

    def _left(self, text: str, word: str, split: str) -> None:
        shelf = {piece.name: piece.title for piece in GALLERY}
        with ui.element("div").classes("cx-row"):
            self._shelf = ui.select(shelf, label="from the shelf", on_change=self._take).props("outlined dense")
            self._shelf.classes("cx-grow")
            self._which = ui.select([], label="look at", on_change=self._look).props("outlined dense")
            self._which.classes("cx-grow")
        self._editor = editor(text, "program", self._changed)
        with ui.element("div").classes("cx-row"):
            self._word = ui.input("input", value=word, on_change=self._changed).props("outlined dense maxlength=2000")
            self._word.classes("cx-grow cx-input")
            self._split = ui.select(SPLITS, value=split, label="read as", on_change=self._changed)
            self._split.props("outlined dense").style("width:135px")
        self._findings = html("", "cx-findings")
        self._desk.show_errors_here()

    def _right(self) -> None:
        with card("Every named step"):
            self._steps = html("", "cx-results")
        with card("As a transformer"):
            self._cost = html("", "cx-costs")

    def _take(self) -> None:
        """A program was chosen from the shelf."""
        piece = next((p for p in GALLERY if p.name == self._shelf.value), None)
        if piece is None:
            return
        self._program, self._name = piece, ""
        self._word.value, self._split.value = piece.word, "chars"
        self._compiling.alphabet.value, self._compiling.longest.value = piece.alphabet, piece.longest
        self._editor.value = piece.text
        self._changed()

    def _look(self) -> None:
        """Another name of the text was chosen."""
        if self._which.value and self._which.value != self._name:
            self._name = self._which.value
            self._changed()

    def _request(self) -> Request:
        return {
            "text": self._editor.value,
            "word": self._word.value or "",
            "split": self._split.value,
            "name": self._name,
        }

    async def _evaluate(self) -> None:
        request = self._request()
        if self._name and self._name not in self._editor.value:
            self._name = request["name"] = ""
        remember("/", request | {"split": "" if request["split"] == "chars" else request["split"]})
        self._compiling.compare(request)
        reply = await self._desk.ask("evaluate", request)
        if reply is None:
            return
        check = reply["check"]
        underline(self._editor, request["text"], check)
        findings = [show.error(one) for one in check["errors"][:5]] + [
            show.error(one, "warn") for one in check["warnings"][:3]
        ]
        findings += [show.error(reply["error"])] if reply["error"] else []
        self._findings.set_content("".join(findings))
        self._offer(reply)
        self._show(reply)

    def _offer(self, reply: Reply) -> None:
        """Offers the names of the text to look at."""
        if reply["programs"]:
            now = self._name if self._name in reply["programs"] else reply["programs"][-1]
            self._which.set_options(reply["programs"], value=now)
            self._name = "" if now == reply["programs"][-1] else now

    def _show(self, reply: Reply) -> None:
        """Shows the results; what could not be worked out anew stays, in pale."""
        parts = {
            self._steps: show.steps(reply["run"]) if "run" in reply else None,
            self._cost: show.costs(reply["layers"]) if "layers" in reply else None,
            self._picture: show.awake(reply.get("picture", "")),
        }
        for part, content in parts.items():
            part.classes(add="" if content else "cx-old", remove="cx-old" if content else "")
            if content and content != part.content:
                part.set_content(content)
