"""Rewriting keeps the meaning: rule by rule and all together, against the definition."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import capax
from capax.errors import CapaxError
from capax.rasp.ir.describe import FULL, LENGTH
from capax.rasp.ir.graph import topological
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
    SelectorNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.triple_nodes import TripleNot
from capax.rasp.meaning import reference
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.rewrite.rewrite import RULES, rewrite
from capax.rasp.rewrite.rules.selector_rules import EMPTY, MOST_OPERANDS, fingerprint
from capax.rasp.rewrite.rules.sop_rules import AT_START, IS_START
from tests.agree.test_triples import over_triples
from tests.support.programs import ATOMS, graphs, words

i = Indices()
letters = Input("str")
before, here, after = (Select(i, i, op) for op in ("<", "==", ">"))
same = Select(letters, letters, "==")
fails = Map("/", (Const(1), i))


def value(node: Node, word: Any) -> Any:
    """The value on a word as something that compares to the last bit, or None for an error."""
    try:
        found = reference.evaluate(node, word)
    except CapaxError:
        return None
    return (found.type, repr(found.values)) if isinstance(found, Sequence) else found.rows


def check(node: Node, word: Any, rules: Any = tuple(RULES)) -> dict[str, int]:
    """Compares a node before and after rewriting, also all nodes below it; gives the rules that were applied."""
    done = rewrite(node, rules=rules)
    assert set(done.mapping) == set(topological(node))
    assert done.mapping[node] is done.node
    values: dict[Node, Any] = {}
    for old, new in done.mapping.items():
        if old is new:
            continue
        for one in (old, new):
            values[one] = values[one] if one in values else value(one, word)
        assert values[old] is None or values[new] == values[old]
    again = rewrite(done.node, rules=rules)
    assert again.node is done.node
    assert again.steps == ()
    return dict(done.steps)


@given(graphs(), st.lists(words(), min_size=1, max_size=3))
@settings(max_examples=400)
def test_all_rules_keep_the_meaning(node: Node, batch: list[Any]) -> None:
    """Random programs mean the same afterwards, and a second time changes nothing."""
    for word in batch:
        check(node, word)


@pytest.mark.deep
@given(graphs(30), words(12))
@settings(max_examples=5000)
def test_all_rules_keep_the_meaning_of_many(node: Node, word: Any) -> None:
    """Five thousand random programs."""
    check(node, word)


@given(st.sampled_from([*RULES]), graphs(), words())
@settings(max_examples=400)
def test_each_rule_keeps_the_meaning(rule: str, node: Node, word: Any) -> None:
    """Random programs mean the same after any one rule; `MADE_FOR` has programs to which it is sure to apply."""
    check(node, word, [rule])


# programs made for the rules

sops = st.sampled_from(
    [letters, i, Input("asis"), Input("int"), Const(1), Const("a"), fails, Map("==", (letters, Const("a")))]
)
comparisons = st.builds(Select, sops, sops, st.sampled_from(COMPARISONS))
selectors = st.recursive(
    comparisons | st.sampled_from([FULL, EMPTY, before, here, after, same]),
    lambda inner: st.one_of(
        st.builds(And, inner, inner), st.builds(Or, inner, inner), st.builds(Not, inner), st.builds(Best, inner, sops)
    ),
    max_leaves=6,
)
constants = st.builds(Const, ATOMS)


@st.composite
def of_one_pair(draw: st.DrawFn) -> Node:
    """A chain of comparisons of one key with one query, and others."""
    key, query = draw(sops), draw(sops)
    pair = st.builds(lambda op: Select(key, query, op), st.sampled_from(COMPARISONS))
    joined = draw(st.sampled_from([And, Or]))
    return joined(joined(draw(pair), draw(comparisons)), draw(pair))


def by_averages(selector: SelectorNode, start: SelectorNode = AT_START, *, flip: bool = False) -> Node:
    """A width as the library writes it; with other operands for `or` and `and` if asked."""
    either, both = (Or(start, selector), And(selector, start)) if flip else (Or(selector, start), And(start, selector))
    mean = Aggregate(either, IS_START, 0)
    rounded = Map("round", (Map("/", (Const(1), mean)),))
    return Map("+", (Map("-", (rounded, Const(1))), Aggregate(both, IS_START, 0)))


is_a = Map("==", (letters, Const("a")))
booleans = st.sampled_from(
    [is_a, Input("bool"), Aggregate(same, is_a, False), Map("where", (i, is_a, Table("members", ((1, True),), i)))]
)

length = Width(FULL)
integers = st.recursive(
    st.sampled_from([i, length, Width(same), is_a, *map(Const, (0, 1, 2, -1, 3))]),
    lambda inner: st.one_of(
        st.builds(lambda x, y, op: Map(op, (x, y)), inner, inner, st.sampled_from(["+", "-", "*"])),
        st.builds(lambda x, op: Map(op, (x,)), inner, st.sampled_from(["neg", "indicator", "not"])),
        st.builds(lambda x, k: Map("%", (x, Const(k))), inner, st.sampled_from([2, 3, 1.5])),
    ),
    max_leaves=4,
)
uniform = st.sampled_from(
    [length, LENGTH, Aggregate(FULL, i, 0), Map("*", (length, length)), Width(Select(i, length, "<"))]
)

MADE_FOR: dict[str, st.SearchStrategy[Node]] = {
    "fold-constants": st.one_of(
        st.sampled_from([op for op in OPS if OPS[op].arity == 2]).flatmap(
            lambda op: st.builds(lambda a, b: Map(op, (a, b)), constants, constants)
        ),
        st.builds(lambda a, v: Table("dict", ((1, v), ("a", v)), a), constants, ATOMS),
    ),
    "constant-condition": st.builds(lambda c, x, y: Map("where", (c, x, y)), constants, sops, sops),
    "same-branches": st.builds(lambda c, x: Map("where", (c, x, x)), sops, sops),
    "same-operands": st.builds(lambda x, op: Map(op, (x, x)), sops, st.sampled_from(COMPARISONS)),
    "known-comparison": st.builds(
        lambda x, y, op: Map(op, (x, y)), integers, integers | constants, st.sampled_from(COMPARISONS)
    ),
    "constant-logic": st.builds(
        lambda x, c, op, flip: Map(op, (c, x) if flip else (x, c)),
        sops | booleans,
        constants,
        st.sampled_from(["and", "or"]),
        st.booleans(),
    ),
    "known-selector": st.builds(Select, integers, integers | constants, st.sampled_from(COMPARISONS))
    | st.builds(lambda x, op: Select(x, x, op), uniform, st.sampled_from(COMPARISONS)),
    "double-not": st.builds(lambda x: Map("not", (Map("not", (x,)),)), sops | booleans),
    "nothing-selected": st.one_of(st.builds(Aggregate, st.just(EMPTY), sops, ATOMS), st.just(Width(EMPTY))),
    "look-at-self": st.builds(Aggregate, st.just(here), sops, ATOMS),
    "double-negation": st.builds(lambda s: Not(Not(s)), selectors),
    "negated-comparison": st.builds(Not, comparisons),
    "push-negation": st.builds(lambda s, t, j: Not(j(s, t)), selectors, selectors, st.sampled_from([And, Or])),
    "constant-selector": st.builds(Select, constants, constants, st.sampled_from(COMPARISONS)),
    "full-and-empty": st.builds(
        lambda s, t, j: j(s, t), selectors, st.sampled_from([FULL, EMPTY]), st.sampled_from([And, Or])
    ),
    "idempotent": st.builds(lambda s, t, j: j(s, j(t, s)), selectors, selectors, st.sampled_from([And, Or])),
    "complement": st.builds(lambda s, t, j: j(s, j(t, Not(s))), selectors, selectors, st.sampled_from([And, Or])),
    "same-pair": of_one_pair(),
    "absorption": st.one_of(
        st.builds(lambda s, t: And(s, Or(t, s)), selectors, selectors),
        st.builds(lambda s, t: Or(And(t, s), s), selectors, selectors),
    ),
    "best-of-nothing": st.builds(Best, st.just(EMPTY), sops),
    "order-operands": st.builds(
        lambda s, t, u, j: j(s, j(t, u)), selectors, selectors, selectors, st.sampled_from([And, Or])
    ),
    "push-triple-negation": st.builds(TripleNot, over_triples()),
    "width-by-averages": st.builds(lambda s, flip: by_averages(s, flip=flip), selectors, st.booleans()),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_applied_and_right_where_it_is_meant_to_be(rule: str) -> None:
    """On programs made for it a rule is applied, alone and among the others, and keeps the meaning."""
    applied = {"alone": 0, "among others": 0}

    @given(MADE_FOR[rule], words())
    @settings(max_examples=80)
    def run(node: Node, word: Any) -> None:
        applied["alone"] += check(node, word, [rule]).get(rule, 0)
        if isinstance(node, SelectorNode):  # also what reads it: all nodes below the root are compared
            node = Map("==", (Aggregate(node, letters, "z"), Width(node)))
        applied["among others"] += check(node, word).get(rule, 0)

    run()
    assert applied["alone"] > 10
    assert applied["among others"] > 10


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (Map("+", (Const(1), Map("*", (Const(2), Const(3))))), Const(7)),
        (Map("/", (Const(1), Const(0))), Map("/", (Const(1), Const(0)))),
        (Map("-", (Const(float("inf")), Const(float("inf")))), Map("-", (Const(float("inf")), Const(float("inf"))))),
        (Map("^", (Const(-8), Const(0.5))), Map("^", (Const(-8), Const(0.5)))),
        (Map("*", (Const("ab"), Const(1000))), Map("*", (Const("ab"), Const(1000)))),
        (Map("+", (Const(True), Const(0))), Const(1)),
        (Map("neg", (Const(0.0),)), Const(-0.0)),
        (Table("members", (("a", True),), Const("b")), Const(False)),
        (Table("list", ((0, "x"), (1, "y")), Const(-1)), Const("y")),
        (Table("dict", ((0, "x"),), Const(5)), Table("dict", ((0, "x"),), Const(5))),
        (Not(Select(i, letters, "<=")), Select(i, letters, ">")),
        (Not(And(before, Not(same))), Or(Select(i, i, ">="), same)),
        (Or(before, here), Select(i, i, "<=")),
        (Or(before, Or(same, Select(i, i, ">="))), FULL),
        (And(before, And(same, after)), EMPTY),
        (And(before, Select(i, i, "!=")), before),
        (And(Best(same, i), Not(Best(same, i))), EMPTY),
        (Select(Const(2), Const("a"), "<"), Select(Const(2), Const("a"), "<")),
        (Select(Const(2), Const("a"), "=="), EMPTY),
        (Aggregate(And(before, after), fails, "none"), Const("none")),
        (Width(Not(FULL)), Const(0)),
        (Aggregate(And(Select(i, i, "<="), Select(i, i, ">=")), letters, 0), letters),
        (Map("not", (Map("not", (Map("and", (i, i)),)),)), Map("and", (i, i))),
        (Map("not", (Map("not", (i,)),)), Map("not", (Map("not", (i,)),))),
        (Map("where", (Const(""), fails, i)), i),
        (by_averages(same), Width(same)),
        (by_averages(Select(i, Const(0), ">=")), Width(Select(i, Const(0), ">="))),
        (by_averages(AT_START), Width(AT_START)),
        (by_averages(same, Select(i, Const(1), "==")), None),
        (LENGTH, LENGTH),
    ],
)
def test_results(node: Node, expected: Node | None) -> None:
    """What the rules make of small programs; None stands for no width."""
    found = rewrite(node).node
    if expected is None:
        assert not isinstance(found, Width)
    else:
        assert found in (expected, rewrite(expected).node)


@given(selectors, selectors, selectors, st.sampled_from([And, Or]))
@example(before, after, same, And)
@settings(max_examples=100)
def test_selectors_that_differ_in_order_become_one(s: Any, t: Any, u: Any, joined: Any) -> None:
    """Operands may stand in any order and grouping."""
    first = rewrite(joined(joined(s, t), u)).node
    assert rewrite(joined(u, joined(t, s))).node is first
    assert rewrite(Not(Not(joined(t, joined(u, s))))).node is first


def test_a_width_by_hand_is_the_width_of_the_library() -> None:
    """The two averages that `selector_width` is written with become its node."""
    selector = capax.select(capax.tokens, capax.tokens, "==")
    written = capax.selector_width(selector)
    (by_hand,) = written.construction.parts
    assert isinstance(by_hand.node, Map)
    assert rewrite(by_hand.node).node is written.node


def test_equal_parts_are_shared_and_unused_ones_gone() -> None:
    """Two selectors that are equal by algebra are one node, and what a choice drops is not reachable."""
    two = Map("+", (Width(Or(before, here)), Width(Not(after))))
    assert [type(n) for n in topological(rewrite(two).node)].count(Select) == 1
    chosen = Map("where", (Map("==", (Const(1), Const(2))), Width(same), i))
    assert topological(rewrite(chosen).node) == [i]


def test_long_and_deep_programs() -> None:
    """Long chains, deep negations and shared halves end, in time that grows with the size."""
    chain: SelectorNode = before
    for k in range(3000):
        chain = (And if k % 3 else Or)(chain, Select(i, Const(k), "!="))
    deep: SelectorNode = chain
    for _ in range(1001):
        deep = Not(deep)
    rewritten = rewrite(Width(deep)).node
    assert all(not isinstance(n, Not) for n in topological(rewritten))
    assert rewrite(rewritten).node is rewritten
    shared: SelectorNode = before
    for k in range(200):
        shared = (And if k % 2 else Or)(shared, Not(And(shared, Select(i, Const(k), "<"))))
    assert value(rewrite(shared).node, "abc") == value(shared, "abc")
    long: SelectorNode = same
    for k in range(3 * MOST_OPERANDS):
        long = And(Select(i, Const(k + 5), "<"), long)
    assert value(rewrite(long).node, "abca") == value(long, "abca")


PRINT = """
from capax.rasp.ir.nodes import *
from capax.rasp.rewrite.rewrite import rewrite
from capax.rasp.rewrite.rules.selector_rules import fingerprint
import capax
tables = Table("dict", ((1, True), ("é", -0.0), (2.5, 10**30)), Input("asis"))
for node in (tables, Const(1), Const(1.0), Const(True), Const("1"), capax.library.sort_by_most_freq.node):
    print(fingerprint(node).hex(), fingerprint(rewrite(node).node).hex())
"""


def test_fingerprints_are_the_same_in_every_process() -> None:
    """Two processes with different hash seeds agree, and what differs in type differs."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", PRINT], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len({line.split()[0] for line in runs[0].splitlines()}) == 6


@given(graphs(), graphs())
@settings(max_examples=200)
def test_fingerprints_tell_nodes_apart(a: Node, b: Node) -> None:
    """Nodes are the same exactly if their fingerprints are."""
    assert (fingerprint(a) == fingerprint(b)) == (a is b)
