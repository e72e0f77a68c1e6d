"""What a finite automaton can follow of formulas: all but comparisons of counts at the end of a word.

A comparison in which no count is taken away, or none is added, is settled once its sum is large enough: a counter that
stops there follows it. If all comparisons inside counts are of this kind, then the counts of the outer ones are sums of
weights along a run of a finite automaton, so that what they can be is a linear set (Parikh's theorem).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from capax.formal.logic.counting import (
    All,
    AtLeast,
    Counting,
    LetterBefore,
    Negation,
    Residue,
    Symbol,
    counting_subformulas,
)

MOST_STATES: Final = 400
"""Automata with more states are not built."""
Truth: TypeAlias = dict[Counting, bool]
Counters: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WeightedMove:
    """A move of the automaton: what it adds to each outer sum, and what is true at its position but for these."""

    source: int
    symbol: str
    target: int
    weights: tuple[int, ...]
    truth: Truth


@dataclass(frozen=True, slots=True)
class FinitePart:
    """The automaton of some formulas: its moves, and the comparisons whose sums are weights. State 0 is the start.

    `ending` are the moves that may be the last: all moves, or those of the end marker.
    """

    outer: tuple[AtLeast, ...]
    moves: tuple[WeightedMove, ...]
    ending: tuple[WeightedMove, ...]


def why_not_finite(formulas: Sequence[Counting]) -> str | None:
    """Why no finite automaton follows what is inside counts; None if one does."""
    inside: dict[Counting, None] = {}
    for formula in formulas:
        for node in counting_subformulas(formula):
            if isinstance(node, AtLeast):
                for _, part in node.terms:
                    inside |= dict.fromkeys(counting_subformulas(part))
            if isinstance(node, LetterBefore | Residue):
                return "a formula has local or periodic atoms"
    for node in inside:
        if isinstance(node, AtLeast) and len({times > 0 for times, _ in node.terms}) > 1:
            return "inside a count, two counts are compared with each other"
    return None


def finite_part(formulas: Sequence[Counting], alphabet: Sequence[str], marker: bool) -> FinitePart | None:
    """The automaton of formulas of the right shape; None if it has too many states."""
    nodes = list(dict.fromkeys(node for formula in formulas for node in counting_subformulas(formula)))
    followed, outer = _comparisons(nodes)
    start: Counters = (0,) * len(followed)
    number, queue, moves = {start: 0}, [start], list[WeightedMove]()
    for state in queue:  # the queue grows while it is read
        for symbol in (*alphabet, *([""] if marker else [])):
            truth, after = _step(nodes, followed, state, symbol)
            weights = tuple(sum(times * truth[part] for times, part in node.terms) for node in outer)
            if symbol and after not in number:
                number[after] = len(number)
                queue.append(after)
            moves.append(WeightedMove(number[state], symbol, number[after] if symbol else -1, weights, truth))
        if len(number) > MOST_STATES:
            return None
    inner = tuple(move for move in moves if move.symbol)
    return FinitePart(tuple(outer), inner, tuple(move for move in moves if not move.symbol) if marker else inner)


def _comparisons(nodes: Sequence[Counting]) -> tuple[list[AtLeast], list[AtLeast]]:
    """The comparisons that stand inside counts, and the others."""
    compared = [node for node in nodes if isinstance(node, AtLeast)]
    counted = [one for node in compared for _, one in node.terms]
    within = {part for one in counted for part in counting_subformulas(one)}
    return [node for node in compared if node in within], [node for node in compared if node not in within]


def _step(
    nodes: Sequence[Counting], followed: Sequence[AtLeast], state: Counters, symbol: str
) -> tuple[Truth, Counters]:
    """What is true at a symbol after a state of the counters, and the counters then; outer comparisons are left out."""
    truth: Truth = {}
    place = {node: at for at, node in enumerate(followed)}
    counters = list(state)
    for node in nodes:
        match node:
            case Symbol(letter):
                truth[node] = letter == symbol
            case Negation(one):
                if one in truth:
                    truth[node] = not truth[one]
            case All(parts):
                if all(part in truth for part in parts):
                    truth[node] = all(truth[part] for part in parts)
            case AtLeast(terms, least) if node in place:
                sign = -1 if any(times < 0 for times, _ in terms) else 1
                stop = max(0, least if sign > 0 else 1 - least)
                added = sum(abs(times) * truth[part] for times, part in terms)
                total = counters[place[node]] = min(stop, counters[place[node]] + added)
                truth[node] = sign * total >= least
            case _:
                pass
    return truth, tuple(counters)
