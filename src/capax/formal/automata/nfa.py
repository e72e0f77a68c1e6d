"""Nondeterministic automata, on the way from an expression to its deterministic automaton."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, explored

MOST_WORK: Final = 50_000_000
"""How many members of sets of states making an automaton deterministic may go through: some seconds, and 1 GB."""


@dataclass(frozen=True, slots=True)
class Nfa:
    """An automaton with free moves: `moves[state]` is a list of (number of the symbol, next state), `free[state]` of
    next states. It begins in state 0 and accepts in the last one, which has no moves; no move leads to state 0."""

    alphabet: tuple[str, ...]
    moves: tuple[tuple[tuple[int, int], ...], ...]
    free: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.moves)

    @staticmethod
    def of_symbols(alphabet: tuple[str, ...], chosen: Iterable[int]) -> "Nfa":
        """The words of one symbol among some."""
        return Nfa(alphabet, (tuple((a, 1) for a in chosen), ()), ((), ()))

    @staticmethod
    def of_dfa(dfa: Dfa) -> "Nfa":
        """The words of a deterministic automaton."""
        end = dfa.size + 1
        moves = tuple(tuple((a, q + 1) for a, q in enumerate(row)) for row in dfa.delta)
        free = tuple((end,) if q in dfa.accepting else () for q in range(dfa.size))
        return Nfa(dfa.alphabet, ((), *moves, ()), ((dfa.start + 1,), *free, ()))

    @staticmethod
    def chain(alphabet: tuple[str, ...], parts: Sequence["Nfa"], budget: int) -> "Nfa":
        """One after the other."""
        total = 2 + sum(part.size for part in parts)
        _require(total, budget)
        moves: list[tuple[tuple[int, int], ...]] = [()]
        free: list[tuple[int, ...]] = [(1,)]
        for part in parts:
            base = len(moves)
            moves += _shifted_moves(part, base)
            free += _shifted_free(part, base)
            free[-1] = (len(moves),)
        return Nfa(alphabet, (*moves, ()), (*free, ()))

    @staticmethod
    def union(alphabet: tuple[str, ...], parts: Sequence["Nfa"]) -> "Nfa":
        """One of several."""
        end = 1 + sum(part.size for part in parts)
        moves: list[tuple[tuple[int, int], ...]] = [()]
        free: list[tuple[int, ...]] = [()]
        starts: list[int] = []
        for part in parts:
            base = len(moves)
            starts.append(base)
            moves += _shifted_moves(part, base)
            free += _shifted_free(part, base)
            free[-1] = (end,)
        free[0] = tuple(starts)
        return Nfa(alphabet, (*moves, ()), (*free, ()))

    def repeated(self, least: int, most: int | None, budget: int) -> "Nfa":
        """The words that are `least` to `most` of this one after the other."""
        copies = max(least, 1) if most is None else most
        _require(copies * self.size, budget)
        if not copies:
            return Nfa.chain(self.alphabet, (), budget)
        end = 1 + copies * self.size
        moves: list[tuple[tuple[int, int], ...]] = [()]
        free: list[tuple[int, ...]] = [(1, end) if not least else (1,)]
        for copy in range(1, copies + 1):
            base = len(moves)
            moves += _shifted_moves(self, base)
            free += _shifted_free(self, base)
            here: tuple[int, ...] = (len(moves),)  # on to the next copy, or from the last one to the end
            if copy >= least and copy < copies:
                here = (*here, end)
            if most is None and copy == copies:
                here = (end, base)
            free[-1] = here
        return Nfa(self.alphabet, (*moves, ()), (*free, ()))

    def dfa(self, budget: int) -> Dfa:
        """The deterministic automaton, whose states are sets of states; more than `budget` are an error."""
        reach = _Reach(self)
        return explored(
            self.alphabet,
            reach.of(0),
            lambda states: self._after(states, reach),
            lambda states: self.size - 1 in states,
            lambda count: _require(count, budget),
        )

    def _after(self, states: frozenset[int], reach: "_Reach") -> list[frozenset[int]]:
        """The sets of states after each symbol."""
        targets: list[set[int]] = [set() for _ in self.alphabet]
        for q in states:
            for a, r in self.moves[q]:
                more = reach.of(r)
                reach.spend(len(more))
                targets[a] |= more
        return [frozenset(one) for one in targets]


class _Reach:
    """For each state the states that free moves lead to, itself included, as far as they have moves or accept.

    Found when they are asked for, and kept: most states of a large expression have a set of one.
    """

    def __init__(self, nfa: Nfa) -> None:
        self._nfa = nfa
        self._known: dict[int, frozenset[int]] = {}
        self._left = MOST_WORK

    def of(self, state: int) -> frozenset[int]:
        """The set of a state."""
        free, moves = self._nfa.free, self._nfa.moves
        at, passed = state, 0
        while len(free[at]) == 1 and not moves[at] and passed < self._nfa.size:  # only on to another state
            (at,) = free[at]
            passed += 1
        if at not in self._known:
            self._known[at] = self._found(at)
        return self._known[at]

    def _found(self, state: int) -> frozenset[int]:
        seen, stack = {state}, [state]
        while stack:
            for r in self._nfa.free[stack.pop()]:
                if r not in seen:
                    seen.add(r)
                    stack.append(r)
        self.spend(len(seen))
        last = self._nfa.size - 1
        return frozenset(r for r in seen if self._nfa.moves[r] or r == last)

    def spend(self, work: int) -> None:
        """Counts the members of sets that are gone through; too many are an error."""
        self._left -= work
        if self._left < 0:
            what = "the automaton of the expression takes too long to make: too many alternatives stand beside others"
            raise CapaxError("too-large", what, hint="a smaller expression, or an automaton: --dfa FILE.json")


def _shifted_moves(part: Nfa, by: int) -> list[tuple[tuple[int, int], ...]]:
    return [tuple((a, q + by) for a, q in moves) for moves in part.moves]


def _shifted_free(part: Nfa, by: int) -> list[tuple[int, ...]]:
    return [tuple(q + by for q in free) for free in part.free]


def _require(states: int, budget: int) -> None:
    if states > budget:
        what = f"the automaton of the expression has more than {budget:,} states before it is made minimal"
        raise CapaxError("too-large", what, hint="a smaller expression, or a larger --budget")
