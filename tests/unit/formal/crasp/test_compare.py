"""Comparisons of formulas: up to a length by running words, on all lengths by the solver."""

import pytest
from hypothesis import given, settings

from capax.errors import CapaxError
from capax.formal.automata.dfa import words_up_to
from capax.formal.crasp.compare import Relation, compare_counting
from capax.formal.crasp.finite_part import finite_part, why_not_finite
from capax.formal.logic.counting import Counting, CountingLanguage
from capax.formal.logic.counting_text import parse_counting
from tests.support.counting_formulas import counting

pytest.importorskip("z3")


def of(text: str) -> CountingLanguage:
    """The language of a formula over ab."""
    return CountingLanguage(parse_counting(text), ("a", "b"))


@pytest.mark.parametrize(
    ("left", "right", "relation", "holds"),
    [
        ("#[a] > #[b]", "#[b] < #[a]", "equal", True),
        ("#[a] >= #[b] + 50", "#[a] >= #[b] + 51", "equal", False),
        ("#[a] = #[b] & #[a & P b] = 0", "#[a] = #[b]", "included", True),
        ("#[a & #[b] >= 3] = #[b & P a] & #[b] >= 9", "#[b] >= 10", "included", False),
        ("#[a & #[a] > #[b]] >= 0", "true", "equal", None),
    ],
)
def test_all_lengths_are_decided_where_the_shape_allows(
    left: str, right: str, relation: Relation, holds: bool | None
) -> None:
    """Yes, no with a word that is longer than those that were run, or unknown."""
    done = compare_counting(of(left), of(right), relation, 4)
    assert done.counterexample is None
    assert done.holds is holds
    assert (done.everywhere.word is not None) == (holds is False)


@pytest.mark.parametrize(
    ("text", "empty"), [("2*#[a] = 3*#[b] & #[a] >= 30 & #[b] <= 12", True), ("#[a] >= 30", False)]
)
def test_emptiness_is_decided(text: str, empty: bool) -> None:
    """By the solver, beyond the words that were run."""
    assert compare_counting(of(text), None, "empty", 4).holds is empty


@settings(max_examples=60, deadline=None)
@given(counting(leaves=4), counting(leaves=4))
def test_the_solver_and_the_words_agree(left: Counting, right: Counting) -> None:
    """Equal by the solver means equal on all words of up to 7 letters, for both readings; a word tells them apart."""
    for read in ("last", "end"):
        one, other = (CountingLanguage(formula, ("a", "b"), read) for formula in (left, right))  # type: ignore[arg-type]
        done = compare_counting(one, other, "equal", 1)
        if done.holds:
            assert all(one.accepts(word) == other.accepts(word) for word in words_up_to("ab", 7))
        if done.holds is False:
            word = done.counterexample or done.everywhere.word or ()
            assert one.accepts(word) != other.accepts(word)
        if done.holds is None:
            assert why_not_finite([left, right]) or finite_part([left, right], "ab", read == "end") is None


def test_too_many_words_are_refused() -> None:
    """And formulas over different alphabets."""
    with pytest.raises(CapaxError) as caught:
        compare_counting(of("a"), of("b"), "equal", 40)
    assert caught.value.code == "too-large"
    with pytest.raises(CapaxError):
        compare_counting(of("a"), CountingLanguage(parse_counting("a"), ("a",)), "equal", 3)


def test_without_z3_words_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not known of longer words is unknown, and the reason names the extra."""
    monkeypatch.setattr("capax.formal.crasp.smt.solver_module", lambda: None)
    done = compare_counting(of("#[a] > #[b]"), of("#[a] >= #[b] + 1"), "equal", 4)
    assert done.holds is None
    assert "capax[smt]" in done.everywhere.why
    assert compare_counting(of("a"), of("b"), "equal", 4).holds is False
