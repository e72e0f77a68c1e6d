"""The jobs as an interface for the pages and for programs: POST /api/JOB with a JSON object; and a class's board."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Coroutine, Mapping
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from capax.app.process.output import json_text
from capax.app.web.jobs.registry import JOBS
from capax.app.web.puzzles import PUZZLES
from capax.app.web.sandbox.fair_queue import Visitor, network
from capax.app.web.sandbox.pool import Pool, Refused

SESSION: Final = "interface"
"""All requests of a network without a session of their own are one."""
PAGE: Final = re.compile(r"[0-9a-f]{8,32}")
"""How a page names its session."""
KEPT: Final = ("catalogue", "lattice")
"""Jobs whose answers never change while the server runs."""
METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


MOST_VISITORS: Final = 2_000
"""Pages that are counted; further ones are not."""


class ClassBoard:
    """Counts pages that have solved puzzles, while the server runs; kept in memory alone."""

    def __init__(self, links: tuple[str, ...] = ()) -> None:
        self.links = links
        """The addresses that a class opens; none outside of class mode."""
        self._solved: dict[Visitor, set[str]] = defaultdict(set)

    def solved(self, puzzle: str, visitor: Visitor) -> None:
        """A page has solved a puzzle."""
        if self.links and (visitor in self._solved or len(self._solved) < MOST_VISITORS):
            self._solved[visitor].add(puzzle)

    def to_json(self) -> dict[str, Any]:
        """The links, how many have solved something, and how many each puzzle."""
        counts = {puzzle.name: 0 for puzzle in PUZZLES}
        for names in self._solved.values():
            for name in names:
                counts[name] += 1
        return {"links": list(self.links), "people": len(self._solved), "solved": counts}


class Interface:
    """The routes of the interface; `board` counts solved puzzles."""

    def __init__(self, pool: Pool, board: ClassBoard) -> None:
        self._pool, self._board = pool, board
        self._kept: dict[str, str] = {}

    @property
    def routes(self) -> list[Route]:
        """What the server answers under /api."""
        return [
            Route("/api", self._known, methods=["GET"]),
            Route("/api/{job}", self._ask, methods=["POST"]),
            Route("/api", self._only_get, methods=METHODS),
            Route("/api/{job:path}", self._only_post, methods=METHODS),
        ]

    async def _known(self, _: Request) -> Response:
        return JSONResponse({"jobs": list(JOBS), "keys": {name: list(job.keys) for name, job in JOBS.items()}})

    async def _ask(self, request: Request) -> Response:
        job = request.path_params["job"]
        if job not in JOBS:
            return _no_job(job)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            hint = "send the header `content-type: application/json`"
            return _error(415, {"code": "bad-input", "what": "the request does not say that it is JSON", "hint": hint})
        try:
            body = json.loads(await request.body())
        except (ValueError, RecursionError):
            return _error(400, {"code": "bad-input", "what": "the request is not JSON", "hint": None})
        except ClientDisconnect:
            return _error(413, {"code": "too-large", "what": "the request is too large", "hint": None})
        if not isinstance(body, dict):
            return _error(400, {"code": "bad-input", "what": "the request is not a JSON object", "hint": None})
        return await self._answer(request, job, body)

    async def _answer(self, request: Request, job: str, body: dict[str, Any]) -> Response:
        key = json.dumps([job, body], sort_keys=True)
        if key in self._kept:
            return Response(self._kept[key], media_type="application/json")
        session = request.headers.get("x-capax-session", "")
        whose = network(request.client.host if request.client else "")
        visitor = Visitor(whose, session if PAGE.fullmatch(session) else SESSION)
        try:
            result = await _while_there(request, self._pool.ask(job, body, visitor))
        except Refused as refused:
            return _error(429 if refused.full else 422, refused.error)
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it
        if job == "mark" and result["solved"]:
            self._board.solved(result["puzzle"], visitor)
        text = json_text({"result": result})
        if job in KEPT and len(self._kept) < 2 * len(KEPT):
            self._kept[key] = text
        return Response(text, media_type="application/json")

    async def _only_get(self, request: Request) -> Response:
        return _other_method(request, "GET")

    async def _only_post(self, request: Request) -> Response:
        job = request.path_params["job"]
        return _other_method(request, "POST") if job in JOBS else _no_job(job)


async def _while_there(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """The result of some work; it is cancelled, with `ClientDisconnect`, when the client goes away."""
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        gone.cancel()
        working.cancel()


async def _gone(request: Request) -> None:
    """Waits until the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _no_job(job: str) -> Response:
    return _error(404, {"code": "bad-option", "what": f"there is no job {job[:60]}", "hint": ", ".join(JOBS)})


def _other_method(request: Request, method: str) -> Response:
    what = f"{request.method} is not answered at this address"
    response = _error(405, {"code": "bad-option", "what": what, "hint": f"send a {method} request"})
    response.headers["allow"] = method
    return response


def _error(status: int, error: Mapping[str, Any]) -> Response:
    return JSONResponse({"error": error}, status)
