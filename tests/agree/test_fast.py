"""The fast evaluator gives what the definition gives: values, types and errors."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

import capax
from capax.errors import CapaxError
from capax.rasp.ir.nodes import (
    COMPARISONS,
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
    Width,
)
from capax.rasp.meaning import fast, reference
from capax.rasp.meaning.plan import plan
from capax.rasp.meaning.sequence import Matrix, Sequence, Triples
from capax.rasp.meaning.vector import selection
from tests.support.programs import graphs, words


def plain(outcome: Any) -> Any:
    """An outcome as something that compares to the last bit: types, signs of zero, and places of errors."""
    match outcome:
        case Sequence():
            return outcome.type, repr(outcome.values)
        case Matrix() | Triples():
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
@example(Best(Select(Input("str"), Indices(), "!="), Input("str")), ["a", "ab"])
@example(Best(And(Select(Input("str"), Indices(), "!="), Select(Indices(), Indices(), "<=")), Indices()), ["a", "ab"])
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


NUMBERS: list[Any] = [
    *(Indices(), Input("int"), Map("%", (Indices(), Const(3))), Map("/", (Input("int"), Const(7)))),
    *(Map("-", (Const(4), Indices())), Width(Select(Input("int"), Input("int"), "==")), Const(2)),
]
number = st.sampled_from(NUMBERS)
selectors: st.SearchStrategy[Any] = st.recursive(
    st.builds(Select, number, number, st.sampled_from(COMPARISONS)),
    lambda inner: st.one_of(
        st.builds(And, inner, inner),
        st.builds(And, inner, inner),
        st.builds(Or, inner, inner),
        st.builds(Not, inner),
        st.builds(Best, inner, number),
    ),
    max_leaves=6,
)


@st.composite
def selections(draw: st.DrawFn) -> Node:
    """Aggregates, widths and bests over combinations of comparisons that all make sense."""
    chosen = draw(selectors)
    return draw(
        st.sampled_from([Width(chosen), Aggregate(chosen, draw(number), -1), Aggregate(chosen, draw(number), 0)])
    )


@given(selections(), st.lists(st.lists(st.integers(-2, 5), min_size=1, max_size=12), min_size=1, max_size=3))
@settings(max_examples=400)
def test_agrees_on_combined_selectors(node: Node, batch: list[Any]) -> None:
    """Groups, runs, towers, complements, inclusion and exclusion, best: all against the definition."""
    expected = [attempt(reference.evaluate, node, word) for word in batch]
    assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected


@given(selections(), st.lists(st.integers(-2, 5), min_size=1, max_size=9))
@settings(max_examples=150)
def test_blocks_agree(node: Any, word: list[int]) -> None:
    """The last resort, pair by pair, agrees too, also where blocks are cut small."""
    run = fast.FastRun([word])
    run.run([node], keep=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "BLOCK_CELLS", 3)
        counts = selection.Blocks(run.selections, node.selector).counts().tolist()
    expected = [sum(row) for row in reference.evaluate(node.selector, word)]
    assert counts == (expected[:1] if node.selector in run.store.uniform else expected)


PADDED = {
    "match3_by_pads": ("01234", 5),
    "reachable": ([f"{one}{two}" for one in range(4) for two in range(4) if one != two], 20),
}
"""The tokens and the shortest length of words for programs with pause tokens."""


@pytest.mark.parametrize("name", [n for n in dir(capax.library) if isinstance(getattr(capax.library, n), capax.SOp)])
def test_agrees_on_the_library(name: str) -> None:
    """Library programs on longer words, one and many at a time; n^2 pause tokens make words of n letters long."""
    node = getattr(capax.library, name).node
    letters, least = {"addition": ("0123456789", 40), **PADDED}.get(name, ("(){}[]ab01", 40))
    batch: list[Any] = [random.Random(seed).choices(letters, k=least + 5 * seed) for seed in range(6)]
    if name not in PADDED:
        words = ["".join(letters) for letters in batch]
        batch = ["§" + w[1:] if "bos" in name or "freq" in name else w[:20] + "+" + w[21:] for w in words]
    expected = [attempt(reference.evaluate, node, word) for word in batch]
    assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected
    assert name not in PADDED or all(len(outcome) == 2 for outcome in expected), "values, not errors"


def test_plans_name_their_methods() -> None:
    """The plan of a program says how each selector is answered."""
    steps = {step.what: step for step in plan(capax.library.dyck2_best.node, capax.library.dyck2_best.names())}
    assert steps["sum of partner"].how == ("the key found by best, tested",)
    assert steps["sum of _up_to_here"].how == ("a run of positions",)
    two = Width(And(Select(Indices(), Input("int"), "<"), Select(Input("int"), Indices(), ">")))
    assert plan(two)[0].cost == "n log^2 n"
    three = Width(And(two.selector, Select(Width(two.selector), Indices(), "<=")))
    assert plan(three)[-1].cost == "n^2"


FULL = Select(Const(1), Const(1), "==")
UP_TO_HERE = Select(Indices(), Indices(), "<=")


@pytest.mark.parametrize("selector", [FULL, UP_TO_HERE, Not(UP_TO_HERE), Select(Indices(), Const(1), ">=")])
@pytest.mark.parametrize(
    "word",
    [
        [2**53 + 1, 2**53 + 3, 3],
        [53168173654421132, 46103084487979954, 61784918887879302],
        [2**62, 2**62, 2**62, 1],
        [-(2**63), 2**63 - 1, 5],
        [2**70, 1, -(2**70)],
        [10**400, 3, 10**400],
        [1e16, 0.1, -1e16, 0.2],
        [1e300, 1e-300, -1e300, 5e-324],
        [5e-324, 5e-324, 1e-310],
        [1e308, 1e308, -1e308],
        [float("inf"), 1.0, -float("inf")],
        [0.1] * 10,
        [1, 2.5, True, 2**53 + 1],
        [True, False, 2],
        [-0.0, -0.0, 0.0],
    ],
)
def test_means_at_the_edges(selector: Any, word: list[Any]) -> None:
    """Means of numbers that arrays hold badly: large, tiny, mixed, infinite."""
    node = Aggregate(selector, Input("asis"), 0)
    assert plain(fast.evaluate_batch(node, [word])[0]) == attempt(reference.evaluate, node, word)


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "%", "^", "==", "<", "and"])
@pytest.mark.parametrize("right", [1, True, 0.5, -0.0, 2**53 + 1, -3, "a"])
def test_operators_at_the_edges(op: str, right: Any) -> None:
    """Operators on zeros of both signs, large integers and mixed types, one word at a time and all together."""
    node = Map(op, (Input("asis"), Const(right)))
    batch: list[Any] = [[0.0, -0.0, 1.5], [2**53 + 1, 2**62, -7], [True, False, 3], [1, 2.5, False], ["a", "b"]]
    expected = [attempt(reference.evaluate, node, word) for word in batch]
    assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected
    assert [plain(fast.evaluate_batch(node, [word])[0]) for word in batch] == expected
