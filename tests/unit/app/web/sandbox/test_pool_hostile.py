"""What strangers may send: each request ends with a sentence, in its time, and leaves the others alone."""

import asyncio
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from capax.app.web.jobs import registry as jobs
from capax.app.web.sandbox.fair_queue import Visitor
from capax.app.web.sandbox.pool import Pool
from capax.app.web.sandbox.request_budget import MIB, RequestBudget
from tests.unit.app.web.conftest import Ask

LINES = {
    "a program that never ends": (
        "def f(x) { y = x; for i in range(3000) { for j in range(3000) { y = y + 1; } } return y; }\na = f(1);\n"
    ),
    "exponential functions": "def d(x) { return x + x; }\na = tokens_int;\n" + "a = d(a) + d(a) * d(a);\n" * 60,
    "exponential lists": "a = [1];\n" + "a = [a for i in [1, 2, 3, 4, 5, 6, 7, 8, 9]];\n" * 400,
    "endless calls": "def f(x) { return f(x) + f(x); }\na = f(tokens);\n",
    "a gigantic literal": f"a = {'9' * 19_000};\nb = indices + a * a * a;\n",
    "a gigantic power": "a = 9 ^ 9 ^ 9 ^ 9;\n",
    "a gigantic range": "a = range(99999999999);\n",
    "a gigantic string": 'a = "ab";\n' + "a = a + a;\n" * 60,
    "deep brackets": f"a = {'(' * 9_000}1{')' * 9_000};\n",
    "deep lists": f"a = {'[' * 9_000}{']' * 9_000};\n",
    "deep operators": f"a = tokens_int{' + 1' * 4_000};\n",
    "many names": "".join(f"a{i} = indices + {i};\n" for i in range(1_200)),
    "odd characters": 'a = "\u202e\x00\ud800";\n\x1b[2J = 3;\n',
}


@pytest.mark.parametrize("what", LINES)
def test_hostile_programs_end_in_time(ask: Ask, what: str) -> None:
    """A hostile program gets an answer or an error in its time, and a decent one after it is answered as ever."""
    start = time.monotonic()
    found = ask("evaluate", text=LINES[what], word="12345")
    assert time.monotonic() - start < 20
    assert found["error"] is None or found["error"]["what"]
    assert "capax failed" not in str(found["error"])
    assert ask("run", text="a = indices;", word="ab")["values"] == [0, 1]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../../../../etc/passwd", "/etc/passwd\x00", "secret", "./secret", "lookup/../secret"]
)
def test_no_file_is_loaded(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """`load` finds the library alone."""
    (tmp_path / "secret.rasp").write_text("secret = 1;\n")
    monkeypatch.chdir(tmp_path)
    for name in (path, str(tmp_path / "secret")):
        found = ask("evaluate", text=f'load "{name}";\na = indices;\n', word="ab")
        assert not found["check"]["ok"]
        assert "secret = 1" not in str(found)
    assert ask("run", text='load "lookup";\na = hop2;\n', word="ab")["program"] == "a"


@pytest.mark.parametrize(
    ("job", "asked"),
    [
        ("evaluate", {"text": "a = indices;" * 5_000, "word": "a"}),
        ("evaluate", {"text": "a = indices;", "word": "a" * 3_000}),
        ("evaluate", {"text": "a = indices;", "word": "a" * 300}),
        ("evaluate", {"text": 7, "word": []}),
        ("compile", {"text": "a = tokens;", "alphabet": "".join(map(chr, range(300, 1_000))), "max_length": 9}),
        ("compile", {"text": "a = tokens;", "alphabet": "ab", "max_length": 10**9}),
        ("compile", {"text": "a = tokens;", "alphabet": "aa", "max_length": 5}),
        ("export", {"to": "../../x", "model": "AAAA"}),
        ("export", {"to": "onnx", "model": "AAAA"}),
        ("recognise", {"text": "(" * 400}),
        ("recognise", {"text": "(a|b)*a" + "(a|b)" * 30}),
        ("turing", {"machine": "../../etc/passwd"}),
        ("turing", {"text": "\x00" * 500}),
        ("theorem", {"name": "../x"}),
        ("theorem", {"name": "majority", "given": {"length": "9" * 500}}),
        ("theorem", {"name": "majority", "given": [1]}),
        ("limit", {"name": "composition", "given": {"n": "-1"}}),
        ("limit", {"name": "composition", "model": "parity"}),
        ("limit", {"name": "parity-sensitivity", "model": "../../etc/passwd"}),
        ("limit", {"name": "parity-sensitivity", "model": "parity", "given": {"longest": "99999"}}),
        ("limit", {"name": "parity-sensitivity", "file": "not base64!"}),
        ("limit", {"name": "parity-sensitivity", "file": "AAAA"}),
        ("limit", {"name": "parity-sensitivity", "file": "A" * 300_000}),
        ("atlas", {"about": "class", "name": "x" * 90}),
        ("fool", {"task": "composition", "n": 10**9}),
        ("mark", {"puzzle": "none", "text": "a = tokens;"}),
        ("theorem", {"name": "majority", "parameters": {"length": "9"}}),
        ("lattice", {"name": "TC0"}),
    ],
)
def test_bad_requests_are_refused(ask: Ask, job: str, asked: dict[str, Any]) -> None:
    """A request that makes no sense, or too large a one, is refused with a sentence."""
    found = ask(job, **asked)
    told = found.get("error")
    assert told, found
    assert told["what"]
    assert "capax failed" not in told["what"]


def _outcome(job: Any, allowance: RequestBudget, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a job of a test's own gives when a child works on it; the fork happens in this process."""
    import json
    import socket
    import struct

    from capax.app.web.sandbox import worker

    monkeypatch.setitem(jobs.JOBS, "own", jobs.JobKind(job, allowance, ()))
    mine, theirs = socket.socketpair()
    if os.fork() == 0:
        mine.close()
        worker._child(theirs)
    theirs.close()
    request = json.dumps({"job": "own", "request": {}, "folder": None}).encode()
    with mine, mine.makefile("rwb") as stream:
        stream.write(struct.pack("<I", len(request)) + request)
        stream.flush()
        (child,) = struct.unpack("<I", stream.read(4))
        size = stream.read(4)
        reply = json.loads(stream.read(struct.unpack("<I", size)[0])) if size else None
    return reply, os.waitpid(child, 0)[1]


def test_a_child_in_c_code_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that goes on in C, where Python sees no signal, is ended by the kernel."""
    start = time.monotonic()
    reply, status = _outcome(lambda asked, folder: sum(range(10**12)), RequestBudget(0.5, 1024 * MIB), monkeypatch)
    assert reply is None
    assert os.WIFSIGNALED(status)
    assert time.monotonic() - start < 8


def test_memory_beyond_the_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory beyond the limit is an error that says so."""
    reply, _ = _outcome(lambda asked, folder: len(bytearray(2**31)), RequestBudget(10, 1024 * MIB), monkeypatch)
    assert reply["error"]["code"] == "stopped"
    assert "1,024 MiB" in reply["error"]["what"]


@pytest.mark.parametrize(
    "line",
    [
        "open('/etc/passwd').read()",
        "open('/tmp/capax-test-file', 'w')",
        "__import__('os').open('/etc/hostname', 0)",
        "__import__('os').remove('/tmp/capax-test-file')",
        "__import__('subprocess').run(['true'])",
        "__import__('os').system('true')",
        "__import__('os').fork()",
        "__import__('socket').create_connection(('127.0.0.1', 9))",
        "__import__('pathlib').Path('/etc/passwd').read_text()",
    ],
)
def test_the_sandbox_refuses(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Even code that runs in a child, which no request can bring there, opens no files and reaches nothing."""

    def job(asked: Any, folder: Any) -> str:
        try:
            return f"reached: {eval(line)!r}"
        except PermissionError as error:
            return f"refused: {error}"

    reply, _ = _outcome(job, RequestBudget(10, 1024 * MIB), monkeypatch)
    assert re.fullmatch("refused: (files|processes and the network) cannot be .* here", reply["result"]), reply


def test_one_does_not_block_another(pool: tuple[Pool, asyncio.AbstractEventLoop]) -> None:
    """While somebody sends programs that never end, somebody else is answered in turn."""
    made, loop = pool
    slow = LINES["a program that never ends"]

    async def both() -> float:
        flood = [asyncio.create_task(made.ask("run", {"text": slow, "word": "a"}, Visitor("flood"))) for _ in range(4)]
        await asyncio.sleep(0.3)
        start = time.monotonic()
        result = await made.ask("run", {"text": "a = indices;", "word": "ab"}, Visitor("somebody"))
        waited = time.monotonic() - start
        assert result["values"] == [0, 1]
        assert sum(task.done() for task in flood) < len(flood)
        for task in flood:
            task.cancel()
        await asyncio.gather(*flood, return_exceptions=True)
        return waited

    assert asyncio.run_coroutine_threadsafe(both(), loop).result(90) < 15


def test_whoever_goes_away_holds_nothing(pool: tuple[Pool, asyncio.AbstractEventLoop]) -> None:
    """Requests that are cancelled leave the line and their desks, and the children that worked on them end."""
    made, loop = pool
    slow = {"text": LINES["a program that never ends"], "word": "a"}

    async def scene() -> None:
        flood = [asyncio.create_task(made.ask("run", slow, Visitor("flood"))) for _ in range(20)]
        while made._quick.waiting < 18:
            await asyncio.sleep(0)
        for task in flood:
            task.cancel()
        await asyncio.wait(flood)
        assert all(task.cancelled() for task in flood)
        assert (made._quick.waiting, made._quick.taken) == (0, 0)
        assert (await made.ask("run", {"text": "a = indices;", "word": "ab"}, Visitor("flood")))["values"] == [0, 1]

    asyncio.run_coroutine_threadsafe(scene(), loop).result(30)


def test_the_process_comes_back(pool: tuple[Pool, asyncio.AbstractEventLoop], ask: Ask) -> None:
    """If the process behind the pool dies, the next request starts another."""
    assert ask("run", text="a = indices;", word="ab")["values"] == [0, 1]
    process = pool[0]._process
    assert process is not None
    process.kill()
    asyncio.run_coroutine_threadsafe(process.wait(), pool[1]).result(10)
    assert ask("run", text="a = indices;", word="ab")["values"] == [0, 1]
