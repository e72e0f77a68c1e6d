"""Orders over many tokens, digit by digit: the same counts, by heads that are small."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import indices, select, selector_width, tokens
from capax.rasp.analysis.output_spec import output_spec
from capax.rasp.analysis.split_orders import FEW, FEW_COUNTS, MOST_DIGIT, split_orders
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import And, Const, Indices, Input, Map, Or, Select, SelectorNode, SOpNode, Table, Width
from capax.rasp.ir.types import Atom
from capax.rasp.meaning import reference
from capax.rasp.rewrite.disjoint import disjoint_parts

X, HERE = Input("asis"), Indices()
EARLIER = Select(HERE, HERE, "<")
TIES = And(Select(X, X, "=="), Select(HERE, HERE, "<"))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["<", "<=", ">", ">="]),
    st.sampled_from([70, 200, 1700]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 999),
)
def test_counts_stay_the_same(op: str, size: int, ties: bool, letters: bool, seed: int) -> None:
    """On random words of integers, with gaps and below zero, or of strings."""
    source = random.Random(seed)
    numbers = source.sample(range(-3 * size, 3 * size), size)
    tokens: list[Atom] = [f"t{n}" for n in numbers] if letters else list(numbers)
    selector: SelectorNode = Select(X, X, op)
    root = Width(Or(selector, TIES) if ties and op in "<>" else selector)
    split = split_orders(root, tokens, None)[root]
    assert split is not root
    for _ in range(5):
        word = tuple(source.choice(tokens[: source.choice([5, size])]) for _ in range(12))
        assert list(reference.evaluate(split, word)) == list(reference.evaluate(root, word))


def test_parts_are_disjoint_and_small() -> None:
    tokens = range(1000)
    root = Width(Or(Select(X, X, "<"), TIES))
    split = split_orders(root, tokens, 5)[root]
    assert isinstance(split, Width)
    parts = disjoint_parts(split.selector)
    assert parts is not None
    assert len(parts) == 3
    digits = {n for n in topological(split) if isinstance(n, Table)}
    assert all(max(v for _, v in t.entries) < MOST_DIGIT for t in digits)


def test_a_function_of_the_token_is_split_too() -> None:
    half = Map("//", (X, Map("+", (X, X))))
    root = Width(Select(Map("*", (X, X)), X, ">"))
    assert split_orders(root, range(1, 90), None)[root] is not root
    failing = Width(Select(half, X, "<"))
    assert split_orders(failing, range(90), None)[failing] is failing  # 0 // 0 has no value


@pytest.mark.parametrize(
    "root",
    [
        Width(Select(X, X, "==")),
        Width(Select(X, Map("/", (HERE, Const(2))), "<")),
        Width(Select(HERE, Map("-", (HERE, Const(3))), "<")),
        Width(Select(HERE, Const(0), ">")),
        Width(And(Select(X, X, "<"), Select(X, X, "!="))),
    ],
)
def test_what_is_left_alone(root: Width) -> None:
    """Equality, what sees fractions or positions alone, and what would need more than digits."""
    assert split_orders(root, range(200), 30)[root] is root


def test_few_tokens_are_left_alone() -> None:
    root = Width(Select(X, X, "<"))
    assert split_orders(root, range(FEW), None) == {}
    assert output_spec(root, range(FEW), causal=False).value is root
    spec = output_spec(root, range(FEW + 1), causal=False)
    assert spec.value is not root
    assert spec.node_map[root] is spec.value


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["<", "<=", ">", ">="]),
    st.sampled_from([Width(Select(X, X, "==")), Map("*", (Const(-2), Width(EARLIER))), Width(Select(X, X, "<="))]),
    st.booleans(),
    st.integers(0, 999),
)
def test_orders_of_counts(op: str, count: SOpNode, ties: bool, seed: int) -> None:
    """An order of many counts goes by digits, with the same counts."""
    equal = And(Select(count, count, "=="), EARLIER)
    selector: SelectorNode = Select(count, count, op)
    root = Width(Or(selector, equal) if ties and op in "<>" else selector)
    split = split_orders(root, range(1, 6), 20)[root]
    assert split is not root
    assert {n.op for n in topological(split) if isinstance(n, Select) and n.key is count} == set()
    source = random.Random(seed)
    for _ in range(5):
        word = tuple(source.randint(1, 5) for _ in range(source.randint(1, 20)))
        assert list(reference.evaluate(split, word)) == list(reference.evaluate(root, word))


COUNT = Width(Select(X, X, "=="))
MORE = Width(And(Select(X, Const(2), "<"), EARLIER))
SIDES: list[tuple[SOpNode, SOpNode]] = [
    (COUNT, HERE),
    (HERE, COUNT),
    (COUNT, MORE),
    (Map("-", (COUNT, MORE)), HERE),
    (Map("-", (COUNT, MORE)), Map("-", (MORE, COUNT))),
    (X, HERE),
    (Map("*", (HERE, Const(2))), COUNT),
]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(SIDES), st.booleans(), st.integers(0, 999))
def test_orders_of_two_s_ops(op: str, sides: tuple[SOpNode, SOpNode], also: bool, seed: int) -> None:
    """Of counts, positions, tokens, and differences of counts."""
    selector: SelectorNode = Select(*sides, op)
    root = Width(And(selector, EARLIER) if also else selector)
    split = split_orders(root, range(1, 6), 20)[root]
    assert split is not root
    assert split_orders(root, range(1, 6), 20, averaged={root.selector})[root] is root
    source = random.Random(seed)
    for _ in range(5):
        word = tuple(source.randint(1, 5) for _ in range(source.randint(1, 20)))
        assert list(reference.evaluate(split, word)) == list(reference.evaluate(root, word))


def test_an_order_of_counts_and_positions_is_small() -> None:
    """With a product for each count it has 132,596 parameters."""
    program = selector_width(select(selector_width(select(tokens, tokens, "==")), indices, "<"))
    compiled = capax.compile(program, alphabet="abcd", max_length=100, words=20)
    assert compiled.size.parameters < 23_000
    assert compiled.certified_length == 100


def test_orders_of_counts_that_are_left_alone() -> None:
    """Few counts, and fractions of counts."""
    count = Width(Select(X, X, "=="))
    half = Map("/", (count, Const(2)))
    for key, longest in ((count, FEW_COUNTS - 1), (half, 20)):
        root = Width(Select(key, key, "<"))
        assert split_orders(root, range(1, 6), longest).get(root, root) is root


def by_position(x: SOpNode, factor: float) -> SOpNode:
    """Another s-op, and a part of the position that breaks ties."""
    return Map("+", (x, Map("/", (Map("*", (Const(factor), HERE)), Const(20)))))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["<", "<=", ">", ">="]),
    st.sampled_from([X, Map("neg", (X,)), Width(Select(X, X, "==")), Map("*", (Const(-2), Width(EARLIER)))]),
    st.sampled_from([1, -1, 0.5]),
    st.integers(0, 999),
)
def test_positions_that_break_ties(op: str, x: SOpNode, factor: float, seed: int) -> None:
    """An order of x + indices / 20 is one of x, and of positions where x is equal: the same counts."""
    key = by_position(x, factor)
    root = Width(Select(key, key, op))
    split = split_orders(root, range(1, 6), 20)[root]
    assert isinstance(split, Width)
    assert key not in topological(split)
    source = random.Random(seed)
    for _ in range(5):
        word = tuple(source.randint(1, 5) for _ in range(source.randint(1, 20)))
        assert list(reference.evaluate(split, word)) == list(reference.evaluate(root, word))


def test_orders_that_do_not_go_by_one_s_op_first() -> None:
    for key in (by_position(X, 30), Map("*", (X, HERE)), Map("+", (X, Map("*", (HERE, Const(0))))), Map("+", (X, X))):
        root = Width(Select(key, key, "<"))
        assert split_orders(root, range(1, 6), 20)[root] is root
    both = Width(And(Select(by_position(X, 1), by_position(X, 1), "<"), Select(X, X, "==")))
    assert split_orders(both, range(1, 6), 20)[both] is not both
