"""The page that asks which transformers recognise a language."""

from nicegui import ui

from capax.app.options import count
from capax.app.web import html as show
from capax.app.web.pages.downloads import Downloads
from capax.app.web.pages.frame import Desk, card, frame, html, remember, state
from capax.app.web.request import Reply
from capax.app.web.sandbox.pool import Pool
from capax.formal.acceptance import READS

FORMS = {"regex": "a regular expression", "ltl": "a formula of temporal logic", "language": "a name"}
START = {"regex": "(ab)*", "ltl": "b & ((a | b) S (c & Y a))", "language": "parity"}
MORE = (
    ("regex", "(ab)*"), ("regex", "(a|b)*abb"), ("regex", "(aa)*"), ("ltl", "P (b & Y a)"), ("language", "parity"),
    ("language", "dyck-1"), ("language", "dyck-2"), ("language", "majority"), ("language", "word-problem-s5"),
)  # fmt: skip
SIGNS = {"yes": "good", "no": "bad"}


class RecognisePage:
    """The page: the language at the left, the verdicts and the models at the right."""

    def __init__(self, pool: Pool) -> None:
        self._desk, query = Desk(pool), state()
        form = query.get("form", "regex")
        form = form if form in FORMS else "regex"
        with frame("/recognise"), ui.element("div").classes("cx-side"):
            with card("A language"), ui.element("div").classes("cx-stack"):
                self._form = ui.select(FORMS, value=form, label="given by", on_change=self._other)
                self._form.props("outlined dense")
                self._text = ui.input("language", value=query.get("lang", START[form])).props("outlined dense")
                self._text.classes("cx-pattern").on("keydown.enter", self._ask)
                position = query.get("read", "last")
                reads = {name: f"read {where}" for name, where in READS.items()}
                self._read = ui.select(reads, value=position if position in reads else "last", label="the answer is")
                self._read.props("outlined dense")
                self._word = ui.input("a word to try (optional)", value=query.get("word", "abab"))
                self._word.props("outlined dense").on("keydown.enter", self._ask)
                self._button = ui.button("Recognise", on_click=self._ask).props("unelevated no-caps")
                html('<div class="cx-quiet cx-small">Others to try</div>')
                with ui.element("div").classes("cx-row"):
                    for kind, text in MORE:
                        button = ui.button(text, on_click=lambda kind=kind, text=text: self._take(kind, text))
                        button.props("outline no-caps dense size=12px")
            with ui.element("div").classes("cx-stack"):
                self._desk.show_errors_here()
                self._result = html("", "cx-recognised")
                with card("The shallowest model, to take away") as self._away:
                    self._downloads = Downloads(self._desk)
                self._away.set_visibility(False)
        ui.timer(0.05, lambda: self._desk.later(self._ask), once=True)

    def _other(self) -> None:
        self._text.value = START[self._form.value]
        self._word.value = ""

    async def _take(self, form: str, text: str) -> None:
        self._form.value, self._text.value, self._word.value = form, text, ""
        await self._ask()

    async def _ask(self) -> None:
        form, text, word = self._form.value, self._text.value or "", self._word.value or ""
        remember("/recognise", {"form": form, "lang": text, "word": word, "read": self._read.value})
        self._button.props("loading")
        request = {"form": form, "text": text, "read": self._read.value} | ({"word": word} if word else {})
        reply = await self._desk.ask("recognise", request)
        self._button.props(remove="loading")
        self._result.classes(add="" if reply else "cx-old", remove="cx-old" if reply else "")
        self._away.set_visibility(reply is not None and reply["saved"] is not None)
        if reply is not None:
            self._result.set_content(recognised(reply))
            self._offer(reply["model"], reply["saved"])

    def _offer(self, model: str | None, saved: dict[str, str] | None) -> None:
        which = f"{saved['theorem']}: {saved['what']}" if saved else ""
        large = f"{which}. It is too large for a page: capax recognise ... -o model.safetensors writes it."
        self._downloads.offer(model, show.esc(which if model is not None else large))


def recognised(reply: Reply) -> str:
    """What is known of a language."""
    language = reply["recognise"]
    parts = [f'<h1 class="cx-h cx-mono" style="font-size:19px">{show.esc(language["given"])}</h1>']
    if language["what"]:
        parts.append(f'<p class="cx-quiet" style="margin:0 0 8px">{show.esc(language["what"])}</p>')
    parts.append(_word(language.get("word")))
    parts.append(
        _section(f"Which transformers recognise it, read {READS[language['read']]}", _verdicts(language["verdicts"]))
    )
    parts.append(_section("Models", _routes(language["routes"])))
    if reply["automaton"]:
        parts.append(_section("Its automaton", show.picture(reply["automaton"])))
    return "".join(parts)


def _section(title: str, content: str) -> str:
    return (
        f'<section class="cx-card" style="margin-top:14px"><h2 class="cx-h">{show.esc(title)}</h2>{content}</section>'
    )


def _word(word: Reply | None) -> str:
    if word is None:
        return ""
    text = show.esc("".join(word["word"]) or "the empty word")
    facts = [
        (
            f'<span class="cx-mono">{text}</span> is {"" if word["accepts"] else "not "}in it',
            "good" if word["accepts"] else "",
        )
    ]
    agree = [one for one in word["models"] if one["accepts"] is not None]
    if agree:
        right = sum(one["accepts"] == word["accepts"] for one in agree)
        facts.append((f"{right} of {count(len(agree), 'model')} say so too", "good" if right == len(agree) else "bad"))
    return show.chips(facts)


def _verdicts(verdicts: list[Reply]) -> str:
    rows = []
    for one in verdicts:
        answer = str(one["answer"])
        source = f'<div class="cx-quiet cx-small">{show.esc(one["source"])}</div>' if one["source"] else ""
        verdict = f'<b class="cx-{SIGNS.get(answer, "quiet")}">{show.esc(answer)}</b>'
        rows.append((show.esc(one["models"]), verdict, show.esc(one["because"]) + source))
    return show.table(("transformers", "recognise it", "because"), rows) if rows else "nothing is known here"


def _routes(routes: list[Reply]) -> str:
    rows = []
    for one in routes:
        size = one["size"]
        built = (
            f"{size['attention_layers']} layers, {size['parameters']:,} parameters"
            if size
            else show.esc(one["refused"])
        )
        tried = show.esc(one["proof"]["label"]) if one["proof"] else ""
        theorem = show.esc(one["theorem"])
        name = f'<a href="/theorems?name={theorem}" style="color:var(--accent)">{theorem}</a>'
        rows.append((name, show.esc(one["what"]), built, show.esc(one["read"]), tried))
    return show.table(("theorem", "what", "size", "read", "label"), rows) if rows else "no theorem here builds one"
