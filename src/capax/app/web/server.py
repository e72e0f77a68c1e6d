"""The server: pages, interface, and the processes behind them."""

import asyncio
import contextlib
import gc
import logging
import resource
import socket
import traceback
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse
from nicegui import Client, ui
from nicegui import app as toolkit
from starlette.responses import FileResponse, Response

from capax.app.web.api import add_api
from capax.app.web.assets import TIE, mark_scripts
from capax.app.web.connections import MOST_CONNECTIONS, Connection
from capax.app.web.hosts import Allowed, Host
from capax.app.web.middleware import SecurityMiddleware
from capax.app.web.pages.atlas import AtlasPage
from capax.app.web.pages.audit import AuditPage
from capax.app.web.pages.frame import card, frame, html
from capax.app.web.pages.lab import LabPage
from capax.app.web.pages.limits import LimitsPage
from capax.app.web.pages.puzzles import PuzzlesPage
from capax.app.web.pages.recognise import RecognisePage
from capax.app.web.pages.theorems import TheoremsPage
from capax.app.web.pages.tm import MachinePage
from capax.app.web.pages.write import WritePage
from capax.app.web.sandbox.fair_queue import network
from capax.app.web.sandbox.pool import Pool
from capax.app.web.uploads import Uploads

TICK: Final = 0.1
FAREWELL: Final = 0.1
"""Seconds that requests have for their replies when the server stops."""
LOGGERS: Final = ("asyncio", "uvicorn.error", "nicegui", "engineio.server", "socketio.server")
"""Whose errors are shortened."""
OURS: Final = str(Path(__file__).parents[2])
PASSED: Final = str(Path(__file__).parent / "middleware.py")
"""Every request passes the middleware, so its frame does not show where an error comes from."""
LONGEST: Final = 200
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><rect width="4" height="4" rx=".7" fill="#0072b2"/>'
    '<path d="M.6.6h.8v.8H.6zM1.6 1.6h.8v.8h-.8zM2.6 2.6h.8v.8h-.8zM2.6.6h.8v.8h-.8z" fill="#fff"/></svg>'
)


def create(allowed: Allowed, *, workers: int | None = None, report: str | None = None) -> FastAPI:
    """The application; `report` is the HTML file that the tab of the lab shows."""
    pool = Pool(workers)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            await pool.start()
            yield
        finally:
            await pool.stop()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    add_api(app, pool)
    if report is not None:
        file = Path(report)

        @app.get("/lab/report.html")
        async def lab_report() -> FileResponse:
            sealed = {"content-security-policy": "sandbox allow-scripts; default-src 'unsafe-inline' data:"}
            return FileResponse(file, media_type="text/html", headers=sealed)

    _pages(pool, report)
    _not_found_page()
    mark_scripts()
    if TIE not in toolkit.config.vue_config_script:
        toolkit.config.vue_config_script += TIE
    ui.run_with(app, title="capax", favicon=ICON, dark=None, tailwind=False, reconnect_timeout=20)
    app.add_middleware(SecurityMiddleware, allowed=allowed)
    return app


def _pages(pool: Pool, report: str | None) -> None:
    uploads = Uploads()
    makers: dict[str, tuple[str, Callable[[], object]]] = {
        "/": ("capax", lambda: WritePage(pool)),
        "/puzzles": ("Puzzles · capax", lambda: PuzzlesPage(pool)),
        "/recognise": ("Recognise · capax", lambda: RecognisePage(pool)),
        "/theorems": ("Theorems · capax", lambda: TheoremsPage(pool)),
        "/limits": ("Limits · capax", lambda: LimitsPage(pool)),
        "/audit": ("Audit · capax", lambda: AuditPage(pool, uploads)),
        "/machine": ("Turing machine · capax", lambda: MachinePage(pool)),
        "/atlas": ("Atlas · capax", lambda: AtlasPage(pool)),
        "/lab": ("Lab · capax", lambda: LabPage(report)),
    }
    for path, (title, make) in makers.items():
        ui.page(path, title=title)(_page(make))


def _page(make: Callable[[], object]) -> Callable[[], None]:
    def page() -> None:
        make()

    return page


def _not_found_page() -> None:
    """Shows the bar with the tabs where there is nothing else to show."""

    @toolkit.exception_handler(404)
    async def not_found(request: Request, _: Exception) -> Response:
        if request.url.path.startswith("/_nicegui"):  # a script or a style, which no person reads
            return PlainTextResponse("not found\n", 404)
        page = ui.page("", title="Nothing here · capax")
        with Client(page, request=request) as client, frame(""), card("There is no page at this address"):
            html('<p class="cx-quiet" style="margin:0">The pages are in the bar above.</p>')
        return client.build_response(request, 404)


class Server(uvicorn.Server):
    """A server that says when it answers, and that ends soon when it is asked to, whatever is under way."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts; a signal meanwhile ends it at once."""
        starting = asyncio.ensure_future(super().startup(sockets))
        while not starting.done() and not self.should_exit:
            await asyncio.wait((starting,), timeout=TICK)
        if starting.done():
            starting.result()
            self._ready()
        else:
            starting.cancel()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops: requests have a moment for their replies, then their connections are cut."""
        gc.freeze()  # else the interpreter goes through all that is loaded several times before it ends
        asyncio.get_running_loop().call_later(FAREWELL, self._cut)
        await super().shutdown(sockets)

    def _cut(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def serve(
    host: str,
    port: int,
    *,
    workers: int | None = None,
    report: str | None = None,
    names: tuple[Host, ...] = (),
    proxy: str | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serves until it is interrupted; `ready` is called once it answers.

    `names` are further hosts that it answers for; `proxy` is an address whose word it takes for whom a request is from.
    """
    app = create(Allowed(host, port, names), workers=workers, report=report)
    Connection.proxies = frozenset() if proxy is None else frozenset({network(proxy)})
    _more_files()
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Connection,
        log_level="warning",
        ws_max_size=2**20,
        server_header=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy,
        timeout_graceful_shutdown=1,
    )
    config.get_loop_factory()  # loads what it needs, while a signal still just ends the process
    shorten()
    Server(config, ready).run()


def _more_files() -> None:
    """Lets this process have as many open files as its connections need, where the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 3 * MOST_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (needed if hard == resource.RLIM_INFINITY else min(needed, hard), hard)
        )


def shorten() -> None:
    """Has errors that no code of capax is part of logged in one line."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_shorten)


def _shorten(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and not _is_ours(error):
        what = f"{type(error).__name__}: {error}".encode("unicode_escape").decode("ascii")
        record.msg, record.args = f"a message of a client was not understood ({what[:LONGEST]})", None
        record.exc_info = record.exc_text = None
    return True


def _is_ours(error: BaseException) -> bool:
    """Whether code of capax was at work when an error came up: then it may be a mistake of ours."""
    files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)}
    return any(file.startswith(OURS) and file != PASSED for file in files)
