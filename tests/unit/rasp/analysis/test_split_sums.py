"""Sums of large numbers, digit by digit: the same sums, in float32, with ranges that no word leaves."""

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import SOp, aggregate, full_s, indices, length, select, selector_width, tokens_int
from capax.rasp.analysis.split_sums import split_sums, sum_ranges
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Map, SOpNode
from capax.rasp.meaning import reference

DIGITS = "0123456789"
PLACES = tokens_int * 10 ** (length - indices - 1)
NUMBER = round(length * aggregate(full_s, PLACES))
SO_FAR = select(indices, indices, "<=")


@pytest.mark.parametrize("program", [NUMBER, length * aggregate(full_s, PLACES)])
def test_digits_to_a_number_in_float32(program: SOp) -> None:
    """Words of six digits: a number of 20 bits, which no mean in float32 has."""
    compiled = capax.compile(program, alphabet=DIGITS, max_length=6, certify=False, words=20)
    assert compiled.model.numbers == "float32"
    source = random.Random(1)
    words = ["999999", "000000", "100000", "000001", "909090", "9", "10", "99999", "314159"]
    words += ["".join(source.choice(DIGITS) for _ in range(source.randint(1, 6))) for _ in range(300)]
    for word in words:
        assert list(compiled(word)) == [int(word)] * len(word)


def test_the_number_is_an_integer_and_certified() -> None:
    compiled = capax.compile(NUMBER, alphabet=DIGITS, max_length=4)
    assert compiled.certified_length == 4
    assert [type(v) for v in compiled("0412")] == [int] * 4


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(-5_000_000, 5_000_000), min_size=2, max_size=6, unique=True),
    st.sampled_from([full_s, SO_FAR, select(indices, 2, ">="), select(indices, indices, "!=")]),
    st.booleans(),
    st.integers(0, 999),
)
def test_sums_stay_the_same(numbers: list[int], selector: capax.Selector, rounded: bool, seed: int) -> None:
    """Of integers of either sign that depend on the position, over any positions; up to rounding where it is shown."""
    value = tokens_int * (indices + 1)
    total = selector_width(selector) * aggregate(selector, value, 0)
    root = (round(total) if rounded else total).node
    assert isinstance(root, SOpNode)
    split = split_sums(root, numbers, 8)[root]
    source = random.Random(seed)
    for _ in range(10):
        word = tuple(source.choice(numbers) for _ in range(source.randint(1, 8)))
        assert reference.evaluate(split, word).values == pytest.approx(
            reference.evaluate(root, word).values, rel=2.0**-40, abs=2.0**-40
        )


def test_every_sum_is_in_its_range() -> None:
    for selector, value in product((full_s, SO_FAR), (PLACES, tokens_int * (5 - indices), tokens_int - 2 * indices)):
        node = aggregate(selector, value, 0).node
        assert isinstance(node, Aggregate)
        ranges = sum_ranges(node, ("0", "1", "7"), 4)
        assert ranges is not None
        reached: dict[int, set[float]] = {}
        for word in (w for n in range(1, 5) for w in product("017", repeat=n)):
            counts = reference.evaluate(selector_width(selector).node, word)
            means = reference.evaluate(node, word)
            for count, mean in zip(counts, means, strict=True):
                reached.setdefault(count, set()).add(round(count * mean))
        assert {c: (min(s), max(s)) for c, s in reached.items()} == {c: (r.low, r.high) for c, r in ranges.items()}


@pytest.mark.parametrize(
    "program",
    [
        length * aggregate(full_s, tokens_int * 10**6),  # it does not depend on the position
        length * aggregate(full_s, indices * 10**6),  # it reads no token
        indices * aggregate(full_s, PLACES),  # it is no sum
        length * aggregate(select(tokens_int, 1, ">="), PLACES),  # the selector reads tokens
        (length * aggregate(full_s, PLACES)) == 17,  # rounding could show
        length * aggregate(full_s, PLACES / 7),  # no integers
        length * aggregate(full_s, PLACES, ""),
    ],
)
def test_what_is_left_alone(program: SOp) -> None:
    node = program.node
    assert isinstance(node, SOpNode)
    assert split_sums(node, DIGITS, 6)[node] is node
    assert split_sums(node, DIGITS, None) == {}


def test_small_sums_are_left_alone() -> None:
    node = (length * aggregate(full_s, PLACES)).node
    assert isinstance(node, SOpNode)
    assert split_sums(node, DIGITS, 3)[node] is node
    split = split_sums(node, DIGITS, 6)[node]
    sums = [n for n in topological(split) if isinstance(n, Map) and n.op == "round" and n.args[0].op == "*"]
    assert len(sums) == 6  # decimal digits, one sum of at most 9 for each
