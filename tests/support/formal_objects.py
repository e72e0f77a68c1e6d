"""Random regular expressions, automata and formulas for property tests."""

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


def regexes(letters: str) -> st.SearchStrategy[str]:
    """Expressions that mean the same here and to Python's `re`."""
    atoms = st.sampled_from([*letters, ".", f"[{letters}]", f"[^{letters[0]}]", "()"])

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
            st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "{0}"])).map(
                lambda pair: f"({pair[0]}){pair[1]}"
            ),
        )

    return st.recursive(atoms, larger, max_leaves=7)


@st.composite
def automata(draw: st.DrawFn, letters: str = "ab", most: int = 5) -> Dfa:
    """Automata that are minimal, many of them without groups."""
    size = draw(st.integers(1, most))
    state = st.integers(0, size - 1)
    delta = tuple(tuple(draw(state) for _ in letters) for _ in range(size))
    accepting = draw(st.frozensets(state))
    return Dfa(tuple(letters), delta, 0, accepting).minimal()


def formulas(letters: str = "ab") -> st.SearchStrategy[Formula]:
    """Formulas of past temporal logic."""
    atoms: st.SearchStrategy[Formula] = st.one_of(st.sampled_from(letters).map(Letter), st.booleans().map(Constant))

    def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        one = st.sampled_from([NotFormula, Yesterday, Once, Historically])
        two = st.sampled_from([AndFormula, OrFormula, Since])
        return st.one_of(
            st.builds(lambda kind, a: kind(a), one, inner), st.builds(lambda kind, a, b: kind(a, b), two, inner, inner)
        )

    return st.recursive(atoms, larger, max_leaves=6)
