"""A pool of the playground, with its processes, for tests that are not asynchronous themselves."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the playground needs the extra `web`")

from capax.app.web.sandbox.pool import Pool, Refused

Ask = Callable[..., Any]


@pytest.fixture(scope="session")
def pool() -> Iterator[tuple[Pool, asyncio.AbstractEventLoop]]:
    """A pool, and the loop that it runs in."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    made = Pool(2)
    asyncio.run_coroutine_threadsafe(made.start(), loop).result(60)
    yield made, loop
    asyncio.run_coroutine_threadsafe(made.stop(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture
def ask(pool: tuple[Pool, asyncio.AbstractEventLoop]) -> Ask:
    """Asks for a job and gives its result, or the error that refused it as plain data under `error`."""
    made, loop = pool

    def asking(job: str, **asked: Any) -> Any:
        try:
            return asyncio.run_coroutine_threadsafe(made.ask(job, asked), loop).result(90)
        except Refused as refused:
            return {"error": refused.error}

    return asking
