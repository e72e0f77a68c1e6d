"""Sums in steps: no narrower than what they are combination by combination, and models that need them."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, best, indices, length, library, select, tokens
from capax.certify.intervals.raw_sums import RawSums
from capax.certify.intervals.sums_in_steps import Term, sum_in_steps
from capax.certify.values.coded_values import Values
from capax.model.parts import Array
from capax.rasp.ir.nodes import Const, Node

A, B, C, SUM, ALL = (Const(name) for name in ("a", "b", "c", "a + b", "a + b - c"))


@dataclass
class Made:
    """a + b over a and b, and what is left of it after c, where some combinations do not happen."""

    longest: int
    fails: set[tuple[int, int]]
    cuts: dict[Node, Values] = field(default_factory=dict)
    sizes: dict[Node, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n, own = self.longest, np.arange(self.longest)
        sums = own[:, None] + own[None, :]
        for pair in self.fails:
            sums[pair] = -1
        rest = np.arange(2 * n - 1)[:, None] - own[None, :] + n - 1
        rest[[value not in sums for value in range(2 * n - 1)]] = -1
        self.cuts = {SUM: Values((A, B), sums, tuple(range(2 * n - 1))), ALL: Values((SUM, C), rest, ())}
        self.sizes = {A: n, B: n, C: n, SUM: 2 * n - 1, ALL: 3 * n - 2}

    def rows(self, node: Node) -> Array:
        return np.asarray(self.cuts[node].codes.reshape(-1))

    def combinations(self) -> Sequence[tuple[int, int, int]]:
        """What happens together, of a, b and c."""
        triples = itertools.product(range(self.longest), repeat=3)
        return [t for t in triples if (t[0], t[1]) not in self.fails]


def term(axes: tuple[Any, ...], low: Array, high: Array) -> Term:
    """A number over axes as a part of a sum."""
    lows = low[None]
    known = np.array_equal(low, high)
    doubt = None if known else (low < high)[None]
    size = np.maximum(np.abs(low), np.abs(high))[None]
    return Term(axes, RawSums(lows, lows if known else high[None], size, doubt, np.ones(1), np.ones(1, np.int64)))


@settings(max_examples=150)
@given(st.data())
def test_the_sum_of_every_combination_is_within(data: st.DataObject) -> None:
    n = data.draw(st.integers(4, 6))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    made = Made(n, data.draw(st.sets(pairs, max_size=5)))
    factor = data.draw(st.sampled_from([1, -2, 3]))
    terms, noise = [], data.draw(st.sampled_from([0.0, 0.25]))
    for axis, sign in ((A, 1), (B, 1), (C, -1)):
        middle = factor * sign * np.arange(n, dtype=np.float64)
        off = noise * np.array(data.draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n)))
        terms.append(term((axis,), middle - off, middle + off))
    total = sum_in_steps(data.draw(st.permutations(terms)), made, made.sizes, lambda work: None)
    if noise == 0:
        assert total is not None
    if total is None:
        return
    assert total.axes == (ALL,)
    for a, b, c in made.combinations():
        at = a + b - c + n - 1
        low = sum(t.raw.low[0, k] for t, k in zip(terms, (a, b, c), strict=True))
        high = sum(t.raw.high[0, k] for t, k in zip(terms, (a, b, c), strict=True))
        size = sum(t.raw.size[0, k] for t, k in zip(terms, (a, b, c), strict=True))
        assert total.raw.low[0, at] <= low <= high <= total.raw.high[0, at]
        assert total.raw.size[0, at] >= size
        if low < high:
            assert total.raw.noisy is not None
            assert total.raw.noisy[0, at]
    assert total.raw.terms.tolist() == [3]


def test_what_is_no_function_of_the_s_op_is_not_taken_for_one() -> None:
    made = Made(5, set())
    own = np.arange(5.0)
    terms = [term((A,), own, own), term((B,), 2 * own, 2 * own), term((C,), -own, -own)]
    assert sum_in_steps(terms, made, made.sizes, lambda work: None) is None


FAR = aggregate(
    select(indices, indices + aggregate(best(select(tokens, "+", "=="), indices), indices) - length, "=="), tokens, ""
)


@pytest.mark.parametrize("longest", [200, pytest.param(1000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(("program", "alphabet"), [(FAR, "ab+"), (library.addition, "0123456789+")])
def test_positions_found_from_others_are_certified_on_long_words(program: Any, alphabet: str, longest: int) -> None:
    """A position, one that is found, and the length: their sum has few values in millions of combinations."""
    compiled = capax.compile(program, alphabet=alphabet, max_length=longest, words=5)
    assert compiled.certified_length == longest
