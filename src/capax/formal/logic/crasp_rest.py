"""Where counting logic (C-RASP) comes to rest and an automaton does not: a criterion for languages outside it.

Let A be some letters and C a set of states that words over A lead from each to every other within C, such that the
numbers of letters of closed ways in C, as vectors, span all of R^A. If words x u and y u, with x and y over A and any
letter u, lead a state of C to different states of the minimal automaton, then the language is not definable.

Definable languages are closed under quotients: so let the start be in C, and let one word after x u and after y u be
cut off, that tells the two states apart. The formula compares finitely many sums. Since the closed ways span R^A, one
of them, z, has numbers of letters that lie on none of finitely many hyperplanes. By induction on the formula, far out
in z z z ... each part of it depends on the letter at its position alone, there and in the next few letters, whichever
they are: where the parts that a comparison counts do so, its sum is a constant plus a sum over letters, which is zero
or grows without end along z. At u, the same holds, with what u adds. So the formula says the same after z ... z x u and
after z ... z y u.

It says that `.*aa.*` is not definable; (ab)* it leaves alone, since its closed ways have as many a as b. For words of
brackets the way need not close: after many opening brackets of two kinds, in such a ratio, the order of the last ones
is not seen, which a word of closing brackets after them asks for. So Dyck-2 is not definable, and neither are
palindromes and copies.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Final, TypeAlias

from capax.formal.automata.dfa import Dfa, components

MOST_LETTERS: Final = 6
"""All sets of letters are tried up to this many letters; else all of them together, and those within a component."""
MOST_STATES: Final = 400
"""The same, by states."""
Words: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def restless(dfa: Dfa) -> Words | None:
    """Words x, y and a letter u such that x u and y u lead a state to different ones, by the criterion; else None."""
    for letters in _letter_sets(dfa):
        graph = [tuple(row[a] for a in letters) for row in dfa.delta]
        number = components(graph)
        members: dict[int, list[int]] = {}
        for q, component in enumerate(number):
            members.setdefault(component, []).append(q)
        for states in members.values():
            if _spans(graph, states, len(letters)):
                words = _told_apart(dfa, graph, letters, states[0])
                if words is not None:
                    return words
    return None


def _letter_sets(dfa: Dfa) -> Iterator[tuple[int, ...]]:
    """Sets of letters, the largest first."""
    count = len(dfa.alphabet)
    if count <= MOST_LETTERS and dfa.size <= MOST_STATES:
        for many in range(count, 0, -1):
            yield from combinations(range(count), many)
        return
    number = components(dfa.delta)
    within: dict[int, set[int]] = {}
    for q, row in enumerate(dfa.delta):
        for a, t in enumerate(row):
            if number[t] == number[q]:
                within.setdefault(number[q], set()).add(a)
    yield from dict.fromkeys(tuple(sorted(letters)) for letters in within.values())


def _spans(graph: list[tuple[int, ...]], states: list[int], letters: int) -> bool:
    """Whether the numbers of letters of closed ways within a component span all vectors."""
    inside, root = set(states), states[0]
    path = {root: (0,) * letters}
    queue = [root]
    basis: dict[int, list[Fraction]] = {}
    for q in queue:  # the queue grows while it is read
        for a, t in enumerate(graph[q]):
            if t not in inside:
                continue
            here = tuple(x + (k == a) for k, x in enumerate(path[q]))
            if t not in path:
                path[t] = here
                queue.append(t)
            else:  # a way round: with the way back from t these differences span what closed ways do
                _insert(basis, [Fraction(x - y) for x, y in zip(here, path[t], strict=True)])
                if len(basis) == letters:
                    return True
    return len(basis) == letters


def _insert(basis: dict[int, list[Fraction]], vector: list[Fraction]) -> None:
    """Adds a vector to a basis, in which each begins at a column of its own; one that is in the span adds nothing."""
    for at in range(len(vector)):
        if not vector[at]:
            continue
        if at not in basis:
            basis[at] = [x / vector[at] for x in vector]
            return
        times = vector[at]
        vector = [x - times * y for x, y in zip(vector, basis[at], strict=True)]


def _told_apart(dfa: Dfa, graph: list[tuple[int, ...]], letters: tuple[int, ...], root: int) -> Words | None:
    """Two words after which a letter leads to different states."""
    word: dict[int, tuple[str, ...]] = {root: ()}
    queue = [root]
    for q in queue:  # the queue grows while it is read
        for a, t in zip(letters, graph[q], strict=True):
            if t not in word:
                word[t] = (*word[q], dfa.alphabet[a])
                queue.append(t)
    for a in range(len(dfa.alphabet)):
        other = next((q for q in queue if dfa.delta[q][a] != dfa.delta[root][a]), None)
        if other is not None:
            return word[root], word[other], (dfa.alphabet[a],)
    return None
