"""How many keys a selector selects at most: true on all short words, and tight where it matters."""

from itertools import product

import pytest

import capax
from capax import indices, select, selector_width, tokens
from capax.rasp.analysis.key_limits import most_keys, of_count, of_token
from capax.rasp.ir.nodes import Const, Indices, Input, Map, Select, SelectorNode, Table, Width
from capax.rasp.meaning import reference

SAME, BEFORE, AFTER = (select(tokens, tokens, "=="), select(indices, indices, "<"), select(indices, indices, ">"))
EARLIER = selector_width(SAME & BEFORE)
LATER = selector_width(SAME & AFTER)
BOTH = selector_width(select(tokens == "a", tokens == "a", "==") & BEFORE)

CASES = [
    (select(EARLIER, 0, "=="), 2),
    (select(EARLIER == 0, True, "=="), 2),
    (select(EARLIER < 2, True, "==") & select(tokens, "a", "=="), 4),
    (select(LATER, 1, "=="), 2),
    (select(LATER % 3, 0, "=="), 4),
    (select(BOTH, 0, "=="), 2),
    (select(indices, 1, ">=") & select(indices, 3, "<"), 2),
    (select(indices, 1, ">=") & select(EARLIER, 0, "=="), 2),
    (select(indices, indices, "<=") & select(indices, indices - 3, ">"), 3),
    (select(indices, indices - 1, "==") | select(indices, indices + 1, "=="), 2),
    (select(indices, indices, "==") & SAME, 1),
    # nothing is known of these
    (select(EARLIER, 0, "!="), 5),
    (select(selector_width(SAME), 1, "=="), 5),
    (select(selector_width(BEFORE), 1, "=="), 5),
    (select(selector_width(SAME & BEFORE & select(tokens, "a", "==")), 0, "=="), 5),
    (select(EARLIER, indices, "=="), 5),
    (select(selector_width(select(indices, indices, "==") & BEFORE), 0, "=="), 5),
]


@pytest.mark.parametrize(("selector", "limit"), CASES)
def test_no_query_selects_more(selector: capax.Selector, limit: int) -> None:
    node = selector.node
    assert isinstance(node, SelectorNode)
    assert most_keys(node, "ab", 5) == limit
    width = Width(node)
    words = [w for n in range(1, 6) for w in product("ab", repeat=n)]
    most = max(max(reference.evaluate(width, word)) for word in words)
    assert most <= limit


def test_the_limit_is_tight_for_first_occurrences() -> None:
    node = select(EARLIER, 0, "==").node
    assert isinstance(node, SelectorNode)
    assert max(reference.evaluate(Width(node), tuple("abcabc"))) == most_keys(node, "abc", 6) == 3


def test_functions_of_one_count() -> None:
    width = Width(Select(Indices(), Indices(), "<"))
    assert of_count(Map("+", (width, Const(1))), 3) == (width, [1, 2, 3, 4])
    assert of_count(width, 2) == (width, [0, 1, 2])
    assert of_count(Map("/", (Const(1), width)), 3) is None  # 1 / 0
    assert of_count(Map("+", (width, Indices())), 3) is None
    assert of_count(Table("positions", ((0, 1), (1, 1), (2, 1), (3, 1)), width), 3) is None
    assert of_count(Const(1), 3) is None


def test_functions_of_the_token() -> None:
    x = Input("asis")
    assert of_token(Map("*", (x, x)), [-1, 1, 2]) == {1, 4}
    assert of_token(Map("+", (x, Indices())), [1]) is None
    assert of_token(Map("/", (x, x)), [0, 1]) is None
