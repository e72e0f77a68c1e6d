"""What stands before every request: bounds on its size, host and origin, and headers that keep the browser at home."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from capax.app.web.hosts import Allowed
from capax.app.web.sandbox.fair_queue import network
from capax.app.web.sandbox.request_budget import MOST_REQUEST, MOST_UPLOAD
from capax.errors import CapaxError

HEADERS: Final = {b"x-content-type-options": b"nosniff", b"referrer-policy": b"no-referrer"}
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""Scripts are files of the server; a page talks to this server alone, and no other page may frame it."""
ELSEWHERE: Final = ("cross-site", "same-site")
"""What browsers say in Sec-Fetch-Site of a request that a page of another origin made."""
UPLOAD: Final = re.compile(r"/api/(?:audit|export|limit)")
"""The addresses to which pages send models."""
MOST_UPLOADS: Final = 12
"""Large requests that come in at the same time."""
MOST_UPLOADS_OF_A_NETWORK: Final = 4


class SecurityMiddleware:
    """Refuses large requests, requests for another host, and those that a page of another origin makes."""

    def __init__(self, app: ASGIApp, allowed: Allowed) -> None:
        self._app, self._allowed = app, allowed
        self._uploads: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await _refuse(scope, receive, send, *refused)
            return
        size = int(headers.get("content-length", "0"))
        with self._counted(scope, size > MOST_REQUEST):
            await self._app(scope, _bounded(receive, max(size, MOST_REQUEST)), _with_headers(send))

    @contextmanager
    def _counted(self, scope: Scope, large: bool) -> Iterator[None]:
        """Counts a large request while it is under way."""
        whose = _network(scope)
        self._uploads[whose] += large
        try:
            yield
        finally:
            self._uploads[whose] -= large
            self._uploads += Counter()  # drops networks without any

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, CapaxError] | None:
        """The status and the error with which a request is refused; None if it is let through."""
        hosts, sizes = headers.getlist("host"), headers.getlist("content-length")
        if len(hosts) != 1 or not self._allowed.has(hosts[0]):
            hint = "capax serve --allow-host NAME adds one"
            return 403, CapaxError("bad-input", "this server does not answer for that host", hint=hint)
        if not _at_home(hosts[0], headers) or not _expected(scope, headers):
            return 403, CapaxError("bad-input", "this server does not answer to pages of other origins")
        most = MOST_UPLOAD if _is_upload(scope) else MOST_REQUEST
        if any(not size.isdecimal() or len(size) > 12 or int(size) > most for size in sizes) or len(sizes) > 1:
            return 413, CapaxError("too-large", "the request is too large")
        if sizes and int(sizes[0]) > MOST_REQUEST and self._crowded(_network(scope)):
            return 429, CapaxError("stopped", "too many files are being sent", hint="try again in a moment")
        return None

    def _crowded(self, whose: str) -> bool:
        """Whether another large request of a network would be one too many."""
        return self._uploads.total() >= MOST_UPLOADS or self._uploads[whose] >= MOST_UPLOADS_OF_A_NETWORK


def _at_home(host: str, headers: Headers) -> bool:
    """Whether a request comes from a page of this server, or from no page at all."""
    origins = headers.getlist("origin")
    return len(origins) <= 1 and all(
        one.lower() in (f"http://{host}".lower(), f"https://{host}".lower()) for one in origins
    )


def _expected(scope: Scope, headers: Headers) -> bool:
    """Whether a page of another origin may make a request: only by a link that somebody follows."""
    if headers.get("sec-fetch-site", "").lower() not in ELSEWHERE:
        return True
    follows = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return follows and scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _is_upload(scope: Scope) -> bool:
    """Whether a request sends files that somebody chose on a page."""
    return scope["type"] == "http" and scope["method"] == "POST" and UPLOAD.fullmatch(scope["path"]) is not None


def _network(scope: Scope) -> str:
    client = scope.get("client")
    return network(client[0]) if client else ""


def _bounded(receive: Receive, most: int) -> Receive:
    """The parts of a request, until they are too many."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > most:
                return {"type": "http.disconnect"}
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    headers = HEADERS | {b"content-security-policy": POLICY.encode()}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *((k, v) for k, v in headers.items() if k not in present)]
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, error: CapaxError) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    if is_interface(scope["path"]):
        answer: Response = JSONResponse({"error": error.to_json()}, status)
    else:
        answer = PlainTextResponse("; ".join(filter(None, (error.what, error.hint))) + "\n", status)
    await answer(scope, receive, send)


def is_interface(path: str) -> bool:
    """Whether an address is one of the interface for programs, where every answer is JSON."""
    return path == "/api" or path.startswith("/api/")
