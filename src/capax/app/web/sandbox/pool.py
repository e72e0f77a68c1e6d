"""Requests, each worked on in a process of its own: bounded in time and memory, and fair between people."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from asyncio.subprocess import Process
from typing import Any, Final

from capax.app.web.jobs.registry import JOBS
from capax.app.web.request import Reply, Request, only_known
from capax.app.web.sandbox.fair_queue import FairQueue, QueueFull, Visitor
from capax.app.web.sandbox.request_budget import RequestBudget, busy, out_of_memory, out_of_time
from capax.app.web.sandbox.worker import LENGTH
from capax.errors import CapaxError

SPARE: Final = 2.0
"""Seconds after which a child that did not end by itself is ended."""
NOBODY: Final = Visitor()


MOST_DIGITS: Final = 4_000
"""A longer whole number in a reply stays a text of its digits, as Python refuses to convert very many."""


def whole_number(digits: str) -> int | str:
    """A whole number of a reply; the digits as a text if they are very many."""
    return int(digits) if len(digits) <= MOST_DIGITS else digits


class Refused(Exception):  # noqa: N818 (it is an answer)
    """A request that was answered by an error; `error` is the error as plain data, `full` whether the line is full."""

    def __init__(self, error: Reply, *, full: bool = False) -> None:
        super().__init__(error["what"])
        self.error, self.full = error, full


class Pool:
    """Works on requests by a process that forks a child for each."""

    def __init__(self, desks: int | None = None) -> None:
        count = desks or max(4, 2 * (os.cpu_count() or 1))
        slow = max(1, count // 2)
        self._quick, self._slow = FairQueue(count, spare=slow), FairQueue(slow, spare=max(1, slow // 2))
        self._start = asyncio.Lock()
        self._stopped = False
        self._door: socket.socket | None = None
        self._process: Process | None = None

    async def start(self) -> None:
        """Starts the process that forks, if it does not run."""
        async with self._start:
            if self._stopped:
                raise busy()
            if self._process is None or self._process.returncode is not None or self._door is None:
                await self._begin()

    async def _begin(self) -> None:
        self._close()
        mine, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "capax.app.web.sandbox.worker", str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # a group of its own, which ends with all its children
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
            )
        mine.setblocking(False)
        ready = await asyncio.get_running_loop().sock_recv(mine, 1)
        mine.setblocking(True)
        if ready != b"!":
            raise RuntimeError("the process behind the playground did not start")
        self._door = mine

    def _close(self) -> None:
        if self._door is not None:
            self._door.close()
            self._door = None

    async def stop(self) -> None:
        """Ends the process that forks, and its children."""
        self._stopped = True
        self._close()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()

    async def ask(self, name: str, request: Request, visitor: Visitor = NOBODY) -> Any:
        """The result of a job; an error of it, also one about its limits, is raised as `Refused`.

        Whoever is cancelled here leaves the line; the child that works on it is ended, and its desk is free.
        """
        try:
            only_known(request, JOBS[name].keys)
            reply = await self._in_turn(name, request, JOBS[name].budget, visitor)
        except QueueFull:
            raise Refused(_plain(busy()), full=True) from None
        except CapaxError as error:
            raise Refused(_plain(error)) from None
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["result"]

    async def _in_turn(self, name: str, request: Request, budget: RequestBudget, visitor: Visitor) -> Any:
        async with (self._slow if budget.slow else self._quick).turn(visitor):
            return await self._work(name, request, budget)

    async def _work(self, name: str, request: Request, budget: RequestBudget) -> Any:
        folder = tempfile.mkdtemp(prefix="capax-") if budget.disk else None
        try:
            return await self._converse(
                json.dumps({"job": name, "request": request, "folder": folder}).encode(), budget
            )
        finally:
            if folder is not None:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _converse(self, request: bytes, budget: RequestBudget) -> Any:
        await asyncio.shield(asyncio.ensure_future(self.start()))  # others wait for it too
        mine, theirs = socket.socketpair()
        assert self._door is not None
        with theirs:
            socket.send_fds(self._door, [b"?"], [theirs.fileno()])
        reader, writer = await asyncio.open_connection(sock=mine, limit=2**20)
        began = time.monotonic()
        child = None  # its number, while it works: its end of the line is open, so the number is still its own
        try:
            async with asyncio.timeout(budget.seconds + SPARE):
                (child,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
                writer.write(LENGTH.pack(len(request)) + request)
                await writer.drain()
                (size,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
                child = None  # it only sends its reply, and ends if nobody reads it
                return json.loads(await reader.readexactly(size), parse_int=whole_number)
        except TimeoutError:
            raise out_of_time(budget) from None
        except (asyncio.IncompleteReadError, ConnectionError):  # the child was ended by the kernel
            child = None
            slow = time.monotonic() - began > 0.9 * budget.seconds
            raise out_of_time(budget) if slow else out_of_memory(budget) from None
        finally:
            if child is not None:  # out of time, or nobody waits for it any more
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            writer.close()


def _plain(error: CapaxError) -> Reply:
    return error.to_json() | {"text": error.render()}
