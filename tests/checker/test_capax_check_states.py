"""The states of the outside checker: every state of every word is among them, and how many more there are."""

from itertools import product
from typing import Any

import pytest

from capax.rasp.meaning.reference import ReferenceEvaluation
from capax.rasp.text.module import stored_program
from checker.capax_check import LINKS, Graph, Meaning, Parser, Refused, States, Work, keyed

BY_TOKEN = "select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <))"


def meaning_of(text: str, tokens: Any, longest: int, links: dict[str, Any] | None = None) -> tuple[Meaning, Any]:
    """The meaning of a program's text, and the names of its nodes; links are by name."""
    graph = Graph()
    parser = Parser(graph, text, False)
    names, given = parser.names, links or {}

    def node(name: Any) -> Any:
        return names[name] if isinstance(name, str) else name

    linked: dict[str, Any] = {kind: {} for kind in LINKS}
    for kind, some in given.items():
        for name, others in some.items():
            several = [(s, node(n)) for s, n in others] if kind == "orders" else [node(n) for n in others]
            linked[kind][names[name]] = several if isinstance(others, list) else node(others)
    root = graph.constant(parser.last)
    return Meaning(graph, States(list(tokens), longest), longest, graph.below([root]), linked), names


def reached(text: str, watched: list[str], tokens: Any, longest: int) -> set[Any]:
    """The values that s-ops of a program have together, at all positions of all words on which it has a value."""
    lines, seen = text.strip().rstrip(";").split(";"), set()
    sops = {name: stored_program(";".join(lines[: k + 1]) + ";").node for k, name in enumerate(_names(lines))}
    for n in range(1, longest + 1):
        for word in product(tokens, repeat=n):
            evaluation = ReferenceEvaluation(list(word))
            try:
                columns = [list(evaluation.value(sops[name]).values) for name in watched]  # type: ignore[union-attr]
                evaluation.value(list(sops.values())[-1])
            except Exception:
                continue
            seen |= {keyed(row) for row in zip(*columns, strict=True)}
    return seen


def _names(lines: list[str]) -> list[str]:
    return [line.split("=")[0].strip() for line in lines]


STATES: dict[str, tuple[str, list[str], Any, int, dict[str, Any], int]] = {
    "a histogram": ("t = tokens; x = selector_width(select(tokens, tokens, ==));", ["t", "x"], "ab", 3, {}, 6),
    "a count": ('i = indices; x = selector_width(select(tokens, "a", ==));', ["i", "x"], "ab", 3, {}, 12),
    "earlier keys": ("i = indices; x = selector_width(select(indices, indices, <));", ["i", "x"], "ab", 4, {}, 4),
    "a count of earlier keys": (
        'i = indices; x = selector_width(select(indices, indices, <) and select(tokens, "a", ==));',
        ["i", "x"],
        "ab",
        3,
        {},
        6,
    ),
    "a mean of earlier keys": (
        "i = indices; x = aggregate(select(indices, indices, <), tokens_int, 7);",
        ["i", "x"],
        "01",
        3,
        {},
        6,
    ),
    "the first key": ("i = indices; x = aggregate(select(indices, 0, ==), tokens);", ["i", "x"], "ab", 3, {}, 6),
    "itself": ("t = tokens; x = aggregate(select(indices, indices, ==), tokens);", ["t", "x"], "ab", 3, {}, 2),
    "the last key": (
        "n = length; x = aggregate(best(full_s, indices), indices);",
        ["n", "x"],
        "ab",
        4,
        {},
        4,
    ),
    "best by a token": (
        'x = aggregate(best(select(tokens, "a", ==), indices), indices, -1);',
        ["x"],
        "ab",
        3,
        {},
        4,
    ),
    "nothing": ("x = selector_width(select(tokens_int, 3, >));", ["x"], "01", 3, {}, 1),
    "tokens that are no numbers": ("i = tokens_int; x = i + 1;", ["i", "x"], "1x", 3, {}, 1),
    "texts of which there is one": (
        'x = aggregate(select(tokens, "a", ==), tokens, "-");',
        ["x"],
        "ab",
        3,
        {},
        3,
    ),
    "booleans of which there is one": (
        'x = aggregate(select(tokens, "a", ==), indices == 1, 7);',
        ["x"],
        "ab",
        3,
        {},
        3,
    ),
    "a rank": (
        f"r = selector_width({BY_TOKEN}); i = indices; x = aggregate(select(r, i, ==), tokens);",
        ["i", "x"],
        "ab",
        3,
        {"orders": {"r": [(1, "t"), (1, "i")]}},
        6,
    ),
    "parts": (
        't = tokens == "a"; s = select(indices, indices, <=); p = selector_width(s and select(t, True, ==));'
        " v = indicator(t); i = indices; x = aggregate(s, v);",
        ["i", "p", "x"],
        "ab",
        3,
        {"parts": {"x": ["p"]}},
        9,
    ),
    "parts of a count": (
        't = tokens == "a"; s = select(tokens, tokens, ==) or select(indices, indices, <);'
        " p = selector_width(select(tokens, tokens, ==));"
        " q = selector_width(select(tokens, tokens, !=) and select(indices, indices, <)); x = selector_width(s);",
        ["p", "q", "x"],
        "ab",
        3,
        {"parts": {"x": ["p", "q"]}},
        6,
    ),
    "one value at all positions": (
        "n = length / 2; s = select(tokens, tokens, ==); p = selector_width(s); x = aggregate(s, n);",
        ["n", "p", "x"],
        "ab",
        3,
        {"parts": {"x": ["p"]}},
        6,
    ),
    "the same": (
        "s = select(indices, indices, <); p = selector_width(s and select(tokens, tokens, ==));"
        " x = selector_width(select(tokens, tokens, ==) and (s or s));",
        ["p", "x"],
        "ab",
        3,
        {"same": {"x": ["p"]}},
        3,
    ),
    "counted keys": (
        "s = select(tokens, tokens, ==); p = selector_width(s); x = aggregate(s, indices);",
        ["p", "x"],
        "ab",
        3,
        {"counts": {"x": "p"}},
        15,
    ),
    "tokens that come first": (
        "b = select(indices, indices, <) and select(tokens, tokens, ==); p = selector_width(b);"
        " x = selector_width(select(p, 0, ==));",
        ["x"],
        "ab",
        3,
        {"limits": {"x": "p"}},
        3,
    ),
    "tokens that come twice": (
        "b = select(indices, indices, !=) and select(tokens, tokens, ==); p = selector_width(b);"
        " x = selector_width(select(p, 1, ==));",
        ["x"],
        "a",
        2,
        {"limits": {"x": "p"}},
        2,
    ),
    "pairs of keys": ("x = selector_width(select3(indices, indices, tokens_int, sum >= 1));", ["x"], "01", 2, {}, 5),
}


@pytest.mark.parametrize("name", STATES)
def test_every_state_of_every_word_is_known(name: str) -> None:
    """All that happens is among the states, and there are as few of them as here."""
    text, watched, tokens, longest, links, count = STATES[name]
    if "orders" in links:
        text = f"t = tokens; {text}"
    meaning, names = meaning_of(text, tokens, longest, links)
    for node in sorted(meaning.program):
        _ = meaning.graph.selects(node) or meaning.value(node)
    for kind in ("same", "parts", "limits", "counts"):
        for node in meaning.links[kind]:
            meaning.value(node)
    rows = {keyed(row) for row in meaning.rows([names[n] for n in watched])}
    assert reached(text, watched, tokens, longest) <= rows
    assert len(rows) == count


@pytest.mark.parametrize("own", [True, False])
def test_only_what_the_program_computes_says_on_which_words_it_has_a_value(own: bool) -> None:
    """A node of the plan that fails on some word takes no word away: else a plan could leave out any."""
    meaning, names = meaning_of(f"t = tokens; y = tokens_int; x = {'y' if own else 't'};", "1x", 2)
    meaning.value(names["y"])
    assert sorted(meaning.value(names["t"]).entries) == (["1"] if own else ["1", "x"])


@pytest.mark.parametrize(
    ("value", "uniform"),
    [
        ("2 ^ 20 - 1", True),
        ("2 ^ 20", False),
        ("-(2 ^ 20)", False),
        ("1 / 1048576", True),
        ("1 / 2097152", False),
        ("length / 4", True),
        ("length / 3", False),
        ("indices", False),
        ("tokens", False),
    ],
)
def test_short_numbers_of_a_word_are_known(value: str, uniform: bool) -> None:
    """Whole multiples of 2^-20 below 2^20 that are the same at all positions: their means are exact."""
    meaning, names = meaning_of(f"x = {value};" if value.isalpha() else f"x = {value} + 0 * length;", "ab", 3)
    assert meaning.is_uniform(names["x"]) == uniform


RANKS = {
    BY_TOKEN: True,
    "select(tokens, tokens, <=) and select(indices, indices, !=)": False,
    "select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <=))": False,
    "select(tokens, tokens, >) or (select(tokens, tokens, ==) and select(indices, indices, <))": False,
    "(select(tokens, tokens, <) or select(tokens, tokens, ==)) and select(indices, indices, <)": False,
    "select(tokens, tokens, <) and select(indices, indices, >=) or (select(tokens, tokens, ==))": False,
    "select(indices + 1, indices + 1, <) and select(tokens, tokens, ==) or select(tokens, tokens, <)": True,
    "select(indices + 1, indices, <) and select(tokens, tokens, ==) or select(tokens, tokens, <)": False,
}


@pytest.mark.parametrize("selector", RANKS)
def test_ranks_are_counts_in_a_strict_order(selector: str) -> None:
    """Of all pairs of positions, in both directions; equal keys by position, and never of a key itself."""
    text = f"t = tokens; i = indices; r = selector_width({selector}); x = aggregate(select(r, i, ==), i);"
    meaning, names = meaning_of(text, "ab", 3, {"orders": {"r": [(1, "t"), (1, "i")]}})
    assert meaning.is_rank(names["r"]) == RANKS[selector]
    for order in ([(1, "t")], [(1, "t"), (-1, "i")], [(-1, "i")], []):
        other, named = meaning_of(text, "ab", 3, {"orders": {"r": order}})
        assert not other.is_rank(named["r"])


@pytest.mark.parametrize(
    ("selector", "one", "some"),
    [
        ("select(indices, indices, ==)", True, True),
        ("select(indices, indices, <=)", False, True),
        ("select(indices, indices + 1, ==)", True, False),
        ("select(indices, n - 1, ==)", True, True),
        ("select(indices + n, n, ==)", True, True),
        ("select(indices, n, ==)", True, False),
        ("select(indices, 1, <)", True, True),
        ("select(indices, 1, <=)", False, True),
        ("select(tokens, tokens, ==)", False, True),
        ("select(tokens, tokens, <)", False, False),
        ("select(tokens, tokens, ==) and select(indices, 0, ==)", True, False),
    ],
)
def test_selectors_of_one_key_and_of_some_key_are_known(selector: str, one: bool, some: bool) -> None:
    """At most one key, and at least one, for all queries of all lengths."""
    meaning, names = meaning_of(f"n = length; s = {selector}; x = selector_width(s);", "ab", 3)
    assert any(meaning.picks_one(c) for c in meaning.graph.split(names["s"], ("and",))) == one
    assert meaning.is_filled(names["s"]) == some
    assert meaning.is_unique(names["x"], names["s"], None) == one


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_one_key_has_a_rank_and_several_are_below_it_or_above(op: str) -> None:
    """Of equal tokens, too; and some key has each rank that is a position."""
    text = f"t = tokens; i = indices; r = selector_width({BY_TOKEN}); s = select(r, i, {op}); x = aggregate(s, i);"
    meaning, names = meaning_of(text, "ab", 3, {"orders": {"r": [(1, "t"), (1, "i")]}})
    assert meaning.picks_one(names["s"]) == (op == "==")
    assert meaning.is_filled(names["s"]) == (op == "==")


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "parts that overlap": ("p = selector_width(full_s); x = selector_width(full_s);", {"parts": {"x": ["p", "p"]}}),
    "a part that selects more": (
        "p = selector_width(full_s); x = selector_width(select(tokens, tokens, ==));",
        {"parts": {"x": ["p"]}},
    ),
    "a part of several values": (
        "s = select(tokens, tokens, ==); p = selector_width(s); x = aggregate(s, indices);",
        {"parts": {"x": ["p"]}},
    ),
    "keys that are in no part": (
        'p = selector_width(select(tokens, "a", ==)); x = selector_width(select(tokens, tokens, ==));',
        {"parts": {"x": ["p"]}},
    ),
    "a part that is no width": (
        "p = indices; x = selector_width(select(tokens, tokens, ==));",
        {"parts": {"x": ["p"]}},
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_parts_are_not_used(what: str) -> None:
    """A claim of the plan that does not hold is refused."""
    text, links = WRONG[what]
    meaning, names = meaning_of(text, "ab", 3, links)
    kind, *rest = meaning.nodes[names["x"]]
    with pytest.raises(Refused):
        meaning.by_parts(names["x"], *[*rest, None, 0][:3])
    assert kind in ("aggregate", "width")


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("aggregate(full_s, indices)", "aggregate(select(indices, indices + 9, !=), indices)", True),
        ("aggregate(full_s, indices)", "aggregate(full_s, indices, 1)", False),
        ("aggregate(full_s, indices, 1)", "aggregate(full_s, indices, True)", False),
        ("aggregate(full_s, indices)", "aggregate(full_s, indices + 0.0)", False),
        ("aggregate(full_s, indices)", "selector_width(full_s)", False),
        ("aggregate(full_s, indices)", "aggregate(select(indices, indices, <=), indices)", False),
        ("aggregate(best(full_s, indices), tokens)", "aggregate(best(full_s, indices * 1), tokens)", True),
        ("aggregate(best(full_s, indices), tokens)", "aggregate(best(full_s, -indices), tokens)", False),
        ("aggregate(best(full_s, indices), tokens)", "aggregate(full_s, tokens)", False),
        ("selector_width(select(indices, length, <))", "selector_width(full_s)", True),
        ("selector_width(select(length, indices, >))", "selector_width(full_s)", True),
    ],
)
def test_nodes_are_the_same_if_they_agree_on_all_states(one: str, two: str, alike: bool) -> None:
    """In kind, selector, score, value and default, with types."""
    meaning, names = meaning_of(f"x = {one}; y = {two}; z = 1;", "ab", 3)
    if alike:
        assert meaning.check_same(names["x"], names["y"])
    else:
        with pytest.raises(Refused):
            meaning.check_same(names["x"], names["y"])


def test_the_search_for_an_empty_selector_is_work() -> None:
    """Each pair of a key and a query that is tried counts, since a plan may ask for many searches."""
    meaning, names = meaning_of("s = select(indices, indices, ==); x = selector_width(s);", "a", 60)
    before = Work.done
    assert not meaning.is_empty(names["s"])
    assert Work.done - before >= 60 * 60
