"""Automata to and from automata-lib, an independent implementation to compare with."""

from automata.fa.dfa import DFA

from capax.formal.automata.dfa import Dfa


def to_automata_lib(dfa: Dfa) -> DFA:
    """The same automaton as a `DFA` of automata-lib."""
    moves = {q: dict(zip(dfa.alphabet, row, strict=True)) for q, row in enumerate(dfa.delta)}
    return DFA(
        states=set(range(dfa.size)),
        input_symbols=set(dfa.alphabet),
        transitions=moves,
        initial_state=dfa.start,
        final_states=set(dfa.accepting),
    )


def from_automata_lib(other: DFA) -> Dfa:
    """The minimal automaton of a `DFA` of automata-lib; symbols are in their order as texts."""
    whole = other.to_complete() if other.allow_partial else other
    alphabet = tuple(sorted(whole.input_symbols))
    number = {state: at for at, state in enumerate(whole.states)}
    rows = tuple(tuple(number[whole.transitions[state][symbol]] for symbol in alphabet) for state in number)
    accepting = frozenset(number[state] for state in whole.final_states)
    return Dfa(alphabet, rows, number[whole.initial_state], accepting).minimal()
