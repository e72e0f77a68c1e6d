"""Which requests come in: their host, origin, size; and what the answers tell the browser."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from capax.app.web.hosts import Allowed, Host, is_loopback, parse
from capax.app.web.middleware import SecurityMiddleware
from tests.support.outcomes import count_outcome, least_share

HOME = "localhost:8765"
LOCAL = Allowed("127.0.0.1", 8765)
GOOD = ("localhost:8765", "LocalHost:8765", "127.0.0.1:8765", "127.3.2.1:8765", "[::1]:8765", "[::ffff:127.0.0.1]:8765")
BAD = (
    *("", "evil.example", "localhost", "localhost:80", "localhost:8766", "localhost:", "localhost:8765:8765"),
    *("127.evil.test:8765", "127.0.0.1.evil.example:8765", "127.0.0.1@evil.example:8765", "evil@localhost:8765"),
    *("localhost.evil.example:8765", "localhost.:8765", "127.0.0.1.:8765", "evil.localhost:8765", " localhost:8765"),
    *("127.1:8765", "0127.0.0.1:8765", "0x7f.0.0.1:8765", "2130706433:8765", "127.0.0.256:8765", "127.0.0.1%00:8765"),
    *("::1:8765", "[::1]x:8765", "[::1%25lo]:8765", "[127.0.0.1]:8765", "[::2]:8765", "192.168.1.5:8765"),
    *("localhost:8765/x", "localhost:8765,evil.example", "localhost:٨٧٦٥", "lоcalhost:8765", "localhost:98765"),
    *("http://localhost:8765", "localhost\t:8765", "localhost:+8765", "0.0.0.0:8765"),
)


@pytest.mark.parametrize("host", GOOD)
def test_own_hosts(host: str) -> None:
    """On loopback: localhost and addresses of loopback, with the port of the server."""
    assert LOCAL.has(host)


@pytest.mark.parametrize("host", BAD)
def test_other_hosts(host: str) -> None:
    """Names of others, also those that begin or end like ours, other ports, and whatever is spelt oddly."""
    assert not LOCAL.has(host)


NUMBERS = st.integers(0, 260)
PORTS = st.sampled_from([":8765", ":8765", "", ":80", ":", ".:8765", "]:8765"])
ADDRESSES = st.builds("{}.{}.{}.{}{}".format, st.sampled_from([127, 127, 126, "0127", "[127"]), *[NUMBERS] * 3, PORTS)


@least_share("let in", 0.1)
@given(ADDRESSES | st.text(max_size=30))
def test_any_host(text: str) -> None:
    """What is let in is exactly a name or an address of loopback."""
    count_outcome("let in" if LOCAL.has(text) else "refused")
    assert not LOCAL.has(text) or text.lower() == HOME or is_loopback(str(parse(text).name))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("host", "names", "asked", "let_in"),
    [
        ("0.0.0.0", (), "192.168.1.5:8765", True),
        ("0.0.0.0", (), "localhost:8765", True),
        ("0.0.0.0", (), "[2001:db8::1]:8765", True),
        ("0.0.0.0", (), "box.lan:8765", False),
        ("::", (), "192.168.1.5:8765", True),
        ("box.lan", (), "box.lan:8765", True),
        ("box.lan", (), "other.lan:8765", False),
        ("127.0.0.2", (), "127.0.0.2:8765", True),
        ("127.0.0.2", (), "192.168.1.5:8765", False),
        ("127.0.0.1", ("capax.example.org",), "capax.example.org", True),
        ("127.0.0.1", ("capax.example.org",), "capax.example.org:443", True),
        ("127.0.0.1", ("capax.example.org",), "x.capax.example.org", False),
        ("127.0.0.1", ("localhost:9000",), "localhost:9000", True),
        ("127.0.0.1", ("localhost:9000",), "localhost:9001", False),
    ],
)
def test_further_hosts(host: str, names: tuple[str, ...], asked: str, let_in: bool) -> None:
    """A server for a network answers for any address, but only for names that it was given."""
    further = tuple(found for found in map(parse, names) if isinstance(found, Host))
    assert len(further) == len(names)
    assert Allowed(host, 8765, further).has(asked) is let_in


async def _inside(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": 1000})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
REQUESTS: list[tuple[dict[str, str], int]] = [
    ({}, 200),
    ({"host": "127.evil.test"}, 403),
    ({"origin": f"http://{HOME}"}, 200),
    ({"origin": f"https://{HOME}"}, 200),
    ({"origin": "null"}, 403),
    ({"origin": ""}, 403),
    ({"origin": "http://evil.example"}, 403),
    ({"origin": f"http://{HOME}.evil.example"}, 403),
    ({"origin": "http://localhost:9000"}, 403),
    ({"origin": f"file://{HOME}"}, 403),
    ({"sec-fetch-site": "same-origin"}, 200),
    ({"sec-fetch-site": "none"}, 200),
    ({"sec-fetch-site": "cross-site"}, 403),
    ({"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}, 403),
    (LINK | {"sec-fetch-dest": "iframe"}, 403),
]


@pytest.mark.parametrize(("headers", "status"), [*REQUESTS, (LINK, 200)])
def test_requests(headers: dict[str, str], status: int) -> None:
    """Pages of other origins reach nothing here, but a link to a page may stand anywhere."""
    found = TestClient(SecurityMiddleware(_inside, LOCAL)).get("/", headers={"host": HOME} | headers)
    assert found.status_code == status


def _closed(headers: dict[str, str]) -> int:
    """The number with which a websocket is closed."""
    try:
        with TestClient(SecurityMiddleware(_inside, LOCAL)).websocket_connect(
            "/", headers={"host": HOME} | headers
        ) as line:
            return int(line.receive()["code"])
    except WebSocketDisconnect as closed:
        return closed.code


@pytest.mark.parametrize(("headers", "status"), [*REQUESTS, (LINK, 403)])
def test_websockets(headers: dict[str, str], status: int) -> None:
    """The same holds for the connections of pages."""
    assert _closed(headers) == {200: 1000, 403: 1008}[status]


@pytest.mark.parametrize("size", ["9999999", "-5", "1e3", "+3", "²", "9" * 5_000])
def test_sizes(size: str) -> None:
    """A request that says that it is large, or nothing that makes sense, is refused."""
    headers = [(b"host", HOME.encode()), (b"content-length", size.encode())]
    assert TestClient(SecurityMiddleware(_inside, LOCAL)).get("/", headers=headers).status_code == 413


UPLOAD = "/api/audit"


@pytest.mark.parametrize(
    ("method", "path", "size", "status"),
    [
        ("POST", UPLOAD, 28_000_000, 200),
        ("POST", UPLOAD, 29_000_000, 413),
        ("PUT", UPLOAD, 300_000, 413),
        ("POST", f"{UPLOAD}/more", 300_000, 413),
        ("POST", "/api/evaluate", 300_000, 413),
        ("POST", "/files/app.js", 300_000, 413),
    ],
)
def test_models_may_be_larger(method: str, path: str, size: int, status: int) -> None:
    """Only where a job takes them."""
    headers = {"host": HOME, "content-length": str(size)}
    found = TestClient(SecurityMiddleware(_inside, LOCAL)).request(method, path, headers=headers)
    assert found.status_code == status


def test_few_large_files_at_once() -> None:
    """A network has four at a time, all together twelve; small requests pass as ever."""
    statuses: list[int] = []

    async def nested(scope: Any, receive: Any, send: Any) -> None:
        """Comes back as another large request of the network before the first has ended."""
        statuses.append(await _send(middleware, scope["client"][0]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    middleware = SecurityMiddleware(nested, LOCAL)
    for _ in range(2):  # what has ended leaves nothing behind
        statuses.clear()
        assert asyncio.run(_send(middleware, "192.0.2.1")) == 200
        assert statuses == [429, 200, 200, 200]


async def _send(middleware: SecurityMiddleware, client: str) -> int:
    """The status of a large request."""
    headers = [(b"host", HOME.encode()), (b"content-length", b"900000")]
    scope = {"type": "http", "method": "POST", "path": UPLOAD, "headers": headers, "client": (client, 1)}
    seen: list[int] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        seen.extend([message["status"]] if "status" in message else [])

    await middleware(scope, receive, send)
    return seen[0]


def test_two_hosts() -> None:
    """A request with two hosts, or two origins, is refused."""
    client = TestClient(SecurityMiddleware(_inside, LOCAL))
    assert client.get("/", headers=[("host", HOME), ("host", "evil.example")]).status_code == 403
    twice = [("host", HOME), ("origin", f"http://{HOME}"), ("origin", f"http://{HOME}")]
    assert client.get("/", headers=twice).status_code == 403


def test_the_policy() -> None:
    """No text becomes code, and scripts are files of the server alone."""
    found = TestClient(SecurityMiddleware(_inside, LOCAL)).get("/", headers={"host": HOME})
    policy = found.headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert rules["connect-src"] == "'self'"
    assert "unsafe-eval" not in policy
