"""The line: fair between networks, and between the sessions of a network, whatever comes and goes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capax.app.web.sandbox.fair_queue import FairQueue, QueueFull, Visitor, network


async def _settle() -> None:
    """Lets all tasks go as far as they can."""
    for _ in range(5):
        await asyncio.sleep(0)


class Crowd:
    """Visitors of a line, each of which stays until it is told to go."""

    def __init__(self, turns: FairQueue) -> None:
        self.turns, self.order = turns, list[str]()
        self.tasks: list[asyncio.Task[None]] = []
        self.inside: list[tuple[Visitor, asyncio.Event]] = []

    async def come(self, *who: str) -> None:
        """A visitor `network/session` comes, for each."""
        for one in who:
            self.tasks.append(asyncio.create_task(self._visit(one)))
        await _settle()

    async def _visit(self, name: str) -> None:
        who, done = Visitor(*name.split("/")), asyncio.Event()
        async with self.turns.turn(who):
            self.order.append(name)
            self.inside.append((who, done))
            try:
                await done.wait()
            finally:
                self.inside.remove((who, done))

    async def leave(self) -> None:
        """The one who has been inside longest leaves."""
        self.inside[0][1].set()
        await _settle()

    def refused(self) -> int:
        """How many were sent away."""
        return sum(t.done() and not t.cancelled() and isinstance(t.exception(), QueueFull) for t in self.tasks)

    async def close(self) -> None:
        """All leave, and the line is as it was."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        assert (self.turns.taken, self.turns.waiting) == (0, 0)


def _scene(turns: FairQueue, play: Callable[[Crowd], Awaitable[None]]) -> Crowd:
    async def scene() -> Crowd:
        crowd = Crowd(turns)
        await play(crowd)
        await crowd.close()
        return crowd

    return asyncio.run(scene())


def test_networks_and_sessions_take_turns() -> None:
    """First between networks, then between the sessions of one."""

    async def play(crowd: Crowd) -> None:
        await crowd.come("first/a", "many/a", "many/a", "many/a", "many/b", "one/a")
        for _ in range(6):
            await crowd.leave()

    assert _scene(FairQueue(1), play).order == ["first/a", "many/a", "one/a", "many/b", "many/a", "many/a"]


def test_spare_desks_are_for_those_without_one() -> None:
    """A network that holds all desks gets no spare one; another comes in at once."""

    async def play(crowd: Crowd) -> None:
        await crowd.come(*["many/a"] * 9)
        assert len(crowd.order) == 2
        await crowd.come("one/a", "one/a")
        assert crowd.order[2:] == ["one/a"]
        await crowd.leave()
        assert crowd.order[3:] == []  # the spare desk is taken, and all who wait hold one

    _scene(FairQueue(2, spare=1), play)


def test_a_flood_leaves_room_in_the_line() -> None:
    """A network has a share of the line; in a full line the longest queue makes room for a shorter one."""

    async def play(crowd: Crowd) -> None:
        await crowd.come(*["a/x"] * 9, *["b/x"] * 9)
        assert crowd.turns.waiting == 10  # one of the nine is inside, five of each wait
        assert crowd.refused() == 18 - 1 - 10
        await crowd.come("c/x")
        assert (crowd.turns.waiting, crowd.refused()) == (10, 8)
        await crowd.come("a/y", "a/y", "a/y")
        assert crowd.turns.waiting == 10
        for _ in range(4):
            await crowd.leave()
        assert set(crowd.order) == {"a/x", "b/x", "c/x", "a/y"}

    _scene(FairQueue(1, most=10, most_of_a_network=5), play)


def test_a_line_of_equals_has_an_end() -> None:
    """Where nobody has more than the newcomer would have, the newcomer is sent away."""

    async def play(crowd: Crowd) -> None:
        await crowd.come("a/x", "b/x", "c/x", "d/x")
        assert crowd.refused() == 1
        assert crowd.tasks[-1].done()

    _scene(FairQueue(1, most=2), play)


@given(
    st.lists(st.tuples(st.sampled_from(["come", "leave", "go", "go and leave"]), st.integers(0, 11)), max_size=60),
    st.integers(1, 3),
    st.integers(0, 2),
)
@example([("come", 0)] * 3 + [("go and leave", 1)], 1, 0)  # a desk is free while its next user is being cancelled
def test_any_order(steps: list[tuple[str, int]], desks: int, spare: int) -> None:
    """Whatever comes, leaves and goes away: bounds hold, and nobody waits who could work."""

    async def play(crowd: Crowd) -> None:
        for step, which in steps:
            if step == "come":
                await crowd.come(f"{which % 4}/{which % 3}")
            if step.startswith("go") and crowd.tasks:
                crowd.tasks[which % len(crowd.tasks)].cancel()
            if step.endswith("leave") and crowd.inside:
                crowd.inside[0][1].set()
            await _settle()
            held, waiting = Counter(who.network for who, _ in crowd.inside), crowd.turns._waiting
            assert held.total() == crowd.turns.taken <= desks + spare
            assert crowd.turns.waiting <= 8
            assert all(sum(map(len, sessions.values())) <= 4 for sessions in waiting.values())
            assert not any(crowd.turns._may_start(one) for one in waiting)

    _scene(FairQueue(desks, spare=spare, most=8, most_of_a_network=4), play)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_networks(address: str, found: str) -> None:
    """An IPv4 address stands for itself, an IPv6 address for its 64 bits."""
    assert network(address) == found
