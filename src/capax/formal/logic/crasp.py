"""Which regular languages counting logic (C-RASP) can define, as far as the criteria here say.

Yes, with the formula:

- *partially ordered*: a word that leaves a state of the minimal automaton never comes back to it (the syntactic monoid
  is R-trivial). "The state is p" is then said by where p is entered and left, each at most once.
- *heights*: which state a word leads to, before it fails for good, is known from how often each letter occurred. The
  states then are vectors of counts, and a word is in the language if no letter of it was out of place.
- *levels*: the same with finer letters, which are told by counts themselves (`capax.formal.logic.crasp_levels`).
- *by the last letter*: for each letter a, the words before a last letter a are of one of the two kinds.

No: *more than the last letter*. Let P be a set of states and U some words that are not empty, such that they lead P
into itself and every state of P to every other, and one of them, u, does not lead all of P to one state. Then the
language is not definable. Definable languages are closed under quotients and under inverse images of words for
letters, so that the words of U may be taken for letters. Choose a word z over U whose numbers of letters lie on none of
the finitely many hyperplanes that a comparison of the formula, as a sum over letters, can say. Then, by induction on
the formula: far out in z z z ... each comparison has come to rest (its sum is constant, or grows without end), and
stays so in the next few letters, whichever they are, so that each part of the formula depends on the letter at its
position alone. But there are v, v' with the same last letter u that lead to different states.

- *a cycle*: U is one word that moves some states around, a group in the monoid;
- *restless*: one argument more, in which words may leave P (`capax.formal.logic.crasp_rest`);
- *a memory*: U has a word to each state of P alone, and u, as in flip-flops (u is neutral) or "the last two letters".

Cite: Yang and Chiang 2024 for the logic. Huang et al. 2025, "A Formal Framework for Understanding Length Generalization
in Transformers", has PARITY and the flip-flop; the criteria are proved above.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

from capax.formal.automata.dfa import Dfa, components, reached
from capax.formal.automata.monoid import Map, Monoid
from capax.formal.logic.counting import All, AtLeast, Counting, Negation, Symbol, either, equal
from capax.formal.logic.crasp_levels import kernel, level_formula
from capax.formal.logic.crasp_rest import Words, restless

MOST_PAIRS: Final = 3_000_000
"""The most elements times pairs of states that are looked at."""
MOST_SPELLED: Final = 300
"""Formulas of automata with more states are not written down."""
ORDERED: Final = "the automaton is partially ordered (R-trivial): no state is come back to"


@dataclass(frozen=True, slots=True)
class CRasp:
    """Whether a language is in C-RASP: yes (with a formula where it is at hand), no, or None for unknown; and why."""

    holds: bool | None
    reason: str
    formula: Counting | None = None


def crasp(dfa: Dfa, monoid: Monoid | None) -> CRasp:
    """What the criteria say of the language of a minimal automaton, with its monoid if that is known."""
    if dfa.size > MOST_SPELLED and is_partially_ordered(dfa):
        return CRasp(True, ORDERED)  # the formula would be longer than anyone reads
    whole = count_formula(dfa)
    if whole is not None:
        return CRasp(True, *whole)
    parts = [count_formula(_before(dfa, a), letter) for a, letter in enumerate(dfa.alphabet)]
    if all(part is not None for part in parts):
        cases: list[Counting] = [All((Symbol(s), part[1])) for s, part in zip(dfa.alphabet, parts, strict=True) if part]
        if dfa.start in dfa.accepting:
            cases.append(All(tuple(Negation(Symbol(letter)) for letter in dfa.alphabet)))
        return CRasp(True, "for each last letter, counts say which words may stand before it", either(cases))
    levels = level_formula(dfa)
    if levels is not None:
        return CRasp(True, "counts of letters, and of letters told by counts, say the state", levels)
    element = None if monoid is None else monoid.periodic()
    if monoid is not None and element is not None:
        word = "".join(monoid.word(element))
        return CRasp(False, f"repetitions of {word!r} cycle, and in C-RASP they become constant")
    seen = restless(dfa)
    if seen is not None:
        return _remembers(seen)
    if monoid is None or monoid.size * dfa.size**2 > MOST_PAIRS:
        return CRasp(None, "the monoid is too large to be searched")
    words = memory(monoid)
    return CRasp(None, "no criterion applies") if words is None else _remembers(words)


def _remembers(words: Words) -> CRasp:
    """A language outside C-RASP, by two words that matter before a third."""
    first, second, last = ("".join(word) or "nothing" for word in words)
    seen = f"whether {first} or {second} stood before {last}"
    return CRasp(False, f"in the long run C-RASP sees the last letter alone, and this tells {seen}")


def count_formula(dfa: Dfa, last: str | None = None) -> tuple[str, Counting] | None:
    """A formula without letters outside counts, and why there is one; None if no criterion says so.

    With `last`: the formula is true at a letter `last` of a word whose part before it is in the language.
    """
    if is_partially_ordered(dfa):
        return None if dfa.size > MOST_SPELLED else (ORDERED, ordered_formula(dfa, last))
    heights = state_heights(dfa)
    if heights is not None:
        return "how often each letter occurred says the state", height_formula(dfa, heights, last)
    return None


def _before(dfa: Dfa, symbol: int) -> Dfa:
    """The minimal automaton of the words that a symbol leads into the language."""
    good = frozenset(q for q in range(dfa.size) if dfa.delta[q][symbol] in dfa.accepting)
    return Dfa(dfa.alphabet, dfa.delta, dfa.start, good).minimal()


def is_partially_ordered(dfa: Dfa) -> bool:
    """Whether no state is come back to after it was left."""
    return len(set(components(dfa.delta))) == dfa.size


def ordered_formula(dfa: Dfa, last: str | None = None) -> Counting:
    """A formula for a partially ordered automaton; with `last`, for the word before a last letter."""
    number = components(dfa.delta)
    enter: dict[int, list[Counting]] = {q: [] for q in range(dfa.size)}
    ended: list[Counting] = []
    for p in sorted(range(dfa.size), key=number.__getitem__, reverse=True):
        entered = either(enter[p])
        # strictly after the one position where p was entered, if there is one
        inside: tuple[Counting, ...] = () if p == dfa.start else (AtLeast(((1, entered),), 1), Negation(entered))
        leaving = [a for a, q in enumerate(dfa.delta[p]) if q != p]
        out = All((either([Symbol(dfa.alphabet[a]) for a in leaving]), *inside))
        leave = All((out, equal(((1, out),), 1)))  # the first position with a letter that leaves
        for a in leaving:
            enter[dfa.delta[p][a]].append(All((leave, Symbol(dfa.alphabet[a]))))
        if p in dfa.accepting:
            stayed = equal(((1, leave),), 0)
            ended.append(All((*inside[:1], stayed)) if last is None else All((*inside, either([stayed, leave]))))
    return either(ended)


def state_heights(dfa: Dfa) -> dict[int, tuple[Fraction, ...]] | None:
    """A vector for each state but the one of failure, such that a letter adds the same wherever it may stand.

    None if two states must have the same, or if there are several states that are never left.
    """
    dead = [q for q, row in enumerate(dfa.delta) if all(t == q for t in row)]
    if len(dead) > 1 or dfa.start in dead or dfa.size > 60:
        return None
    live = [q for q in range(dfa.size) if q not in dead]
    if not _may_have_heights(dfa, live):
        return None
    column = {q: at for at, q in enumerate(live)}
    rows = []
    for q in live:
        for a, t in enumerate(dfa.delta[q]):
            if t not in dead:
                row = [Fraction(0)] * (len(live) + len(dfa.alphabet))
                row[column[t]] += 1
                row[column[q]] -= 1
                row[len(live) + a] -= 1
                rows.append(row)
    fixed = [Fraction(0)] * (len(live) + len(dfa.alphabet))
    fixed[column[dfa.start]] = Fraction(1)
    basis = kernel([*rows, fixed])
    heights = {q: tuple(vector[column[q]] for vector in basis) for q in live}
    return heights if len(set(heights.values())) == len(live) else None


def _may_have_heights(dfa: Dfa, live: list[int]) -> bool:
    """Whether no letter leads two states to one, and each that leaves some state as it is leaves all so."""
    for a in range(len(dfa.alphabet)):
        moves = [(q, dfa.delta[q][a]) for q in live if dfa.delta[q][a] in live]
        still = sum(q == t for q, t in moves)
        if len({t for _, t in moves}) < len(moves) or 0 < still < len(moves):
            return False
    return True


def height_formula(dfa: Dfa, heights: dict[int, tuple[Fraction, ...]], last: str | None = None) -> Counting:
    """A formula for an automaton whose states are known from counts: no letter was out of place, and the end is right.

    With `last`: for the word before a letter `last`, which is counted already.
    """
    scale = lcm(*(x.denominator for vector in heights.values() for x in vector))
    states = {q: tuple(int(x * scale) for x in vector) for q, vector in heights.items()}
    moves = [(q, a, t) for q in states for a, t in enumerate(dfa.delta[q]) if t in states]
    added = {a: tuple(y - x for x, y in zip(states[q], states[t], strict=True)) for q, a, t in moves}
    fine = [All((Symbol(dfa.alphabet[a]), _is_at(dfa, added, states[t]))) for _, a, t in moves]
    wrong = All((either([Symbol(a) for a in dfa.alphabet]), Negation(either(list(dict.fromkeys(fine))))))
    clean = equal(((1, wrong),), 0)
    more: tuple[int, ...] = ()
    if last is not None:
        clean = either([clean, All((wrong, equal(((1, wrong),), 1)))])
        more = added.get(dfa.alphabet.index(last), ())
    ends = [states[q] for q in states if q in dfa.accepting]
    good = either([_is_at(dfa, added, _sum(end, more)) for end in ends])
    failed_is_good = any(q in dfa.accepting for q in range(dfa.size) if q not in states)
    return either([All((clean, good)), Negation(clean)]) if failed_is_good else All((clean, good))


def _sum(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x + y for x, y in zip(one, other, strict=True)) if other else one


def _is_at(dfa: Dfa, added: dict[int, tuple[int, ...]], vector: tuple[int, ...]) -> Counting:
    """The counts are those of a state, if every letter so far was in its place."""
    parts = []
    for k, wanted in enumerate(vector):
        terms = tuple((added[a][k], Symbol(s)) for a, s in enumerate(dfa.alphabet) if a in added and added[a][k])
        parts.append(equal(terms, wanted))
    return All(tuple(parts))


def memory(monoid: Monoid) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """Words v, w, u such that v u and w u lead a set of states to different ones of it, in an aperiodic monoid.

    The set is what u makes of two states, again and again. To each state of it some word leads all of them, so that it
    is connected; in an aperiodic monoid no other sets need be looked at. None if there are none.
    """
    n = monoid.dfa.size
    known: dict[frozenset[int], dict[int, int]] = {}
    repeats = 0 in {int(e) for e in monoid.right.ravel()}  # whether some word that is not empty does nothing
    for element in range(0 if repeats else 1, monoid.size):
        images = monoid.maps[element]
        for p in range(n):
            for q in range(p + 1, n):
                if images[p] == images[q]:
                    continue
                orbit = _orbit(images, p, q)
                if orbit not in known:
                    known[orbit] = _to_one(monoid, orbit)
                resets = known[orbit]
                if len(resets) == len(orbit):
                    return monoid.word(resets[p]), monoid.word(resets[q]), _not_empty(monoid, element)
    return None


def _orbit(images: Map, p: int, q: int) -> frozenset[int]:
    return frozenset(reached([p, q], lambda state: [images[state]]))


def _to_one(monoid: Monoid, states: frozenset[int]) -> dict[int, int]:
    """For each of some states an element that leads all of them to it, if there is one."""
    some = sorted(states)
    leads_to: dict[int, int] = {}
    for element, image in enumerate(monoid.maps):
        to = image[some[0]]
        if to in states and to not in leads_to and all(image[q] == to for q in some):
            leads_to[to] = element
    return leads_to


def _not_empty(monoid: Monoid, element: int) -> tuple[str, ...]:
    """A word of an element that is not the empty one."""
    if element:
        return monoid.word(element)
    before, symbol = next((int(e), int(a)) for e, a in zip(*(monoid.right == 0).nonzero(), strict=True))
    return (*monoid.word(before), monoid.dfa.alphabet[symbol])
