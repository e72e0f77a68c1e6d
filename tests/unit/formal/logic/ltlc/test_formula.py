"""LTL + C[Mon]: the definition and the fast evaluation agree, text is read as printed, mistakes are named."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.ltlc.formula import (
    CountsAtLeast,
    LtlcFormula,
    LtlcLanguage,
    NumericalHere,
    PositionCount,
    SymbolHere,
    Temporal,
    ltlc_holds,
    ltlc_lines,
)
from capax.formal.logic.ltlc.text import parse_ltlc, printed_ltlc
from capax.notation.numerical import parse_predicate

ATOMS: st.SearchStrategy[LtlcFormula] = st.one_of(
    st.builds(SymbolHere, st.sampled_from("ab")),
    st.builds(NumericalHere, st.sampled_from([parse_predicate("i % 2 = 1"), parse_predicate("i = n - 1")])),
)


def larger(inner: st.SearchStrategy[LtlcFormula]) -> st.SearchStrategy[LtlcFormula]:
    """Formulas made of others."""
    counts = st.tuples(
        st.sampled_from([-2, -1, 1, 3]), st.builds(PositionCount, st.sampled_from(["<", ">", ""]), inner)
    )
    terms = st.lists(counts, min_size=1, max_size=2, unique_by=lambda term: term[1]).map(tuple)
    parts = st.lists(inner, min_size=2, max_size=2).map(tuple)
    return st.one_of(
        st.builds(Negated, inner),
        st.builds(AllOf, parts),
        st.builds(AnyOf, parts),
        st.builds(Temporal, st.sampled_from("YXPFHG"), st.tuples(inner)),
        st.builds(Temporal, st.sampled_from("SU"), parts),
        st.builds(CountsAtLeast, terms, st.integers(-2, 3)),
    )


FORMULAS = st.recursive(ATOMS, larger, max_leaves=5)


@given(FORMULAS)
def test_two_meanings_are_one(formula: LtlcFormula) -> None:
    """At every position of all words of up to four symbols; and the text is read as the same formula."""
    for n in range(1, 5):
        for word in product("ab", repeat=n):
            assert ltlc_lines(formula, word) == [ltlc_holds(formula, word, i) for i in range(n)]
    assert parse_ltlc(printed_ltlc(formula)) == formula


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("#<[a] > #<[b]", ["a", "aba"], ["ab", "b"]),
        ("{i % 2 = 0} & #<[true] = #[a] | P ({i % 2 = 0} & #<[true] = #[a])", ["a", "bab", "aaa"], ["aa", "b", "bb"]),
        ("P (a U b)", ["aab", "abb"], ["b", "aa", "ba"]),
        ("b & H (b -> Y a) & H (a -> X b)", ["ab", "abab"], ["aab", "ba"]),
        ("2*#[a] - 1 <= #>[b] + 2 & #[a] != 1 & 1 < 2", ["bb", "b", "aab"], ["ab", "aaa"]),
        ("1 | '('", ["1", "(("], ["a"]),
        ("#[true] = 3 & -#[a] >= -1", ["abb", "bbb"], ["aab", "ab"]),
    ],
)
def test_formulas_mean_what_they_say(text: str, inside: list[str], outside: list[str]) -> None:
    """Some words in and out of some languages; the empty word is in none."""
    language = LtlcLanguage(parse_ltlc(text), ("a", "b", "1", "("))
    assert [word for word in inside + outside if language.accepts(word)] == inside
    assert not language.accepts("")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#<[a]", "ends too early"),
        ("a S", "ends too early"),
        ("A", "cannot stand here"),
        ("#<[a > 1", "cannot stand here"),
        ("#<[a] > 1234567", "at most 6 digits"),
        ("a b", "cannot stand here"),
        ("{i + 1}", "this is a number"),
        ("(a", "ends too early"),
        ("#<[a] + > 1", "cannot stand here"),
        ("c", "not in the alphabet"),
        (" & ".join(f"P a{k}" for k in range(160)), "different parts"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    """At their place."""
    with pytest.raises(CapaxError, match=message):
        LtlcLanguage(parse_ltlc(text), ("a", "b"))
