"""The outside checker's own reading of programs, held against that of capax."""

from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.certify.plan.program_parts import meant
from capax.rasp.ir.build import sop
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, Const, Indices, Node, SOpNode
from capax.rasp.ir.ops import OPS, apply_op
from capax.rasp.ir.triple_nodes import SumSelect
from capax.rasp.ir.types import sequence_type
from capax.rasp.meaning.reference import look_up, mean, sum_holds
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.text.module import stored_program
from checker.capax_check import FAIL, Graph, Parser, Refused, applied, looked_up, mean_of, passes
from tests.support.programs import graphs

KINDS = {"Input": "input", "Const": "constant", "Map": "map", "Select": "select", "And": "and", "Or": "or"}
KINDS |= {"Not": "not", "Best": "best", "Aggregate": "aggregate", "Width": "width", "Indices": "indices"}
KINDS |= {"PairAggregate": "aggregate", "PairWidth": "width", "SumSelect": "sum", "TripleAnd": "and"}
KINDS |= {"TripleOr": "or", "TripleNot": "not"}
ATOMS = st.one_of(st.booleans(), st.integers(-4, 4), st.sampled_from([0.5, -1.5, 2.0, 0.0]), st.sampled_from("ab1"))


def read(text: str, *, causal: bool = False) -> tuple[Graph, Any]:
    """The graph of a text, and what its last statement is."""
    graph = Graph()
    return graph, Parser(graph, text, causal).last


def numbered(root: Node, graph: Graph) -> int:
    """The number in a graph that a node of capax should have."""
    numbers: dict[Node, int] = {}
    for node in topological(root):
        parts = [numbers[p] if isinstance(p, Node) else p for p in node.parts]
        name = type(node).__name__
        if name == "Lift":
            numbers[node] = graph.lifted(parts[0], parts[1])
        elif name == "Map":
            numbers[node] = graph.add("map", parts[0], *(numbers[a] for a in node.args))
        elif name == "Table":
            kind = "list" if parts[0] == "string" else parts[0]
            entries = [(k, True) for k, _ in parts[1]] if kind == "members" else parts[1]
            numbers[node] = graph.add("table", kind, tuple(entries), parts[2])
        else:
            numbers[node] = graph.add(KINDS[name], *parts)
    return numbers[root]


@given(graphs(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_programs_are_read_as_capax_reads_them(node: Node, causal: bool) -> None:
    """The same nodes, after later positions are hidden and every `best` stands by itself."""
    assume(isinstance(node, SOpNode))
    try:
        text = sop(node).to_text()  # type: ignore[arg-type]
        graph, root = read(text, causal=causal)
    except (CapaxError, Refused):
        assume(False)  # infinities, lists that stand for s-ops
    expected = meant(stored_program(text).node, causal=causal)  # type: ignore[arg-type]
    assert graph.constant(root) == numbered(expected, graph)


@pytest.mark.parametrize("name", ["round", "abs", "sign", "indicator", "max", "min"])
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_functions_have_one_argument_or_two(name: str, count: int) -> None:
    """`max` and `min` have two."""
    text = f"x = {name}({', '.join(['indices', 'length', '2'][:count])});"
    if count == 1 + (name in ("max", "min")):
        graph, root = read(text)
        assert graph.nodes[root][:2] == ("map", name)
    else:
        with pytest.raises(Refused):
            read(text)


def test_texts_are_at_most_300000_signs() -> None:
    """Also of spaces and comments."""
    text = "x = 1; # " + "a" * 299_991
    assert len(text) == 300_000
    read(text)
    with pytest.raises(Refused, match="too long"):
        read(text + "a")


@pytest.mark.parametrize("condition", ["True", "0", "1 == 1", '"x"', "True if tokens else False"])
def test_a_condition_is_an_s_op(condition: str) -> None:
    """A plain value would choose one branch, whatever the other is; files have no such conditions."""
    text = f"x = tokens if ({condition}) else indices;"
    if "tokens" in condition:
        assert read(text)
    else:
        with pytest.raises(Refused, match="condition"):
            read(text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("x = 1 - 2 - 3;", "x = -4;"),
        ("x = indices - 2 - 3;", "x = (indices - 2) - 3;"),
        ("x = indices + 2 * 3 % 4;", "x = indices + ((2 * 3) % 4);"),
        ("x = indices * 2 ^ 3;", "x = indices * 8;"),
        ("x = not indices == 1;", "x = (not indices) == 1;"),
        ("x = -indices ^ 2;", "x = (-indices) ^ 2;"),
        (
            "x = indices > 1 and indices < 3 or indices == 5;",
            "x = ((indices > 1) and (indices < 3)) or (indices == 5);",
        ),
        (
            "x = 1 if indices > 2 else 3 if indices > 1 else 4;",
            "x = (1 if indices > 2 else 3) if (indices > 1) else 4;",
        ),
        ("x = indices + 1 in [1, 2];", "x = (indices + 1) in [1, 2];"),
        ('x = "ab"[indices]; # a comment', 'x = ["a", "b"][indices];'),
        ('x = {"a": 1, "b": 2.5}[tokens];', 'y = tokens;\nx = {"a": 1, "b": 2.5}[y];'),
        ('x = tokens == "\\u0061\\n";', 'x = tokens == "a\\n";'),
        ("x = selector_width(best(full_s, indices));", "x = aggregate(best(full_s, indices), 1, 0);"),
        ("x = aggregate(full_s, indices);", "x = aggregate(select(1, 1, ==), indices, 0);"),
        (
            "x = selector_width(not best(full_s, tokens_int));",  # where nothing is picked no position is
            "x = selector_width(not select(indices, aggregate(best(full_s, tokens_int), indices, -1), ==));",
        ),
        ("x = 1e2 + indices + .5;", "x = 100.0 + indices + 0.5;"),
    ],
)
def test_operators_bind_as_in_the_language(text: str, same: str) -> None:
    """Prefixes bind tightest, `%` looser than `*`, `and` and `or` alike, and `in` loosest."""
    graph = Graph()
    assert Parser(graph, text, False).last == Parser(graph, same, False).last


@pytest.mark.parametrize(
    "text",
    [
        "x = ;",
        "x = 1",
        "x 1;",
        "= 1;",
        "x = (1;",
        "x = [1, 2;",
        "x = unknown;",
        "x = constant();",
        "x = constant(1, 2);",
        "x = tokens_none;",
        "x = select(tokens, tokens);",
        "x = select(tokens, full_s, ==);",
        "x = aggregate(tokens, tokens);",
        "x = aggregate(full_s, full_s);",
        "x = aggregate(full_s, 1, indices);",
        "x = full_s + 1;",
        "x = full_s and tokens;",
        "x = best(full_s);",
        "x = best(full_s, 1, 2);",
        "x = aggregate(full_s);",
        "x = aggregate(full_s, 1, 2, 3);",
        "x = selector_width();",
        "x = selector_width(full_s, 1);",
        "x = round(indices, 2);",
        "x = 1 / 0;",
        'x = "\\q";',
        'x = "\\U00110000";',
        "x = {1: 2, 1: 3}[indices];",
        "x = indices[1];",
        "x = [1, 2][0];",
        "x = 1 in [1, 2];",
        "x = [1, 2][full_s];",
        "x = range(3);",
        "x = y(3);",
        "y = 1; x = y(3);",
        "x = indices in 3;",
        "x = 3 $ 4;",
        "x = [full_s][indices];",
        "x = " + "(" * 30_000 + "1;",
    ],
)
def test_what_is_no_program_is_refused(text: str) -> None:
    """Nothing is guessed."""
    with pytest.raises((Refused, RecursionError)):
        read(f"{text} y = constant(x);" if text.endswith(";") else text)


def test_a_text_that_is_not_closed_is_one_sign_up_to_the_end_of_its_line() -> None:
    """So that it is read once, and not again from each of its quotes."""
    for rest in ("", '\\"', '\\"' * 140_000):
        with pytest.raises(Refused, match="stands where a value should"):
            read(f'x = "{rest}\n; y = 1;')


@given(st.sampled_from(sorted(OPS)), st.lists(ATOMS, min_size=3, max_size=3))
@settings(max_examples=250, deadline=None)
def test_operations_are_those_of_the_language(op: str, atoms: list[Any]) -> None:
    """The same value with the same type, or none at all; what is not known is refused."""
    args = atoms[: OPS[op].arity]
    try:
        expected = apply_op(op, *args)
    except CapaxError:
        expected = FAIL
    try:
        value = applied(op, *args)
    except Refused:
        assert op in ("*", "%", "^")
        value = expected
    assert (type(value), value) == (type(expected), expected)
    assert applied(op, *[FAIL, *args][: len(args)]) is FAIL


@given(st.sampled_from(["list", "dict", "members"]), st.lists(st.tuples(ATOMS, ATOMS), max_size=4), ATOMS)
@settings(max_examples=100, deadline=None)
def test_tables_are_looked_up_as_in_the_language(kind: str, entries: list[tuple[Any, Any]], value: Any) -> None:
    """Also from the end, and with what is missing."""
    entries = list(enumerate(v for _, v in entries)) if kind == "list" else list(dict(entries).items())
    try:
        expected = look_up(kind, dict(entries), value)
    except CapaxError:
        expected = FAIL
    result = looked_up(kind, tuple(entries), value)
    assert (type(result), result) == (type(expected), expected)
    assert looked_up(kind, tuple(entries), FAIL) is FAIL


@given(st.lists(ATOMS, min_size=1, max_size=5))
@example([True, True])
@example([True, 2])
@example([0.1, 0.1, 0.1])
@settings(max_examples=100, deadline=None)
def test_means_are_those_of_the_language(values: list[Any]) -> None:
    """Of one value it is the value; of texts, or of booleans alone, there is none."""
    try:
        whole = Sequence(values, sequence_type(values))
        expected = values[0] if len(values) == 1 else mean(values, whole)
    except CapaxError:
        expected = FAIL
    counted = [(v, 1) for v in values]
    result = mean_of(counted, "none", all(isinstance(v, bool) for v in values))
    assert (type(result), result) == (type(expected), expected)
    assert mean_of([(v, 0) for v in values], "none", False) == "none"


def test_means_are_rounded_as_in_the_language() -> None:
    """The sum of floats is exact before it is rounded; the mean of integers is rounded once."""
    assert mean_of([(0.1, 10), (1e16, 1), (-1e16, 1)], 0, False) == 1 / 12
    assert mean_of([(2**53 + 1, 1), (2, 1)], 0, False) == 2**52 + 1.5
    for values in ([0.1] * 10 + [1e16, -1e16], [2**53 + 1, 2]):
        whole = Sequence(values, sequence_type(values))
        assert mean_of([(v, 1) for v in values], 0, False) == mean(values, whole)


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("^", (2.5, 3)),
        ("^", (2, 3.0)),
        ("^", (2, -1)),
        ("^", (2, 64)),
        ("^", (True, 2)),
        ("*", ("a", 2)),
        ("%", ("a", 2)),
        ("-", (float("inf"), float("inf"))),
    ],
)
def test_operations_that_are_not_checked_are_refused(op: str, args: tuple[Any, Any]) -> None:
    """Powers of other numbers than integers, or with large exponents, and operations that would format texts."""
    with pytest.raises(Refused):
        applied(op, *args)
    assert applied("^", 2, 63) == 2**63
    assert applied("^", 2, 0) == 1


def test_comparisons_are_known() -> None:
    """Every comparison of the language makes a selector."""
    for op in COMPARISONS:
        graph, root = read(f"s = select(indices, 1, {op}); x = selector_width(s);")
        assert graph.nodes[root] == ("width", graph.numbers[repr(("select", graph.indices, graph.constant(1), op))])
    assert Const(1) is not Const(True)


def test_the_number_of_nodes_is_bounded() -> None:
    """Exactly; a node that is there already may be named again."""
    graph = Graph()
    for number in range(20_000 - len(graph.nodes)):
        graph.add("constant", f"{number}")
    assert graph.add("constant", "0") == graph.constant("0")
    with pytest.raises(Refused):
        graph.add("constant", "another")


@pytest.mark.parametrize(
    "text",
    [
        "x = select3(indices, indices, indices, sum);",
        "x = select3(indices, indices, indices, 0 == sum);",
        "x = select3(indices, indices, indices, sum % 0 == 0);",
        "x = select3(indices, indices, indices, sum % -7 == 0);",
        "x = select3(indices, indices, indices, sum % 7.0 == 0);",
        "x = select3(indices, indices, indices, sum == 0.0);",
        "x = select3(indices, indices, indices, sum == True);",
        "x = select3(indices, indices, indices, sum * 2 == 0);",
        "x = select3(indices, indices, indices, sum == indices);",
        "x = select3(indices, indices, sum == 0);",
        "x = select3(full_s, indices, indices, sum == 0);",
        "x = on_first(indices);",
        "x = on_first(full_s, full_s);",
        "x = on_first(on_second(full_s));",
        "x = full_s and on_first(full_s);",
        "x = best(on_first(full_s), indices);",
        "x = on_third(full_s);",
        "x = sum;",
    ],
)
def test_what_is_no_selector_of_pairs_is_refused(text: str) -> None:
    """A test is one comparison of the sum, or of what is left of it, with an integer."""
    with pytest.raises(Refused):
        read(text)


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=3), st.integers(0, 5), st.sampled_from(COMPARISONS))
def test_sums_are_tested_as_in_the_language(values: list[int], modulus: int, op: str) -> None:
    """Integers alone are added up."""
    node = SumSelect(Indices(), Indices(), Indices(), modulus, op, 2)
    assert passes(values, modulus, op, 2) == sum_holds(node, sum(values))
    for other in (True, 1.0, "1"):
        with pytest.raises(Refused):
            passes([*values[:2], other], modulus, op, 2)
