"""Connections: a request must come in time, and one client cannot take all the room. The clock here is ours."""

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the playground needs the extra `web`")

import uvicorn
from uvicorn.server import ServerState

from capax.app.web.connections import BUSY, MOST_CONNECTIONS, MOST_OF_A_NETWORK, PATIENCE, Connection

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"


class Task:
    """A task that is never done."""

    def add_done_callback(self, _: object) -> None:
        pass


class Clock:
    """A loop of which only the alarms and the tasks are used."""

    def __init__(self) -> None:
        self.alarms: dict[object, tuple[float, Callable[[], None]]] = {}

    def call_later(self, seconds: float, function: Callable[[], None]) -> Any:
        name = object()
        self.alarms[name] = (seconds, function)
        return SimpleNamespace(cancel=lambda: self.alarms.pop(name, None))

    def create_task(self, work: Coroutine[Any, Any, None]) -> Any:
        work.close()
        return Task()

    def ring(self, seconds: float) -> None:
        """Lets the alarms of this length go off."""
        for name, (length, function) in list(self.alarms.items()):
            if length == seconds:
                del self.alarms[name]
                function()


class Wire(asyncio.Transport):
    """A connection to nowhere."""

    def __init__(self, peer: str) -> None:
        super().__init__({"peername": (peer, 4711), "sockname": ("127.0.0.1", 8765)})
        self.sent, self.closed, self.aborted, self.unsent = b"", False, False, 0
        self.protocol: Any = None

    def write(self, data: Any) -> None:
        self.sent += data

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = self.aborted = True

    def is_closing(self) -> bool:
        return self.closed

    def get_protocol(self) -> Any:
        return self.protocol

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class House:
    """A server without sockets."""

    def __init__(self) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            pass

        self.config = uvicorn.Config(app, lifespan="off", log_config=None)
        self.state, self.clock = ServerState(), Clock()

    def connect(self, peer: str = "192.0.2.7") -> tuple[Connection, Wire]:
        """A new connection."""
        wire = Wire(peer)
        found = Connection(self.config, self.state, {}, self.clock)
        wire.protocol = found
        found.connection_made(wire)
        return found, wire


@pytest.mark.parametrize(
    "sent", [[], [b"GET / HT"], [b"GET / HTTP/1.1\r\n", b"a: b\r\n", b"c: d\r\n"], [HEAD], [HEAD, b"1", b"2", b"3"]]
)
def test_a_request_that_does_not_come(sent: list[bytes]) -> None:
    """Nothing, a part of the head or a part of the body, also drop by drop: the connection is cut in the end."""
    house = House()
    connection, wire = house.connect()
    for part in sent:
        connection.data_received(part)
    assert [seconds for seconds, _ in house.clock.alarms.values()] == [PATIENCE]  # the first part started the clock
    house.clock.ring(PATIENCE)
    assert wire.aborted


def test_a_request_that_comes() -> None:
    """The clock stops with the last part of a request, however long the answer takes."""
    house = House()
    connection, wire = house.connect()
    for part in (HEAD[:9], HEAD[9:], b"12", b"34"):
        connection.data_received(part)
    assert not house.clock.alarms
    assert not wire.closed


def test_the_next_request() -> None:
    """A connection that is used again has a clock again."""
    house = House()
    connection, wire = house.connect()
    connection.data_received(HEAD + b"1234")

    async def respond() -> None:
        await connection.cycle.send({"type": "http.response.start", "status": 204, "headers": []})
        await connection.cycle.send({"type": "http.response.body", "body": b""})

    asyncio.run(respond())
    connection.data_received(b"GET / HT")
    house.clock.ring(PATIENCE)
    assert wire.aborted


def test_the_connection_of_a_page_stays() -> None:
    """The connection of a page is not cut."""
    house = House()
    _, wire = house.connect()
    wire.protocol = object()
    house.clock.ring(PATIENCE)
    assert not wire.closed


@pytest.mark.parametrize("unsent", [0, 5])
def test_a_reply_that_nobody_reads(unsent: int) -> None:
    """The connection is cut if something of the reply is left after a while."""
    house = House()
    connection, wire = house.connect()
    wire.unsent = unsent
    connection._unread()
    assert wire.aborted == bool(unsent)


def test_many_connections_of_a_client() -> None:
    """A network has so many; another address of it is no other client, another network is."""
    house = House()
    wires = [house.connect(f"2001:db8::{number:x}")[1] for number in range(MOST_OF_A_NETWORK)]
    assert not any(wire.closed for wire in wires)
    _, refused = house.connect("2001:db8::ffff")
    assert (refused.sent, refused.closed) == (BUSY, True)
    assert not house.connect("2001:db8:0:1::1")[1].closed


def test_a_proxy_may_have_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many people come through a proxy."""
    monkeypatch.setattr(Connection, "proxies", frozenset({"192.0.2.7"}))
    house = House()
    wires = [house.connect()[1] for _ in range(MOST_OF_A_NETWORK + 5)]
    assert not any(wire.closed for wire in wires)


def test_a_full_house() -> None:
    """Whoever has few connections finds room: an idle one of those who have many is cut."""
    house = House()
    networks = [f"192.0.2.{number}" for number in range(4)]
    wires = [house.connect(networks[number % 4])[1] for number in range(MOST_CONNECTIONS)]
    busy: Any = next(iter(house.state.connections))
    busy.data_received(HEAD + b"1234")
    _, newcomer = house.connect("198.51.100.1")
    assert not newcomer.closed
    assert sum(wire.aborted for wire in wires) == 1
    assert not busy.transport.is_closing()
