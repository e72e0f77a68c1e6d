"""A line with several desks that is fair between people: whoever asks a lot waits behind their own requests."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from capax.app.web.allowance import busy


class Turns:
    """Gives out `desks` places; those who wait are served one person after the other, not one request."""

    def __init__(self, desks: int, most_waiting: int = 400) -> None:
        self._free = desks
        self._most = most_waiting
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """Waits for a place and gives it back afterwards."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._wait(who)
        try:
            yield
        finally:
            self._next()

    async def _wait(self, who: str) -> None:
        if self.waiting >= self._most:
            raise busy()
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._next()  # the turn had come already
            raise

    def _next(self) -> None:
        """Hands a place to the next person in line, or keeps it free."""
        while self._waiting:
            who, places = self._waiting.popitem(last=False)
            place = places.popleft()
            if places:
                self._waiting[who] = places  # at the end of the line
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
