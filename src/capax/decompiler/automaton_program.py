"""A program that runs an automaton: in each round of a loop a position takes the step from the state before it.

Statement. After r rounds the state at position i is that after the last r letters up to it, or after all of them if
there are fewer: the first position steps from the first state of the automaton. So after `length` rounds it is the
state after the word up to i.
"""

from typing import Final

from capax.decompiler.automaton import Automaton
from capax.model.vocabulary import Token
from capax.notation.rounds import LENGTH_ROUNDS
from capax.rasp.ir.loop_nodes import LoopResult, State
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Input, Map, Select, SOpNode, Table

NAMES: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The states: one letter each, so that a state and a token after it are read in one way."""
BEFORE: Final = Select(Indices(), Map("-", (Indices(), Const(1))), "==")


def automaton_program(automaton: Automaton) -> SOpNode | None:
    """An s-op with the automaton's answer at each position; None if it has more states than there are names."""
    if automaton.size > len(NAMES):
        return None
    state = State("reached", ())
    before = Aggregate(BEFORE, state, NAMES[0])
    entries = tuple(
        (f"{NAMES[number]}{letter}", NAMES[after])
        for number, row in enumerate(automaton.step)
        for letter, after in zip(automaton.letters, row, strict=True)
    )
    step = Table("dict", entries, Map("+", (before, Input("str"))))
    return _answer(automaton, LoopResult(LENGTH_ROUNDS, (state,), (Const(NAMES[0]),), (step,), 0))


def _answer(automaton: Automaton, state: SOpNode) -> SOpNode:
    """The answer of each state that a word leads to; the first one is that of no letter."""
    answers: dict[str, Token] = {n: a for n, a in zip(NAMES, automaton.answer, strict=False) if a is not None}
    if not all(isinstance(answer, bool) for answer in answers.values()):
        return Table("dict", tuple(answers.items()), state)
    yes = [name for name, answer in answers.items() if answer]
    if len(yes) == 1:
        return Map("==", (state, Const(yes[0])))
    return Table("members", tuple((name, True) for name in yes), state)
