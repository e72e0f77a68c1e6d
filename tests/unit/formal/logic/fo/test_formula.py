"""FO[Mon]: the definition, the fast evaluation and the automaton agree; text is read as printed; mistakes are named."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.automata.cascade import cascade
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.fo.automaton import fo_automaton, fo_membership
from capax.formal.logic.fo.formula import (
    Before,
    FoFormula,
    FoLanguage,
    NumericalAt,
    SamePosition,
    SomePosition,
    SymbolAt,
    fo_holds,
    holds_fast,
)
from capax.formal.logic.fo.text import parse_fo, printed_fo
from capax.formal.logic.fo.words import fo_word, fo_words
from capax.notation.numerical import parse_predicate

PREDICATES = [parse_predicate(text) for text in ("isprime(i + 1)", "2 * i < n")]


def formulas(scope: tuple[str, ...], depth: int) -> st.SearchStrategy[FoFormula]:
    """Formulas with free variables among a scope."""
    variables = st.sampled_from(scope) if scope else st.nothing()
    atoms: st.SearchStrategy[FoFormula] = st.one_of(
        st.builds(SymbolAt, st.sampled_from("ab"), variables),
        st.builds(Before, variables, variables),
        st.builds(SamePosition, variables, variables),
        st.builds(NumericalAt, st.sampled_from(PREDICATES), variables),
    )
    if not depth:
        return atoms
    inner = formulas(scope, depth - 1)
    name = "xyz"[len(scope)] if len(scope) < 3 else "x"
    some = st.builds(SomePosition, st.just(name), formulas((*scope, name), depth - 1))
    joined = st.lists(inner if scope else some, min_size=1, max_size=2).map(tuple)
    both: st.SearchStrategy[FoFormula] = st.one_of(st.builds(AllOf, joined), st.builds(AnyOf, joined), some)
    return st.one_of(both, st.builds(Negated, both))


@settings(max_examples=60)
@given(formulas((), 3))
def test_three_meanings_are_one(formula: FoFormula) -> None:
    """On all words of up to four symbols; the automaton has no group, and the text is read as the same formula."""
    language = FoLanguage(formula, ("a", "b"))
    dfa, finer = fo_automaton(language)
    cascade(dfa)  # raises an error if there is a group
    for n in range(5):
        for word in product("ab", repeat=n):
            assert fo_holds(formula, word) == holds_fast(formula, word) == language.accepts(word)
            assert dfa.accepts(finer.word(word)) == fo_holds(formula, word)
    assert fo_holds(parse_fo(printed_fo(formula)), "abba") == fo_holds(formula, "abba")


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("forall x y. a(x) & b(y) -> x < y", ["", "aab", "b"], ["ba", "aba"]),
        ("exists x y. next(x, y) & a(x) & a(y)", ["aa", "baab"], ["aba", ""]),
        ("exists x. last(x) & '('(x)", ["a(", "("], ["(a", ""]),
        ("forall x. 1(x) | '0'(x) & !last(x)", ["", "01", "1"], ["10", "a1"]),
        ("{n % 2 = 0} & forall x. (a(x) -> {2*x < n}) & (b(x) -> {2*x >= n})", ["aabb", ""], ["aab", "ba"]),
        ("exists x. first(x) & exists x. a(x) & x != x | b(x)", ["ab"], ["a"]),
        ("true & !false & forall x. x <= x & x >= x & x = x", ["", "ab"], []),
    ],
)
def test_sentences_mean_what_they_say(text: str, inside: list[str], outside: list[str]) -> None:
    """Some words in and out of some languages."""
    formula = parse_fo(text)
    assert printed_fo(parse_fo(printed_fo(formula))) == printed_fo(formula)
    for word in inside + outside:
        assert holds_fast(formula, word) == (word in inside), word


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a(x)", "'x' is not a variable"),
        ("exists x. {x < y}", "'y' is unknown"),
        ("exists x y. {x < y}", "is about one position"),
        ("exists x. a(x", "ends too early"),
        ("forall . a(x)", "cannot stand here"),
        ("exists n. a(n)", "cannot be a variable"),
        ("exists x. x", "ends too early"),
        ("exists x. a(x))", "cannot stand here"),
        ("exists x a(x)", "cannot stand here"),
        ("!" * 80 + "true", "inside each other"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    """At their place."""
    with pytest.raises(CapaxError, match=message):
        parse_fo(text)


def test_what_is_too_large_is_refused() -> None:
    """States, letters, and cases of the evaluation."""
    deep = parse_fo("exists x y z. a(x) & b(y) & a(z) & x < y & y < z & exists u. z < u & b(u)")
    with pytest.raises(CapaxError, match="more than 3 states"):
        fo_automaton(FoLanguage(deep, ("a", "b")), budget=3)
    steps = "forall x y z. exists u v w. (x < u & y < v & z < w & a(u) & b(v) & a(w)) | (a(x) & b(y) & x < z)"
    with pytest.raises(CapaxError, match="more than 40,000 steps"):
        fo_automaton(FoLanguage(parse_fo(steps), ("a", "b")), budget=200)
    many = "".join(f"exists x{k}. " for k in range(12)) + "a(x0)"
    with pytest.raises(CapaxError, match="letters"):
        fo_automaton(FoLanguage(parse_fo(many), ("a", "b")))
    with pytest.raises(CapaxError, match="cases"):
        holds_fast(deep, "ab" * 100)
    with pytest.raises(CapaxError, match="not in the alphabet"):
        FoLanguage(parse_fo("exists x. c(x)"), ("a",))


@pytest.mark.parametrize("text", ["{foo(n)}", "exists x. {x // 0 = 1}", "exists i. {i % 0 = 1}", "{n // 0 = 1}"])
def test_predicates_speak_of_the_variable_that_was_written(text: str) -> None:
    """In hints and in errors of division."""
    with pytest.raises(CapaxError) as error:
        holds_fast(parse_fo(text), "ab")
    expected = {
        "{foo(n)}": "'foo' is unknown",
        "exists x. {x // 0 = 1}": "x // 0 divides by 0 at position x = 0 of words of length 2",
        "exists i. {i % 0 = 1}": "i % 0 divides by 0 at position i = 0 of words of length 2",
        "{n // 0 = 1}": "n // 0 divides by 0 for words of length 2",
    }
    assert error.value.what == expected[text]
    if "foo" in text:
        assert str(error.value.hint).startswith("n is the length; functions are isprime")


@settings(max_examples=30)
@given(formulas((), 3), st.text("ab", min_size=18, max_size=22))
def test_long_words_are_asked_of_the_automaton(formula: FoFormula, word: str) -> None:
    """With the answer of the formula; an unknown symbol is named."""
    language = FoLanguage(formula, ("a", "b"))
    accepts = fo_membership(language, *fo_automaton(language))
    assert accepts(word) == holds_fast(formula, word)
    assert accepts("ab") == holds_fast(formula, "ab")
    with pytest.raises(CapaxError, match="the symbol 'c' at position"):
        accepts(word + "c")


def test_many_quantifiers_do_not_make_long_words_slow() -> None:
    """Eight of them over 6 positions are 1.7 million cases for each word; the automaton takes six steps."""
    formula = parse_fo(
        "forall x. exists y. forall z. exists u. forall v. exists w. forall s. exists t. "
        "(x < z & y < u & z < v & u < w & v < s & w < t) -> (a(x) | b(t) & {isprime(u)})"
    )
    language = FoLanguage(formula, ("a", "b"))
    accepts = fo_membership(language, *fo_automaton(language))
    assert all(accepts(word) for word in product("ab", repeat=6))


def test_random_words_are_inside() -> None:
    """Of every length that has some."""
    language = FoLanguage(parse_fo("forall x. {isprime(x + 1)} -> a(x)"), ("a", "b"))
    dfa, finer = fo_automaton(language)
    random = np.random.default_rng(0)
    for n in range(1, 30):
        word = fo_word(dfa, finer, random, n)
        assert word is not None
        assert language.accepts(word)
    even = FoLanguage(parse_fo("{n % 2 = 0} & exists x. a(x)"), ("a", "b"))
    assert fo_word(*fo_automaton(even), random, 3) is None
    named = fo_words(even, *fo_automaton(even))
    assert all(len(named.inside(random, 7) or ()) == 6 for _ in range(5))
    assert named.accepts("ab" * 40) == even.accepts("ab" * 40)
