"""The structure of a finite group of permutations: solvable or not, and its simple factors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from capax.formal.automata.derived_series import inverse
from capax.formal.automata.dfa import reached
from capax.formal.automata.green import EggBox
from capax.formal.automata.groups import Permutation, after, closure
from capax.formal.automata.monoid import Monoid

SIMPLE: Final = {
    60: "A5",
    168: "PSL(2,7)",
    360: "A6",
    504: "PSL(2,8)",
    660: "PSL(2,11)",
    1092: "PSL(2,13)",
    2448: "PSL(2,17)",
    2520: "A7",
    3420: "PSL(2,19)",
    4080: "PSL(2,16)",
    5616: "PSL(3,3)",
    6048: "PSU(3,3)",
    6072: "PSL(2,23)",
    7800: "PSL(2,25)",
    7920: "M11",
}
"""The simple groups that are not commutative, of orders below 9,000: there is one of each order."""
MOST_ORDER: Final = 8_000
"""The factors of a perfect group of larger order are not looked for."""


@dataclass(frozen=True, slots=True)
class Structure:
    """What a group is made of: its order, whether it is solvable, and its simple factors (Jordan and Hölder), sorted.

    `factors` is None for a group that is not solvable and too large to be taken apart.
    """

    order: int
    solvable: bool
    commutative: bool
    factors: tuple[str, ...] | None


def subgroup(monoid: Monoid, box: EggBox) -> list[Permutation]:
    """A group of an egg-box as permutations of the states that its idempotent keeps, renumbered."""
    maps = [monoid.maps[e] for e in box.group()]
    states = sorted(set(maps[0]))
    renumbered = {q: at for at, q in enumerate(states)}
    return [tuple(renumbered[images[q]] for q in states) for images in maps]


def structure(elements: Sequence[Permutation]) -> Structure:
    """What a group, given by all its elements, is made of."""
    factors: list[str] = []
    group, first = list(elements), generators(elements)
    commutative = all(after(a, b) == after(b, a) for a in first for b in first)
    while True:
        inner = derived(group)
        factors += [f"Z{p}" for p in primes(len(group) // len(inner))]
        if len(inner) == len(group):
            break
        group = inner
    if len(group) == 1:
        return Structure(len(elements), True, commutative, _sorted(factors))
    if len(group) > MOST_ORDER:
        return Structure(len(elements), False, commutative, None)
    return Structure(len(elements), False, commutative, _sorted([*factors, *simple_factors(group)]))


def generators(elements: Sequence[Permutation]) -> list[Permutation]:
    """Few elements whose products are all: each is outside the group of those before."""
    chosen: list[Permutation] = []
    have = {_identity(elements)}
    for element in elements:
        if element not in have:
            chosen.append(element)
            have = set(closure(chosen))
            if len(have) == len(elements):
                break
    return chosen


def derived(elements: Sequence[Permutation]) -> list[Permutation]:
    """The group that the commutators generate."""
    some = generators(elements)
    commutators = [after(after(inverse(a), inverse(b)), after(a, b)) for a in some for b in some]
    return normal_closure(commutators, some, _identity(elements))


def normal_closure(
    seeds: Iterable[Permutation], conjugators: Sequence[Permutation], identity: Permutation
) -> list[Permutation]:
    """The smallest group with `seeds` that conjugation by the others keeps."""
    conjugators_used: list[Permutation] = []
    have = {identity}
    queue = list(dict.fromkeys(seeds))
    for element in queue:  # the queue grows while it is read
        if element in have:
            continue
        conjugators_used.append(element)
        have = set(closure(conjugators_used))
        queue += [after(after(inverse(c), element), c) for c in conjugators]
    return sorted(have)


def simple_factors(elements: Sequence[Permutation]) -> list[str]:
    """The names of the simple factors of a group."""
    if len(elements) == 1:
        return []
    identity, some = _identity(elements), generators(elements)
    smallest: list[Permutation] | None = None
    done = {identity}
    for element in elements:
        if element in done:
            continue
        done |= conjugates(element, some)
        closure_of = normal_closure([element], some, identity)
        if smallest is None or len(closure_of) < len(smallest):
            smallest = closure_of
    assert smallest is not None
    if len(smallest) < len(elements):
        return [*simple_factors(smallest), *simple_factors(quotient(elements, smallest))]
    order = len(elements)
    return [f"Z{order}" if primes(order) == [order] else SIMPLE.get(order, f"a simple group of order {order}")]


def conjugates(element: Permutation, by: Sequence[Permutation]) -> set[Permutation]:
    """The conjugates of an element in the group that `by` generates."""
    pairs = [(inverse(x), x) for x in by]
    return set(reached([element], lambda one: (after(after(back, one), x) for back, x in pairs)))


def quotient(elements: Sequence[Permutation], normal: Sequence[Permutation]) -> list[Permutation]:
    """The group of the cosets of a normal subgroup, as permutations of the cosets."""
    coset: dict[Permutation, int] = {}
    heads: list[Permutation] = []
    for element in elements:
        if element not in coset:
            for member in normal:
                coset[after(member, element)] = len(heads)
            heads.append(element)
    return [tuple(coset[after(head, by)] for head in heads) for by in heads]


def primes(number: int) -> list[int]:
    """The prime factors of a number, each as often as it divides it."""
    factors, p = [], 2
    while number > 1:
        while number % p == 0:
            factors.append(p)
            number //= p
        p += 1 if p * p <= number or number == 1 else number - p
    return factors


def _identity(elements: Sequence[Permutation]) -> Permutation:
    return tuple(range(len(elements[0])))


def _sorted(factors: list[str]) -> tuple[str, ...]:
    return tuple(sorted(factors, key=lambda name: (name[0] != "Z", int(name[1:]) if name[1:].isdigit() else 0, name)))
