"""What the outside checker asks of scores, and what it says of the numbers that a head writes."""

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.capax_check import (
    FAIL,
    ONE,
    Checker,
    Floats,
    Graph,
    Head,
    Meaning,
    Parser,
    Refused,
    States,
    Work,
    effort,
    grouped,
    read_file,
)
from tests.support.checked_files import small_model, written

GAP = 104 * ONE
AGGREGATE: dict[str, Any] = {"best": None, "alone": False, "sink": None, "counts": False}
AGGREGATE |= {"filled": True, "single": False}
SINK = {"sink": [(0, 0)], "filled": False}
ZERO, LOW, LOWER = (0, 0), (-GAP, -GAP), (-2 * GAP, -2 * GAP)


def head(sink_score: tuple[int, int] = ZERO, **settings: Any) -> Any:
    """A head of which only the scores matter."""
    given = AGGREGATE | settings
    return SimpleNamespace(
        name="head", floats=Floats("float32"), spread=0, score=lambda query, key: sink_score, **given
    )


def holds(settings: dict[str, Any], scores: list[tuple[int, int]], off: int | None, sink: tuple[int, int]) -> bool:
    """Whether a query with selected keys of some scores is accepted."""
    try:
        Head.check_query(head(sink, **settings), [((), score) for score in scores], off, ())
    except Refused:
        return False
    return True


@pytest.mark.parametrize(
    ("settings", "scores", "off", "sink", "good"),
    [
        ({}, [ZERO, ZERO], -GAP, ZERO, True),
        ({}, [ZERO, ZERO], -GAP + 1, ZERO, False),
        ({}, [ZERO, ZERO], None, ZERO, True),
        ({}, [], -1, ZERO, True),
        ({}, [ZERO, (0, ONE >> 3)], -GAP, ZERO, True),
        ({}, [ZERO, (0, (ONE >> 3) + 1)], -GAP, ZERO, False),
        ({}, [(-1, 0), (0, 0)], -GAP, ZERO, False),
        ({}, [(-1, 0), (0, 0)], -GAP - 1, ZERO, True),
        ({"single": True}, [(0, ONE)], -GAP, ZERO, True),
        ({"single": True}, [(-5, ONE)], -GAP - 4, ZERO, False),
        (SINK, [ZERO], -2 * GAP, LOW, True),
        (SINK, [ZERO], -2 * GAP, (-GAP, -GAP + 1), False),
        (SINK, [ZERO], -2 * GAP + 1, LOW, False),
        (SINK, [], -2 * GAP, LOW, True),
        (SINK, [], -2 * GAP + 1, LOW, False),
        (SINK | {"filled": True}, [ZERO], -GAP, LOW, True),
        (SINK | {"counts": True}, [ZERO], -GAP, ZERO, True),
        (SINK | {"counts": True}, [], -GAP, ZERO, True),
        (SINK | {"counts": True}, [], -GAP + 1, ZERO, False),
        (SINK | {"counts": True}, [ZERO], -2 * GAP, LOW, False),
        (SINK | {"counts": True}, [ZERO], -GAP, (-1, 0), False),
    ],
)
def test_scores_must_be_equal_or_far_apart(
    settings: dict[str, Any], scores: list[tuple[int, int]], off: int | None, sink: tuple[int, int], good: bool
) -> None:
    """Selected keys, and the sink of a count, have one score; all others are lower by the gap."""
    assert holds(settings, scores, off, sink) == good


@pytest.mark.parametrize(
    ("keys", "good"),
    [
        ([((1, 0), LOW), ((2, 0), ZERO)], True),
        ([((2, 0), LOW), ((1, 0), ZERO)], False),
        ([((1, 0), LOW), ((1, 1), ZERO)], True),
        ([((1, 0), (-GAP, -GAP + 1)), ((1, 1), ZERO)], False),
        ([((1, 0), LOW), ((1, 0), (-GAP, -GAP + 9)), ((2, 0), (9, 9))], True),
        ([((1, 0), LOW), ((1, 0), (-GAP, -GAP + 9)), ((2, 0), (8, 9))], False),
        ([((1, 0), LOWER), ((1, 1), LOW), ((1, 2), ZERO)], True),
        ([((1, 0), ZERO)], True),
    ],
)
def test_the_best_key_is_above_all_before_it(keys: list[Any], good: bool) -> None:
    """By score, then by position; keys of one score and position are never in a word together."""
    asked = head(best=7, single=True)
    if good:
        Head.check_query(asked, keys, None, ())
    else:
        with pytest.raises(Refused):
            Head.check_query(asked, keys, None, ())
    Head.check_query(head(best=7, single=True, alone=True), keys, None, ())


def test_a_spread_of_scores_moves_results() -> None:
    """By 2t/(1 - t) of the size, and 6 gamma(N + 4); and it is noted as an assumption about exp."""
    floats, checker = Floats("float32"), SimpleNamespace(exact=True, longest=8)
    assert Head.wobble(SimpleNamespace(spread=0, checker=checker, floats=floats, most=8), ONE) == 0
    assert checker.exact
    moved = Head.wobble(SimpleNamespace(spread=ONE >> 4, checker=checker, floats=floats, most=8), ONE)
    off = Fraction(1, 16) + Fraction(8, 1 << 24)
    exact = 2 * off / (1 - off) * ONE + 6 * floats.gamma(12, ONE)
    assert exact - 2 <= moved <= exact + 2
    assert not checker.exact


def small_head(text: str, tokens: Any, *, filled: bool, spread: int = 0) -> tuple[Any, Any, Any]:
    """A head of an aggregate or width of a text, which is accepted, with its node and the states."""
    graph = Graph()
    root = graph.constant(Parser(graph, text, False).last)
    states = States(list(tokens), 3)
    links: dict[str, Any] = {kind: {} for kind in ("same", "parts", "orders", "limits", "counts")}
    meaning = Meaning(graph, states, 3, graph.below([root]), links)
    checker = SimpleNamespace(exact=True, longest=3)
    given = SimpleNamespace(name="head", checker=checker, meaning=meaning, states=states, floats=Floats("float32"))
    given.filled, given.spread, given.most = filled, spread, 3
    for name in ("wobble", "by_value"):
        setattr(given, name, getattr(Head, name).__get__(given))
    return given, root, states


def test_counts_are_shares_of_the_sink() -> None:
    """c / (k + 1), within three roundings; all values must be zero, and the sink known."""
    given, root, states = small_head('x = selector_width(select(tokens, "a", ==));', "ab", filled=False)
    table = Head.counted(given, root, states.constant((0, 0)), (6 * ONE, 6 * ONE))
    boxes = sorted(table.entries)
    assert len(boxes) == 4
    for (low, high), exact in zip(boxes, (1.5, 2, 3, 6), strict=True):
        assert low <= exact * ONE <= high
        assert (high == low) if exact == 6 else 0 < high - low <= 8 * exact * ONE / (1 << 24)
    for column, sink in (((0, 1), (ONE, ONE)), ((0, 0), (ONE, ONE + 1))):
        with pytest.raises(Refused):
            Head.counted(given, root, states.constant(column), sink)


def test_the_value_of_one_key_is_taken_exactly() -> None:
    """Or that of the sink, where nothing may be selected and the value is the default."""
    text = 'x = aggregate(best(select(tokens, "a", ==), indices), indices, -1);'
    given, root, states = small_head(text, "ab", filled=False)
    column = states.axis(1, lambda i: (i * ONE, i * ONE + 1))
    table = Head.taken(given, root, column, (-ONE, -ONE))
    assert sorted(table.entries) == [(-ONE, -ONE), (0, 1), (ONE, ONE + 1), (2 * ONE, 2 * ONE + 1)]


@pytest.mark.parametrize(("shift", "below", "above"), [(0, 0, 7), (3, 5, 0)])
def test_means_are_near_the_program(shift: int, below: int, above: int) -> None:
    """Within the distance of the column, and gamma(N + 3) of the mean where all numbers have one sign."""
    text = f"x = aggregate(select(indices, indices, <=), indices - {shift});"
    given, root, states = small_head(text, "ab", filled=True)
    node, meaning = given.meaning.nodes[root], given.meaning
    column = states.combine([meaning.value(node[2])], lambda v: (v * ONE - below, v * ONE + above))
    rows = states.combine([meaning.value(root), Head.averaged(given, root, column, (0, 0))]).entries
    assert len(rows) == len(meaning.value(root).entries)
    for value, (low, high) in rows:
        least = given.floats.gamma(6, int(abs(value) * ONE))
        most = least + int(abs(value) * ONE) // (1 << 50) + 40
        assert least <= value * ONE - below - low <= most
        assert least <= high - value * ONE - above <= most


def test_means_of_numbers_of_both_signs_are_as_uncertain_as_the_greatest() -> None:
    """And a mean that may be that of the sink holds it, too."""
    given, root, states = small_head('x = aggregate(select(tokens, "a", ==), indices - 1, 9);', "ab", filled=False)
    node = given.meaning.nodes[root]
    column = given.meaning.states.combine([given.meaning.value(node[2])], lambda v: (v * ONE, v * ONE))
    rows = states.combine([given.meaning.value(root), Head.averaged(given, root, column, (8 * ONE, 8 * ONE))]).entries
    for value, (low, high) in rows:
        if value is not FAIL:
            room = given.floats.gamma(6, ONE)
            assert room <= high - round(Fraction(value) * ONE) <= room + 9 * ONE // (1 << 51) + 40
            assert low == 8 * ONE if value == 9 else low <= value * ONE - room


@pytest.mark.parametrize("sign", [1, -1])
def test_means_of_numbers_of_one_sign_keep_it(sign: int) -> None:
    """Whatever is rounded: an MLP that takes such a mean away reads one side of it alone."""
    text = f"x = aggregate(select(indices, indices, <=), {'-' * (sign < 0)}indices);"
    given, root, states = small_head(text, "ab", filled=True)
    column = states.axis(1, lambda i: tuple(sorted((0, sign * i))))
    ends = [end for box in Head.averaged(given, root, column, (0, 0)).entries for end in box]
    assert min(ends) == 0 if sign > 0 else max(ends) == 0
    column = states.axis(1, lambda i: (-1, 1))
    ends = [end for box in Head.averaged(given, root, column, (0, 0)).entries for end in box]
    assert min(ends) < -1
    assert max(ends) > 1


def test_a_default_may_have_another_sign_than_all_means() -> None:
    """It is that of the sink, and nothing is said of it by the values."""
    given, root, states = small_head('x = aggregate(select(tokens, "a", ==), indices, -1);', "ab", filled=False)
    table = Head.averaged(given, root, states.axis(1, lambda i: (i * ONE, i * ONE)), (-ONE, -ONE))
    rows = states.combine([given.meaning.value(root), table]).entries
    assert [high < -ONE // 2 for value, (_, high) in rows if value == -1] == [True]


def test_rows_are_grouped_by_their_last_entry() -> None:
    """In their order."""
    assert grouped([(1, 2, "a"), (3, 4, "b"), (5, 6, "a")]) == {"a": [(1, 2), (5, 6)], "b": [(3, 4)]}


@given(st.lists(st.tuples(*[st.integers(-99, 99)] * 3), min_size=1, max_size=6), st.sampled_from([1, 3, 7]))
@settings(max_examples=60, deadline=None)
def test_scores_of_pairs_hold_every_order_of_products(numbers: list[tuple[int, int, int]], part: int) -> None:
    """(q k) l, q (k l) and (q l) k in float32, and sums from either end; whole numbers give one score."""
    head_of_pairs = SimpleNamespace(floats=Floats("float32"), scale=4)
    columns = [[np.float32(n) / np.float32(part) for n in side] for side in zip(*numbers, strict=True)]
    query, *keys = [[(int(Fraction(float(v)) * ONE),) * 2 for v in side] for side in columns]
    low, high = Head.score(head_of_pairs, query, *keys)
    assert low == high or part != 1
    sides = [np.array(side, np.float32) for side in columns]
    sides[0] = sides[0] * np.float32(4)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        products = sides[a] * sides[b] * sides[c]
        for terms in (products, products[::-1]):
            total = np.float32(0)
            for term in terms:
                total = total + term
            assert low <= Fraction(float(total)) * ONE <= high


@pytest.mark.parametrize("part", ["value2.bias", "sink.value2"])
def test_second_values_of_heads_of_pairs_are_one(part: str, tmp_path: Path) -> None:
    """Else a mean would be that of something else."""
    model, tensors = read_file(str(written(small_model("match3"), tmp_path)))
    Checker(model, tensors).run()
    tensors[f"blocks.0.heads.0.{part}"][0] *= 2
    with pytest.raises(Refused, match="a second value"):
        Checker(model, tensors).run()


@pytest.mark.parametrize("name", ["first after", "histogram"])
def test_a_head_that_counts_or_may_select_nothing_has_a_sink(name: str, tmp_path: Path) -> None:
    """Else a query without a selected key would take something of others, and a count would be a constant."""
    model, tensors = read_file(str(written(small_model(name), tmp_path)))
    Checker(model, tensors).run()
    heads = [head for block in model["blocks"] for head in block["heads"] if head["sink"]]
    heads[0]["sink"] = False
    with pytest.raises(Refused, match="has no sink"):
        Checker(model, tensors).run()


def test_scores_are_work_for_each_key_and_query() -> None:
    """So many times as their selector is long: a file could ask for hours with a selector of many parts."""
    graph = SimpleNamespace(split=lambda selector: list(range(40)))
    given = SimpleNamespace(name="head", checker=SimpleNamespace(graph=graph), inner=None, sees=None, best=None)
    given.meaning = SimpleNamespace(test=lambda selector: lambda *rows: False)
    given.sides = lambda: [{(): [(k,) for k in range(100)]}, {(): [(0,)] * 3}]
    given.score, given.check_query = lambda *vectors: ZERO, lambda *found: None
    before = Work.done
    Head.check_scores(given)
    assert Work.done - before >= 100 * 3 * effort(range(40)) == 100 * 3 * 11
