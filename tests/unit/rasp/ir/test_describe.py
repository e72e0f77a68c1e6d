"""Nodes in messages: cut where they are long, and written in little time where parts are shared."""

from hypothesis import given

from capax.rasp.ir import describe as module
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Const, Input, Map, Node, Table
from tests.support.programs import graphs


def slowly(node: Node, depth: int) -> str:
    """The definition: every part written where it stands, and cut at a depth only."""
    if node is module.LENGTH or node is module.FULL:
        return "length" if node is module.LENGTH else "full_s"
    if depth == 0 and node.operands:
        return "..."
    return module._written(node, [slowly(operand, depth - 1) for operand in node.operands], {}, module.MOST_ENTRIES)


@given(graphs())
def test_descriptions_are_the_first_characters_of_the_whole(node: Node) -> None:
    whole = slowly(node, module.DEEPEST)
    for longest in (10, 30, 90):
        assert describe(node, longest=longest) == (whole if len(whole) <= longest else whole[: longest - 3] + "...")


def test_the_whole_is_cut_nowhere() -> None:
    """All entries of a table and all characters of a text, where everything is asked for."""
    table = Table("dict", tuple((letter, "x" * 100) for letter in "abcdefghijklmn"), Input("str"))
    assert "..." in describe(table)
    text = describe(table, longest=module.WHOLE)
    assert "..." not in text
    assert text.count("x" * 100) == 14


def test_named_parts_are_their_names() -> None:
    part = Map("+", (Input("int"), Const(1)))
    assert describe(Map("*", (part, part)), {part: "next"}) == "next * next"


def test_a_part_that_stands_in_both_operands_at_every_depth_is_written_once() -> None:
    node: Node = Input("int")
    for _ in range(30):  # written at every place it would be two to the 24 parts
        node = Map("+", (node, node))
    text = describe(node, longest=200)
    assert text.startswith("((((")
    assert len(text) == 200
