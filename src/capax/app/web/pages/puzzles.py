"""The page of puzzles: a task, a budget of layers and heads, and a program that marks itself."""

from itertools import groupby

from nicegui import ui

from capax.app.options import count
from capax.app.web import html as show
from capax.app.web.pages.editor import editor, underline
from capax.app.web.pages.frame import Desk, Pause, call, card, frame, html, remember, state
from capax.app.web.puzzles import PUZZLES, Puzzle
from capax.app.web.request import Reply
from capax.app.web.sandbox.pool import Pool


class PuzzlesPage:
    """The page: the list at the left, the task and the editor at the right."""

    def __init__(self, pool: Pool) -> None:
        query = state()
        self._desk, self._marks = Desk(pool), Desk(pool)
        self._puzzle = next((one for one in PUZZLES if one.name == query.get("puzzle")), PUZZLES[0])
        self._changed = Pause(self._desk, self._mark)
        with frame("/puzzles"), ui.element("div").classes("cx-side"):
            with card("Puzzles"):
                html(_list(self._puzzle))
            with ui.element("div").classes("cx-stack"):
                with card():
                    html(_task(self._puzzle))
                self._editor = editor(query.get("text", self._puzzle.start), "your solution", self._changed)
                self._findings = html("", "cx-findings")
                self._desk.show_errors_here()
                with card("Marks"):
                    self._verdict = html('<span class="cx-quiet">…</span>', "cx-verdict")
                with card(f"On “{self._puzzle.words[0]}”"):
                    self._steps = html("", "cx-results")
        ui.timer(0.05, lambda: self._desk.later(self._mark), once=True)

    async def _mark(self) -> None:
        text = self._editor.value
        remember("/puzzles", {"puzzle": self._puzzle.name, "text": "" if text == self._puzzle.start else text})
        reply = await self._desk.ask("evaluate", {"text": text, "word": self._puzzle.words[0]})
        if reply is None:
            return
        check = reply["check"]
        underline(self._editor, text, check)
        errors = [show.error(one) for one in check["errors"][:3]] + (
            [show.error(reply["error"])] if reply["error"] else []
        )
        self._findings.set_content("".join(errors))
        if "run" in reply:
            self._steps.set_content(show.steps(reply["run"]))
        self._steps.classes(add="" if "run" in reply else "cx-old", remove="cx-old" if "run" in reply else "")
        if not check["ok"]:
            self._verdict.set_content('<span class="cx-quiet">There is an error above.</span>')
            return
        marked = await self._marks.ask("mark", {"text": text, "puzzle": self._puzzle.name})
        if marked is not None:
            self._verdict.set_content(verdict(marked, self._puzzle))
            call("capaxSolved", self._puzzle.name if marked["solved"] else None)


def _list(now: Puzzle) -> str:
    """The puzzles by tier; what is solved is kept in the browser, and marked there."""
    parts = []
    for tier, some in groupby(PUZZLES, key=lambda one: one.tier):
        rows = "".join(
            f'<li style="margin:6px 0" data-puzzle="{one.name}">'
            f'<a href="/puzzles?puzzle={one.name}" style="color:var(--accent)'
            f'{";font-weight:650" if one is now else ""}">{show.esc(one.title)}</a>'
            f'<div class="cx-quiet cx-small">{show.esc(one.budget)}</div></li>'
            for one in some
        )
        parts.append(f'<h2 class="cx-h">{show.esc(tier)}</h2><ol style="margin:0 0 12px;padding-left:20px">{rows}</ol>')
    return "".join(parts)


def _task(puzzle: Puzzle) -> str:
    answer = " ".join(map(str, puzzle.answer(puzzle.words[0])))
    return (
        f'<h1 class="cx-h">{show.esc(puzzle.title)}</h1><p style="margin:0 0 8px">{show.esc(puzzle.task)}</p>'
        + show.chips([(f"budget: <b>{show.esc(puzzle.budget)}</b>", "")])
        + f'<div class="cx-mono">{show.esc(puzzle.words[0])} → {show.esc(answer)}</div>'
        + f'<details class="cx-more" style="margin-top:10px"><summary>a hint</summary>{show.esc(puzzle.hint)}</details>'
    )


def verdict(marked: Reply, puzzle: Puzzle) -> str:
    """What a puzzle says of a program."""
    used = f"{count(marked['layers'], 'layer')}, {count(marked['heads'], 'head')} in each"
    facts = [
        ("solved" if marked["solved"] else "not yet", "good" if marked["solved"] else ""),
        (f"answers: {'right on ' + count(marked['words'], 'word') if marked['right'] else 'wrong'}",
         "good" if marked["right"] else "bad"),
        (f"uses {used}", "good" if marked["within_budget"] else "bad"),
    ]  # fmt: skip
    wrong = marked["wrong"]
    if wrong is None:
        if marked["within_budget"]:
            return show.chips(facts) + _afterwards(puzzle)
        note = f"Right, but over the budget of {puzzle.budget}."
        return show.chips(facts) + f'<div class="cx-small">{show.esc(note)}</div>'
    answer = wrong["error"] or " ".join(show.value(one) for one in wrong["given"])
    rows = [
        ("input", f'<span class="cx-mono">{show.esc(wrong["word"])}</span>'),
        ("right", f'<span class="cx-mono">{show.esc(" ".join(map(str, wrong["right"])))}</span>'),
        ("yours", f'<span class="cx-mono">{show.esc(answer)}</span>'),
    ]
    return show.chips(facts) + show.table((), rows)


def _afterwards(puzzle: Puzzle) -> str:
    """What a solved puzzle shows: the next one, and a solution to compare."""
    at = PUZZLES.index(puzzle) + 1
    after = PUZZLES[at] if at < len(PUZZLES) else None
    link = "" if after is None else f'<a href="/puzzles?puzzle={after.name}" style="color:var(--accent)">'
    follow = "That was the last one." if after is None else f"{link}Next: {show.esc(after.title)}</a>"
    solution = f'<pre class="cx-mono">{show.esc(puzzle.solution)}</pre>'
    return f"<p>{follow}</p><details class='cx-more'><summary>a solution</summary>{solution}</details>"
