"""FOC[MOD; +]: the definition and the normal form agree, quantifiers are eliminated rightly, mistakes are named."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.fo.formula import SymbolAt
from capax.formal.logic.foc.formula import Exactly, FocFormula, FocLanguage, RemainderAt, SomeNumber, foc_holds
from capax.formal.logic.foc.linear import (
    Linear,
    LinearCondition,
    LinearSum,
    eliminated,
    linear_holds,
    positive,
)
from capax.formal.logic.foc.normal import foc_normal_form
from capax.formal.logic.foc.regions import Region
from capax.formal.logic.foc.text import as_sentence, parse_foc, printed_foc, printed_normal

SUMS = st.builds(
    LinearSum.of,
    st.dictionaries(st.sampled_from(["x", "y"]), st.integers(-2, 2), max_size=2),
    st.integers(-2, 2),
)
CONDITIONS: st.SearchStrategy[Linear] = st.builds(LinearCondition, SUMS, st.sampled_from(["=", ">=", ">"]))
LINEAR: st.SearchStrategy[Linear] = st.recursive(
    CONDITIONS,
    lambda inner: st.one_of(
        st.builds(Negated, inner),
        st.builds(AllOf, st.lists(inner, max_size=2).map(tuple)),
        st.builds(AnyOf, st.lists(inner, max_size=2).map(tuple)),
    ),
    max_leaves=5,
)


def holds_at(formula: Linear, x: Fraction, y: int) -> bool:
    """Whether a formula holds with a rational number for x: all sums times its denominator."""
    match formula:
        case LinearCondition(total, kind):
            value = total.constant + total.coefficient("x") * x + total.coefficient("y") * y
            return {"=": value == 0, ">=": value >= 0, ">": value > 0}[kind]
        case Negated(one):
            return not holds_at(one, x, y)
        case AllOf(parts):
            return all(holds_at(part, x, y) for part in parts)
        case AnyOf(parts):
            return any(holds_at(part, x, y) for part in parts)


@given(LINEAR, st.integers(-4, 4))
def test_a_quantifier_is_eliminated(formula: Linear, y: int) -> None:
    """There is a number exactly if there is one among those that matter: sixths, since coefficients are up to 2."""
    after = eliminated("x", positive(formula))
    assert "x" not in str(after).replace("x'", "x") or all("x" not in dict(c.sum.terms) for c in _conditions(after))
    tried = any(holds_at(formula, Fraction(k, 8), y) for k in range(-200, 201))
    event(f"holds: {tried}")
    assert linear_holds(after, {"y": y}) == tried


def _conditions(formula: Linear) -> list[LinearCondition]:
    match formula:
        case LinearCondition():
            return [formula]
        case Negated(one):
            return _conditions(one)
        case AllOf(parts) | AnyOf(parts):
            return [one for part in parts for one in _conditions(part)]


def formulas(positions: tuple[str, ...], numbers: tuple[str, ...], depth: int) -> st.SearchStrategy[FocFormula]:
    """Formulas with some free variables."""
    options: list[st.SearchStrategy[FocFormula]] = []
    if positions:
        options.append(st.builds(SymbolAt, st.sampled_from("ab"), st.sampled_from(positions)))
        options.append(st.builds(RemainderAt, st.sampled_from(positions), st.just(2), st.integers(0, 1)))
    terms = st.dictionaries(st.sampled_from(numbers), st.integers(-2, 2), max_size=2) if numbers else st.just({})
    sums = st.builds(LinearSum.of, terms, st.integers(-1, 2))
    options.append(st.builds(LinearCondition, sums, st.sampled_from(["=", ">=", ">"])))
    if depth:
        inner = formulas(positions, numbers, depth - 1)
        name = "pq"[len(positions) % 2]
        options.append(st.builds(Exactly, sums, st.just(name), formulas((*positions, name), numbers, depth - 1)))
        number = "xy"[len(numbers) % 2]
        options.append(st.builds(SomeNumber, st.just(number), formulas(positions, (*numbers, number), depth - 1)))
        options.append(st.builds(Negated, inner))
        options.append(st.builds(AllOf, st.lists(inner, min_size=2, max_size=2).map(tuple)))
    return st.one_of(*options)


@settings(max_examples=80)
@given(formulas((), (), 4))
def test_the_normal_form_is_the_definition(formula: FocFormula) -> None:
    """On all words of up to three symbols; and the normal form, as a sentence, is its own normal form."""
    language = FocLanguage(formula, ("a", "b"))
    try:
        normal = foc_normal_form(language)
        words = [word for n in range(4) for word in product("ab", repeat=n)]
        says = [foc_holds(formula, word) for word in words]
    except CapaxError as error:
        assume(error.code != "too-large")
        raise
    event(f"says: {sorted(set(says))}")
    assert [normal.accepts(word) for word in words] == says
    again = foc_normal_form(FocLanguage(as_sentence(normal), ("a", "b")))
    assert [again.accepts(word) for word in words] == says


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("#p[a(p)] > #p[b(p)]", ["a", "aab"], ["ab", ""]),
        ("exists x. exists[x + x] p. a(p)", ["a", "aa", ""], []),
        ("#p[p % 2 = 0] = #p[p % 2 = 1]", ["", "ab", "aaaa"], ["a", "aba"]),
        ("some p. a(p) & p % 3 = 1", ["ba"], ["a", "ab", ""]),
        ("every p. a(p) -> p % 2 = 0", ["aba", "b", ""], ["aa"]),
        ("exists[2] p. a(p) & exists[1] q. b(q)", ["aab"], ["aa", "aabb"]),
        ("forall x. x < 0 | 2*x >= #p[a(p)] | x < 3", ["a", "aaaaaa"], ["aaaaaaaa"]),
        ("exists x. #p[a(p)] < x & x < #p[a(p)] + 1 & x != 2", ["", "a", "aa"], []),
    ],
)
def test_sentences_mean_what_they_say(text: str, inside: list[str], outside: list[str]) -> None:
    """Some words in and out of some languages; text is read as printed, and so is the normal form."""
    formula = parse_foc(text)
    assert parse_foc(printed_foc(formula)) == formula
    normal = foc_normal_form(FocLanguage(formula, ("a", "b")))
    for word in inside + outside:
        assert normal.accepts(word) == (word in inside), word
        if len(word) < 5:
            assert foc_holds(formula, word) == (word in inside), word
    printed = foc_normal_form(FocLanguage(parse_foc(printed_normal(normal)), ("a", "b")))
    assert all(printed.accepts(word) == normal.accepts(word) for word in inside + outside)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p % 2 = 0", "'p' is not a number"),
        ("exists x. a(x)", "'x' is not a position"),
        ("exists[x] p. a(p)", "'x' is not a number"),
        ("#p[a(p)] >", "ends too early"),
        ("forall[2] p. a(p)", "has no number of positions"),
        ("some p. p < 2", "cannot stand here"),
        ("some p. p % 0 = 0", "from 1 to 60"),
        ("exists exists. true", "cannot be a variable"),
        ("x + 1", "'x' is not a number"),
        ("exists x. x > 12345678", "at most 6 digits"),
        ("some p. c(p)", "not in the alphabet"),
        ("some p. p % 59 = 1 & p % 58 = 1", "modulo 3,422"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    """At their place."""
    with pytest.raises(CapaxError, match=message):
        foc_normal_form(FocLanguage(parse_foc(text), ("a", "b")))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("#p[#q[a(q) & q % 2 = p % 2] > 1] > 2", "remainder r are constants"),
        ("some p. p % x = 1", "modulus m and the remainder r are constants"),
        ("exists[x] p. a(p) & x > 3", "write `exists x.` first"),
        ("exists y. exists[x] p. a(p)", "write `exists x.` first; numbers here are y"),
        ("some p. 1 + p > 2", "a position is not a number"),
    ],
)
def test_hints_say_what_to_write(text: str, hint: str) -> None:
    """Of remainders, and of numbers that no quantifier names."""
    with pytest.raises(CapaxError) as error:
        parse_foc(text)
    assert hint in str(error.value.hint)


def test_a_name_that_is_taken_is_not_captured() -> None:
    """A number that a user calls like those that `#p[f]` makes."""
    formula = parse_foc("exists count0. count0 = 2 & count0 = #p[a(p)]")
    assert foc_normal_form(FocLanguage(formula, ("a", "b"))).accepts("aab")
    assert not foc_normal_form(FocLanguage(formula, ("a", "b"))).accepts("ab")


@given(st.lists(CONDITIONS, max_size=4))
def test_a_region_without_points_has_none(conditions: list[Linear]) -> None:
    """Where the method says that there is none, no small vector of halves is one; else there is a rational one."""
    region = Region(("x", "y")).cut(*(one for one in conditions if isinstance(one, LinearCondition)))
    grid = [Fraction(k, 4) for k in range(41)]
    points = any(all(_at(one, x, y) for one in region.conditions) for x in grid for y in grid)
    event(f"points: {points}")
    assert region.may_have_points or not points
    if not region.may_have_points:
        assert region.cut().contains(region)


def _at(one: LinearCondition, x: Fraction, y: Fraction) -> bool:
    value = one.sum.constant + one.sum.coefficient("x") * x + one.sum.coefficient("y") * y
    return {"=": value == 0, ">=": value >= 0, ">": value > 0}[one.kind]
