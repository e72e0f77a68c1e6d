"""Whose word is taken for where a request comes from: nobody's, unless a proxy was named."""

from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the playground needs the extra `web`")

from starlette.testclient import TestClient

from capax.app.web import server
from capax.app.web.connections import Connection


@pytest.mark.parametrize(
    ("proxy", "peer", "found"),
    [
        (None, "127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1", "198.51.100.7"),
        ("127.0.0.1", "192.0.2.9", "192.0.2.9"),
    ],
)
def test_a_forwarded_address_counts_from_the_proxy_alone(
    monkeypatch: pytest.MonkeyPatch, proxy: str | None, peer: str, found: str
) -> None:
    """The header counts if the proxy sent it; a client that makes it up is itself."""
    started: list[Any] = []

    class Started:
        def __init__(self, config: Any, ready: object) -> None:
            config.load()
            started.append(config.loaded_app)

        def run(self) -> None:
            pass

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["client"][0].encode()})

    monkeypatch.setattr(server, "Server", Started)
    monkeypatch.setattr(server, "create", lambda *_, **__: app)
    monkeypatch.setattr(server, "shorten", lambda: None)
    monkeypatch.setattr(server, "_more_files", lambda: None)
    monkeypatch.setattr(Connection, "proxies", frozenset())
    server.serve("127.0.0.1", 8765, proxy=proxy)
    client = TestClient(started[0], client=(peer, 4711))
    assert client.get("/", headers={"x-forwarded-for": "198.51.100.7"}).text == found
    assert Connection.proxies == (frozenset() if proxy is None else frozenset({proxy}))
