"""S-ops that are different at all positions, against the definition, and programs that need to know of it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import capax
from capax import Program, aggregate, indices, length, select, selector_width, tokens, where
from capax.rasp.analysis.distinct_positions import tells_positions_apart
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.nodes import Const, Indices, Map, SOpNode, Width
from capax.rasp.meaning.reference import evaluate
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.rewrite.prepare import prepare
from tests.support.outcomes import count_outcome, least_share

EARLIER = select(indices, indices, "<")
RANK = selector_width(select(tokens, tokens, "<") | (select(tokens, tokens, "==") & EARLIER))
COUNT = selector_width(select(tokens, tokens, "=="))
LATER = selector_width(select(indices, indices, ">"))
LEAVES = [Indices(), RANK.node, Width(FULL), COUNT.node, Const(0), Const(2), Const(-1), Const(0.5), Const(1e30)]


def sums() -> st.SearchStrategy[SOpNode]:
    """Sums and products of positions, ranks, counts, lengths and constants."""

    def larger(inner: st.SearchStrategy[SOpNode]) -> st.SearchStrategy[SOpNode]:
        pairs = st.tuples(st.sampled_from(["+", "-", "*"]), inner, inner)
        return pairs.map(lambda p: Map(p[0], (p[1], p[2]))) | inner.map(lambda a: Map("neg", (a,)))

    return st.recursive(st.sampled_from(LEAVES), larger, max_leaves=5)


@least_share("apart", 0.1)
@settings(max_examples=300)
@given(sums(), st.text("abc", min_size=1, max_size=6))
@example(Map("*", (Indices(), Const(0))), "ab")
@example(Map("-", (Indices(), Indices())), "ab")
@example(Map("+", (Indices(), Const(1e30))), "ab")
@example(Map("-", (RANK.node, Indices())), "ba")
def test_what_tells_positions_apart_has_another_value_at_each(node: SOpNode, word: str) -> None:
    apart = tells_positions_apart(node)
    count_outcome("apart" if apart else "perhaps not")
    values = evaluate(node, word)
    assert isinstance(values, Sequence)
    assert not apart or len(set(values.values)) == len(word)


@pytest.mark.parametrize(
    ("key", "apart"),
    [
        (indices, True),
        (length - 1 - indices, True),
        (3 * indices + 2 * length - COUNT * 0, False),
        (-2 * indices + length * length, True),
        (length - RANK, True),
        (indices + RANK, False),
        (indices * 0, False),
        (indices * length, False),
        (indices + COUNT, False),
        (indices + 0.5, False),
        (indices % 2, False),
    ],
)
def test_some_s_ops(key: Program, apart: bool) -> None:
    assert isinstance(key.node, SOpNode)
    assert tells_positions_apart(prepare(key.node, causal=False)[0]) is apart


@pytest.mark.parametrize(
    ("key", "query"),
    [
        (LATER, where(indices >= 1, indices, length)),
        (length - 1 - indices, indices - 1),
        (length + indices, 2 * length - 2),
    ],
)
def test_a_copy_from_such_a_key_stays_an_integer(key: capax.SOp, query: capax.SOp) -> None:
    """At most one key is selected: the answers are counts, and not means of them, which would be floats."""
    copied = aggregate(select(key, query, "=="), selector_width(select(tokens, tokens, "<")), 100)
    compiled = capax.compile(copied, alphabet="ab", max_length=60)
    assert compiled.certified_length == 60
    assert [type(v) for v in compiled("abba")] == [int] * 4
