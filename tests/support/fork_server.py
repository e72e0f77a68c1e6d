"""A `capax` command that starts at once: a script that asks a warm server to fork, for pages with hundreds of commands.

The script hands its arguments, folder, environment and streams to the server, which runs the command line in a fork of
its own process and gives back the exit code. Only the imports are shared: each command has a fresh fork, and pipes and
redirections of the shell work as always. How a process of its own starts and ends is tested elsewhere
(`tests/unit/app/process`).
"""

import atexit
import gc
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

SCRIPT = """\
#!{python} -SE
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({path!r})
request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
server.sendall(request)
sys.exit(int(server.recv(8) or b"99"))
"""


@cache
def folder_of_capax() -> Path:
    """A folder for PATH whose `capax` runs in a fork of a warm process; the server ends with this process."""
    folder = Path(tempfile.mkdtemp(prefix="capax-fork-"))
    path = folder / "socket"
    script = folder / "capax"
    script.write_text(SCRIPT.format(python=sys.executable, path=str(path)), encoding="utf-8")
    script.chmod(0o755)
    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.support.fork_server", str(path)]
    root = Path(__file__).parents[2]
    server = subprocess.Popen(command, cwd=root, env={**os.environ, **plain}, stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    atexit.register(_end, server)
    return folder


def _end(server: subprocess.Popen[bytes]) -> None:
    """Ends the server and waits for it, so that the processor time of all commands counts as this process's."""
    server.terminate()
    server.wait(10)


def serve(path: str) -> None:
    """Answers requests until it is ended, or the parent process is gone."""
    from tests.support.forked import warm

    warm(heavy=True)
    gc.collect()
    gc.freeze()  # a collection would copy every page that forks share
    parent = os.getppid()
    signal.signal(signal.SIGTERM, _last_wait)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    listener.settimeout(1)
    print("ready", flush=True)
    while os.getppid() == parent:
        try:
            connection = listener.accept()[0]
        except TimeoutError:
            continue
        if not os.fork():
            answer(connection)
        connection.close()
        _wait(os.WNOHANG)


def _wait(option: int) -> None:
    """Waits for the processes that answered."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, option)[0]:
            pass


def _last_wait(*_: object) -> None:
    _wait(0)
    os._exit(0)


def answer(connection: socket.socket) -> None:
    """Runs one command in a fork, sends its exit code, and ends this process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    connection.settimeout(None)
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    size = int.from_bytes(head, "big")
    request = b""
    while len(request) < size:
        request += connection.recv(size - len(request))
    child = os.fork()
    if not child:
        connection.close()
        run(*json.loads(request), streams)
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    connection.sendall(str(code % 256).encode())
    os._exit(0)


def run(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    """Runs the command line as a new process would, and ends this process with its exit code."""
    from capax.app import cli

    code = 99
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")  # noqa: SIM115
        sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115
        sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False), encoding="utf-8", line_buffering=True)  # noqa: SIM115
        sys.argv = ["capax", *words]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cli.main()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    finally:
        for output in (sys.stdout, sys.stderr):
            output.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
