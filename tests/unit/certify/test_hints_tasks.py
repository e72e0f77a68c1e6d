"""Hints about heads are read as they are meant, or refused: whatever a file says, no other outcome."""

from dataclasses import replace

import pytest

from capax import SOp, aggregate, indices, select, selector_width, tokens_int
from capax.certify.hints import HeadHints, hints_of
from capax.certify.not_certified import NotCertified
from capax.model.provenance import HeadClaim
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import And, Const, Indices, Node, Select, SOpNode, Width
from capax.rasp.ir.triple_nodes import selector_of
from tests.support.perturbed import compiled

EITHER = select(tokens_int, tokens_int, "<") | (select(tokens_int, tokens_int, "==") & select(indices, indices, "<"))
COUNT, MEAN, FIRST = selector_width(EITHER), aggregate(EITHER, tokens_int), aggregate(select(indices, 0, "=="), indices)
PROGRAM: SOp = COUNT + MEAN + FIRST


def number(sop: SOp) -> int:
    """The number of an s-op among the nodes of the program."""
    return topological(PROGRAM.node).index(sop.node)


def hints(*claims: HeadClaim) -> HeadHints:
    """The hints of a model whose one block has so many heads, about the program."""
    model = compiled("histogram").model
    (block,) = model.blocks
    several = replace(block, heads=block.heads * len(claims))
    assert isinstance(PROGRAM.node, SOpNode)
    return hints_of(
        replace(model, blocks=(several,), provenance=replace(model.provenance, heads=(claims,))), PROGRAM.node
    )


def test_heads_compute_aggregates_or_a_part_of_a_width() -> None:
    found = hints(HeadClaim((number(COUNT),), 0), HeadClaim((number(COUNT),), 1), HeadClaim((number(FIRST),)))
    ((one, two, last),) = found.blocks
    (parts,) = found.width_parts.values()
    assert [task.selector for task in (one, two)] == list(parts)
    assert [list(task.nodes) for task in (one, two)] == [[Width(part)] for part in parts]
    assert (list(last.nodes), last.selector) == ([FIRST.node], selector_of(FIRST.node))
    together = hints(HeadClaim((number(COUNT), number(MEAN)))).blocks[0][0]
    assert list(together.nodes) == [COUNT.node, MEAN.node]


def inner(sop: SOp) -> int:
    """The number of a node that no head computes."""
    order: list[Node] = topological(PROGRAM.node)
    return order.index(selector_of(sop.node))


COUNTED, MEANT, OTHER = number(COUNT), number(MEAN), number(FIRST)


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ([((COUNTED,), 0)], "the parts of a width do not add up to it"),
        ([((COUNTED,), 0), ((COUNTED,), 0)], "the parts of a width do not add up to it"),
        ([((COUNTED,), 2)], "names no part of a width"),
        ([((COUNTED,), -1)], "names no part of a width"),
        ([((MEANT,), 0), ((MEANT,), 1)], "names no part of a width"),
        ([((OTHER,), 0)], "names no part of a width"),
        ([((COUNTED, COUNTED), 0), ((COUNTED,), 1)], "names no part of a width"),
        ([((COUNTED, MEANT), 0), ((COUNTED,), 1)], "names no part of a width"),
        ([((MEANT, OTHER), None)], "aggregates of different selectors"),
        ([((10**6,), None)], "a hint about a head is damaged"),
        ([((), None)], "names no aggregate"),
        ([((inner(COUNT),), None)], "names no aggregate"),
        ([((MEANT, inner(COUNT)), None)], "names no aggregate"),
    ],
)
def test_other_hints_are_refused(claims: list[tuple[tuple[int, ...], int | None]], why: str) -> None:
    with pytest.raises(NotCertified, match=why):
        hints(*(HeadClaim(computes, part) for computes, part in claims))


def test_a_head_for_each_range_of_positions() -> None:
    """The ranges follow one another from 0 up to the greatest length, which is 5: then every key is counted once."""
    blocks = [HeadClaim((COUNTED,), None, keys) for keys in ((3, 9), (0, 3))]
    (tasks,) = hints(*blocks).blocks
    assert [task.selector for task in tasks] == [
        And(And(selector_of(COUNT.node), Select(Indices(), Const(first), ">=")), Select(Indices(), Const(end), "<"))
        for first, end in ((3, 9), (0, 3))
    ]
    parts = [HeadClaim((COUNTED,), part, keys) for part in (0, 1) for keys in ((0, 2), (2, 5))]
    assert len(hints(*parts).width_parts[COUNT.node]) == 4
    mixed = hints(HeadClaim((COUNTED,), 0), *parts[2:])
    assert len(mixed.width_parts[COUNT.node]) == 3


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ([(None, (0, 4))], "do not add up"),
        ([(None, (1, 5))], "do not add up"),
        ([(None, (0, 2)), (None, (3, 5))], "do not add up"),
        ([(None, (0, 3)), (None, (2, 5))], "do not add up"),
        ([(None, (0, 3)), (None, (3, 5)), (None, (3, 5))], "do not add up"),
        ([(None, (0, 5)), (0, None), (1, None)], "do not add up"),
        ([(0, (0, 5))], "do not add up"),
        ([(0, (0, 5)), (1, (0, 4))], "do not add up"),
        ([(0, (0, 5)), (0, None), (1, None)], "do not add up"),
        ([(None, (-1, 5))], "no positions of keys"),
        ([(None, (0, 0)), (None, (0, 5))], "no positions of keys"),
        ([(None, (0, 2**60))], "no positions of keys"),
    ],
)
def test_ranges_that_do_not_cover_every_key_once_are_refused(
    claims: list[tuple[int | None, tuple[int, int] | None]], why: str
) -> None:
    with pytest.raises(NotCertified, match=why):
        hints(*(HeadClaim((COUNTED,), part, keys) for part, keys in claims))


def test_means_have_no_ranges_of_positions() -> None:
    with pytest.raises(NotCertified, match="names no part of a width"):
        hints(HeadClaim((MEANT,), None, (0, 5)))
