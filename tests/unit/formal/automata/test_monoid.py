"""Monoids, egg-boxes, stable semigroups and groups, against the definitions by brute force."""

import pytest
from hypothesis import given, settings

from capax import CapaxError
from capax.formal.automata.classification import classify, stable_semigroup
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.green import egg_boxes
from capax.formal.automata.groups import GROUPS, after, closure, group
from capax.formal.automata.monoid import period, then, transition_monoid
from capax.formal.automata.regex import regex_dfa
from capax.formal.automata.subgroup import primes, structure
from capax.formal.languages.catalogue import language
from tests.support.formal_objects import automata

SMALL = settings(max_examples=50, deadline=None)


def effect(dfa: Dfa, word: tuple[str, ...]) -> tuple[int, ...]:
    """What a word does to each state."""
    return tuple(Dfa(dfa.alphabet, dfa.delta, q, dfa.accepting).run(word) for q in range(dfa.size))


@SMALL
@given(automata(most=4))
def test_the_monoid_is_what_words_do(dfa: Dfa) -> None:
    """All maps of words up to length 6 are in it; each element has its word, and products are concatenations."""
    monoid = transition_monoid(dfa)
    assert {effect(dfa, word) for word in words_up_to("ab", 6)} <= set(monoid.maps)
    for element in range(min(monoid.size, 40)):
        word = monoid.word(element)
        assert effect(dfa, word) == monoid.maps[element]
        for a, letter in enumerate("ab"):
            assert monoid.maps[monoid.right[element, a]] == effect(dfa, (*word, letter))
            assert monoid.maps[monoid.left[element, a]] == effect(dfa, (letter, *word))
    closed = set(monoid.maps)
    some = monoid.maps[:30]
    assert {then(x, y) for x in some for y in some} <= closed


@SMALL
@given(automata(most=4))
def test_aperiodic_is_that_powers_come_to_rest(dfa: Dfa) -> None:
    """x^n = x^(n+1) for n as large as the monoid."""
    monoid = transition_monoid(dfa)
    rests = True
    for found in monoid.maps:
        power = found
        for _ in range(monoid.size):
            power = then(power, found)
        rests = rests and then(power, found) == power
        assert (period(found) == 1) == (then(power, found) == power)
    assert (monoid.periodic() is None) == rests


@SMALL
@given(automata(most=4).filter(lambda dfa: transition_monoid(dfa).size <= 60))
def test_egg_boxes_are_classes_of_ideals(dfa: Dfa) -> None:
    """Same row: same right ideal; same column: same left ideal; same box: same two-sided ideal."""
    monoid = transition_monoid(dfa)
    maps = monoid.maps
    right = [frozenset(then(x, y) for y in maps) for x in maps]
    left = [frozenset(then(y, x) for y in maps) for x in maps]
    both = [frozenset(then(y, z) for z in right[at] for y in maps) for at in range(len(maps))]
    place = {}
    for b, box in enumerate(egg_boxes(monoid)):
        for r, row in enumerate(box.cells):
            for c, cell in enumerate(row):
                place |= dict.fromkeys(cell, (b, (b, r), (b, c)))
        cells = {(r, c): cell for r, row in enumerate(box.cells) for c, cell in enumerate(row)}
        idempotent = {at for at, cell in cells.items() if any(then(maps[e], maps[e]) == maps[e] for e in cell)}
        assert set(box.groups) == idempotent
    assert sorted(place) == list(range(monoid.size))
    for x in range(monoid.size):
        for y in range(x):
            assert (both[x] == both[y]) == (place[x][0] == place[y][0])
            assert (right[x] == right[y]) == (place[x][1] == place[y][1])
            assert (left[x] == left[y]) == (place[x][2] == place[y][2])


@SMALL
@given(automata(most=4))
def test_the_stable_semigroup(dfa: Dfa) -> None:
    """What words of s symbols do is what words of 2 s symbols do, for no smaller s; quasi-aperiodic by all lengths."""
    monoid = transition_monoid(dfa)
    found = stable_semigroup(monoid)
    images, here = [], {0}
    for _ in range(2 * found.index):
        here = {int(monoid.right[e, a]) for e in here for a in range(2)}
        images.append(frozenset(here))
    assert images[found.index - 1] == images[2 * found.index - 1] == set(found.elements)
    assert all(images[s - 1] != images[2 * s - 1] for s in range(1, found.index))
    # a group in the image of words of length t: an element whose powers in that image go round
    for image in images:
        for e in image:
            powers = [e]
            for _ in range(monoid.size):
                powers.append(monoid.product(powers[-1], e))
            cycle = set(powers[-period(monoid.maps[e]) :])
            if len(cycle) > 1 and cycle <= image:
                assert found.periodic is not None


@pytest.mark.parametrize(
    ("name", "order", "factors"),
    [
        ("z6", 6, "Z2 Z3"),
        ("z12", 12, "Z2 Z2 Z3"),
        ("s3", 6, "Z2 Z3"),
        ("s4", 24, "Z2 Z2 Z2 Z3"),
        ("a4", 12, "Z2 Z2 Z3"),
        ("d5", 10, "Z2 Z5"),
        ("q8", 8, "Z2 Z2 Z2"),
        ("z2xz2", 4, "Z2 Z2"),
        ("a5", 60, "A5"),
        ("s5", 120, "Z2 A5"),
        ("a6", 360, "A6"),
    ],
)
def test_groups_are_taken_apart(name: str, order: int, factors: str) -> None:
    """The order and the simple factors of well-known groups."""
    found = structure(group(name).elements())
    assert (found.order, found.factors) == (order, tuple(factors.split()))
    assert found.solvable == ("A" not in factors)


def test_a_product_of_simple_groups_is_taken_apart() -> None:
    """A5 x A5, by permutations of ten points; and Q8 has one element of order 2."""
    five = [p for _, p in GROUPS["a5"].generators]
    beside = [(*p, 5, 6, 7, 8, 9) for p in five] + [(0, 1, 2, 3, 4, *(x + 5 for x in p)) for p in five]
    found = structure(closure(beside))
    assert (found.order, found.solvable, found.factors) == (3600, False, ("A5", "A5"))
    q8 = group("q8").elements()
    assert sum(x != q8[0] and after(x, x) == q8[0] for x in q8) == 1


def test_prime_factors() -> None:
    """Their product is the number."""
    assert [primes(n) for n in (1, 2, 12, 97, 3600)] == [[], [2], [2, 2, 3], [97], [2, 2, 2, 2, 3, 3, 5, 5]]


def test_the_case_that_the_monoid_alone_gets_wrong() -> None:
    """(aa)* has a group and is in AC0; PARITY has the same group and is not."""
    even, parity = classify(regex_dfa("(aa)*")), classify(language("parity").automaton or regex_dfa("a"))
    assert even.star_free is False
    assert even.in_ac0 is True
    assert parity.in_ac0 is False
    assert even.groups == parity.groups


def test_a_huge_monoid_is_told() -> None:
    """The classes that need it are not found out; a letter that goes round still shows a group."""
    found = classify(regex_dfa("(a|b)*a(a|b){6}"), budget=50)
    assert found.monoid is None
    assert found.star_free is None
    assert "more than 50 elements" in found.why["monoid"]
    assert classify(language("s5").automaton or regex_dfa("a"), budget=50).star_free is False
    with pytest.raises(CapaxError, match="more than 50 elements"):
        transition_monoid(regex_dfa("(a|b)*a(a|b){6}"), budget=50)
