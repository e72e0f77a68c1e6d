"""Small finite groups as permutations, for word problems."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from capax.errors import CapaxError, nearest
from capax.formal.automata.dfa import Dfa, reached

Permutation: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PermutationGroup:
    """A group given by generating permutations of 0, 1, ..., with a letter for each generator."""

    name: str
    generators: tuple[tuple[str, Permutation], ...]

    def elements(self) -> list[Permutation]:
        """All elements; the identity is the first."""
        return closure(permutation for _, permutation in self.generators)

    def word_problem(self) -> Dfa:
        """The automaton of the words over the generators whose product is the identity; its states are the elements."""
        number = {element: at for at, element in enumerate(self.elements())}
        delta = tuple(tuple(number[after(e, p)] for _, p in self.generators) for e in number)
        return Dfa(tuple(letter for letter, _ in self.generators), delta, 0, frozenset({0}))


def after(first: Permutation, then: Permutation) -> Permutation:
    """The product: `first`, and then `then`."""
    return tuple(then[x] for x in first)


def closure(generators: Iterable[Permutation], most: int | None = None) -> list[Permutation]:
    """All products of permutations, the identity first; at most one more than `most`."""
    factors = list(generators)
    identity = tuple(range(len(factors[0])))
    return reached([identity], lambda element: (after(element, factor) for factor in factors), most)


def cycle(degree: int, *moved: int) -> Permutation:
    """The permutation of 0 to degree - 1 that sends each of `moved` to the one after it."""
    images = list(range(degree))
    for here, there in zip(moved, (*moved[1:], moved[0]), strict=True):
        images[here] = there
    return tuple(images)


def _both(one: Permutation, other: Permutation) -> Permutation:
    """One permutation beside another, on disjoint points."""
    return (*one, *(x + len(one) for x in other))


def _table() -> dict[str, PermutationGroup]:
    named: dict[str, tuple[tuple[str, Permutation], ...]] = {
        # with the identity as a letter: over one generator alone the word problem would only ask for the length
        f"z{n}": (("a", cycle(n, *range(n))), ("e", tuple(range(n))))
        for n in range(2, 13)
    }
    for n in range(3, 7):
        named[f"s{n}"] = (("a", cycle(n, 0, 1)), ("b", cycle(n, *range(n))))
        named[f"d{n}"] = (
            ("a", cycle(n, *range(n))),
            ("b", tuple((-x) % n for x in range(n))),
        )
    named["a4"] = (("a", cycle(4, 0, 1, 2)), ("b", after(cycle(4, 0, 1), cycle(4, 2, 3))))
    named["a5"] = (("a", cycle(5, 0, 1, 2)), ("b", cycle(5, 0, 1, 2, 3, 4)))
    named["a6"] = (("a", cycle(6, 0, 1, 2)), ("b", cycle(6, 1, 2, 3, 4, 5)))
    named["z2xz2"] = (("a", _both(cycle(2, 0, 1), (0, 1))), ("b", _both((0, 1), cycle(2, 0, 1))))
    # the quaternions 1, i, -1, -i, j, -k, -j, k, as 0 to 7, multiplied from the right by i and by j
    named["q8"] = (("a", (1, 2, 3, 0, 5, 6, 7, 4)), ("b", (4, 7, 6, 5, 2, 1, 0, 3)))
    return {name: PermutationGroup(name, generators) for name, generators in named.items()}


GROUPS: dict[str, PermutationGroup] = _table()
"""Groups by name: cyclic z2 to z12, symmetric s3 to s6, dihedral d3 to d6, alternating a4 to a6, z2xz2, q8."""


def group(name: str) -> PermutationGroup:
    """The group of a name."""
    if name not in GROUPS:
        near = nearest(name, list(GROUPS))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(GROUPS)}"
        raise CapaxError("unknown-language", f"there is no group called {name!r:.60}", hint=hint)
    return GROUPS[name]
