"""A queue with several desks that is fair between clients: whoever sends a lot waits behind their own requests."""

import asyncio
import ipaddress
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Visitor:
    """A client: the network that it calls from, and one of the sessions there (an open page, or the interface).

    A person can open as many sessions as they like, but has few networks; so shares are by network first.
    """

    network: str = ""
    session: str = ""


@lru_cache(4096)
def network(address: str) -> str:
    """The network of an address: an IPv4 address by itself, and of an IPv6 address the 64 bits that one client has."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, 64), strict=False))


MOST_WAITING: Final = 400
"""Requests that wait, in all."""
MOST_OF_A_NETWORK: Final = 100
"""Requests of one network that wait."""

Ticket: TypeAlias = asyncio.Future[None]
Sessions: TypeAlias = OrderedDict[str, deque[Ticket]]


class QueueFull(Exception):  # noqa: N818 (it is an answer)
    """Too many requests of a client wait already."""


class FairQueue:
    """Gives out `desks` places, in turn between networks, and within a network in turn between its sessions.

    `spare` further desks are for networks that have none at the time, so that nobody waits for another's long jobs.
    A full line has room for a client with fewer requests in it: the newest request of the client with the most goes.
    """

    def __init__(
        self, desks: int, *, spare: int = 0, most: int = MOST_WAITING, most_of_a_network: int = MOST_OF_A_NETWORK
    ) -> None:
        self._desks, self._spare = desks, spare
        self._most, self._most_of_a_network = most, most_of_a_network
        self._taken: Counter[str] = Counter()
        self._waiting: OrderedDict[str, Sessions] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return sum(map(_size, self._waiting.values()))

    @property
    def taken(self) -> int:
        """How many desks are taken."""
        return self._taken.total()

    @asynccontextmanager
    async def turn(self, visitor: Visitor) -> AsyncIterator[None]:
        """Waits for a desk and gives it back afterwards; `QueueFull` if there is no room to wait."""
        if self._may_start(
            visitor.network
        ):  # nobody waits who could have had this desk: it would have been given to them
            self._taken[visitor.network] += 1
        else:
            await self._wait(visitor)
        try:
            yield
        finally:
            self._give_back(visitor.network)

    def _may_start(self, network: str) -> bool:
        return self.taken < self._desks + (0 if self._taken[network] else self._spare)

    async def _wait(self, visitor: Visitor) -> None:
        self._make_room(visitor)
        ticket: Ticket = asyncio.get_running_loop().create_future()
        sessions = self._waiting.setdefault(visitor.network, OrderedDict())
        sessions.setdefault(visitor.session, deque()).append(ticket)
        try:
            await ticket
        except asyncio.CancelledError:
            if ticket.cancelled():
                self._drop(visitor, ticket)
            elif ticket.exception() is None:
                self._give_back(visitor.network)  # the turn had come already
            raise

    def _make_room(self, visitor: Visitor) -> None:
        """Sends the newest request of a longer line away if the queue is full; `QueueFull` if there is none."""
        mine = self._waiting.get(visitor.network, OrderedDict())
        if self.waiting >= self._most:
            longest = max(self._waiting, key=lambda network: _size(self._waiting[network]))
            if _size(self._waiting[longest]) > _size(mine) + 1:
                self._send_away(longest)
                return
        elif _size(mine) < self._most_of_a_network:
            return
        if max(map(len, mine.values()), default=0) <= len(mine.get(visitor.session, ())) + 1:
            raise QueueFull
        self._send_away(visitor.network)

    def _send_away(self, network: str) -> None:
        """Sends the newest request of a network's longest session away."""
        sessions = self._waiting[network]
        session = max(sessions, key=lambda name: len(sessions[name]))
        ticket = sessions[session][-1]
        self._drop(Visitor(network, session), ticket)
        if not ticket.cancelled():
            ticket.set_exception(QueueFull())

    def _drop(self, visitor: Visitor, ticket: Ticket) -> None:
        """Takes a place out of the line, if it is still there."""
        sessions = self._waiting.get(visitor.network, OrderedDict())
        if ticket not in sessions.get(visitor.session, ()):
            return
        sessions[visitor.session].remove(ticket)
        if not sessions[visitor.session]:
            del sessions[visitor.session]
        if not sessions:
            del self._waiting[visitor.network]

    def _give_back(self, network: str) -> None:
        """Gives a desk back, and free ones to the next in line."""
        self._taken[network] -= 1
        if not self._taken[network]:
            del self._taken[network]
        while (following := next(filter(self._may_start, self._waiting), None)) is not None:
            self._start(following)

    def _start(self, network: str) -> None:
        """Gives a desk to the next session of a network; both go to the end of the line."""
        sessions = self._waiting[network]
        session = next(iter(sessions))
        ticket = sessions[session][0]
        self._waiting.move_to_end(network)
        sessions.move_to_end(session)
        self._drop(Visitor(network, session), ticket)
        if not ticket.cancelled():  # its client has gone in this very moment
            self._taken[network] += 1
            ticket.set_result(None)


def _size(sessions: Sessions) -> int:
    return sum(map(len, sessions.values()))
