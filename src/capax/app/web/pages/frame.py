"""What all pages share: the bar with the tabs, and requests that tell their errors on the page."""

import asyncio
import base64
import binascii
import json
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlencode

from nicegui import background_tasks, context, ui

from capax.app.web import html as show
from capax.app.web.assets import script, style
from capax.app.web.middleware import nonce
from capax.app.web.sandbox.fair_queue import Visitor, network
from capax.app.web.sandbox.pool import Pool, Refused
from capax.app.web.sandbox.request_budget import MOST_TEXT

TABS: Final = (
    ("/", "Write"),
    ("/puzzles", "Puzzles"),
    ("/recognise", "Recognise"),
    ("/theorems", "Theorems"),
    ("/limits", "Limits"),
    ("/audit", "Audit"),
    ("/machine", "Turing machine"),
    ("/atlas", "Atlas"),
    ("/lab", "Lab"),
)
PAUSE: Final = 0.25
"""Seconds without a change after which a request is sent."""


@contextmanager
def frame(path: str) -> Iterator[None]:
    """The page around what a tab shows."""
    ui.add_head_html(f"<style>{style()}</style>")
    add_script(script())
    ui.colors(primary="#0072b2")
    with ui.element("header").classes("cx-top"):
        ui.html('<a class="cx-mark" href="/">capax</a>', sanitize=False)
        links = "".join(f'<a href="{to}"{" aria-current=page" if to == path else ""}>{name}</a>' for to, name in TABS)
        tabs = ui.html(links, sanitize=False, tag="nav").classes("cx-tabs")
        tabs.props('aria-label="pages"')
        buttons = '<button class="cx-tool cx-share wide">share</button> <button class="cx-tool cx-theme"></button>'
        ui.html(buttons, sanitize=False).style("white-space:nowrap")
    with ui.element("main").classes("cx-main"):
        yield


def html(content: str = "", classes: str = "") -> ui.html:
    """A piece of HTML of our own."""
    return ui.html(content, sanitize=False).classes(classes)


def card(title: str = "") -> ui.element:
    """A box; with a heading if it has a title."""
    box = ui.element("section").classes("cx-card")
    if title:
        with box:
            html(f'<h2 class="cx-h">{show.esc(title)}</h2>')
    return box


def state() -> dict[str, str]:
    """The state in the link of this page."""
    request = context.client.request
    return state_of(dict(request.query_params)) if request is not None else {}


def remember(path: str, now: Mapping[str, str]) -> None:
    """Puts the state of a page into its link."""
    call("capaxLink", link(path, now))


def call(function: str, *arguments: Any) -> None:
    """Calls a function of the page's script, one of those that it knows by name."""
    ui.run_javascript(f"{function}({','.join(map(json.dumps, arguments))})")


def add_script(text: str) -> None:
    """Adds a script of our own to the page."""
    ui.add_head_html(f'<script nonce="{nonce(context.client.request.scope)}">{text}</script>')


def number(text: str | None, default: int, least: int, most: int) -> int:
    """A number of a link, or the default if there is none that makes sense."""
    try:
        value = int(text or "")
    except ValueError:
        return default
    return value if least <= value <= most else default


class Desk:
    """One page's way to the pool: its errors go to one spot of the page, and only the latest answer counts."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._client = context.client
        self.visitor = Visitor(network(self._client.ip), self._client.id)
        self._latest: asyncio.Future[Any] | None = None
        self.errors: ui.html | None = None
        self._client.on_disconnect(self._gone)

    def show_errors_here(self) -> ui.html:
        """Errors are shown here."""
        self.errors = html()
        return self.errors

    def tell(self, what: str, hint: str | None = None) -> None:
        """Shows an error of the page itself."""
        if self.errors is not None and not self.errors.is_deleted:
            self.errors.set_content(show.error({"what": what, "hint": hint}))

    def clear(self) -> None:
        """Takes the error off the page."""
        if self.errors is not None and not self.errors.is_deleted:
            self.errors.set_content("")

    async def ask(self, job: str, request: Mapping[str, Any]) -> Any | None:
        """The answer to a request; None if there is none, or if another request came after it.

        While the browser is away, the request waits outside the line; it is made again when the browser is back.
        """
        while True:
            if self._latest is not None:
                self._latest.cancel()
            mine = self._latest = asyncio.ensure_future(self._pool.ask(job, dict(request), self.visitor))
            try:
                await asyncio.wait((mine,))
            finally:
                mine.cancel()
            if self._latest is not mine:
                return None
            if not mine.cancelled():
                return self._answer(mine)
            await self._client.connected()
            if self._latest is not mine or self._client.is_deleted:
                return None

    def _answer(self, done: asyncio.Future[Any]) -> Any | None:
        """The answer of a request that is done, or None with its error on the page."""
        error = ""
        try:
            answer = done.result()
        except Refused as refused:
            answer, error = None, show.error(refused.error)
        if self.errors is not None and not self.errors.is_deleted:
            self.errors.set_content(error)
        return answer

    def _gone(self) -> None:
        """The browser closed a connection: nobody waits for the answer, unless it has another."""
        if self._latest is not None and not self._client.has_socket_connection:
            self._latest.cancel()

    def later(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does some work in the background of this page, in its own time."""
        background_tasks.create(self._inside(work))

    async def _inside(self, work: Callable[[], Awaitable[None]]) -> None:
        with self._client:
            await work()


class Pause:
    """Waits until nothing has changed for a moment, then works."""

    def __init__(self, desk: Desk, work: Callable[[], Awaitable[None]]) -> None:
        self._desk, self._work = desk, work
        self._timer: ui.timer | None = None

    def __call__(self, *_: object) -> None:
        """Something changed."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = ui.timer(PAUSE, lambda: self._desk.later(self._work), once=True)


PACKED = "code"
"""A program stands in the link in short, under this name."""


def link(path: str, state: Mapping[str, str]) -> str:
    """The link to a page in a state; texts that are empty are left out."""
    parts = {name: value for name, value in state.items() if value and name != "text"}
    if state.get("text"):
        parts[PACKED] = pack(state["text"])
    return f"{path}?{urlencode(parts)}" if parts else path


def pack(text: str) -> str:
    """A text in few characters that links can hold."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii").rstrip("=")


def unpack(code: str) -> str | None:
    """The text of a link; None if it is none, or a longer one than pages read."""
    try:
        data = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        text = zlib.decompressobj().decompress(data, 4 * MOST_TEXT + 1).decode("utf-8")
    except (ValueError, binascii.Error, zlib.error):
        return None
    return text if len(text) <= MOST_TEXT else None


def state_of(query: Mapping[str, str]) -> dict[str, str]:
    """The state that a link stands for."""
    state = {name: value for name, value in query.items() if name != PACKED}
    if PACKED in query:
        text = unpack(query[PACKED])
        if text is not None:
            state["text"] = text
    return state
