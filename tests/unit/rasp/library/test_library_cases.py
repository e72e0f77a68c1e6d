"""Every library entry against plain Python: on all short words, and on random longer ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.rasp import library
from tests.unit.rasp.library import program_cases, rasplib_cases
from tests.unit.rasp.library.cases import Case, value

CASES: list[Case] = rasplib_cases.CASES + program_cases.CASES
ALONE = 3
"""Words of up to so many tokens are also evaluated alone."""
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.expression}-{case.alphabet}")


def agrees(case: Case, word: str) -> bool:
    """Whether the program gives what the oracle does on one word."""
    return bool(case.program(case.begin + word) == case.oracle(word))


@every_case
def test_agrees_on_every_short_word(case: Case) -> None:
    """All words at once, as arrays; and the shortest ones again, each by itself, as the definition has them."""
    words = list(case.words())
    for word, result in zip(words, case.program.batch([case.begin + word for word in words]), strict=True):
        assert result == case.oracle(word), word
        assert len(word) > ALONE or agrees(case, word), word


@every_case
@settings(max_examples=10)
@given(data=st.data())
def test_agrees_on_longer_words(case: Case, data: st.DataObject) -> None:
    assert agrees(case, data.draw(st.text(case.alphabet, min_size=7, max_size=40)))


@pytest.mark.parametrize("module", library.modules())
def test_every_entry_has_a_case(module: str) -> None:
    held = {case.entry for case in CASES} | {"addition"}  # addition has a file of its own
    held |= {"match3_by_pads", "reachable"}  # with the tests of pads
    assert {e.name for e in library.entries().values() if e.module == module} <= held


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("max(3, 5)", 5),
        ("max(5, 3)", 5),
        ("max(-1, -2)", -1),
        ('max("a", "b")', "b"),
        ("max(1, 1.5)", 1.5),
        ("min(3, 5)", 3),
        ("min(5, 3)", 3),
        ("min(0.5, 0)", 0),
        ('min("b", "a")', "a"),
        ("max([1, 2], [1, 3])", [1, 3]),
    ],
)
def test_max_and_min_of_single_values(expression: str, result: object) -> None:
    assert value(expression) == result


@pytest.mark.parametrize(
    ("expression", "word", "result"),
    [
        ("reverse", ["one", "two", "three"], ["three", "two", "one"]),
        ("hist_nobos", ["one", "two", "one"], [2, 1, 2]),
        ("hist_nobos", "\U0001f600e\u0301\U0001f600", [2, 1, 1, 2]),
        ("induction", ["the", "cat", "sat", "the"], ["", "", "", "cat"]),
        ("sort(tokens_int, tokens_int)", [10, 9, 100, -5], [-5, 9, 10, 100]),
        ("sort(tokens_float, tokens_float)", [0.5, -1.5, 0.25], [-1.5, 0.25, 0.5]),
        ("count(tokens_int, 10)", [10, 9, 10], [2, 2, 2]),
        ("first_occurrence", [1, 2, 1], [True, True, False]),
    ],
)
def test_words_of_longer_tokens(expression: str, word: list[object], result: list[object]) -> None:
    assert value(expression)(word) == result


def test_an_empty_token_is_a_token_like_any_other() -> None:
    assert value("induction")(["a", ""]) == ["", ""]
