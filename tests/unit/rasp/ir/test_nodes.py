"""Nodes are interned, immutable and freed."""

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from capax.rasp.ir import nodes
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Map, Select, Width


def test_equal_parts_give_the_same_node() -> None:
    """Equality is identity."""
    left = Map("+", (Indices(), Const(1)))
    assert left is Map("+", (Indices(), Const(1)))
    assert left is not Map("+", (Const(1), Indices()))
    assert Width(Select(Indices(), Const(0), "==")) is Width(Select(Indices(), Const(0), "=="))


def test_types_and_signs_are_told_apart() -> None:
    """1, 1.0 and True are three constants; so are 0.0 and -0.0 two, also inside tables."""
    assert len({Const(1), Const(1.0), Const(True), Const("1")}) == 4
    assert Const(0.0) is not Const(-0.0)
    one = nodes.Table("dict", ((1, 1),), Indices())
    assert one is not nodes.Table("dict", ((True, 1),), Indices())
    selector = Select(Indices(), Indices(), "==")
    assert Aggregate(selector, Indices(), 0) is not Aggregate(selector, Indices(), False)


def test_nodes_do_not_change_or_travel() -> None:
    """No attribute can be set, and pickle is refused."""
    node = Const(1)
    with pytest.raises(AttributeError):
        node.value = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="text or JSON"):
        pickle.dumps(node)


def test_unused_nodes_are_freed() -> None:
    """The intern table does not keep nodes alive, however deep."""
    gc.collect()
    before = len(nodes._interned)
    deep: nodes.SOpNode = Indices()
    for i in range(20_000):
        deep = Map("+", (deep, Const(10**6 + i)))
    assert len(nodes._interned) >= before + 39_900  # the table may lose others meanwhile
    del deep
    gc.collect()
    assert len(nodes._interned) <= before + 2


def test_threads_agree() -> None:
    """Threads that build the same graph get the same nodes."""

    def build(_: int) -> list[nodes.Node]:
        return [Map("*", (Indices(), Const(k))) for k in range(300)]

    with ThreadPoolExecutor(8) as pool:
        first, *others = list(pool.map(build, range(16)))
    assert all(a is b for other in others for a, b in zip(first, other, strict=True))
