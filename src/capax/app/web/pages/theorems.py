"""The page of theorems: a statement, its model built at sizes that sliders choose, and the sizes beside the bounds."""

from typing import Any

from nicegui import ui

from capax import theorems as shelf
from capax.app.options import count
from capax.app.web import html as show
from capax.app.web.pages.frame import Desk, Pause, card, frame, html, remember, state
from capax.app.web.pages.sliders import Controls
from capax.app.web.request import Reply
from capax.app.web.sandbox.pool import Pool

FIRST = "majority"
REACH = {"length": 400, "n": 60, "modulus": 60, "hops": 16, "symbols": 30, "steps": 300, "cells": 200, "m": 400}
"""How far sliders go here, where a theorem would go further than a page can wait for."""


class TheoremsPage:
    """The page: the choice and the sliders at the left, the outcome at the right."""

    def __init__(self, pool: Pool) -> None:
        query = state()
        self._desk, self._breaks = Desk(pool), Desk(pool)
        self._name = query.get("name") if query.get("name") in shelf.names() else FIRST
        theorem = shelf.theorem(str(self._name))
        changed = Pause(self._desk, self._build)
        with frame("/theorems"), ui.element("div").classes("cx-side"):
            with ui.element("div").classes("cx-stack"):
                names = {name: f"{name}: {shelf.theorem(name).title}" for name in shelf.names()}
                choice = ui.select(names, value=self._name, label="theorem", with_input=True)
                choice.props("outlined dense").style("width:100%").classes("cx-choice")
                choice.on_value_change(
                    lambda event: ui.navigate.to(f"/theorems?name={event.value}") if event.value else None
                )
                with card("Parameters"), ui.element("div").classes("cx-stack"):
                    self._controls = Controls(theorem.parameters, query, changed, REACH)
            with ui.element("div").classes("cx-stack"):
                with card():
                    html(statement(theorem.to_json()))
                self._desk.show_errors_here()
                with card("Built and checked"):
                    self._result = html('<span class="cx-quiet">…</span>', "cx-built")
                with card("Its attention"):
                    self._picture = html()
                with card("Without an assumption"):
                    html(
                        '<p class="cx-quiet cx-small" style="margin:0 0 10px">An assumption is taken away and the '
                        "model is tried again; where it fails, an input shows it.</p>"
                    )
                    self._break = ui.button("Break it", on_click=self._broken).props("outline no-caps dense")
                    self._breaks.show_errors_here()
                    self._broke = html()
        ui.timer(0.05, lambda: self._desk.later(self._build), once=True)

    async def _build(self) -> None:
        values = self._controls.values
        remember("/theorems", {"name": str(self._name)} | values)
        self._result.classes(add="cx-old")
        reply = await self._desk.ask("theorem", {"name": self._name, "given": values})
        if reply is None:
            return
        self._result.classes(remove="cx-old")
        self._result.set_content(built(reply["theorem"]))
        drawn = reply["attention"]
        note = f'<p class="cx-quiet cx-small">{show.esc(drawn["note"])}</p>' if drawn["note"] else ""
        self._picture.set_content(note + show.awake(drawn["picture"]))

    async def _broken(self) -> None:
        self._break.props("loading")
        reply = await self._breaks.ask("break", {"name": self._name, "given": self._controls.values})
        self._break.props(remove="loading")
        if reply is not None:
            self._broke.set_content(_report(reply["check"]))


def statement(result: Reply) -> str:
    """A theorem or a limit in words."""
    assumptions = "".join(f"<li>{show.esc(one)}</li>" for one in result["assumptions"])
    rest = result.get("limits") or result.get("escapes") or ""
    title = "What it leaves open" if "limits" in result else "What it does not forbid"
    more = f"<p><b>{title}.</b> {show.esc(rest)}</p>" if rest else ""
    return (
        f'<h1 class="cx-h">{show.esc(result["title"])}</h1>'
        f'<p style="margin:0 0 8px">{show.esc(result["statement"])}</p>'
        f'<div class="cx-quiet cx-small">{show.esc(result["citation"])}</div>'
        f'<details class="cx-more" style="margin-top:8px"><summary>assumptions and scope</summary>'
        f'<ul class="cx-list cx-small">{assumptions}</ul><div class="cx-small">{more}</div></details>'
    )


def built(result: Reply) -> str:
    """The outcome of a theorem: whether the check holds, and the sizes beside the bounds."""
    size = result["model"]
    facts = [
        ("holds" if result["holds"] else "fails", "good" if result["holds"] else "bad"),
        (f"<b>{count(size['attention_layers'], 'layer')}</b>", ""),
        (f"heads <b>{', '.join(map(str, size['heads']))}</b>", ""),
        (f"<b>{size['parameters']:,}</b> parameters", ""),
    ]
    if result["oracles"]:
        facts.append((count(result["oracles"], "arbitrary map"), "bad"))
    rows = [
        (
            show.esc(r["what"]),
            _number(r["built"]),
            _number(r["bound"]),
            _bars(r),
            f'<span class="cx-quiet cx-small">{show.esc(r["note"])}</span>',
        )
        for r in result["sizes"]
    ]
    sizes = show.table(("size", "built", "bound", "", ""), rows) if rows else ""
    return show.chips(facts) + sizes + _report(result["check"])


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else show.esc(value)


def _bars(row: Reply) -> str:
    """What was built beside the bound, as two bars."""
    one, two = row["built"], row["bound"]
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) and v >= 0 for v in (one, two)):
        return ""
    most = max(one, two) or 1
    return (
        f'<div class="cx-bars"><div class="cx-bar" style="width:{100 * one / most:.1f}%" title="built"></div>'
        f'<div class="cx-bar bound" style="width:{100 * two / most:.1f}%" title="bound"></div></div>'
    )


def _report(check: Reply) -> str:
    """A report: each statement with its evidence, and the counterexample if there is one."""
    lines = [
        f'<li><span class="cx-{"good" if one["holds"] else "bad"}">{"yes" if one["holds"] else "no"}</span> '
        f'{show.esc(one["statement"])} <span class="cx-quiet">({show.esc(one["evidence"])}'
        f"{', ' + count(one['count'], 'word') if one['count'] else ''})</span>"
        + (
            f'<div class="cx-mono cx-small cx-quiet">{show.esc(str(one["counterexample"])[:400])}</div>'
            if one["counterexample"]
            else ""
        )
        + "</li>"
        for one in (check["parts"] or [check])
    ]
    return f'<ul class="cx-list cx-small" style="margin-top:10px">{"".join(lines)}</ul>'
