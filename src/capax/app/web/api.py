"""The jobs as an interface for programs: POST /api/JOB with a JSON object."""

import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from capax.app.process.output import json_text
from capax.app.web.jobs.registry import JOBS
from capax.app.web.sandbox.fair_queue import Visitor, network
from capax.app.web.sandbox.pool import Pool, Refused

SESSION: Final = "interface"
"""All requests of a network to the interface are one session, beside its pages."""
OPEN: Final = tuple(name for name in JOBS if name != "export")
"""What programs can ask; exports bring a model along, which is larger than requests may be."""

METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def add_api(app: FastAPI, pool: Pool) -> None:
    """Adds the interface to a server."""

    @app.get("/api")
    async def known() -> Any:
        return {"jobs": list(OPEN), "keys": {name: list(JOBS[name].keys) for name in OPEN}}

    @app.post("/api/{job}")
    async def ask(job: str, request: Request) -> Response:
        if job not in OPEN:
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
        visitor = Visitor(network(request.client.host if request.client else ""), SESSION)
        try:
            result = await _while_there(request, pool.ask(job, body, visitor))
        except Refused as refused:
            return _error(429 if refused.full else 422, refused.error)
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it
        return Response(json_text({"result": result}), media_type="application/json")

    @app.api_route("/api", methods=METHODS)
    async def only_get(request: Request) -> Response:
        return _other_method(request, "GET")

    @app.api_route("/api/{job:path}", methods=METHODS)
    async def only_post(job: str, request: Request) -> Response:
        return _other_method(request, "POST") if job in OPEN else _no_job(job)


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
    return _error(404, {"code": "bad-option", "what": f"there is no job {job[:60]}", "hint": ", ".join(OPEN)})


def _other_method(request: Request, method: str) -> Response:
    what = f"{request.method} is not answered at this address"
    response = _error(405, {"code": "bad-option", "what": what, "hint": f"send a {method} request"})
    response.headers["allow"] = method
    return response


def _error(status: int, error: Mapping[str, Any]) -> Response:
    return JSONResponse({"error": error}, status)
