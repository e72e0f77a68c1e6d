"""Automata whose states are known from counts of letters, where a letter may be told by counts in its turn.

The numbers of letters so far say in which class of states a word is. A letter together with the class that it is read
in is a finer letter, and whether it stands at a position is a formula; the numbers of finer letters say more. If in the
end each state has a vector of its own, the language is in C-RASP. So it is for brackets of k kinds of bounded depth:
counts say how deep a bracket is, and counts of brackets of one kind and depth say which kind is open at each depth.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

from capax.formal.automata.dfa import Dfa
from capax.formal.logic.counting import All, Counting, Negation, Symbol, either, equal

MOST_STATES: Final = 24
"""Larger automata are not looked at: the equations take long."""
MOST_MOVES: Final = 120
Vector: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Round:
    """A vector for each state but failure, the letter of each move (state, symbol), what letters add, and where."""

    states: dict[int, Vector]
    letter: dict[tuple[int, int], int]
    added: dict[int, Vector]
    formula: dict[int, Counting]

    def is_at(self, vector: Vector) -> Counting:
        """The counts are those of a vector, if every letter so far was in its place."""
        parts = []
        for k, wanted in enumerate(vector):
            parts.append(equal(tuple((add[k], self.formula[a]) for a, add in self.added.items() if add[k]), wanted))
        return All(tuple(parts))


def level_formula(dfa: Dfa) -> Counting | None:
    """A formula for the language of a minimal automaton, if finer and finer counts tell its states apart."""
    dead = [q for q, row in enumerate(dfa.delta) if all(t == q for t in row)]
    if len(dead) > 1 or dfa.start in dead or dfa.size > MOST_STATES or dfa.size * len(dfa.alphabet) > MOST_MOVES:
        return None
    live = [q for q in range(dfa.size) if q not in dead]
    moves = {(q, a): t for q in live for a, t in enumerate(dfa.delta[q]) if t not in dead}
    now = _round(dfa.start, live, moves, {move: move[1] for move in moves}, dict(enumerate(map(Symbol, dfa.alphabet))))
    while len(set(now.states.values())) < len(live):
        finer = _finer(dfa.start, live, moves, now)
        if len(set(finer.states.values())) == len(set(now.states.values())):
            return None
        now = finer
    return _formula(dfa, now, moves, bool(dead and dead[0] in dfa.accepting))


def _finer(start: int, live: list[int], moves: dict[tuple[int, int], int], now: _Round) -> _Round:
    """The next round: a letter is one of this round with the vector before it."""
    names: dict[tuple[int, Vector], int] = {}
    letter: dict[tuple[int, int], int] = {}
    formula: dict[int, Counting] = {}
    for q, a in moves:
        old, before = now.letter[q, a], now.states[q]
        at = names.setdefault((old, before), len(names))
        letter[q, a] = at
        if at not in formula:
            reached = tuple(x + y for x, y in zip(before, now.added[old], strict=True))
            formula[at] = All((now.formula[old], now.is_at(reached)))
    return _round(start, live, moves, letter, formula)


def _round(
    start: int,
    live: list[int],
    moves: dict[tuple[int, int], int],
    letter: dict[tuple[int, int], int],
    formula: dict[int, Counting],
) -> _Round:
    """The most general vectors of whole numbers, 0 for the start, to which each letter adds the same everywhere."""
    used = list(dict.fromkeys(letter.values()))
    column = {q: at for at, q in enumerate(live)}
    column_of = {a: len(live) + at for at, a in enumerate(used)}
    wide = len(live) + len(used)
    rows = []
    for (q, a), t in moves.items():
        row = [Fraction(0)] * wide
        row[column[t]] += 1
        row[column[q]] -= 1
        row[column_of[letter[q, a]]] -= 1
        rows.append(row)
    fixed = [Fraction(0)] * wide
    fixed[column[start]] = Fraction(1)
    basis = kernel([*rows, fixed])
    scale = lcm(*(x.denominator for vector in basis for x in vector))
    whole = [[int(x * scale) for x in vector] for vector in basis]
    states = {q: tuple(vector[at] for vector in whole) for q, at in column.items()}
    added = {a: tuple(vector[at] for vector in whole) for a, at in column_of.items()}
    return _Round(states, letter, added, formula)


def _formula(dfa: Dfa, now: _Round, moves: dict[tuple[int, int], int], failed_is_good: bool) -> Counting:
    """No letter was out of place, and the end is right; or, if failure is accepted, one was."""
    fine = [All((now.formula[now.letter[move]], now.is_at(now.states[t]))) for move, t in moves.items()]
    wrong = All((either([Symbol(a) for a in dfa.alphabet]), Negation(either(list(dict.fromkeys(fine))))))
    clean = equal(((1, wrong),), 0)
    good = All((clean, either([now.is_at(vector) for q, vector in now.states.items() if q in dfa.accepting])))
    return either([good, Negation(clean)]) if failed_is_good else good


def kernel(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """A basis of the vectors that all rows send to 0."""
    wide, table, pivots = len(rows[0]), [row[:] for row in rows], list[int]()
    for column in range(wide):
        rank = len(pivots)
        at = next((r for r in range(rank, len(table)) if table[r][column]), None)
        if at is None:
            continue
        table[rank], table[at] = table[at], table[rank]
        lead = table[rank][column]
        table[rank] = [x / lead if x else x for x in table[rank]]
        for r in range(len(table)):
            if r != rank and table[r][column]:
                times = table[r][column]
                table[r] = [x - times * y if y else x for x, y in zip(table[r], table[rank], strict=True)]
        pivots.append(column)
    free = [column for column in range(wide) if column not in pivots]
    basis = []
    for column in free:
        vector = [Fraction(0)] * wide
        vector[column] = Fraction(1)
        for rank, pivot in enumerate(pivots):
            vector[pivot] = -table[rank][column]
        basis.append(vector)
    return basis
