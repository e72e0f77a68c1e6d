"""What is worked out of a program before it meets a word."""

from hypothesis import given
from hypothesis import strategies as st

from capax import aggregate, full_s, indices, length, select, selector_width, tokens
from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node
from capax.rasp.meaning import reference
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.meaning.vector.shapes import sum_shape
from capax.rasp.meaning.vector.steps import evaluation_steps, uniform_nodes
from tests.support.programs import graphs, words


@given(graphs(), st.lists(words(), min_size=1, max_size=3))
def test_uniform_nodes_have_one_value(node: Node, batch: list[object]) -> None:
    """By the definition: an s-op has one value at all positions of a word, a selector one row."""
    uniform = uniform_nodes(topological(node))
    for word in batch:
        evaluation = reference.ReferenceEvaluation(word)  # type: ignore[arg-type]
        for inner in topological(node):
            try:
                value = evaluation.value(inner)
            except CapaxError:
                break
            rows = value.values if isinstance(value, Sequence) else value.rows
            assert inner not in uniform or all(repr(row) == repr(rows[0]) for row in rows)


def test_lengths_are_uniform() -> None:
    """Constants, the length, and what is made of them; not positions."""
    root = (length - 1 - indices).node
    assert length.node in uniform_nodes(topological(root))
    assert root not in uniform_nodes(topological(root))


def test_columns_are_dropped_after_their_last_reader() -> None:
    """Each column but that of the root is dropped once, and after it was made."""
    root = aggregate(select(indices, length - 1 - indices, "=="), tokens).node
    steps = evaluation_steps(root).steps
    dropped = [node for step in steps for node in step.unused]
    assert sorted(map(id, dropped)) == sorted(id(step.node) for step in steps if step.node is not root)
    for number, step in enumerate(steps):
        assert all(node in [earlier.node for earlier in steps[:number]] for node in step.unused)


def test_steps_are_kept_with_the_program() -> None:
    """The second word costs no walk over the graph."""
    root = selector_width(select(tokens, tokens, "==")).node
    assert evaluation_steps(root) is evaluation_steps(root)


def test_shapes_say_what_is_compared() -> None:
    """Everything, a position that the query names, and an order in groups."""
    uniform = uniform_nodes(topological(length.node))
    whole = sum_shape(full_s.node, frozenset())
    assert whole is not None
    assert [(t.sign, t.tests) for t in whole.terms] == [(1, ())]
    pointing = sum_shape(select(indices, length - 1 - indices, "==").node, uniform)
    assert pointing is not None
    assert pointing.terms[0].pointer is (length - 1 - indices).node
    same = select(tokens, tokens, "==") & select(indices, indices, "<")
    grouped = sum_shape(same.node, uniform)
    assert grouped is not None
    assert [len(grouped.terms[0].equal), len(grouped.terms[0].orders)] == [1, 1]
    unequal = sum_shape(select(tokens, tokens, "!=").node, uniform)
    assert unequal is not None
    assert [term.sign for term in unequal.terms] == [1, -1]
