"""Selectors over triples: the fast evaluator, the text and the JSON form against the definition."""

from functools import cache
from typing import Any

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

import capax
from capax.errors import CapaxError
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.nodes import COMPARISONS, And, Best, Const, Indices, Input, Map, Node, Not, Or, Select
from capax.rasp.ir.triple_nodes import (
    LIFT_SIDES,
    Lift,
    PairAggregate,
    PairWidth,
    SumSelect,
    TripleAnd,
    TripleNode,
    TripleNot,
    TripleOr,
)
from capax.rasp.ir.triple_parts import conjunction, conjunctions, without_not
from capax.rasp.meaning import fast, reference
from capax.rasp.meaning.vector import triples
from capax.rasp.python.program import SOp
from capax.rasp.rewrite.prepare import prepare
from capax.rasp.rewrite.rewrite import rewrite
from tests.agree.test_fast import attempt, plain

NUMBERS: list[Any] = [Indices(), Input("int"), Map("-", (Const(4), Indices())), Map("%", (Indices(), Const(3)))]
NUMBERS += [Const(2), Const(10**30)]
VALUES: list[Any] = [*NUMBERS, Map("/", (Input("int"), Const(7))), Input("str"), Map("==", (Input("int"), Const(1)))]
WORDS = st.lists(st.integers(-2, 7), min_size=1, max_size=5)


def _selectors() -> st.SearchStrategy[Any]:
    number = st.sampled_from(NUMBERS)
    return st.recursive(
        st.builds(Select, number, number, st.sampled_from(COMPARISONS)),
        lambda inner: st.one_of(
            st.builds(And, inner, inner),
            st.builds(Or, inner, inner),
            st.builds(Not, inner),
            st.builds(Best, inner, number),
        ),
        max_leaves=3,
    )


@cache
def over_triples() -> st.SearchStrategy[TripleNode]:
    """A selector over triples."""
    number = st.sampled_from([*NUMBERS, *NUMBERS, Input("asis")])
    test = st.builds(
        SumSelect,
        number,
        number,
        number,
        st.sampled_from([0, 0, 1, 3, 5, 10**25]),
        st.sampled_from(COMPARISONS),
        st.sampled_from([-1, 0, 1, 2, 4, 7, 10**30]),
    )
    lifted = st.builds(Lift, st.sampled_from(LIFT_SIDES), _selectors())
    return st.recursive(
        st.one_of(test, lifted),
        lambda inner: st.one_of(
            st.builds(TripleAnd, inner, inner), st.builds(TripleOr, inner, inner), st.builds(TripleNot, inner)
        ),
        max_leaves=4,
    )


@st.composite
def programs(draw: st.DrawFn) -> Node:
    """A selector over triples, a mean over its pairs, or their number."""
    chosen = draw(over_triples())
    kinds = [
        chosen,
        PairWidth(chosen),
        PairAggregate(chosen, draw(st.sampled_from(VALUES)), draw(st.sampled_from([0, -1, "x"]))),
    ]
    return draw(st.sampled_from(kinds))


@given(programs(), st.lists(WORDS, min_size=1, max_size=3), st.sampled_from([3, 20, 1 << 22]))
@settings(max_examples=120)
def test_fast_agrees_with_the_definition(node: Node, batch: list[Any], block: int) -> None:
    """Sorting, products of matrices and blocks of any size give what the definition gives, errors included."""
    words = [*batch, [1.5, 2]]
    expected = [attempt(reference.evaluate, node, word) for word in words]
    event("value" if any(len(e) != 4 for e in expected) else "errors only")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triples, "BLOCK_CELLS", block)
        assert [plain(o) for o in fast.evaluate_batch(node, words)] == expected


@given(programs())
@settings(max_examples=50)
def test_text_and_json_give_the_same_nodes(node: Node) -> None:
    """What is written down is read back."""
    kind = SOp if isinstance(node, (PairWidth, PairAggregate)) else capax.TripleSelector
    program = kind(node, Construction(node))  # type: ignore[arg-type]
    assert capax.Program.from_text(program.to_text()).node is node
    assert capax.Program.from_json(program.to_json()).node is node


@given(over_triples(), WORDS)
@settings(max_examples=60)
def test_parts_are_the_whole(node: TripleNode, word: list[int]) -> None:
    """Pushing `not` inward, conjunctions, rewriting and counting by parts keep the meaning."""
    try:
        expected = reference.evaluate(node, word)
    except CapaxError:
        reject()
    assert reference.evaluate(without_not(node), word) == expected
    parts = conjunctions(node, 64)
    assert parts is not None
    values = [reference.evaluate(part, word) for part in parts]
    n = range(len(word))
    assert expected == [[[any(v[i][j][k] for v in values) for k in n] for j in n] for i in n]  # type: ignore[index]
    assert all(conjunction(part) is not None for part in parts)
    width = PairWidth(node)
    assert reference.evaluate(prepare(width, causal=False)[0], word) == reference.evaluate(width, word)
    assert reference.evaluate(rewrite(width).node, word) == reference.evaluate(width, word)


def test_long_words_take_little_memory() -> None:
    """A word of 1,200 tokens: 1.7 thousand million triples are never laid out."""
    word = [(i * i) % 1009 for i in range(1_200)]
    match = capax.select3(capax.tokens_int, capax.tokens_int, capax.tokens_int, lambda total: total % 1009 == 5)
    counts = capax.selector_width(match)(word)
    held = [0] * 1009
    for x in word:
        held[x] += 1
    for i in (0, 1, 7, 1_199):
        assert counts[i] == sum(held[a] * held[(5 - word[i] - a) % 1009] for a in range(1009))
