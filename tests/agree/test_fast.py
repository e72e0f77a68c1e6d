"""The fast evaluator gives what the definition gives: values, types and errors."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.rasp import fast, reference
from capax.rasp.nodes import Node
from capax.rasp.sequence import Matrix, Sequence
from tests.programs import graphs, words


def plain(outcome: Any) -> Any:
    """An outcome as something that compares to the last bit: types, signs of zero, and places of errors."""
    match outcome:
        case Sequence():
            return outcome.type, repr(outcome.values)
        case Matrix():
            return outcome.rows
        case CapaxError():
            return outcome.code, outcome.what, outcome.data.get("position"), outcome.data.get("node")


def attempt(evaluate: Callable[[Node, Any], Any], node: Node, word: Any) -> Any:
    """The outcome of an evaluator on a word, an error as a value."""
    try:
        return plain(evaluate(node, word))
    except CapaxError as error:
        return plain(error)


@given(graphs(), st.lists(words(), min_size=1, max_size=4))
@settings(max_examples=500)
def test_agrees_with_the_definition(node: Node, batch: list[Any]) -> None:
    """One batch gives, word by word, what the definition gives on each word alone."""
    expected = [attempt(reference.evaluate, node, word) for word in batch]
    event("error" if isinstance(expected[0][0], str) and len(expected[0]) == 4 else "value")
    assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected


@pytest.mark.deep
@given(graphs(30), st.lists(words(20), min_size=1, max_size=5))
@settings(max_examples=5000)
def test_agrees_on_many_programs(node: Node, batch: list[Any]) -> None:
    """Five thousand random programs without a difference."""
    assert [plain(o) for o in fast.evaluate_batch(node, batch)] == [
        attempt(reference.evaluate, node, word) for word in batch
    ]
