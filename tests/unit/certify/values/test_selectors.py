"""What is said of selectors over triples holds on every word."""

import itertools

import pytest

from capax import Program, full_s, indices, on_first, on_keys, on_second, select, select3, selector_width, tokens
from capax.certify.values.axes import Axes

HERE = select(indices, indices, "==")
BEFORE = select(indices, indices - 1, "==")
EARLIER = select(indices, indices, "<")
SAME = select(tokens, tokens, "==")

ONE_PAIR: dict[str, Program] = {
    "a position each": on_first(HERE) & on_second(BEFORE),
    "further conditions on a side": on_first(HERE & SAME) & on_second(EARLIER & BEFORE),
    "further conditions on both keys": on_first(BEFORE) & on_second(HERE) & on_keys(SAME),
    "a sum": on_first(BEFORE) & on_second(HERE) & select3(indices, indices, indices, lambda s: s > 1),
}
SEVERAL: dict[str, Program] = {
    "any second key": on_first(HERE),
    "any first key": on_second(HERE),
    "many first keys": on_first(EARLIER) & on_second(HERE),
    "many second keys": on_first(HERE) & on_second(SAME),
    "one of two pairs": (on_first(HERE) & on_second(HERE)) | (on_first(HERE) & on_second(BEFORE)),
    "any pair": on_first(full_s) & on_second(full_s),
    "keys that are the same": on_keys(HERE),
}


def most_pairs(triples: Program) -> int:
    """How many pairs of keys a query selects at most, on all words of up to three tokens."""
    count = selector_width(triples)
    return max(max(count("".join(w))) for n in range(1, 4) for w in itertools.product("ab", repeat=n))


def is_unique(triples: Program) -> bool:
    """Whether a certificate takes it for sure that a query selects at most one pair."""
    return Axes(selector_width(triples).node, ("a", "b"), 3).unique[triples.node]


@pytest.mark.parametrize("name", ONE_PAIR)
def test_one_pair_is_selected_at_most(name: str) -> None:
    """Then the mean of the selected is a value of the selected key, and no mean of several is gone through."""
    assert is_unique(ONE_PAIR[name])
    assert most_pairs(ONE_PAIR[name]) == 1


@pytest.mark.parametrize("name", SEVERAL)
def test_where_several_pairs_may_be_selected_nothing_is_sure(name: str) -> None:
    assert most_pairs(SEVERAL[name]) > 1
    assert not is_unique(SEVERAL[name])
