"""A constant at the best key is where the selector selects any: the score does not matter, whatever it costs."""

from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, best, indices, select, selector_width, tokens
from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Best, Const, SelectorNode, SOpNode, Width
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import evaluate
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.rewrite.prepare import looking_back, prepare
from tests.support.programs import ATOMS, graphs, words

SAME = select(tokens, tokens, "==")
COUNT = selector_width(SAME)
EARLIER = select(indices, indices, "<")


@settings(max_examples=300)
@given(graphs(), graphs(), ATOMS, ATOMS, words(), st.booleans())
@example(EARLIER.node, COUNT.node, 1.0, True, "aab", False)
@example(EARLIER.node, COUNT.node, "x", "", "aab", True)
def test_the_same_values_and_types(
    selector: Any, score: Any, value: Atom, default: Atom, word: Any, causal: bool
) -> None:
    if not isinstance(selector, SelectorNode):
        selector = EARLIER.node
    if not isinstance(score, SOpNode):
        score = COUNT.node
    chosen = Best(selector, score)
    for node in (Width(chosen), Aggregate(chosen, Const(value), default)):
        try:
            expected = evaluate(looking_back(node) if causal else node, word)
        except CapaxError:
            assume(False)
        plain = evaluate(prepare(node, causal=causal)[0], word)
        assert isinstance(expected, Sequence)
        assert isinstance(plain, Sequence)
        assert (list(map(repr, plain.values)), plain.type) == (list(map(repr, expected.values)), expected.type)


def test_no_head_computes_such_a_score() -> None:
    node = prepare(selector_width(best(EARLIER, aggregate(SAME, COUNT))).node, causal=False)[0]
    assert not any(isinstance(n, Best) for n in topological(node))
    kept = prepare(aggregate(best(EARLIER, indices), 1).node, causal=False)[0]
    assert any(isinstance(n, Best) for n in topological(kept))


@pytest.mark.parametrize("default", [0, -1, 7])
def test_a_score_that_could_not_be_compiled_is_no_obstacle(default: int) -> None:
    """The mean of means over two tokens has too many values for float32 at length 40."""
    mean = aggregate(select(indices, indices, "<="), aggregate(select(tokens, tokens, "<="), indices))
    program = aggregate(best(select(tokens, "a", "==") & EARLIER, mean), 3, default)
    compiled = capax.compile(program, alphabet="ab", max_length=40, words=20)
    assert compiled.certified_length == 40
    assert compiled("bbabb") == [default, default, default, 3, 3]
