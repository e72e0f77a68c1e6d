"""What is worked out of a program before it meets a word."""

import random
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import aggregate, full_s, indices, length, select, selector_width, tokens
from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, And, Indices, Node, Select, Width
from capax.rasp.meaning import reference
from capax.rasp.meaning.fast import FastEvaluation, evaluate
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


SORTED = capax.library.sort(tokens, tokens).node


def test_ranks_that_only_arrange_are_not_computed() -> None:
    """A sorted word needs no rank, a rank that is shown or read does."""
    skipped = [step.node for step in evaluation_steps(SORTED).steps if not step.read]
    assert [type(node) for node in skipped] == [Indices, Width]
    rank = skipped[1]
    assert all(step.read for step in evaluation_steps(rank).steps)
    both = Aggregate(SORTED.selector, rank, 0)
    assert all(step.read for step in evaluation_steps(both).steps)


def test_keys_selected_by_rank() -> None:
    """By what they are arranged, with what else must hold; a rank of more than order and position is none."""
    shape = sum_shape(SORTED.selector, frozenset())
    assert shape is not None
    assert shape.terms[0].arranged is tokens.node
    both = sum_shape(And(SORTED.selector, Select(tokens.node, tokens.node, "<")), frozenset())
    assert both is not None
    assert (both.terms[0].arranged, len(both.terms[0].tests)) == (tokens.node, 1)
    less = Select(Width(Select(tokens.node, tokens.node, "<")), indices.node, "==")
    other = sum_shape(less, frozenset())
    assert other is not None
    assert other.terms[0].arranged is None


def test_a_kept_evaluation_computes_what_was_left_out() -> None:
    """A rank that one root does not need is there for the next."""
    evaluation = FastEvaluation("banana")
    assert evaluation.value(SORTED) == list("aaabnn")
    assert evaluation.value(SORTED.selector.key) == [3, 0, 4, 1, 5, 2]
    assert evaluation.value(SORTED.selector).rows == reference.evaluate(SORTED.selector, "banana").rows


def test_threads_share_a_program() -> None:
    """What is kept with a program is the same for all who run it."""
    program = capax.library.dyck2_ptf
    words = ["".join(random.Random(seed).choices("(){}ab", k=seed % 17 + 1)) for seed in range(200)]
    expected = [reference.evaluate(program.node, word) for word in words]
    evaluation_steps.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda word: evaluate(program.node, word), words * 2)) == expected * 2


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
