"""The page of Turing machines: a decoder whose chain of thought is the run, step by step."""

from nicegui import ui

from capax.app.options import count
from capax.app.web import html as show
from capax.app.web.jobs.languages import MOST_STEPS
from capax.app.web.pages.frame import Desk, card, frame, html, number, remember, state
from capax.app.web.request import Reply
from capax.app.web.sandbox.pool import Pool
from capax.formal.turing.machines import machine_names, machine_source

WORDS = {
    "increment": "1011", "palindrome": "abba", "copy": "11", "tag": "", "walk": "", "bouncer": "111", "reverse2": "110",
}  # fmt: skip
LEAD = (
    "A decoder of three layers writes one token for each step of the machine: what it writes, where it goes, and its "
    "new state. Nothing else is kept; the tape is read back from the tokens by attention."
)


class MachinePage:
    """The page: the machine at the left, the tape and what the heads look at, at the right."""

    def __init__(self, pool: Pool) -> None:
        self._desk, query = Desk(pool), state()
        self._trace: list[Reply] = []
        self._start = number(query.get("at"), 1, 1, MOST_STEPS)
        name = query.get("machine", "increment")
        name = name if name in machine_names() else "increment"
        with frame("/machine"):
            html(f'<p class="cx-lead">{LEAD}</p>')
            with ui.element("div").classes("cx-side"):
                with card("A machine"), ui.element("div").classes("cx-stack"):
                    self._machine = ui.select(list(machine_names()), value=name, label="machine", on_change=self._other)
                    self._machine.props("outlined dense")
                    self._word = ui.input("word on the tape", value=query.get("word", WORDS.get(name, "")))
                    self._word.props("outlined dense").on("keydown.enter", self._run)
                    self._steps = ui.number("most steps", value=120, min=1, max=MOST_STEPS, format="%d")
                    self._steps.props("outlined dense")
                    self._text = ui.textarea("rules", value=query.get("text", machine_source(name).text))
                    self._text.props("outlined dense").classes("cx-rules")
                    self._button = ui.button("Run", on_click=self._run).props("unelevated no-caps")
                with ui.element("div").classes("cx-stack"):
                    self._desk.show_errors_here()
                    with card("The run"):
                        self._result = html("", "cx-run")
                        self._stepper()
                        self._step = html("", "cx-step")
        ui.timer(0.05, lambda: self._desk.later(self._run), once=True)

    def _stepper(self) -> None:
        with ui.element("div").classes("cx-row"):
            back = ui.button("◀", on_click=lambda: self._move(-1)).props('outline dense aria-label="one step back"')
            on = ui.button("▶", on_click=lambda: self._move(1)).props('outline dense aria-label="one step on"')
            back.classes("cx-back")
            on.classes("cx-on")
            self._at = ui.slider(min=1, max=1, value=1).props('aria-label="step"').classes("cx-grow")
            self._at.style("padding:0 8px").on_value_change(self._show)

    def _other(self) -> None:
        name = str(self._machine.value)
        self._word.value, self._text.value = WORDS.get(name, ""), machine_source(name).text
        self._desk.later(self._run)

    def _move(self, by: int) -> None:
        self._at.value = max(1, min(len(self._trace) or 1, int(self._at.value) + by))

    async def _run(self) -> None:
        name, text, word = str(self._machine.value), self._text.value or "", self._word.value or ""
        own = text if text != machine_source(name).text else ""
        self._button.props("loading")
        request = {"machine": name, "word": word, "steps": int(self._steps.value or 1)} | ({"text": own} if own else {})
        reply = await self._desk.ask("turing", request)
        self._button.props(remove="loading")
        self._shared = {"machine": name, "word": word, "text": own}
        if reply is None:
            return
        self._trace = reply["trace"]
        self._result.set_content(_ran(reply))
        self._at.props(f"max={max(1, len(self._trace))}")
        self._at.value, self._start = min(self._start, len(self._trace) or 1), 1
        self._show()

    def _show(self) -> None:
        if not self._trace:
            self._step.set_content("")
            return
        at = int(self._at.value)
        remember("/machine", self._shared | {"at": str(at) if at > 1 else ""})
        self._step.set_content(stepped(self._trace[at - 1]))


def _ran(reply: Reply) -> str:
    size = reply["decoder"]
    facts = [
        ("every step agrees" if reply["agrees"] else "a step differs", "good" if reply["agrees"] else "bad"),
        (count(reply["steps"], "step"), ""),
        ("halted" if reply["halted"] else "not halted yet", ""),
        (f"<b>{size['attention_layers']}</b> layers, <b>{size['parameters']:,}</b> parameters", ""),
    ]
    return show.chips(facts)


def stepped(line: Reply) -> str:
    """One step: state, tape with the head, the token that is written, and what the heads look at."""
    rows = [
        (
            show.esc(one["head"]),
            "all" if one["position"] is None else show.esc(one["position"]),
            f'<span class="cx-mono">{show.esc(one["token"])}</span>' if one["token"] else "",
        )
        for one in line["looks"]
    ]
    return (
        f'<div style="margin-top:8px">step <b>{line["step"]}</b>, state <b>{show.esc(line["state"])}</b></div>'
        f"{_tape(line['tape'])}<div>the next token: <b class='cx-mono'>{show.esc(line['token'])}</b></div>"
        f'<div style="margin-top:10px">{show.table(("head of the decoder", "looks at", "token there"), rows)}</div>'
    )


def _tape(tape: str) -> str:
    """The cells of a tape, the one under the head marked."""
    for before, after in (("[", "]"), ("(", ")")):
        if before in tape and after in tape:
            left, _, rest = tape.partition(before)
            under, _, right = rest.partition(after)
            parts = [(c, "") for c in _cells(left)] + [(under, "head")] + [(c, "") for c in _cells(right)]
            return (
                '<div class="cx-tape">'
                + "".join(f'<span class="{k}">{show.esc(c)}</span>' for c, k in parts)
                + "</div>"
            )
    return f'<div class="cx-mono">{show.esc(tape)}</div>'


def _cells(text: str) -> list[str]:
    if " " in text.strip():
        return text.split()
    return ["…", *text[3:]] if text.startswith("...") else [*text[:-3], "…"] if text.endswith("...") else list(text)
