"""The interface for programs: every answer is JSON, also the refusals."""

from typing import cast

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from capax.app.web.api import ClassBoard, Interface
from capax.app.web.hosts import Allowed
from capax.app.web.middleware import SecurityMiddleware
from capax.app.web.sandbox.fair_queue import Visitor
from capax.app.web.sandbox.pool import Pool

HOME = "localhost:8765"


@pytest.fixture(scope="module")
def client() -> TestClient:
    """The interface behind the gate; nothing here gets as far as the pool."""
    app = Starlette(routes=Interface(cast(Pool, None), ClassBoard()).routes)
    return TestClient(SecurityMiddleware(app, Allowed("127.0.0.1", 8765)), base_url=f"http://{HOME}")


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "code"),
    [
        ("POST", "/api/run", {"host": "evil.example"}, 403, "bad-input"),
        ("POST", "/api/run", {"origin": "null"}, 403, "bad-input"),
        ("GET", "/api", {"host": "evil.example"}, 403, "bad-input"),
        ("POST", "/api/run", {"content-length": "9999999"}, 413, "too-large"),
        ("PUT", "/api/run", {}, 405, "bad-option"),
        ("GET", "/api/run", {}, 405, "bad-option"),
        ("DELETE", "/api/run", {}, 405, "bad-option"),
        ("POST", "/api", {}, 405, "bad-option"),
        ("POST", "/api/nothing", {}, 404, "bad-option"),
        ("PUT", "/api/nothing/at/all", {}, 404, "bad-option"),
        ("POST", "/api/run", {"content-type": "text/plain"}, 415, "bad-input"),
    ],
)
def test_refusals_are_json(
    client: TestClient, method: str, path: str, headers: dict[str, str], status: int, code: str
) -> None:
    found = client.request(method, path, headers=headers)
    assert found.status_code == status
    assert found.headers["content-type"].startswith("application/json")
    assert found.json()["error"]["code"] == code
    assert ("allow" in found.headers) == (status == 405)


def test_pages_are_refused_in_words(client: TestClient) -> None:
    found = client.get("/apis", headers={"host": "evil.example"})
    assert (found.status_code, found.headers["content-type"]) == (403, "text/plain; charset=utf-8")
    assert "--allow-host" in found.text


def test_the_jobs_are_listed(client: TestClient) -> None:
    assert "run" in client.get("/api").json()["jobs"]


def test_pages_are_counted_once_for_each_puzzle() -> None:
    board = ClassBoard(("http://192.0.2.4:8765/",))
    for session in ("a", "a", "b"):
        board.solved("reverse", Visitor("192.0.2.9", session))
    board.solved("even", Visitor("192.0.2.9", "b"))
    found = board.to_json()
    assert (found["people"], found["solved"]["reverse"], found["solved"]["even"]) == (2, 2, 1)
    assert found["solved"]["vowels"] == 0


def test_nothing_is_counted_outside_of_class_mode() -> None:
    board = ClassBoard()
    board.solved("reverse", Visitor("192.0.2.9", "a"))
    assert (board.to_json()["people"], board.to_json()["links"]) == (0, [])
