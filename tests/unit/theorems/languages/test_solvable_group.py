"""Automata of solvable groups, in steps of the derived series."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.formal.automata.dfa import Dfa
from capax.formal.languages.catalogue import language
from capax.theorems.languages import solvable_group
from capax.theorems.languages.solvable_group import by_steps
from tests.support.all_words import disagreement, right_along

LONG = st.lists(st.integers(0, 2), min_size=30, max_size=80)


@st.composite
def turning(draw: st.DrawFn) -> Dfa:
    """An automaton whose letters permute at most four states: its group is solvable."""
    n = draw(st.integers(2, 4))
    letters = [draw(st.permutations(range(n))) for _ in range(draw(st.integers(1, 3)))]
    accepting = draw(st.frozensets(st.integers(0, n - 1)))
    return Dfa(tuple("abc"[: len(letters)]), tuple(tuple(one[q] for one in letters) for q in range(n)), 0, accepting)


@settings(max_examples=40, deadline=None)
@given(turning(), st.sampled_from(["softmax", "average-hard"]), LONG)
def test_solvable_groups_in_steps(dfa: Dfa, attention: str, numbers: list[int]) -> None:
    """All words up to length 7 or 5, and every place of a longer one, in two layers for each step."""
    found = solvable_group.steps(dfa)
    assert found is not None
    assume(found)  # a letter moves a state
    model = by_steps(dfa, attention, 80, "float64")  # type: ignore[arg-type]
    assert model.depth == 2 * len(found)
    assert disagreement(model, dfa.accepts, dfa.alphabet, 7 if len(dfa.alphabet) < 3 else 5) is None
    assert right_along(model, dfa, numbers)


@pytest.mark.parametrize(
    ("name", "orders"),
    [
        ("s3", [[2], [3]]),
        ("s4", [[2], [3], [2, 2]]),
        ("a4", [[3], [2, 2]]),
        ("d6", [[2, 2], [3]]),
        ("q8", [[2, 2], [2]]),
        ("z12", [[12]]),
        ("a5", None),
    ],
)
def test_derived_series(name: str, orders: list[list[int]] | None) -> None:
    """Of known groups; A5 has none."""
    dfa = language(f"word-problem-{name}").automaton
    assert dfa is not None
    found = solvable_group.steps(dfa)
    assert orders == (None if found is None else [sorted(factor.orders) for factor in found])
