"""Automata of automata-lib, to and from."""

from typing import TYPE_CHECKING

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa

if TYPE_CHECKING:
    from automata.fa.dfa import DFA


def to_automata_lib(dfa: Dfa) -> "DFA":
    """The same automaton as a `DFA` of automata-lib, whose algorithms and diagrams may then be used."""
    from automata.fa.dfa import DFA

    moves = {q: dict(zip(dfa.alphabet, row, strict=True)) for q, row in enumerate(dfa.delta)}
    return DFA(
        states=set(range(dfa.size)),
        input_symbols=set(dfa.alphabet),
        transitions=moves,
        initial_state=dfa.start,
        final_states=set(dfa.accepting),
    )


def from_automata_lib(other: "DFA") -> Dfa:
    """The minimal automaton of a `DFA` of automata-lib; symbols are in their order as texts."""
    if not all(isinstance(symbol, str) for symbol in other.input_symbols):
        raise CapaxError("bad-automaton", "a symbol of the automaton is no text")
    whole = other.to_complete() if other.allow_partial else other
    alphabet = tuple(sorted(whole.input_symbols))
    number = {state: at for at, state in enumerate(whole.states)}
    rows = tuple(tuple(number[whole.transitions[state][symbol]] for symbol in alphabet) for state in number)
    accepting = frozenset(number[state] for state in whole.final_states)
    return Dfa(alphabet, rows, number[whole.initial_state], accepting).minimal()
