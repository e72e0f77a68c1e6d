"""Random formulas and automata."""

from hypothesis import strategies as st

from capax.formal.automata.dfa import Dfa
from capax.formal.logic.ltl import (
    AndFormula,
    Constant,
    Formula,
    Historically,
    Letter,
    NotFormula,
    Once,
    OrFormula,
    Since,
    Yesterday,
)


def formulas(letters: str = "ab", leaves: int = 8) -> st.SearchStrategy[Formula]:
    """Formulas of past temporal logic."""
    leaf: st.SearchStrategy[Formula] = st.one_of(
        st.sampled_from(letters).map(Letter), st.sampled_from(letters).map(Letter), st.booleans().map(Constant)
    )

    def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        return st.one_of(
            st.builds(Since, inner, inner),
            st.builds(Since, inner, inner),
            st.builds(AndFormula, inner, inner),
            st.builds(OrFormula, inner, inner),
            st.builds(NotFormula, inner),
            st.builds(Yesterday, inner),
            st.builds(Once, inner),
            st.builds(Historically, inner),
        )

    return st.recursive(leaf, larger, max_leaves=leaves)


@st.composite
def automata(draw: st.DrawFn, states: int = 5, letters: str = "abc") -> Dfa:
    """Automata, some of which have more letters or states that nothing leads to."""
    n = draw(st.integers(1, states))
    alphabet = tuple(letters[: draw(st.integers(1, len(letters)))])
    state = st.integers(0, n - 1)
    kinds = st.one_of(
        st.lists(state, min_size=n, max_size=n),
        st.lists(state, min_size=n, max_size=n).map(sorted),  # no groups: order is kept
        st.permutations(range(n)),
        st.tuples(state, st.lists(st.booleans(), min_size=n, max_size=n)).map(
            lambda made: [made[0] if reset else q for q, reset in enumerate(made[1])]
        ),
    )
    columns = [draw(kinds) for _ in alphabet]
    delta = tuple(tuple(int(column[q]) for column in columns) for q in range(n))
    accepting = draw(st.sets(state))
    return Dfa(alphabet, delta, draw(state), frozenset(accepting))
