"""The bounds of a process that works on a stranger's request: memory, time, files, processes, the network."""

import math
import os
import resource
import signal
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from capax.app.web.sandbox.request_budget import RequestBudget

FORBIDDEN: Final = (
    *("socket.connect", "socket.bind", "socket.sendto", "subprocess.Popen", "os.system", "os.exec", "os.fork"),
    *("os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn", "ftplib.connect", "urllib.Request"),
)
CHANGES: Final = (
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
    *("shutil.rmtree", "shutil.move", "shutil.copyfile"),
)
"""Changes to files: their arguments are paths, and all of them must lie in the folder of the request."""
HARMLESS: Final = ("/proc/", "/sys/", "/dev/null", "/dev/urandom", "/usr/share/zoneinfo", "/usr/lib/", "/lib/")
WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def enter(budget: RequestBudget, folder: str | None) -> None:
    """Puts this process into the sandbox, for the rest of its life; `folder` is the one folder where it may write."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, budget.disk)
    _limit(resource.RLIMIT_NOFILE, 512)
    _limit(resource.RLIMIT_CPU, math.ceil(2 * budget.seconds))  # two threads of a linear algebra library at most
    _limit(resource.RLIMIT_AS, budget.memory)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the kernel ends the process, whatever it is doing
    signal.setitimer(signal.ITIMER_REAL, budget.seconds)
    tempfile.tempdir = folder
    os.chdir(folder or "/")
    sys.addaudithook(_guard(folder))


def _limit(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def _code_folders() -> list[str]:
    """The folders of Python, of its packages and of capax itself."""
    package = Path(__file__).parents[3]
    code = {str(Path(p).resolve()) + os.sep for p in (sys.prefix, sys.base_prefix, package)}
    code |= {str(Path(p).resolve()) + os.sep for p in sysconfig.get_paths().values() if p.startswith("/")}
    packages = [p for p in sys.path if Path(p).name in ("site-packages", "dist-packages")]  # also those of a user
    code |= {str(Path(p).resolve()) + os.sep for p in packages}
    return sorted(code - {os.sep, "/usr/"})


def _guard(folder: str | None) -> Callable[[str, tuple[Any, ...]], None]:
    """The hook that refuses files outside the installed packages, and everything else that reaches outside."""
    readable = (*_code_folders(), *HARMLESS)
    mine = None if folder is None else str(Path(folder).resolve()) + os.sep

    def inside(path: object, writes: bool) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return True  # a file that is open already
        name = os.path.realpath(os.fsdecode(path))
        if mine is not None and (name + os.sep).startswith(mine):
            return True
        return (not writes and (name + os.sep).startswith(readable)) or name == os.devnull

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = bool((flags or 0) & WRITES) or any(sign in (mode or "") for sign in "wax+")
            if not inside(path, writes):
                raise PermissionError("files cannot be opened here")
        elif event in CHANGES:
            if not all(inside(part, True) for part in arguments if isinstance(part, (str, bytes, os.PathLike))):
                raise PermissionError("files cannot be changed here")
        elif event in FORBIDDEN:
            raise PermissionError("processes and the network cannot be used here")

    return hook


class OutOfTime(BaseException):
    """The moment has come; code that handles any error lets it through."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raises `OutOfTime` in the main thread, inside the block, once it has taken so many seconds."""
    inside = True

    def stop(*_: Any) -> None:
        if inside:
            raise OutOfTime

    before = signal.signal(signal.SIGUSR1, stop)
    timer = threading.Timer(seconds, signal.raise_signal, (signal.SIGUSR1,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        inside = False
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGUSR1, before)
