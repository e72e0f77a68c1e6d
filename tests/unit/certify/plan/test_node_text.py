"""Nodes as statements: reading them again gives the same nodes."""

import math

import pytest
from hypothesis import assume, given, settings

from capax.certify.plan.node_text import NodeNames, NotWritten, atom_text
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, Indices, Node, SOpNode, Table
from capax.rasp.text.module import program_from_text
from tests.support.programs import graphs


@given(graphs())
@settings(max_examples=40, deadline=None)
def test_statements_make_the_same_nodes(node: Node) -> None:
    """Whatever a program is made of, but for infinities and lists that stand for s-ops."""
    assume(isinstance(node, SOpNode) and node.list_length is None)
    for each in topological(node):
        assume(not isinstance(each, Table) or each.kind != "string" or {type(v) for _, v in each.entries} <= {str})
    try:
        text = NodeNames([node]).text()
    except NotWritten:
        assume(False)
    assert program_from_text(text).node is node


@pytest.mark.parametrize(
    ("value", "text"), [(True, "True"), (-3, "-3"), (0.5, "0.5"), ('a"', '"a\\""'), (1e30, "1e+30")]
)
def test_values_are_written_as_in_the_language(value: str | float, text: str) -> None:
    """With their types."""
    assert atom_text(value) == text


def test_what_has_no_statement_is_said() -> None:
    """An infinity, and a list that stands for an s-op."""
    with pytest.raises(NotWritten):
        atom_text(math.inf)
    with pytest.raises(NotWritten):
        NodeNames([Table("positions", ((0, 1), (1, 2)), Indices())]).text()
    assert NodeNames([Const(1)]).text() == "n0 = constant(1);\n"
