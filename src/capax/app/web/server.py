"""The server: pages, interface, and the processes behind them."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from nicegui import ui
from starlette.responses import FileResponse

from capax.app.web.api import add_api
from capax.app.web.gate import Gate, is_loopback
from capax.app.web.pages.atlas import Atlas
from capax.app.web.pages.lab import Lab
from capax.app.web.pages.limits import Limits
from capax.app.web.pages.lost import add_lost_page
from capax.app.web.pages.machine import Machine
from capax.app.web.pages.puzzles import Puzzles
from capax.app.web.pages.recognise import Recognise
from capax.app.web.pages.theorems import Theorems
from capax.app.web.pages.write import Write
from capax.app.web.pool import Pool

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><rect width="4" height="4" rx=".7" fill="#0072b2"/>'
    '<path d="M.6.6h.8v.8H.6zM1.6 1.6h.8v.8h-.8zM2.6 2.6h.8v.8h-.8zM2.6.6h.8v.8h-.8z" fill="#fff"/></svg>'
)


def create(*, host: str = "127.0.0.1", workers: int | None = None, report: str | None = None) -> FastAPI:
    """The application; `report` is the HTML file that the tab of the lab shows."""
    pool = Pool(workers)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await pool.start()
        yield
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
    add_lost_page()
    ui.run_with(app, title="capax", favicon=ICON, dark=None, tailwind=False, reconnect_timeout=20)
    app.add_middleware(Gate, only_local=is_loopback(host))
    return app


def _pages(pool: Pool, report: str | None) -> None:
    makers: dict[str, tuple[str, Callable[[], object]]] = {
        "/": ("capax", lambda: Write(pool)),
        "/puzzles": ("Puzzles · capax", lambda: Puzzles(pool)),
        "/recognise": ("Recognise · capax", lambda: Recognise(pool)),
        "/theorems": ("Theorems · capax", lambda: Theorems(pool)),
        "/limits": ("Limits · capax", lambda: Limits(pool)),
        "/machine": ("Turing machine · capax", lambda: Machine(pool)),
        "/atlas": ("Atlas · capax", lambda: Atlas(pool)),
        "/lab": ("Lab · capax", lambda: Lab(report)),
    }
    for path, (title, make) in makers.items():
        ui.page(path, title=title)(_page(make))


def _page(make: Callable[[], object]) -> Callable[[], None]:
    def page() -> None:
        make()

    return page


def serve(host: str, port: int, *, workers: int | None = None, report: str | None = None) -> None:
    """Serves until it is interrupted."""
    app = create(host=host, workers=workers, report=report)
    uvicorn.run(
        app, host=host, port=port, log_level="warning", ws_max_size=2**20, limit_concurrency=1000, server_header=False
    )
