"""Searches: the smallest programs, ties, limits, counterexamples, hints, and searches that are taken up again."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from capax.auditor.spec import Spec
from capax.auditor.specs.programs import of_function
from capax.errors import CapaxError
from capax.rasp.python.embed import select, selector_width, tokens
from capax.synthesis.grammar import AVERAGES, Grammar, SearchLimits
from capax.synthesis.search import search
from capax.synthesis.state import SearchState

ABC = ("a", "b", "c")


def _spec(name: str, reference: Callable[[list[Any]], Any], letters: tuple[str, ...] = ABC) -> Spec:
    return of_function(name, letters, reference)


@pytest.mark.parametrize(
    ("name", "reference", "size", "layers"),
    [
        ("copy", lambda w: w, 1, 0),
        ("histogram", lambda w: [w.count(x) for x in w], 4, 1),
        ("first", lambda w: [w[0]] * len(w), 5, 1),
        ("previous", lambda w: ["", *w[:-1]], 7, 1),
        ("reverse", lambda w: w[::-1], 8, 2),
    ],
)
def test_smallest_programs_are_known(name: str, reference: Any, size: int, layers: int) -> None:
    """Size and layers of the smallest programs, which all smaller ones are excluded for."""
    result = search(_spec(name, reference), name=name)
    assert result.best is not None
    assert (result.best.size, result.best.layers, result.is_smallest) == (size, layers, True)
    assert list(result.best.program("cabba")) == list(reference(list("cabba")))


def test_what_is_exhausted_is_said() -> None:
    """Reverse has no program of five nodes, and one layer is too few for any of seven."""
    result = search(_spec("reverse", lambda w: w[::-1]), limits=SearchLimits(size=7, layers=1))
    assert result.best is None
    assert (result.stop, result.exhausted) == ("size", 7)
    sentence = "no program of at most 7 nodes over this grammar with at most 1 layer agrees on all words of up to 8"
    assert result.exhaustion().startswith(sentence)


def test_words_that_are_listed_are_the_domain() -> None:
    """Sorting is easier where no letter occurs twice."""
    spec = of_function("sort", tuple("abcde"), lambda w: sorted(w), every=lambda n: permutations("abcde", n))
    result = search(spec)
    assert result.best is not None
    assert result.best.size == 8


def test_goals_go_beyond_the_bank() -> None:
    """The parity of a prefix has twelve nodes, and is found from a bank of far smaller programs."""
    spec = _spec("parity", lambda w: [w[: i + 1].count("1") % 2 == 1 for i in range(len(w))], ("0", "1"))
    result = search(spec, first=True)
    assert result.best is not None
    assert result.best.size > result.exhausted + 1
    assert list(result.best.program("1101")) == [True, False, False, True]


def test_a_counterexample_goes_into_the_sample() -> None:
    """A word that differs from copying only at length 8 is met in a second round."""
    spec = _spec("late", lambda w: ["b"] * 7 if w == list("aaaaaaa") else w, ("a", "b"))
    result = search(spec, limits=SearchLimits(size=3))
    assert result.best is None
    assert result.rounds > 1


def test_ties_are_different_programs_of_one_size() -> None:
    """All are right, and no two have one text."""
    result = search(_spec("first", lambda w: [w[0]] * len(w)), ties=True)
    assert {p.size for p in result.programs} == {5}
    assert len({p.text for p in result.programs}) == len(result.programs)
    assert all(list(p.program("bca")) == ["b"] * 3 for p in result.programs)


def test_hints_count_as_one_node() -> None:
    """With the histogram given, the number of positions that are as frequent takes three nodes and the width."""
    hint = selector_width(select(tokens, tokens, "=="))
    spec = _spec("as_frequent", lambda w: [sum(w.count(y) == w.count(x) for y in w) for x in w])
    result = search(spec, hints=[hint])
    assert result.best is not None
    assert result.best.size == 4
    assert list(result.best.program("aabbc")) == [4, 4, 4, 4, 1]


def test_reverse_runs_on_two_attention_sublayers() -> None:
    """A mean that is 1 / (n - j) is a key that no feed-forward part has to touch."""
    spec = _spec("reverse", lambda w: w[::-1])
    to_end = "aggregate(select(indices, indices, >) or select(indices, 0, ==), indicator(indices == 0))"
    hints = [tokens.from_text(text) for text in (to_end, "1 / (indices + 1)")]
    result = search(spec, grammar=Grammar(AVERAGES), limits=SearchLimits(size=5, order="ss"), hints=hints)
    assert result.best is not None
    assert result.best.order == "ss"


def test_a_search_is_taken_up_where_it_was_stored() -> None:
    """The second run begins with the bank of the first; a state of another search is refused."""
    spec, kept = _spec("previous", lambda w: ["", *w[:-1]]), []
    first = search(spec, limits=SearchLimits(size=5), state=SearchState(None, kept.append))
    assert first.best is None
    sizes = []
    second = search(
        spec,
        limits=SearchLimits(size=9),
        state=SearchState(kept[-1], lambda arrays: None),
        report=lambda progress: sizes.append(progress.size),
    )
    assert second.best is not None
    assert second.best.size == 7
    assert min(sizes, default=9) > 4
    with pytest.raises(CapaxError, match="another search"):
        search(_spec("reverse", lambda w: w[::-1]), state=SearchState(kept[-1], lambda arrays: None))


def test_sets_as_answers_are_refused() -> None:
    """A program gives one value at each position."""
    with pytest.raises(CapaxError, match="sets of letters"):
        search(_spec("next", lambda w: [frozenset(w)] * len(w)))


@pytest.mark.parametrize("limits", [{"size": 0}, {"order": "sx"}, {"order": "s", "layers": 1}, {"megabytes": 1}])
def test_limits_that_are_none_are_refused(limits: dict[str, Any]) -> None:
    """Sizes from 1 on, orders of s and f, and either an order or a number of layers."""
    with pytest.raises(CapaxError):
        SearchLimits(**limits)
