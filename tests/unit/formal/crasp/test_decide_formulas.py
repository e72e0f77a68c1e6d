"""The decision, held against formulas alone: none of very many says what an automaton does that is outside."""

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from capax.formal.automata.dfa import Dfa
from capax.formal.crasp.decide import decide_crasp

LETTERS = 9
WORDS = np.array(list(product((0, 1), repeat=LETTERS)))
Table = tuple[Any, Any]
"""Where a formula holds on all words: at each position, and at a marker after each position."""


def letter(number: int) -> Table:
    """A letter; it stands at no marker."""
    here = np.pad(number == WORDS, ((0, 0), (1, 0)))
    return here, np.zeros_like(here)


def at_least(terms: list[tuple[int, Table]], least: int) -> Table:
    """A comparison of counts; the marker is counted at the marker."""
    total = np.zeros(letter(0)[0].shape, dtype=np.int32)
    marked = total.copy()
    for times, (here, marker) in terms:
        count = np.pad(np.cumsum(here[:, 1:], axis=1), ((0, 0), (1, 0)))
        total += times * count
        marked += times * (count + marker)
    return total >= least, marked >= least


def negated(one: Table) -> Table:
    """The other does not hold."""
    return ~one[0], ~one[1]


def both(one: Table, other: Table) -> Table:
    """Both hold."""
    return one[0] & other[0], one[1] & other[1]


def formulas(random: Random) -> list[Table]:
    """Random formulas: comparisons of letters, and of these, with boolean combinations."""
    letters = [letter(0), letter(1)]
    pool, drawn = [*letters, negated(both(*letters))], list[Table]()
    for _ in range(2):
        compared = [
            at_least(
                [(random.choice((-2, -1, 1, 2)), random.choice(pool)) for _ in range(random.randint(1, 2))],
                random.randint(-3, 4),
            )
            for _ in range(6)
        ]
        compared = [negated(one) if random.random() < 0.3 else one for one in compared]
        joined = [both(random.choice(compared), random.choice(letters)) for _ in range(4)]
        joined += [both(random.choice(compared), random.choice([*compared, *letters])) for _ in range(4)]
        pool += [*compared, *joined, *map(negated, joined)]
        drawn += [*compared, *map(negated, compared), *joined, *map(negated, joined)]
    return drawn


def tables(most: int) -> tuple[dict[bytes, bool], dict[bytes, bool]]:
    """What all automata of at most so many states say on the words, and the decision for each reading."""
    last, end = dict[bytes, bool](), dict[bytes, bool]()
    for size in range(1, most + 1):
        for delta in product(product(range(size), repeat=2), repeat=size):
            states, moves = np.zeros((len(WORDS), LETTERS + 1), dtype=int), np.array(delta)
            for i in range(LETTERS):
                states[:, i + 1] = moves[states[:, i], WORDS[:, i]]
            for accepting in product((False, True), repeat=size):
                key = np.packbits(np.array(accepting)[states]).tobytes()
                if key not in last:
                    good = frozenset(q for q in range(size) if accepting[q])
                    decision = decide_crasp(Dfa(("a", "b"), delta, 0, good).minimal())
                    last[key], end[key] = decision.holds("last"), decision.holds("end")
    return last, end


@pytest.mark.parametrize(("most", "draws"), [(2, 60), pytest.param(3, 20_000, marks=pytest.mark.deep)])
def test_no_formula_says_what_is_outside(most: int, draws: int) -> None:
    """On all words of up to nine letters, for all small automata; and most of those inside have a formula there."""
    decided, random = tables(most), Random(0)
    found: tuple[set[bytes], set[bytes]] = (set(), set())
    for _ in range(draws):
        for formula in formulas(random):
            for table, known, some in zip(formula, decided, found, strict=True):
                key = np.packbits(table).tobytes()
                if key in known:
                    some.add(key)
    for known, some in zip(decided, found, strict=True):
        assert all(known[key] for key in some)
        assert len(some) >= 0.6 * sum(known.values())
