"""The part of the first page that makes weights of a program, and hands them out."""

from collections.abc import Callable

from nicegui import ui

from capax.app.options import count
from capax.app.web import html as show
from capax.app.web.jobs.models import LONGEST, MOST_LETTERS
from capax.app.web.pages.downloads import Downloads
from capax.app.web.pages.frame import Desk, card, html
from capax.app.web.request import Reply, Request
from capax.app.web.sandbox.pool import Pool
from capax.model.claim import causal_note


class Compiling:
    """A card: alphabet and length, a button, and what came of it."""

    def __init__(self, pool: Pool, request: Callable[[], Request], alphabet: str, longest: int) -> None:
        self._desk, self._request = Desk(pool), request
        self._of: tuple[str, str] | None = None
        with card("As weights"):
            html(
                '<p class="cx-quiet cx-small" style="margin:0 0 10px">A transformer with exactly these layers, '
                "equal to the program on every word of the alphabet up to the length; checked, and proved where "
                "it can be.</p>"
            )
            with ui.element("div").classes("cx-row"):
                self.alphabet = ui.input("alphabet", value=alphabet[:MOST_LETTERS]).props("outlined dense")
                self.alphabet.classes("cx-grow cx-alphabet").style("max-width:320px")
                self.longest = ui.number("longest word", value=longest, min=1, max=LONGEST, format="%d")
                self.longest.props("outlined dense").style("width:120px")
                self._button = ui.button("Compile", on_click=self._compile).props("unelevated no-caps")
                self._button.classes("cx-compile")
            self._desk.show_errors_here().style("margin-top:10px")
            self._result = html("", "cx-compiled").style("margin-top:12px")
            self._downloads = Downloads(self._desk)
            self._picture = html("", "cx-weights").style("margin-top:14px")

    def compare(self, request: Request) -> None:
        """Makes the weights pale if they are of another program than the one that is asked about."""
        old = self._of not in (None, (request["text"], request["name"]))
        for part in (self._result, self._picture):
            part.classes(add="cx-old" if old else "", remove="" if old else "cx-old")

    async def _compile(self) -> None:
        self._button.props("loading")
        request = self._request()
        self._of = (request["text"], request["name"])
        self.compare(request)
        try:
            domain = {"alphabet": self.alphabet.value or "", "max_length": self.longest.value or 0}
            reply = await self._desk.ask("compile", request | domain)
        finally:
            self._button.props(remove="loading")
        self._result.set_content(compiled(reply["compiled"]) if reply else "")
        self._picture.set_content(drawn(reply["attention"]) if reply else "")
        self._downloads.offer(reply["model"] if reply else None)


def compiled(result: Reply) -> str:
    """What compiling gave: size, check and certificate."""
    size, check = result["size"], result["check"]
    facts = [
        (show.esc(result["label"]), "good"),
        (f"<b>{count(size['attention_layers'], 'attention layer')}</b>", ""),
        (f"heads <b>{', '.join(map(str, size['heads']))}</b>", ""),
        (f"width <b>{size['width']:,}</b>", ""),
        (f"<b>{size['parameters']:,}</b> parameters", ""),
    ]
    rows = [
        (
            show.esc(v["numbers"]),
            f"up&nbsp;to&nbsp;length&nbsp;{v['length']}" if v["length"] else "no",
            show.esc(v["breaks"] or ""),
        )
        for v in result["verdicts"]
    ]
    parts = "".join(
        f"<li>{show.esc(part['statement'])} <span class='cx-quiet'>({show.esc(part['evidence'])})</span></li>"
        for part in check.get("parts", []) or [check]
    )
    details = f'<ul class="cx-list cx-small">{parts}</ul>'
    proved = show.table(("numbers", "proved right", "breaks"), rows) if rows else ""
    note = causal_note(result["causal_change"])
    causal = f'<p class="cx-small">Causal: {show.esc(note)}.</p>' if note else ""
    return show.chips(facts) + causal + details + proved


def drawn(reply: Reply) -> str:
    """The attention of a model, with a note where it was drawn on another word."""
    note = f'<p class="cx-quiet cx-small">Drawn on another word: {show.esc(reply["note"])}</p>' if reply["note"] else ""
    title = '<h2 class="cx-h">Attention of the weights</h2>'
    return title + note + show.awake(reply["picture"])
