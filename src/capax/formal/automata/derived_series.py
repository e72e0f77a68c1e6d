"""The derived series of a group of permutations, and coordinates in its commutative factors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from capax.formal.automata.groups import Permutation, after, closure


@dataclass(frozen=True, slots=True)
class Factor:
    """A step G > G' of a derived series. G / G' is a product of cyclic groups of some orders.

    `digits[g]` are the coordinates of an element of G there, and `chosen[digits]` is an element of G that has them; the
    identity is chosen for zeros.
    """

    orders: tuple[int, ...]
    digits: dict[Permutation, tuple[int, ...]]
    chosen: dict[tuple[int, ...], Permutation]


def derived_series(generators: Iterable[Permutation], most: int) -> list[Factor] | None:
    """The factors of a solvable group, from above; None if it is not solvable or has more than `most` elements."""
    group = closure(generators, most)
    if len(group) > most:
        return None
    factors: list[Factor] = []
    while len(group) > 1:
        commutators = {after(after(inverse(a), inverse(b)), after(a, b)) for a in group for b in group}
        smaller = closure(sorted(commutators))
        if len(smaller) == len(group):
            return None
        factors.append(_factor(group, smaller))
        group = smaller
    return factors


def inverse(one: Permutation) -> Permutation:
    """The permutation that undoes another."""
    images = [0] * len(one)
    for here, there in enumerate(one):
        images[there] = here
    return tuple(images)


def _factor(group: Sequence[Permutation], smaller: Sequence[Permutation]) -> Factor:
    """The quotient by a normal subgroup that holds all commutators, as a product of cyclic groups."""
    coset: dict[Permutation, int] = {}
    first: list[Permutation] = []
    for element in group:
        if element not in coset:
            coset |= {after(element, other): len(first) for other in smaller}
            first.append(element)
    times = [[coset[after(a, b)] for b in first] for a in first]
    basis = _basis(times, sorted(range(1, len(first)), key=lambda a: -len(_powers(times, a))), [0], [])
    assert basis is not None, "a finite commutative group is a product of cyclic groups"
    named: dict[int, tuple[int, ...]] = {0: ()}
    for a in basis:
        powers = _powers(times, a)
        named = {times[b][power]: (*digits, k) for b, digits in named.items() for k, power in enumerate(powers)}
    orders = tuple(len(_powers(times, a)) for a in basis)
    digits = {element: named[coset[element]] for element in group}
    return Factor(orders, digits, {named[at]: element for at, element in enumerate(first)})


def _powers(times: list[list[int]], a: int) -> list[int]:
    """The identity, a, a^2, ..., up to where they come round."""
    powers = [0]
    while times[powers[-1]][a]:
        powers.append(times[powers[-1]][a])
    return powers


def _basis(times: list[list[int]], order: list[int], products: list[int], taken: list[int]) -> list[int] | None:
    """Elements, each independent of those before, whose products are the whole commutative group."""
    if len(products) == len(times):
        return taken
    inside = set(products)
    for a in order:
        powers = _powers(times, a)
        if not inside & set(powers[1:]):
            more = [times[b][power] for b in products for power in powers]
            basis = _basis(times, order, more, [*taken, a])
            if basis is not None:
                return basis
    return None
