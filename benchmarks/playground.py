"""How long does an answer take while many people edit at once? Clients of the playground, each with a page of its own.

A server is started on loopback. Each client opens the page, connects as a browser does, and puts a new program into the
editor every few seconds, one in ten of them broken. The time is from the edit until its answer is there, with the
quarter of a second for which the page waits in case there is more typing, and the work in a process of its own.

    python benchmarks/playground.py [--quick] [--clients 50] [--seconds 60] [--pause 2.5]

It ends with exit code 1 if an answer did not come.
"""

import argparse
import asyncio
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from typing import Any

import socketio
from table import Table

PATIENCE = 30.0
"""Seconds after which an answer counts as missing."""
PROGRAMS = (
    "flip = select(indices, length - 1 - indices, ==);\n{name} = aggregate(flip, tokens);\n",
    "same = select(tokens, tokens, ==);\n{name} = selector_width(same);\n",
    "before = select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <));\n"
    "place = selector_width(before);\n{name} = aggregate(select(place, indices, ==), tokens);\n",
    "{name} = indices * 2 + length;\n",
)
BROKEN = "{name} = agregate(tokens);\n"


@dataclass
class Seen:
    """What the clients saw: the seconds of each answer, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Visitor:
    """One client: a page, its connection, and edits."""

    def __init__(self, address: str, number: int) -> None:
        self._address, self._random = address, random.Random(number)
        self._socket = socketio.AsyncClient(reconnection=False)
        self._awaited, self._came = "", asyncio.Event()
        self._socket.on("update", self._updated)
        self._length = 0

    async def come(self) -> None:
        """Opens the page and connects."""
        page = await asyncio.to_thread(_fetch, self._address)
        client = re.search(r"'client_id': '([\w-]+)'", page)
        assert client is not None
        elements = json.JSONDecoder().raw_decode(page, page.index("String.raw`") + len("String.raw`"))[0]
        self._id, editor = next((i, e) for i, e in elements.items() if "codemirror" in e.get("tag", ""))
        self._listener = next(e["listener_id"] for e in editor["events"] if e["type"] == "update:value")
        self._length = len(editor["props"]["value"])
        self._client = client[1]
        query = (
            f"client_id={self._client}&next_message_id=0&implicit_handshake=true&tab_id={self._client}&document_id=1"
        )
        path = "/_nicegui_ws/socket.io"
        await self._socket.connect(f"{self._address}?{query}", socketio_path=path, transports=["websocket"])

    async def edit(self, number: int, seen: Seen) -> None:
        """Puts a program into the editor and waits for what the page shows of it."""
        name = f"name_{self._random.randrange(10**9)}_{number}"
        text = (BROKEN if self._random.random() < 0.1 else self._random.choice(PROGRAMS)).format(name=name)
        self._awaited = name
        self._came.clear()
        start = time.monotonic()
        change = {"sections": [self._length, len(text)], "inserted": [text.split("\n")]}
        self._length = len(text)
        event = {"id": int(self._id), "client_id": self._client, "listener_id": self._listener}
        await self._socket.emit("event", event | {"args": [json.dumps(change)]})
        try:
            async with asyncio.timeout(PATIENCE):
                await self._came.wait()
            seen.seconds.append(time.monotonic() - start)
        except TimeoutError:
            seen.wrong.append(f"no answer in {PATIENCE:g} s")

    def _updated(self, message: dict[str, Any]) -> None:
        if self._awaited and self._awaited in json.dumps(message):
            self._came.set()

    async def stay(self, until: float, pause: float, seen: Seen) -> None:
        """Edits until a time, at its own rhythm."""
        try:
            await asyncio.sleep(self._random.uniform(0, pause))
            number = 0
            while time.monotonic() < until:
                await self.edit(number, seen)
                number += 1
                await asyncio.sleep(self._random.uniform(0.5 * pause, 1.5 * pause))
        except Exception as error:
            seen.wrong.append(f"{type(error).__name__}: {error}")
        finally:
            await self._socket.disconnect()


def _fetch(address: str) -> str:
    with urllib.request.urlopen(f"{address}/", timeout=60) as page:
        return str(page.read().decode())


async def crowd(address: str, clients: int, seconds: float, pause: float) -> Seen:
    """What so many clients see in so many seconds."""
    seen = Seen()
    visitors = [Visitor(address, number) for number in range(clients)]
    for visitor in visitors:
        await visitor.come()
    until = time.monotonic() + seconds
    await asyncio.gather(*(visitor.stay(until, pause, seen) for visitor in visitors))
    return seen


def main() -> None:
    """Starts a server, lets the clients edit, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=2.5)
    parser.add_argument("--quick", action="store_true", help="10 clients for 10 seconds")
    asked = parser.parse_args()
    if asked.quick:
        asked.clients, asked.seconds = 10, 10.0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "capax", "serve", "--port", str(port)]
    with tempfile.TemporaryFile("w+") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            seen = asyncio.run(_when_up(f"http://127.0.0.1:{port}", asked))
        finally:
            server.terminate()
        server.wait(20)
        log.seek(0)
        if "Traceback" in log.read():
            seen.wrong.append("the server's log has a traceback")
    _show(seen, asked)
    sys.exit(1 if seen.wrong or not seen.seconds else 0)


async def _when_up(address: str, asked: argparse.Namespace) -> Seen:
    for _ in range(120):
        try:
            await asyncio.to_thread(_fetch, address)
            break
        except OSError:
            await asyncio.sleep(0.5)
    return await crowd(address, asked.clients, asked.seconds, asked.pause)


def _show(seen: Seen, asked: argparse.Namespace) -> None:
    times = sorted(seen.seconds) or [float("nan")]
    title = f"{asked.clients} clients, an edit every {asked.pause:g} s each, for {asked.seconds:g} s"
    table = Table("edits", "missing", "median s", "p95 s", "p99 s", "longest s", title=title)
    shown = [times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.95, 0.99, 1)]
    table.add_row(f"{len(seen.seconds):,}", str(len(seen.wrong)), *(f"{one:.2f}" for one in shown))
    print(table)
    for what in sorted(set(seen.wrong))[:5]:
        print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
