"""The page of audits: a model and a specification at the left, the verdict and the word at the right."""

import json
from typing import Any, Final

from nicegui import context, ui

from capax.app.web import html as show
from capax.app.web.examples import EXAMPLES
from capax.app.web.jobs.audits import LONGEST, MOST_SPEC, SECONDS
from capax.app.web.jobs.checkpoint_files import CONVERT, MB, MOST_BYTES, is_pickle, is_read, pickle_error
from capax.app.web.pages.audit_result import attention_html, brought_html, counterexample_html, summary_html, table_html
from capax.app.web.pages.frame import Desk, call, card, frame, html, number, remember, state
from capax.app.web.request import Reply, Request
from capax.app.web.sandbox.pool import Pool
from capax.app.web.uploads import Uploads
from capax.auditor.question import READS
from capax.errors import CapaxError

FILES: Final = "files"
FIRST: Final = next(iter(EXAMPLES))
MODELS: Final = {name: one.title for name, one in EXAMPLES.items()} | {FILES: "files of yours"}
TRY: Final = ("own", "majority", "parity", "regex:.*11.*", "regex:(ab)*", "ltl:P a")
"""Specifications to click for a model of one's own."""
WHERE: Final[dict[str, str]] = {"": "from its file"} | {str(name): where for name, where in READS.items()}
LIMIT: Final = f"up to {MOST_BYTES // MB} MB"


class AuditPage:
    """The page; files that are uploaded are forgotten when it is closed."""

    def __init__(self, pool: Pool, uploads: Uploads) -> None:
        self._desk, self._uploads, query = Desk(pool), uploads, state()
        self._witness: Reply | None = None
        chosen = query.get("model", FIRST)
        self._start = EXAMPLES.get(chosen, EXAMPLES[FIRST])
        with frame("/audit"), ui.element("div").classes("cx-side"):
            with ui.element("div").classes("cx-stack"):
                with card("A model"), ui.element("div").classes("cx-stack"):
                    self._model_part(chosen if chosen in MODELS else FIRST)
                with card("What it should compute"), ui.element("div").classes("cx-stack"):
                    self._spec_part(query)
            with ui.element("div").classes("cx-stack"):
                self._desk.show_errors_here()
                self._working = html(f'<span class="cx-quiet">Working, for at most {SECONDS:g} s …</span>')
                self._working.set_visibility(False)
                self._result_part()
        visitor = self._desk.visitor
        context.client.on_delete(lambda: uploads.drop(visitor))
        self._other_model(False)
        if self._model.value != FILES:
            ui.timer(0.05, lambda: self._desk.later(self._first), once=True)

    def _model_part(self, chosen: str) -> None:
        """The choice of the model, and the box for files."""
        self._model = ui.select(MODELS, value=chosen, label="checkpoint").props("outlined dense")
        self._model.classes("cx-checkpoint").on_value_change(lambda _: self._other_model(True))
        with ui.element("div").classes("cx-stack") as box:
            self._box = ui.upload(
                label=f"choose files, {LIMIT}",
                on_multi_upload=self._brought,
                on_rejected=lambda: self._desk.tell(f"files of {LIMIT} together are read here", f"A pickle: {CONVERT}"),
                multiple=True,
                auto_upload=True,
                max_total_size=MOST_BYTES,
            )
            self._box.props("flat bordered").style("width:100%").classes("cx-upload")
            self._box.on("failed", lambda: self._desk.tell("the files did not arrive", "Try again in a moment."), [])
            self._list = html(brought_html({}), "cx-brought")
        box.bind_visibility_from(self._model, "value", value=FILES)

    def _spec_part(self, query: dict[str, str]) -> None:
        """The specification, the longest words, where the answer is read, and what models of others need."""
        self._against = ui.input("specification", value=query.get("against", self._start.against)[:MOST_SPEC])
        self._against.props("outlined dense").classes("cx-pattern cx-against").on("keydown.enter", self._audit)
        self._chips = ui.element("div").classes("cx-row")
        with ui.element("div").classes("cx-row").style("flex-wrap:nowrap"):
            longest = number(query.get("length"), self._start.longest, 1, LONGEST)
            self._longest = ui.number("longest word", value=longest, min=1, max=LONGEST, format="%d")
            self._longest.props("outlined dense").style("width:110px;flex:none").classes("cx-longest")
            where = query.get("read", "")
            self._read = ui.select(WHERE, value=where if where in WHERE else "", label="answer read")
            self._read.props("outlined dense").classes("cx-grow")
        names = ("alphabet", "answers", "end")
        more = ui.expansion("letters, answers, end marker", value=any(query.get(name) for name in names))
        with (
            more.props("dense").classes("cx-expand").style("width:100%"),
            ui.element("div").classes("cx-stack").style("padding-top:8px"),
        ):
            self._alphabet = ui.input("letters, such as ab or no yes", value=query.get("alphabet", ""))
            self._answers = ui.input("answers, such as False=no,True=yes", value=query.get("answers", ""))
            self._end = ui.input("end marker, such as $", value=query.get("end", ""))
            for box in (self._alphabet, self._answers, self._end):
                box.props("outlined dense").on("keydown.enter", self._audit)
        self._button = ui.button("Audit", on_click=self._audit).props("unelevated no-caps").classes("cx-audit")
        html(
            '<div class="cx-quiet cx-small">Works for at most '
            f"{SECONDS:g} s; <code>capax audit</code> takes as long as you like.</div>"
        )

    def _result_part(self) -> None:
        """The cards of the verdict; hidden until there is one."""
        with ui.element("div").classes("cx-stack") as self._shown:
            self._summary = html("", "cx-summary")
            with card() as self._word_card:
                self._word = html("", "cx-wrong")
                self._saves = ui.button("witness.json", on_click=self._save).props("outline no-caps dense")
                self._saves.classes("cx-witness")
                self._attention = html("", "cx-attention").style("margin-top:10px")
            with card() as self._plot_card:
                self._plot = html()
            with card("Length by length"):
                self._table = html("", "cx-lengths")
        self._shown.set_visibility(False)

    def _other_model(self, changed: bool) -> None:
        """Another model was chosen: specifications that fit it to click, and its own to begin with."""
        example = EXAMPLES.get(self._model.value)
        if changed:
            self._shown.set_visibility(False)
            self._desk.clear()
        if changed and example is not None:
            self._against.value, self._longest.value = example.against, example.longest
        self._chips.clear()
        with self._chips:
            for text in TRY if example is None else dict.fromkeys((example.against, *example.others)):
                shown = text if len(text) < 30 else f"{text[:28]}…"
                button = ui.button(shown, on_click=lambda text=text: self._take(text))
                button.props("outline no-caps dense size=12px")
        if changed and example is not None:
            self._desk.later(self._audit)

    async def _take(self, text: str) -> None:
        self._against.value = text
        await self._audit()

    async def _brought(self, event: Any) -> None:
        """Keeps the files that somebody chose; pickles are not even read."""
        self._box.reset()
        pickle = next((file.name for file in event.files if is_pickle(file.name)), None)
        try:
            if pickle is not None:
                raise pickle_error(pickle)
            files = {file.name: await file.read() for file in event.files if is_read(file.name)}
            self._uploads.add(self._desk.visitor, files)
            self._desk.clear()
        except CapaxError as error:
            self._desk.tell(error.what, error.hint)
        names = [file.name for file in event.files if not is_read(file.name) and not is_pickle(file.name)]
        self._list.set_content(brought_html(self._uploads.files(self._desk.visitor), names))

    def _request(self) -> Request | None:
        """The request that the page stands for; None while there is no model."""
        texts = {"alphabet": self._alphabet.value, "answers": self._answers.value, "end": self._end.value}
        given = {name: text for name, text in texts.items() if text} | {"against": (self._against.value or "own")}
        if self._read.value:
            given["read"] = self._read.value
        longest = str(int(self._longest.value or 0))
        remember("/audit", {"model": self._model.value, "length": longest} | given)
        request: Request = given | {"max_length": int(longest)}
        if self._model.value != FILES:
            return request | {"example": self._model.value}
        files = self._uploads.files(self._desk.visitor)
        return request | {"files": files} if files else None

    async def _first(self) -> None:
        """The verdict on the model that the page opens with."""
        await self._ask()

    async def _audit(self) -> None:
        """Asks for the verdict, and goes to where it stands."""
        if await self._ask():
            call("capaxSee", ".cx-summary")

    async def _ask(self) -> bool:
        """Asks for the verdict and shows it; whether there is one."""
        request = self._request()
        if request is None:
            self._desk.tell("choose the files of a model first")
            return False
        self._at_work(True)
        reply = await self._desk.ask("audit", request)
        self._at_work(False)
        if reply is not None:
            self._show(reply)
            self._shown.classes(remove="cx-old")
        return reply is not None

    def _at_work(self, now: bool) -> None:
        """Shows that a verdict is being worked on: an older one is pale until then."""
        self._button.props(**{"add" if now else "remove": "loading"})
        self._working.set_visibility(now)
        if now:
            self._shown.classes(add="cx-old")

    def _show(self, reply: Reply) -> None:
        audit, self._witness = reply["audit"], reply["witness"]
        self._summary.set_content(summary_html(audit, reply["size"]))
        word = counterexample_html(audit, reply["attention"])
        self._word.set_content(word)
        self._word_card.set_visibility(bool(word))
        self._saves.set_visibility(self._witness is not None)
        self._plot.set_content(show.by_width(reply["plot"], reply["narrow_plot"]))
        self._plot_card.set_visibility(reply["plot"] is not None)
        self._table.set_content(table_html(reply["rows"], audit))
        self._attention.set_content(attention_html(reply["attention"]))
        self._shown.set_visibility(True)

    def _save(self) -> None:
        if self._witness is not None:
            text = json.dumps(self._witness, indent=1) + "\n"
            ui.download.content(text.encode(), "witness.json", "application/json")
