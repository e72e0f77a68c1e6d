"""What is said of selectors holds on every word: that at most one pair is selected, or at least one key."""

import itertools
import math

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from capax import (
    Program,
    aggregate,
    full_s,
    indices,
    length,
    on_first,
    on_keys,
    on_second,
    select,
    select3,
    selector_width,
    tokens,
    tokens_int,
)
from capax.certify.values.axes import Axes
from capax.certify.values.selectors import FilledSelectors, is_filled, selects_pair
from capax.rasp.analysis.output_spec import output_spec
from capax.rasp.ir.nodes import Indices, Input, Select, Width
from capax.rasp.ir.ops import apply_op

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


LENGTH = selector_width(full_s)
FILLED: dict[str, Program] = {
    "the last position": select(indices, LENGTH - 1, "=="),
    "the opposite position": select(indices, LENGTH - 1 - indices, "=="),
    "the first position": select(indices, 0, "=="),
    "itself": select(indices, indices, "==") & select(tokens_int, tokens_int, "<="),
    "all before, or all after": select(indices, indices, "<") | select(indices, indices, ">="),
    "itself, or all before": select(tokens, tokens, "==") | select(indices, indices, "<"),
    "itself, by two ways": (select(tokens, tokens, "<=") | ~select(indices, indices, "=="))
    & ~select(tokens, tokens, "<"),
    "the first, which is not later": select(indices, 0, "==") & select(indices, indices, "<="),
    "the last, which is not earlier": select(indices, indices, ">=") & select(indices, LENGTH - 2, ">"),
    "the mirror, which is in the word": select(indices, LENGTH - 1 - indices, "==") & ~select(indices, LENGTH, ">="),
}
MAYBE_EMPTY: dict[str, Program] = {
    "the one before": select(indices, indices - 1, "=="),
    "one after the last": select(indices, LENGTH, "=="),
    "the second": select(indices, 1, "=="),
    "a position that a token says": select(indices, tokens_int, "=="),
    "twice the position": select(indices, indices * 2, "=="),
    "half of the length": select(indices, LENGTH / 2, "=="),
    "a fraction": select(indices, indices - 0.5, "=="),
    "a string": select(indices, "a", "=="),
    "two conditions": select(indices, 0, "==") & select(tokens_int, tokens_int, "<"),
    "all before": select(indices, indices, "<"),
    "two witnesses for two conditions": select(indices, 0, "==") & select(indices, LENGTH - 1, "=="),
    "the mirror, if it is not later": select(indices, LENGTH - 1 - indices, "==") & select(indices, indices, "<="),
    "no key": ~select(tokens, tokens, "==") & select(tokens, tokens, "=="),
}


def is_empty_somewhere(selector: Program) -> bool:
    """Whether a query selects nothing, on some word of up to four digits."""
    count = selector_width(selector)
    words = ("".join(w) for n in range(1, 5) for w in itertools.product("04", repeat=n))
    return any(0 in count(word) for word in words)


@pytest.mark.parametrize("name", FILLED)
def test_a_key_is_surely_selected(name: str) -> None:
    """Then a head needs no sink for the default."""
    assert is_filled(FILLED[name].node, 4)  # type: ignore[arg-type]
    assert not is_empty_somewhere(FILLED[name])


@pytest.mark.parametrize("name", MAYBE_EMPTY)
def test_where_nothing_may_be_selected_nothing_is_sure(name: str) -> None:
    assert is_empty_somewhere(MAYBE_EMPTY[name])
    assert not is_filled(MAYBE_EMPTY[name].node, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("lengths", list(itertools.permutations((1, 2, 4, 7)))[::3])
def test_what_is_known_at_some_lengths_is_what_would_be_found(lengths: tuple[int, ...]) -> None:
    """In whatever order a search comes by them; some are filled up to a length only."""
    known, several = FilledSelectors(), [*FILLED.values(), *MAYBE_EMPTY.values(), select(indices, 3, "<")]
    for longest in lengths:
        for selector in (program.node for program in several):
            assert known.at(selector, longest) == is_filled(selector, longest)  # type: ignore[arg-type]


LEAVES = [
    *(select(x, x, order) for x in (tokens_int, indices) for order in ("==", "!=", "<", "<=", ">", ">=")),
    *(
        select(indices, q, order)
        for q in (0, 1, LENGTH - 1, LENGTH - 1 - indices, indices - 1)
        for order in ("==", "<", ">=")
    ),
    full_s,
]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_witness_is_selected_on_every_word(data: st.DataObject) -> None:
    """Whatever comparisons are joined: where a key is said to be selected, one is, on words of up to four tokens."""
    one, two, three = (data.draw(st.sampled_from(LEAVES)) for _ in range(3))
    two = ~two if data.draw(st.booleans()) else two
    first = one & two if data.draw(st.booleans()) else one | two
    selector = first & three if data.draw(st.booleans()) else first | three
    if is_filled(selector.node, 4):  # type: ignore[arg-type]
        assert not is_empty_somewhere(selector)
        event("filled")
    else:
        event("missed" if not is_empty_somewhere(selector) else "may be empty")


@pytest.mark.parametrize("divisor", [1, 3, 10])
def test_means_of_what_is_the_same_everywhere(divisor: int) -> None:
    """Means of lengths are lengths, whatever is selected, thirds too; a tenth is not its own mean: sums are rounded."""
    value = LENGTH / divisor if divisor > 1 else LENGTH
    node = aggregate(SAME, value).node
    values = Axes(node, ("0", "4"), 7).values[node]  # type: ignore[arg-type]
    means = {math.fsum([n / divisor] * count) / count for n in range(1, 8) for count in range(1, 8)}
    assert set(values) == means
    assert (len(means) == 7) is (divisor != 10)


@pytest.mark.parametrize("op", ["==", "!=", "<", ">", "<=", ">="])
def test_what_a_comparison_says_of_keys_below_at_and_above_the_query(op: str) -> None:
    """By the sign of key minus query, as the operation itself says of numbers."""
    x, y = Indices(), Input("int")
    for sign in (-1, 0, 1):
        assert selects_pair(Select(x, y, op), {(x, y): sign}) == apply_op(op, sign, 0)


@pytest.mark.parametrize(
    ("selector", "filled"),
    [
        (select(indices, length // 2, "=="), True),
        (select(indices, (indices + length // 2) % length, "=="), True),
        (select(indices, length // 2, "==") & select(indices, length, "<"), True),
        (select(indices, indices // 2, "==") & select(indices, indices, "<="), True),
        (select(indices, indices // 2, "==") & select(indices, indices, "<"), False),
        (select(indices, indices - length // 2, "=="), False),
        (select(indices, length - length // 2, "=="), False),
    ],
)
def test_a_position_by_bounds(selector: Program, filled: bool) -> None:
    """A query that bounds show to be a position selects it."""
    spec = output_spec(selector_width(selector).node, "a", causal=False).value
    assert isinstance(spec, Width)
    assert is_filled(spec.selector, 8) is filled
    for n in range(1, 9):
        assert not filled or all(selector_width(selector)("a" * n))
