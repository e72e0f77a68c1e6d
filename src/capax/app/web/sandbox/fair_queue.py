"""A line with several desks that is fair between clients: whoever asks a lot waits behind their own requests."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

from capax.app.web.sandbox.client import Visitor

MOST_WAITING: Final = 400
"""Requests that wait, in all."""
MOST_OF_A_NETWORK: Final = 100
"""Requests of one network that wait."""

Place: TypeAlias = asyncio.Future[None]
Sessions: TypeAlias = OrderedDict[str, deque[Place]]


class Full(Exception):  # noqa: N818 (it is an answer)
    """Too many requests of a client wait already."""


class Turns:
    """Gives out `desks` places, in turn between networks, and within a network in turn between its sessions.

    `spare` further desks are for networks that have none at the time, so that nobody waits for another's long jobs.
    A full line has room for a client with fewer requests in it: the newest request of the client with the most goes.
    """

    def __init__(
        self, desks: int, *, spare: int = 0, most: int = MOST_WAITING, most_of_a_network: int = MOST_OF_A_NETWORK
    ) -> None:
        self._desks, self._spare = desks, spare
        self._most, self._most_of_a_network = most, most_of_a_network
        self._held: Counter[str] = Counter()
        self._waiting: OrderedDict[str, Sessions] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return sum(map(_size, self._waiting.values()))

    @property
    def held(self) -> int:
        """How many desks are taken."""
        return self._held.total()

    @asynccontextmanager
    async def turn(self, who: Visitor) -> AsyncIterator[None]:
        """Waits for a desk and gives it back afterwards; `Full` if there is no room to wait."""
        if self._may_start(who.network):  # nobody waits who could have had this desk: it would have been given to them
            self._held[who.network] += 1
        else:
            await self._wait(who)
        try:
            yield
        finally:
            self._give_back(who.network)

    def _may_start(self, network: str) -> bool:
        return self.held < self._desks + (0 if self._held[network] else self._spare)

    async def _wait(self, who: Visitor) -> None:
        self._make_room(who)
        place: Place = asyncio.get_running_loop().create_future()
        sessions = self._waiting.setdefault(who.network, OrderedDict())
        sessions.setdefault(who.session, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._drop(who, place)
            elif place.exception() is None:
                self._give_back(who.network)  # the turn had come already
            raise

    def _make_room(self, who: Visitor) -> None:
        """Sends the newest request of a longer queue away if the line is full; `Full` if there is no longer one."""
        mine = self._waiting.get(who.network, OrderedDict())
        if self.waiting >= self._most:
            longest = max(self._waiting, key=lambda network: _size(self._waiting[network]))
            if _size(self._waiting[longest]) > _size(mine) + 1:
                self._send_away(longest)
                return
        elif _size(mine) < self._most_of_a_network:
            return
        if max(map(len, mine.values()), default=0) <= len(mine.get(who.session, ())) + 1:
            raise Full
        self._send_away(who.network)

    def _send_away(self, network: str) -> None:
        """Sends the newest request of a network's longest session away."""
        sessions = self._waiting[network]
        session = max(sessions, key=lambda name: len(sessions[name]))
        place = sessions[session][-1]
        self._drop(Visitor(network, session), place)
        if not place.cancelled():
            place.set_exception(Full())

    def _drop(self, who: Visitor, place: Place) -> None:
        """Takes a place out of the line, if it is still there."""
        sessions = self._waiting.get(who.network, OrderedDict())
        if place not in sessions.get(who.session, ()):
            return
        sessions[who.session].remove(place)
        if not sessions[who.session]:
            del sessions[who.session]
        if not sessions:
            del self._waiting[who.network]

    def _give_back(self, network: str) -> None:
        """Gives a desk back, and free ones to the next in line."""
        self._held[network] -= 1
        if not self._held[network]:
            del self._held[network]
        while (following := next(filter(self._may_start, self._waiting), None)) is not None:
            self._start(following)

    def _start(self, network: str) -> None:
        """Gives a desk to the next session of a network; both go to the end of the line."""
        sessions = self._waiting[network]
        session = next(iter(sessions))
        place = sessions[session][0]
        self._waiting.move_to_end(network)
        sessions.move_to_end(session)
        self._drop(Visitor(network, session), place)
        if not place.cancelled():  # its client has gone in this very moment
            self._held[network] += 1
            place.set_result(None)


def _size(sessions: Sessions) -> int:
    return sum(map(len, sessions.values()))
