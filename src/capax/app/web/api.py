"""The jobs as an interface for programs: POST /api/JOB with a JSON object."""

import json
from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from capax.app.output import json_text
from capax.app.web.jobs import JOBS
from capax.app.web.pool import Pool, Refused

OPEN: Final = tuple(name for name in JOBS if name != "export")
"""What programs can ask; exports bring a model along, which is larger than requests may be."""


def add_api(app: FastAPI, pool: Pool) -> None:
    """Adds the interface to a server."""

    @app.get("/api")
    async def known() -> Any:
        return {"jobs": list(OPEN), "keys": {name: list(JOBS[name].keys) for name in OPEN}}

    @app.post("/api/{job}")
    async def ask(job: str, request: Request) -> Response:
        if job not in OPEN:
            return _error(404, {"code": "bad-option", "what": f"there is no job {job[:60]}", "hint": ", ".join(OPEN)})
        try:
            asked = json.loads(await request.body())
        except (ValueError, RecursionError):
            return _error(400, {"code": "bad-input", "what": "the request is not JSON", "hint": None})
        except ClientDisconnect:
            return _error(413, {"code": "too-large", "what": "the request is too large", "hint": None})
        if not isinstance(asked, dict):
            return _error(400, {"code": "bad-input", "what": "the request is no JSON object", "hint": None})
        try:
            result = await pool.ask(job, asked, request.client.host if request.client else "")
        except Refused as refused:
            return _error(422, refused.told)
        return Response(json_text({"result": result}), media_type="application/json")


def _error(status: int, told: dict[str, Any]) -> Response:
    return JSONResponse({"error": told}, status)
