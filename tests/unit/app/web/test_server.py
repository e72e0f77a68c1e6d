"""A server as a process of its own: a flood from one address, connections that say nothing, and its end."""

import json
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

pytest.importorskip("uvicorn", reason="the playground needs the extra `web`")

PATIENCE = 20
"""Seconds after which an answer counts as missing: a small part of what the flood would take."""
SLOW = "def f(x) { y = x; for i in range(3000) { for j in range(3000) { y = y + 1; } } return y; }\na = f(1);\n"
FLOOD, USER = "127.0.0.5", "127.0.0.9"


@dataclass(frozen=True)
class Served:
    """A server, and ways to speak with it from several addresses of loopback."""

    process: subprocess.Popen[str]
    port: int

    def line(self, source: str, sent: bytes = b"") -> socket.socket:
        """A connection from an address, with something sent through it."""
        found = socket.create_connection(("127.0.0.1", self.port), PATIENCE, (source, 0))
        found.sendall(sent)
        return found

    def post(self, source: str, text: str, word: str = "ab") -> socket.socket:
        """A connection with a request to run a program."""
        body = json.dumps({"text": text, "word": word}).encode()
        head = f"POST /api/run HTTP/1.1\r\nHost: localhost:{self.port}\r\nContent-Type: application/json\r\n"
        return self.line(source, f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)

    def answered(self, source: str) -> bool:
        """Whether a small program is run."""
        with self.post(source, "a = indices;") as line:
            reply = _all(line)
        return reply.startswith(b"HTTP/1.1 200") and b'"values": [0, 1]' in reply


def _all(line: socket.socket) -> bytes:
    """Everything that comes through a connection until its end."""
    parts = []
    while part := line.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A server; it is there as soon as it says so."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "capax", "serve", "--port", str(port), "--workers", "2"]
    folder = tempfile.gettempdir()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stderr is not None
        try:
            said = next((line for line in process.stderr if "the playground is at" in line), "")
            assert f"http://localhost:{port}/" in said
            yield Served(process, port)
        finally:
            process.kill()


def test_it_answers_once_it_says_so(served: Served) -> None:
    """The address is printed when it can be used."""
    assert served.answered(USER)


def test_a_flood_from_one_address(served: Served) -> None:
    """Hundreds of long jobs of one address leave the others alone, and end with their clients."""
    with ExitStack() as flood:
        lines = [flood.enter_context(served.post(FLOOD, SLOW)) for _ in range(500)]
        assert all(served.answered(USER) for _ in range(5))
        waiting = sum(_waits(line) for line in lines)
        assert waiting > 80  # so nobody else waited for them
    assert served.answered(FLOOD)


def _waits(line: socket.socket) -> bool:
    """Whether nothing has come through a connection, and it is open."""
    line.setblocking(False)
    try:
        line.recv(1)
    except BlockingIOError:
        return True
    except ConnectionError:
        pass
    return False


def test_connections_that_say_nothing(served: Served) -> None:
    """An address may hold so many connections open and no more; the others find room."""
    with ExitStack() as idle:
        lines = []
        for _ in range(400):
            lines.append(idle.enter_context(socket.socket()))
            lines[-1].bind((FLOOD, 0))
            lines[-1].connect(("127.0.0.1", served.port))
            lines[-1].sendall(b"GET / HT")
        assert served.answered(USER)
        assert 250 < sum(map(_waits, lines)) <= 300


def test_requests_that_make_no_sense(served: Served) -> None:
    """They end with their connections, and the server goes on."""
    for sent in (b"GET", b"\0\xff\r\n\r\n", b"POST /api/run HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"{}"):
        with served.line(USER, sent) as line:
            line.shutdown(socket.SHUT_WR)
            assert b"200" not in _all(line)
    assert served.answered(USER)


def test_the_server_ends_with_all_its_processes(served: Served) -> None:
    """The server and all its processes end soon, whatever waits, works, is half sent or open."""
    with ExitStack() as there:
        for source in (FLOOD, USER):
            for _ in range(150):
                there.enter_context(served.post(source, SLOW))
        for _ in range(10):
            there.enter_context(
                served.line(FLOOD, b"POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            )
        served.process.send_signal(signal.SIGTERM)
        _, log = served.process.communicate(timeout=5)  # until the last process has closed the log
    assert served.process.returncode == 143
    assert "Traceback" not in log
    assert all("not understood" in line or "Invalid HTTP" in line for line in log.splitlines()), log
