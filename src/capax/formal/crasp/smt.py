"""Formulas compared on words of all lengths, by an SMT solver: the extra `smt` (z3).

The unknowns are how often each move of the automaton of `capax.formal.crasp.finite_part` is taken. Moves lead on from
each other (flow), and those that are taken are connected with the start: a solution that is not is cut off, and the
solver is asked again. What it then finds is a word; that there is none is a proof for all lengths.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from capax.formal.crasp.finite_part import FinitePart, WeightedMove, finite_part, why_not_finite
from capax.formal.logic.counting import All, AtLeast, Counting, Negation, counting_subformulas

SECONDS: Final = 10
MOST_CUTS: Final = 200
LONGEST: Final = 100_000
"""A word with more letters is not spelled out."""


@dataclass(frozen=True, slots=True)
class AllLengths:
    """What the solver says of all lengths: `empty` is True (no word), False (one was found), or None for unknown."""

    empty: bool | None
    why: str
    word: tuple[str, ...] | None = None


def solver_module() -> Any | None:
    """The module z3; None if it is not installed."""
    try:
        import z3
    except ImportError:
        return None
    return z3


def find_word(
    left: Counting, right: Counting | None, alphabet: Sequence[str], relation: str, marker: bool
) -> AllLengths:
    """A word on which the relation fails, of any length but 0: equal, included, or empty (of the left one)."""
    formulas = [left] if right is None else [left, right]
    shape = why_not_finite(formulas)
    if shape is not None:
        return AllLengths(None, f"{shape}, and from two layers on no length is enough for all formulas")
    part = finite_part(formulas, alphabet, marker)
    if part is None:
        return AllLengths(None, "the automaton of the comparisons inside counts is too large")
    z3 = solver_module()
    if z3 is None:
        return AllLengths(None, "all lengths need z3: pip install 'capax[smt]'")
    return _WordSearch(z3, part, left, right, relation).run()


class _WordSearch:
    """The question to the solver, and the loop that cuts off solutions that are not connected."""

    def __init__(self, z3: Any, part: FinitePart, left: Counting, right: Counting | None, relation: str) -> None:
        self.z3, self.part = z3, part
        self.solver = z3.Solver()
        self.solver.set("timeout", 1000 * SECONDS)
        self.taken = [z3.Int(f"x{k}") for k in range(len(part.moves))]
        self.last = [z3.Bool(f"f{k}") for k in range(len(part.ending))]
        self.solver.add(*(x >= 0 for x in self.taken), z3.PbEq([(one, 1) for one in self.last], 1))
        self._flow()
        sums = self._sums()
        for one, move in zip(self.last, part.ending, strict=True):
            truth = {node: sums[at] >= node.least for at, node in enumerate(part.outer)}
            self.solver.add(z3.Implies(one, self._fails(left, right, relation, move, truth)))

    def _flow(self) -> None:
        z3, part = self.z3, self.part
        states = 1 + max((move.target for move in part.moves), default=0)
        for q in range(states):
            into = [x for x, move in zip(self.taken, part.moves, strict=True) if move.target == q]
            out = [x for x, move in zip(self.taken, part.moves, strict=True) if move.source == q]
            ends = [z3.If(f, 1, 0) for f, move in zip(self.last, part.ending, strict=True) if move.source == q]
            self.solver.add(z3.Sum([z3.IntVal(int(q == 0)), *into]) == z3.Sum([z3.IntVal(0), *out, *ends]))

    def _sums(self) -> list[Any]:
        """The outer sums, with the last move."""
        z3, part, sums = self.z3, self.part, []
        for at in range(len(part.outer)):
            terms = [move.weights[at] * x for x, move in zip(self.taken, part.moves, strict=True) if move.weights[at]]
            ends = [z3.If(f, m.weights[at], 0) for f, m in zip(self.last, part.ending, strict=True) if m.weights[at]]
            sums.append(z3.Sum([z3.IntVal(0), *terms, *ends]))
        return sums

    def _fails(
        self, left: Counting, right: Counting | None, relation: str, move: WeightedMove, outer: dict[AtLeast, Any]
    ) -> Any:
        """The relation fails at a last move."""
        z3 = self.z3
        one = self._formula(left, move, outer)
        if right is None:
            return one
        other = self._formula(right, move, outer)
        return z3.Xor(one, other) if relation == "equal" else z3.And(one, z3.Not(other))

    def _formula(self, formula: Counting, move: WeightedMove, outer: dict[AtLeast, Any]) -> Any:
        z3, terms = self.z3, dict[Counting, Any]()
        for node in counting_subformulas(formula):
            if node in move.truth:
                terms[node] = z3.BoolVal(move.truth[node])
            elif isinstance(node, Negation):
                terms[node] = z3.Not(terms[node.one])
            elif isinstance(node, All):
                terms[node] = z3.And(*(terms[part] for part in node.parts))
            elif isinstance(node, AtLeast):
                terms[node] = outer[node]
        return terms[formula]

    def run(self) -> AllLengths:
        """Asks until the answer is a word, or that there is none."""
        z3 = self.z3
        for _ in range(MOST_CUTS):
            answer = self.solver.check()
            if answer == z3.unsat:
                return AllLengths(True, "the solver finds no word of any length")
            if answer != z3.sat:
                return AllLengths(None, f"the solver has no answer in {SECONDS} seconds")
            model = self.solver.model()
            taken = [model.eval(x, model_completion=True).as_long() for x in self.taken]
            last = next(k for k, f in enumerate(self.last) if z3.is_true(model.eval(f, model_completion=True)))
            apart = self._apart(taken)
            if not apart:
                return AllLengths(False, "the solver finds a word", self._word(taken, last))
            self._cut(apart)
        return AllLengths(None, f"after {MOST_CUTS} questions to the solver")

    def _apart(self, taken: list[int]) -> set[int]:
        """The states of moves that are taken, but not connected with the start."""
        used = [move for times, move in zip(taken, self.part.moves, strict=True) if times]
        reached, grown = {0}, True
        while grown:
            new = {move.target for move in used if move.source in reached} - reached
            reached, grown = reached | new, bool(new)
        return {move.source for move in used} - reached

    def _cut(self, apart: set[int]) -> None:
        """Moves within some states are taken only if one leads into them."""
        z3, pairs = self.z3, list(zip(self.taken, self.part.moves, strict=True))
        inner = [x for x, move in pairs if move.source in apart]
        into = [x for x, move in pairs if move.target in apart and move.source not in apart]
        self.solver.add(z3.Or(z3.Sum([z3.IntVal(0), *inner]) == 0, z3.Sum([z3.IntVal(0), *into]) >= 1))

    def _word(self, taken: list[int], last: int) -> tuple[str, ...] | None:
        """A word whose run takes each move so often, and then the last one: a walk through all edges."""
        if sum(taken) > LONGEST:
            return None
        left: dict[int, list[tuple[int, str]]] = {}
        for times, move in zip(taken, self.part.moves, strict=True):
            left.setdefault(move.source, []).extend([(move.target, move.symbol)] * times)
        stack, word = [(0, "")], list[str]()
        while stack:
            state = stack[-1][0]
            if left.get(state):
                stack.append(left[state].pop())
            else:
                word.append(stack.pop()[1])
        symbol = self.part.ending[last].symbol
        return tuple(letter for letter in (*reversed(word), symbol) if letter)
