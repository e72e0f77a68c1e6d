"""A page's way to the pool: the latest request counts, and a browser that goes away holds nothing."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from capax.app.web.pages import frame
from capax.app.web.sandbox.fair_queue import Visitor


class Browser:
    """What a desk sees of a page: whether it is connected."""

    def __init__(self) -> None:
        self.ip, self.id = "2001:db8::7", "page"
        self.is_deleted, self._there = False, asyncio.Event()
        self._there.set()

    @property
    def has_socket_connection(self) -> bool:
        return self._there.is_set()

    def on_disconnect(self, handler: Any) -> None:
        self._gone = handler

    async def connected(self) -> None:
        await self._there.wait()

    def go(self) -> None:
        """Closes its connection."""
        self._there.clear()
        self._gone()

    def come(self, deleted: bool = False) -> None:
        """Connects again, or is given up."""
        self.is_deleted = deleted
        self._there.set()


class Slow:
    """A pool that answers when it is told to."""

    def __init__(self) -> None:
        self.under_way: list[asyncio.Future[Any]] = []
        self.who: list[Visitor] = []

    async def ask(self, job: str, asked: dict[str, Any], who: Visitor) -> Any:
        self.who.append(who)
        self.under_way.append(asyncio.get_running_loop().create_future())
        return await self.under_way[-1]


async def _asking(monkeypatch: pytest.MonkeyPatch) -> tuple[Browser, Slow, frame.Desk]:
    browser, pool = Browser(), Slow()
    monkeypatch.setattr(frame, "context", SimpleNamespace(client=browser))
    return browser, pool, frame.Desk(pool)  # type: ignore[arg-type]


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_the_latest_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that another follows is given up at once."""

    async def scene() -> None:
        _, pool, desk = await _asking(monkeypatch)
        first = asyncio.create_task(desk.ask("run", {}))
        await _settle()
        second = asyncio.create_task(desk.ask("run", {}))
        await _settle()
        assert pool.under_way[0].cancelled()
        pool.under_way[1].set_result("answer")
        assert [await first, await second] == [None, "answer"]
        assert set(pool.who) == {Visitor("2001:db8::/64", "page")}

    asyncio.run(scene())


@pytest.mark.parametrize("deleted", [False, True])
def test_a_browser_that_goes_away(monkeypatch: pytest.MonkeyPatch, deleted: bool) -> None:
    """Its request leaves the pool; it is made again if the browser comes back."""

    async def scene() -> None:
        browser, pool, desk = await _asking(monkeypatch)
        asking = asyncio.create_task(desk.ask("run", {}))
        await _settle()
        browser.go()
        await _settle()
        assert pool.under_way[0].cancelled()
        assert len(pool.under_way) == 1
        assert not asking.done()
        browser.come(deleted)
        await _settle()
        if not deleted:
            pool.under_way[1].set_result("answer")
        assert await asking == (None if deleted else "answer")

    asyncio.run(scene())


def test_a_second_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of an old connection of a page that has a new one changes nothing."""

    async def scene() -> None:
        browser, pool, desk = await _asking(monkeypatch)
        asking = asyncio.create_task(desk.ask("run", {}))
        await _settle()
        browser._gone()
        pool.under_way[0].set_result("answer")
        assert await asking == "answer"

    asyncio.run(scene())


def test_a_page_that_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its request is, too."""

    async def scene() -> None:
        _, pool, desk = await _asking(monkeypatch)
        asking = asyncio.create_task(desk.ask("run", {}))
        await _settle()
        asking.cancel()
        await asyncio.wait((asking,))
        await _settle()
        assert asking.cancelled()
        assert pool.under_way[0].cancelled()

    asyncio.run(scene())
