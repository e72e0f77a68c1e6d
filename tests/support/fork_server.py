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
import re
import select
import shlex
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


PLAIN = re.compile(r"""capax(?: +(?:'[^'\n]*'|"[^"$`\\!\n]*"|[\w./:=,%+@-]+))*""")
"""A command in which a shell would only take off quotes."""


def run_plain(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """The exit code of a plain command, and what it prints on both streams: as by a shell, without starting one."""
    server = socket.socket(socket.AF_UNIX)
    server.settimeout(120)
    request = json.dumps([shlex.split(command)[1:], str(folder), environment]).encode()
    with server, tempfile.TemporaryFile() as printed, open(os.devnull, "rb") as nothing:
        server.connect(str(folder_of_capax() / "socket"))
        streams = [nothing.fileno(), printed.fileno(), printed.fileno()]
        socket.send_fds(server, [len(request).to_bytes(8, "big")], streams)
        server.sendall(request)
        code = int(server.recv(8) or b"99")
        printed.seek(0)
        return code, printed.read().decode("utf-8")


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
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    ended, wake = socket.socketpair()
    for end in (ended, wake):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)  # a byte for each command that ends
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    waiting: dict[int, socket.socket] = {}
    while os.getppid() == parent:
        ready, _, _ = select.select([listener, ended], [], [], 1)
        if ended in ready:
            ended.recv(4096)
            answer(waiting)
        if listener in ready:
            connection = listener.accept()[0]
            waiting[start(connection)] = connection


def answer(waiting: dict[int, socket.socket]) -> None:
    """Sends the exit codes of the commands that have ended to those who wait for them."""
    with suppress(ChildProcessError):
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            with waiting.pop(child) as connection, suppress(OSError):
                connection.sendall(str(os.waitstatus_to_exitcode(status) % 256).encode())


def start(connection: socket.socket) -> int:
    """Starts the command of a request in a fork, and gives its process."""
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    size = int.from_bytes(head, "big")
    request = b""
    while len(request) < size:
        request += connection.recv(size - len(request))
    child = os.fork()
    if not child:
        signal.set_wakeup_fd(-1)
        for ending in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(ending, signal.SIG_DFL)
        connection.close()
        run(*json.loads(request), streams)
    for stream in streams:
        os.close(stream)
    return child


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
