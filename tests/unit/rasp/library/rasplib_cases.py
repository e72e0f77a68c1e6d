"""The 17 names of the standard library, with several kinds of arguments."""

from typing import Any

from tests.unit.rasp.library.cases import Case, Oracle, at_each, everywhere, rows


def _at(word: str, i: int, none: Any) -> Any:
    return word[i] if 0 <= i < len(word) else none


def _index(word: str, i: int, none: int = 0) -> int:
    return i if 0 <= i < len(word) else none


def _shifted(n: int, filler: str) -> Oracle:
    return at_each(lambda w, i: _at(w, i - n, filler))


def _is_last(word: str, i: int, val: str = "a") -> bool:
    return word[i] == val and val not in word[i + 1 :]


def _is_first(word: str, i: int, val: str = "a") -> bool:
    return word[i] == val and val not in word[:i]


def _next_identical(word: str, query: int, key: int) -> bool:
    return word.find(word[query], query + 1) == key


_before = "select(indices, indices, <)"
_same = "select(tokens, tokens, ==)"

WIDTHS = [
    Case("full_s", "full_s", lambda w: rows(w, lambda q, k: True)),
    Case("length", "length", everywhere(len)),
    Case("selector_width", "selector_width(full_s)", everywhere(len)),
    Case("selector_width", f"selector_width({_before})", lambda w: list(range(len(w)))),
    Case("selector_width", f"selector_width(not {_same})", at_each(lambda w, i: len(w) - w.count(w[i])), "abc"),
    Case("selector_width", f"selector_width({_same} and {_before})", at_each(lambda w, i: w[:i].count(w[i])), "abc"),
    Case("selector_width", 'selector_width(select(tokens, "z", ==))', everywhere(lambda w: 0)),
    Case("selector_width", "selector_width(select(indices, 0, ==))", everywhere(lambda w: 1)),
    Case("has_focus", "has_focus(full_s)", everywhere(lambda w: True)),
    Case("has_focus", f"has_focus({_before})", at_each(lambda w, i: i > 0)),
    Case("has_focus", 'has_focus(select(tokens, "a", ==))', everywhere(lambda w: "a" in w)),
    Case("has_focus", f"has_focus({_same} and {_before})", at_each(lambda w, i: w[i] in w[:i]), "abc"),
    Case("has_focus", "has_focus(select(tokens, indices, ==))", everywhere(lambda w: False)),
]

COUNTS = [
    Case("count", 'count(tokens, "a")', everywhere(lambda w: w.count("a"))),
    Case("count", 'count(tokens, "z")', everywhere(lambda w: 0)),
    Case("count", "count(tokens, 1)", everywhere(lambda w: 0)),
    Case("count", "count(tokens_int, 1)", everywhere(lambda w: w.count("1")), "012"),
    Case("count", 'count(tokens == "a", True)', everywhere(lambda w: w.count("a"))),
    Case("count", "count(indices % 2, 1)", everywhere(lambda w: len(w) // 2)),
    Case("contains", 'contains(tokens, "a")', everywhere(lambda w: "a" in w)),
    Case("contains", 'contains(tokens, "z")', everywhere(lambda w: False)),
    Case("contains", "contains(indices, 3)", everywhere(lambda w: len(w) > 3)),
    Case("contains", 'contains(tokens == "a", False)', everywhere(lambda w: set(w) != {"a"})),
    Case("average", "average(indices)", everywhere(lambda w: 0 if len(w) == 1 else (len(w) - 1) / 2)),
    Case("average", 'average(indicator(tokens == "a"))', everywhere(lambda w: w.count("a") / len(w))),
    Case("average", "average(-2)", everywhere(lambda w: -2)),
    Case("average", "average(tokens_float)", everywhere(lambda w: sum(map(float, w)) / len(w)), "012"),
]

EXTREMES = [
    Case("max", "max(indices, 2)", at_each(lambda w, i: max(i, 2))),
    Case("max", "max(-indices, -1)", at_each(lambda w, i: max(-i, -1))),
    Case("max", "max(2, indices)", at_each(lambda w, i: max(2, i))),
    Case("max", "max(indices, length - 1 - indices)", at_each(lambda w, i: max(i, len(w) - 1 - i))),
    Case("max", 'max(tokens, "b")', at_each(lambda w, i: max(w[i], "b")), "abc"),
    Case("min", "min(indices, 2)", at_each(lambda w, i: min(i, 2))),
    Case("min", "min(1.5, indices)", at_each(lambda w, i: min(1.5, i))),
    Case("min", "min(indices, length - 1 - indices)", at_each(lambda w, i: min(i, len(w) - 1 - i))),
    Case("min", 'min("b", tokens)', at_each(lambda w, i: min("b", w[i])), "abc"),
]

MOVES = [
    Case("load_from_location", "load_from_location(tokens, 0)", everywhere(lambda w: w[0]), "abc"),
    Case("load_from_location", "load_from_location(indices, 3)", everywhere(lambda w: _index(w, 3))),
    Case("load_from_location", "load_from_location(tokens, -1)", everywhere(lambda w: 0)),
    Case("load_from_location", "load_from_location(tokens, length)", everywhere(lambda w: 0)),
    Case("load_from_location", "load_from_location(tokens, length - 1 - indices)", lambda w: list(w[::-1]), "abc"),
    Case("load_from_location", "load_from_location(indices, indices + 2)", at_each(lambda w, i: _index(w, i + 2))),
    Case("load_from_location", "load_from_location(tokens, indices / 1)", list, "abc"),
    *(Case("shift", f'shift(tokens, {n}, "-")', _shifted(n, "-"), "abc", 5) for n in (0, 1, 2, -1, -3, 4, 30, -30)),
    Case("shift", "shift(indices, 2, -1)", at_each(lambda w, i: _index(w, i - 2, -1))),
    Case("shift", "shift(indices, -1, 0.5)", at_each(lambda w, i: i + 1 if i + 1 < len(w) else 0.5)),
    Case("shift", 'shift(tokens == "a", 1, False)', at_each(lambda w, i: i > 0 and w[i - 1] == "a")),
    Case("shift", 'shift(tokens, indices, "-")', everywhere(lambda w: w[0]), "abc"),
    Case("shift", 'shift(tokens, length - 1, "-")', at_each(lambda w, i: w[0] if i == len(w) - 1 else "-")),
]

INSTANCES = [
    Case("mark_last_instance", 'mark_last_instance(tokens, "a")', at_each(_is_last)),
    Case("mark_last_instance", 'mark_last_instance(tokens, "z")', everywhere(lambda w: False)),
    Case("mark_last_instance", "mark_last_instance(indices % 2, 0)", at_each(lambda w, i: i == (len(w) - 1) // 2 * 2)),
    Case("mark_first_instance", 'mark_first_instance(tokens, "a")', at_each(_is_first)),
    Case("mark_first_instance", 'mark_first_instance(tokens, "z")', everywhere(lambda w: False)),
    Case("mark_first_instance", "mark_first_instance(indices % 2, 1)", at_each(lambda w, i: i == 1)),
    Case(
        "select_from_last",
        'select_from_last(tokens, "a")',
        lambda w: rows(w, lambda q, k: _is_last(w, k)),
    ),
    Case(
        "select_from_first",
        'select_from_first(tokens, "a")',
        lambda w: rows(w, lambda q, k: _is_first(w, k)),
    ),
    Case("select_from_last", "select_from_last(tokens, 7)", lambda w: rows(w, lambda q, k: False)),
    Case("select_from_first", "select_from_first(indices, 2)", lambda w: rows(w, lambda q, k: k == 2)),
    Case(
        "select_next_identical",
        "select_next_identical(tokens)",
        lambda w: rows(w, lambda q, k: _next_identical(w, q, k)),
        "abc",
    ),
    Case(
        "select_next_identical",
        "select_next_identical(indices % 2)",
        lambda w: rows(w, lambda q, k: k == q + 2),
    ),
]

SORTS = [
    Case("sort", "sort(tokens, tokens)", sorted, "abc"),
    Case("sort", "sort(indices, tokens)", lambda w: sorted(range(len(w)), key=w.__getitem__), "abc"),
    Case("sort", "sort(tokens, -indices)", lambda w: list(w[::-1]), "abc"),
    Case("sort", "sort(tokens, tokens_int % 2)", lambda w: sorted(w, key=lambda t: int(t) % 2), "0123", 5),
    Case("sort", 'sort(tokens, not (tokens == "b"))', lambda w: sorted(w, key=lambda t: t != "b"), "abc"),
    Case("sort", "sort(tokens, 1)", list, "abc"),
]

CASES = WIDTHS + COUNTS + EXTREMES + MOVES + INSTANCES + SORTS
