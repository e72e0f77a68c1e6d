"""The values of s-ops over axes: which there are, which happen together, and what selectors surely do."""

import itertools
from typing import Any

import numpy as np
import pytest

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values import axes as module
from capax.certify.values.axes import Axes
from capax.certify.values.coded_values import expand
from capax.certify.values.selectors import is_filled, is_rank
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Select,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.meaning.fast import evaluate_batch

X, PLACE = Input("asis"), Indices()
BACK = Select(PLACE, PLACE, "<=")
LENGTH = Width(FULL)
LAST = Map("-", (LENGTH, Const(1)))
MIRROR = Map("-", (LAST, PLACE))
STABLE = Or(Select(X, X, "<"), And(Select(X, X, "=="), Select(PLACE, PLACE, "<")))
MEAN = Aggregate(BACK, X, 0)
COUNT = Width(Select(X, X, "=="))

SOPS: dict[str, SOpNode] = {
    "place": PLACE,
    "sum": Map("+", (X, PLACE)),
    "quotient": Map("/", (Const(6), X)),
    "table": Table("dict", ((0, "a"), (1, "b")), X),
    "count": COUNT,
    "mean": MEAN,
    "mean and place": Map("*", (MEAN, Map("+", (PLACE, Const(1))))),
    "mean and count": Map("*", (Aggregate(Select(X, X, "=="), PLACE, 0), COUNT)),
    "mirror": Aggregate(Select(PLACE, MIRROR, "=="), X, 0),
    "previous": Aggregate(Select(PLACE, Map("-", (PLACE, Const(1))), "=="), X, -1),
    "sorted": Aggregate(Select(Width(STABLE), PLACE, "=="), X, 0),
    "two means": Map("-", (MEAN, Aggregate(BACK, Map("*", (X, X)), 0))),
    "string": Map("where", (Map("==", (X, Const(1))), Const("a"), Map("+", (X, Const(0.5))))),
}


@pytest.mark.parametrize("name", SOPS)
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("few", [0, 64])
def test_every_value_of_the_program_is_among_them(
    name: str, coarse: bool, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the word; gone through one by one, and at once."""
    monkeypatch.setattr(module, "FEW_CELLS", few)
    node, tokens, longest = SOPS[name], (0, 1, 3), 4
    known = Axes(node, tokens, longest, coarse=coarse).set_of(node)
    words = [w for n in range(1, longest + 1) for w in itertools.product(tokens, repeat=n)]
    met = {v for found in evaluate_batch(node, words) if not isinstance(found, Exception) for v in found}
    assert met <= set(known)
    exact = ("place", "sum", "quotient", "table", "string", "mean", "mirror", "previous", "sorted", "mean and place")
    if name in exact and name != "table":
        assert met == set(known)


def test_what_can_happen_together() -> None:
    """A place is less than the length, and a mean so far a sum over so many places."""
    both = Map("+", (LENGTH, PLACE))
    found = Axes(both, (0, 1), 3)
    assert found.values[LENGTH] == (1, 2, 3)
    assert np.array_equal(found.feasible((PLACE, LENGTH)), [[True] * 3, [False, True, True], [False, False, True]])
    assert np.array_equal(found.feasible((LENGTH, PLACE)), np.array(found.feasible((PLACE, LENGTH))).T)
    assert found.feasible((LENGTH,)) is None
    mean = Map("+", (Aggregate(BACK, X, 0), Const(1)))
    known = Axes(mean, (0, 1), 3)
    (axis,) = known.of(mean).axes
    assert known.values[axis] == (0, 1 / 3, 0.5, 2 / 3, 1)
    spec = [[True, False, False, False, True], [True, False, True, False, True], [True, True, False, True, True]]
    assert np.array_equal(known.feasible((PLACE, axis)), spec)


def test_counts_and_means_of_the_same_keys() -> None:
    """No key gives the default, and k keys give means of k values."""
    chosen = Select(X, Const(1), "==")
    mean, count = Aggregate(chosen, PLACE, 7), Width(chosen)
    found = Axes(Map("+", (mean, count)), (0, 1), 2)
    assert found.values[count] == (0, 1, 2)
    assert found.values[mean] == (0, 0.5, 1, 7)
    spec = [[False, False, False, True], [True, False, True, True], [True, True, True, True]]
    assert np.array_equal(found.feasible((count, mean)), spec)


def test_numbers_beyond_2_to_the_53_are_refused() -> None:
    """As constants, and as results: there 3 and 3.0 are no longer one value."""
    for value in (2**53, -(2**53), 2.0**53, 2**60):
        with pytest.raises(NotCertified, match="beyond 2"):
            Axes(Map("+", (X, Const(value))), (0, 1), 2)
    Axes(Map("+", (X, Const(2**53 - 2))), (0, 1), 2)
    Axes(Map("+", (X, Const(float("inf")))), (0, 1), 2)
    with pytest.raises(NotCertified, match="numbers beyond 2"):
        Axes(Map("*", (X, Const(2**52))), (0, 2), 2)
    with pytest.raises(NotCertified, match="numbers beyond 2"):
        Axes(Map("+", (X, Const(2**53 - 2))), (0, 2), 2)


def test_numbers_that_are_written_into_strings_are_refused() -> None:
    with pytest.raises(NotCertified, match="writes numbers into a string"):
        Axes(Map("%", (Const("%s"), X)), (0, 1), 2)
    Axes(Map("%", (X, Const(2))), (0, 1), 2)
    Axes(Map("%", (Const("%s"), X)), ("a", "b"), 2)


def test_the_work_is_counted() -> None:
    """Each combination once and ten times more if it can happen; too many combinations are refused."""
    budget = WorkBudget()
    before = budget.verdict.spent
    Axes(Map("+", (X, PLACE)), (0, 1, 2), 5, budget=budget)
    assert budget.verdict.spent - before == 15 + 150
    with pytest.raises(NotCertified) as caught:
        Axes(Map("+", (X, PLACE)), tuple(range(2001)), 2000)
    assert caught.value.too_many


@pytest.mark.parametrize(
    ("axes", "onto", "shape"),
    [
        ((), ("a",), [2]),
        (("a",), ("b", "a"), [3, 2]),
        (("b", "a"), ("a", "c", "b"), [2, 4, 3]),
        (("a", "b"), ("a", "b"), [2, 3]),
    ],
)
def test_arrays_over_more_axes(axes: Any, onto: Any, shape: list[int]) -> None:
    """Each entry stands for all values of the others."""
    sizes = dict(zip(onto, shape, strict=True))
    array = np.arange(float(np.prod([sizes[a] for a in axes]))).reshape([sizes[a] for a in axes])
    found = np.broadcast_to(expand(array, axes, onto, shape), shape)
    for cell in itertools.product(*map(range, shape)):
        at = dict(zip(onto, cell, strict=True))
        assert found[cell] == array[tuple(at[a] for a in axes)]


SELECTORS: dict[str, Any] = {
    "all": FULL,
    "itself": Select(PLACE, PLACE, "=="),
    "so far": BACK,
    "before": Select(PLACE, PLACE, "<"),
    "mirror": Select(PLACE, MIRROR, "=="),
    "first": Select(PLACE, Const(0), "=="),
    "second": Select(PLACE, Const(1), "=="),
    "last": Select(PLACE, LAST, "=="),
    "length": Select(PLACE, LENGTH, "=="),
    "next": Select(PLACE, Map("+", (PLACE, Const(1))), "=="),
    "previous": Select(PLACE, Map("-", (PLACE, Const(1))), "=="),
    "minus": Select(PLACE, Map("neg", (PLACE,)), "=="),
    "twice": Select(PLACE, Map("*", (PLACE, Const(1))), "=="),
    "a float": Select(PLACE, Map("-", (PLACE, Const(0.0))), "=="),
    "equal": Select(X, X, "=="),
    "not less": Select(X, X, ">="),
    "less": Select(X, X, "<"),
    "equal so far": And(Select(X, X, "=="), BACK),
    "less so far": And(Select(X, X, "<"), BACK),
    "equal or less": Or(Select(X, X, "<"), Select(X, X, "==")),
    "not equal": Not(Select(X, X, "==")),
    "ranks": Select(Width(STABLE), PLACE, "=="),
    "ranks, mirrored": Select(Width(STABLE), MIRROR, "=="),
    "ranks, by length": Select(Width(STABLE), LENGTH, "=="),
    "own rank": Select(Width(STABLE), Width(STABLE), "=="),
    "ranks from one": Select(Width(BACK), PLACE, "=="),
    "ranks from one, by value": Select(
        Width(Or(Select(X, X, "<"), And(Select(X, X, "=="), BACK))), Map("-", (LENGTH, Const(1))), "=="
    ),
    "smaller": Select(Width(Select(X, X, "<")), PLACE, "=="),
    "best so far": Best(BACK, X),
    "best before": Best(Select(PLACE, PLACE, "<"), X),
}


@pytest.mark.parametrize("name", SELECTORS)
def test_what_selectors_surely_do(name: str) -> None:
    """What is said to select at most one key, or at least one, does so on every word; and it is said where it is so."""
    selector, tokens, longest = SELECTORS[name], (0, 1), 4
    found = Axes(Width(selector), tokens, longest)
    words = [w for n in range(1, longest + 1) for w in itertools.product(tokens, repeat=n)]
    counts = [v for row in evaluate_batch(Width(selector), words) for v in row]
    most, least = max(counts) <= 1, min(counts) >= 1
    assert found.unique[selector] <= most
    assert is_filled(selector, longest) == found.is_filled(selector) <= least
    missed = {"minus", "twice", "a float"}
    if name not in missed | {"length", "ranks, by length"}:
        assert found.unique[selector] == most
    if name not in missed:
        assert is_filled(selector, longest) == least


def test_every_selector_of_one_key_on_words_of_one_token() -> None:
    for selector in SELECTORS.values():
        assert Axes(Width(selector), (0, 1), 1).unique[selector]


@pytest.mark.parametrize(
    ("selector", "ranks"),
    [
        (STABLE, True),
        (Select(PLACE, PLACE, "<"), True),
        (Select(PLACE, PLACE, ">"), True),
        (Select(PLACE, PLACE, "<="), False),
        (Select(X, X, "<"), False),
        (Or(Select(X, X, "<"), And(Select(X, X, "=="), Select(PLACE, PLACE, "<="))), False),
        (Or(Select(X, X, "<"), And(Select(X, X, "=="), Select(PLACE, PLACE, ">"))), True),
        (Or(Select(X, X, "<="), And(Select(X, X, "=="), Select(PLACE, PLACE, "<"))), False),
        (And(Select(X, X, "<"), Select(PLACE, PLACE, "<")), False),
        (Select(PLACE, X, "<"), False),
        (Or(STABLE, Select(PLACE, X, "<")), False),
    ],
)
def test_ranks(selector: Any, ranks: bool) -> None:
    """The counts of a strict order of the places are 0, ..., n - 1; nothing else is said to be."""
    assert is_rank(Width(selector)) == ranks
    words = [w for n in range(1, 4) for w in itertools.product((0, 1, 2), repeat=n)]
    if ranks:
        assert all(sorted(row) == list(range(len(row))) for row in evaluate_batch(Width(selector), words))
    assert not is_rank(X)


def test_sums_of_counts() -> None:
    """A width in parts has the sum of their counts, up to the length."""
    less, equal = Select(X, X, "<"), And(Select(X, X, "=="), Select(PLACE, PLACE, "<"))
    parts: dict[Node, Any] = {Width(STABLE): [less, equal]}
    found = Axes(Width(STABLE), (0, 1), 3, parts).of(Width(STABLE))
    assert found.axes == (Width(less), Width(equal))
    assert found.codes.tolist() == [[a + b if a + b <= 3 else -1 for b in range(4)] for a in range(4)]
    assert found.listed == (0, 1, 2, 3)
    budget = WorkBudget()
    before = budget.verdict.spent
    Axes(Width(STABLE), (0, 1), 3, parts, budget=budget)
    assert budget.verdict.spent - before == 20 * 16
