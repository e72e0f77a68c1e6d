"""Connections to the playground: how many one client may have open, and how long it may take to send a request."""

import asyncio
from collections import Counter
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from capax.app.web.sandbox.fair_queue import network

MOST_CONNECTIONS: Final = 1_000
"""Connections in all."""
MOST_OF_A_NETWORK: Final = 300
"""Connections of one network: a browser opens six, and one for as long as the page is open."""
PATIENCE: Final = 15.0
"""Seconds in which a request must have come in, headers and body."""
READING: Final = 60.0
"""Seconds after which a client must have read a reply."""
BUSY: Final = b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Connection(H11Protocol):
    """A connection that is closed if its client has too many, or does not send its request in time.

    `proxies` are networks through which many people come: no limit of their own holds for them.
    """

    proxies: frozenset[str] = frozenset()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Lets a connection in, if there is room for it."""
        super().connection_made(transport)
        open_connections = [
            one for one in self.connections if not one.transport.is_closing()
        ]  # also the connections of pages
        open_count, mine = Counter(map(_network, open_connections)), _network(self)
        crowded = open_count[mine] > MOST_OF_A_NETWORK and mine not in self.proxies
        if crowded or (open_count.total() > MOST_CONNECTIONS and not self._make_room(open_connections, open_count)):
            self._refuse()
        else:
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the clock."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Reads a part of a request; the clock runs from its first part to its last."""
        super().data_received(data)
        if self._complete():
            self._stop_waiting()
        elif self._timer is None and not self.transport.is_closing():
            self._await_request()

    def on_response_complete(self) -> None:
        """Gives the client a while to read a reply that is all written."""
        self.loop.call_later(READING, self._unread)
        super().on_response_complete()

    def _unread(self) -> None:
        if self.transport.get_write_buffer_size() > 0:
            self.transport.abort()

    def _complete(self) -> bool:
        """Whether a whole request is there and worked on."""
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def _await_request(self) -> None:
        self._timer = self.loop.call_later(PATIENCE, self._late)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        self._timer = None
        if self.transport.get_protocol() is self and not self._complete():  # not the connection of a page by now
            self.transport.abort()

    def _refuse(self) -> None:
        self.transport.write(BUSY)
        self.transport.close()

    def _make_room(self, open_connections: list[Any], open_count: Counter[str]) -> bool:
        """Closes a connection of the network with the most, an idle one if there is one; False if it is this one."""
        most, count = open_count.most_common(1)[0]
        if count <= open_count[_network(self)]:
            return False
        theirs = [one for one in open_connections if _network(one) == most]
        idle = (one for one in theirs if isinstance(one, Connection) and not one._complete())
        next(idle, theirs[0]).transport.abort()
        return True


def _network(connection: Any) -> str:
    return network(connection.client[0]) if connection.client else ""
