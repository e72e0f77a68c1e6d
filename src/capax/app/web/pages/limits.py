"""The page of limits: what a bound says at sizes that sliders choose, its chart, and two prompts that fool a model."""

import base64
from typing import Any

from nicegui import ui

from capax import limits as shelf
from capax.app.options import count
from capax.app.web import html as show
from capax.app.web.jobs.results import MADE, MOST_MODEL
from capax.app.web.pages.frame import Desk, Pause, card, frame, html, remember, state
from capax.app.web.pages.sliders import Controls
from capax.app.web.pages.theorems import statement
from capax.app.web.request import Reply, Request
from capax.app.web.sandbox.pool import Pool
from capax.limits.witnesses.models.toy_model import TASKS

FIRST = "composition"
REACH = {"heads": 1024, "dim": 4096, "bits": 64, "layers": 64, "longest": 128, "samples": 20, "seed": 100}
MODELS = {name: f"that of theorem {name}" for name in MADE} | {"file": "a file of yours"}
"""What a limit that measures can be tried on."""
MOST_FILE = 3 * MOST_MODEL // 4


class LimitsPage:
    """The page: the choice and the sliders at the left, what follows at the right."""

    def __init__(self, pool: Pool) -> None:
        query = state()
        self._desk, self._fooling = Desk(pool), Desk(pool)
        self._name = query["name"] if query.get("name") in shelf.names() else FIRST
        self._file: str | None = None
        self._model: ui.select | None = None
        limit = shelf.limit(self._name)
        with frame("/limits"), ui.element("div").classes("cx-side"):
            with ui.element("div").classes("cx-stack"):
                names = {name: f"{name}: {shelf.limit(name).title}" for name in shelf.names()}
                choice = ui.select(names, value=self._name, label="limit").props("outlined dense").style("width:100%")
                choice.on_value_change(lambda event: ui.navigate.to(f"/limits?name={event.value}"))
                changed = Pause(self._desk, self._compute)
                if limit.measures:
                    self._model_card(query.get("model", ""), changed)
                with card("Sizes"), ui.element("div").classes("cx-stack"):
                    self._controls = Controls(limit.parameters, query, changed, REACH)
            with ui.element("div").classes("cx-stack"):
                with card():
                    html(statement(limit.to_json()))
                self._desk.show_errors_here()
                with card("What it says at these sizes"):
                    self._result = html('<span class="cx-quiet">…</span>', "cx-said")
                    self._chart = html()
                self._fool_card("parity" if limit.measures else str(limit.task))
        ui.timer(0.05, lambda: self._desk.later(self._compute), once=True)

    def _model_card(self, chosen: str, changed: Pause) -> None:
        """The choice of the model that is measured."""

        async def brought(event: Any) -> None:
            if event.file.size() > MOST_FILE:
                self._desk.tell(f"files of up to {MOST_FILE // 1000} kB are measured here")
                return
            self._file = base64.b64encode(await event.file.read()).decode("ascii")
            changed()

        with card("The model that is measured"), ui.element("div").classes("cx-stack"):
            self._model = ui.select(MODELS, value=chosen if chosen in MADE else MADE[0], label="model")
            self._model.props("outlined dense").classes("cx-measured").on_value_change(changed)
            box = ui.upload(
                label=f"a .safetensors file of up to {MOST_FILE // 1000} kB",
                on_upload=brought,
                on_rejected=lambda: self._desk.tell(f"files of up to {MOST_FILE // 1000} kB are measured here"),
                auto_upload=True,
                max_file_size=MOST_FILE,
            )
            box.props("accept=.safetensors flat bordered").style("width:100%").classes("cx-upload")
            box.bind_visibility_from(self._model, "value", value="file")

    def _fool_card(self, task: str) -> None:
        with card("Two prompts that fool a small model"):
            html(
                '<p class="cx-quiet cx-small" style="margin:0 0 10px">A layer with random weights in exact integers. '
                "Two inputs that it cannot tell apart though their answers differ, or one that it answers wrongly.</p>"
            )
            with ui.element("div").classes("cx-row"):
                self._task = ui.select(
                    list(TASKS), value=next((t for t in TASKS if t in (task, self._name)), TASKS[0]), label="task"
                )
                self._task.props("outlined dense").classes("cx-grow")
                self._n = (
                    ui.number("n", value=8, min=1, max=64, format="%d").props("outlined dense").style("width:85px")
                )
                self._heads = ui.number("heads", value=1, min=1, max=8, format="%d").props("outlined dense")
                self._dim = ui.number("dim", value=2, min=1, max=8, format="%d").props("outlined dense")
                self._seed = ui.number("seed", value=0, min=0, max=9999, format="%d").props("outlined dense")
                for box in (self._heads, self._dim, self._seed):
                    box.style("width:85px")
                self._button = ui.button("Fool it", on_click=self._fool).props("unelevated no-caps").classes("cx-fool")
            self._fooling.show_errors_here().style("margin-top:10px")
            self._fooled = html("", "cx-fooled").style("margin-top:10px")

    async def _compute(self) -> None:
        values = self._controls.values
        request: Request = {"name": self._name, "given": values}
        if self._model is not None:
            request |= {"file": self._file} if self._model.value == "file" else {"model": self._model.value}
        remember("/limits", {"name": self._name} | {k: v for k, v in request.items() if k == "model"} | values)
        reply = await self._desk.ask("limit", request)
        if reply is not None:
            self._result.set_content(verdict_html(reply["limit"], reply["texts"]))
            self._chart.set_content(show.picture(reply["chart"], fit=True))

    async def _fool(self) -> None:
        self._button.props("loading")
        sizes = {"n": self._n, "heads": self._heads, "dim": self._dim, "seed": self._seed}
        request = {"task": self._task.value} | {name: int(box.value or 0) for name, box in sizes.items()}
        reply = await self._fooling.ask("fool", request)
        self._button.props(remove="loading")
        self._fooled.set_content(fooled(reply) if reply is not None else "")


def verdict_html(result: Reply, texts: list[str]) -> str:
    """What a limit says: the verdict, and the quantities behind it."""
    verdict = result["verdict"]
    kind = {"impossible": "bad", "no-statement": ""}.get(verdict["kind"], "good")
    rows = [
        (
            show.esc(row["name"]),
            f"<b>{show.esc(text)}</b>",
            f'<span class="cx-quiet cx-small">{show.esc(row["source"])}</span>',
            f'<span class="cx-quiet cx-small">{show.esc(row["note"])}</span>',
        )
        for row, text in zip(result["quantities"], texts, strict=True)
    ]
    label = verdict["kind"].replace("-", " ")
    return (
        show.chips([(show.esc(label), kind)])
        + f'<p style="margin:0 0 10px">{show.esc(verdict["text"])}</p>'
        + (show.table(("quantity", "value", "from", ""), rows) if rows else "")
    )


def fooled(reply: Reply) -> str:
    """The prompts of a witness, one below the other, with what differs marked; or why there are none."""
    witness = reply["witness"]
    if witness is None:
        why = show.esc(reply["why"])
        return f'<p>None was found in the time there is. <span class="cx-quiet">{why}</span></p>'
    inputs, answers, truths = witness["inputs"], witness["answers"], reply["truths"]
    longest = max(map(len, inputs))
    rows = []
    for number, word in enumerate(inputs):
        cells = "".join(
            f'<span class="{"differs" if _differs(inputs, at) else ""}">{show.esc(symbol)}</span>'
            for at, symbol in enumerate(word)
        )
        right = truths[number] == answers[number]
        rows.append(
            (
                f'<div class="cx-prompt cx-mono">{cells}</div>',
                show.esc(answers[number]),
                f'<b class="cx-{"good" if right else "bad"}">{show.esc(truths[number])}</b>',
            )
        )
    facts = [(show.esc(witness["kind"].replace("-", " ")), ""), (count(longest, "token"), "")]
    if witness.get("message_bits"):
        facts.append((f"the same message of {count(witness['message_bits'], 'bit')}", ""))
    why = f'<p class="cx-quiet cx-small">{show.esc(reply["why"])}</p>'
    return show.chips(facts) + show.table(("prompt", "the model says", "right is"), rows) + why


def _differs(inputs: list[list[Any]], at: int) -> bool:
    return len(inputs) > 1 and len({str(word[at]) if at < len(word) else "" for word in inputs}) > 1
