"""The server: the page, its files, the interface, and the processes behind them."""

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
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from capax.app.web import page_files
from capax.app.web.api import ClassBoard, Interface
from capax.app.web.connections import MOST_CONNECTIONS, Connection
from capax.app.web.hosts import Allowed, Host
from capax.app.web.middleware import SecurityMiddleware
from capax.app.web.sandbox.fair_queue import network
from capax.app.web.sandbox.pool import Pool

TICK: Final = 0.1
FAREWELL: Final = 0.1
"""Seconds that requests have for their replies when the server stops."""
LOGGERS: Final = ("asyncio", "uvicorn.error")
"""Whose errors are shortened."""
OURS: Final = str(Path(__file__).parents[2])
PASSED: Final = str(Path(__file__).parent / "middleware.py")
"""Every request passes the middleware, so its frame does not show where an error comes from."""
LONGEST: Final = 200
OLD: Final = {
    "/write": "build", "/puzzles": "puzzles", "/recognise": "languages", "/theorems": "can", "/limits": "cannot",
    "/audit": "audit", "/machine": "machines", "/atlas": "languages", "/lab": "experiments", "/class": "class",
}  # fmt: skip
"""Addresses that people type, and the pages that they mean."""


def create(
    allowed: Allowed, *, workers: int | None = None, report: str | None = None, links: tuple[str, ...] = ()
) -> ASGIApp:
    """The application; `report` is the file that the page of experiments shows, `links` are those of a class."""
    pool, board = Pool(workers), ClassBoard(links)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            await pool.start()
            yield
        finally:
            await pool.stop()

    routes = [*_page_routes(report), Route("/class.json", lambda _: JSONResponse(board.to_json()))]
    handlers = {404: _not_found}
    app = Starlette(
        routes=[*Interface(pool, board).routes, *routes],
        lifespan=lifespan,
        exception_handlers=handlers,
        middleware=[Middleware(GZipMiddleware, minimum_size=2_000, compresslevel=5)],
    )
    return SecurityMiddleware(app, allowed)


def _page_routes(report: str | None) -> list[Route]:
    """The page, its files, and the report of the lab."""

    def page(_: Request) -> Response:
        return HTMLResponse(page_files.index("server", report=report is not None))

    def file(request: Request) -> Response:
        name = request.path_params["name"]
        data = page_files.file(name)
        if data is None:
            return _not_found(request, None)
        return Response(data, media_type=page_files.media_type(name), headers={"cache-control": "no-cache"})

    def lab_report(_: Request) -> Response:
        assert report is not None
        sealed = {"content-security-policy": "sandbox; default-src 'unsafe-inline' data:"}
        return Response(Path(report).read_bytes(), media_type="text/html", headers=sealed)

    def moved(to: str) -> Callable[[Request], Response]:
        return lambda _: RedirectResponse(f"/#/{to}")

    routes = [Route("/", page), Route("/files/{name}", file)]
    routes += [Route("/lab/report.html", lab_report)] if report is not None else []
    return routes + [Route(path, moved(to)) for path, to in OLD.items()]


def _not_found(_: Request, __: Exception | None) -> Response:
    """A page with a way on, where there is nothing else to show."""
    return HTMLResponse(page_files.nothing_here(), 404)


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
    links: tuple[str, ...] = (),
    proxy: str | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serves until it is interrupted; `ready` is called once it answers.

    `links` are the addresses of a class, in class mode.
    `names` are further hosts that it answers for; `proxy` is an address whose word it takes for whom a request is from.
    """
    app = create(Allowed(host, port, names), workers=workers, report=report, links=links)
    Connection.proxies = frozenset() if proxy is None else frozenset({network(proxy)})
    _more_files()
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=Connection,
        log_level="warning",
        ws="none",
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
    """Has errors that no code of capax is part of logged in one line, and none for a server that is asked to end."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_shorten)


def _shorten(record: logging.LogRecord) -> bool:
    if str(record.msg).startswith("Traceback") and "SystemExit" in str(record.msg):
        return False  # it was asked to end while it started
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
