"""What stands before every request: bounds on its size and host, and headers that keep the browser at home."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from capax.app.web.allowance import MOST_REQUEST

HEADERS: Final = {
    b"content-security-policy": (
        b"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self'; "
        b"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
}
"""The scripts and styles of a page are its own; it talks to this server alone, and no other page may frame it."""
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def is_loopback(host: str) -> bool:
    """Whether an address is one that only this machine reaches."""
    return host in LOOPBACK or host.startswith("127.")


class Gate:
    """Refuses large requests and, on loopback, requests for another host, as a page elsewhere could make them."""

    def __init__(self, app: ASGIApp, only_local: bool) -> None:
        self._app, self._only_local = app, only_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if not self._may(headers):
            await _refuse(scope, receive, send, 403, b"this server answers for its own address alone\n")
            return
        size = headers.get(b"content-length", b"0")
        if not size.isdigit() or int(size) > MOST_REQUEST:
            await _refuse(scope, receive, send, 413, b"the request is too large\n")
            return
        await self._app(scope, _bounded(receive), _with_headers(send))

    def _may(self, headers: Mapping[bytes, bytes]) -> bool:
        host = headers.get(b"host", b"").decode("latin-1")
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and origin != "null" and origin.partition("://")[2] != host:
            return False  # a page of another place
        return not self._only_local or is_loopback(_name(host))


def _name(host: str) -> str:
    """A host without its port and brackets."""
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def _bounded(receive: Receive) -> Receive:
    """The parts of a request, until they are too many."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > MOST_REQUEST:
                return {"type": "http.disconnect"}
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *((k, v) for k, v in HEADERS.items() if k not in present)]
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, text: bytes) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    headers: list[Any] = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
