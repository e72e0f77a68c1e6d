"""A language as a user describes it: an expression, a formula, an automaton, a circuit, or a name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.dfa_json import circuit_from_json, dfa_from_json
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.catalogue import language
from capax.formal.logic.ltl import Letter, LtlLanguage, ltl_dfa, subformulas
from capax.formal.logic.ltl_text import parse_ltl


@dataclass(frozen=True, slots=True)
class DescribedLanguage:
    """A language with its description, and with its automaton if it is regular."""

    kind: str
    text: str
    formal: object
    alphabet: tuple[str, ...]
    dfa: Dfa | None
    accepts: Callable[[Sequence[str]], bool]

    @property
    def forms(self) -> tuple[object, ...]:
        """The forms that theorems may have routes for."""
        return (self.formal,) if self.dfa is None or self.formal is self.dfa else (self.formal, self.dfa)


def from_regex(text: str, alphabet: Sequence[str] | None, budget: int) -> DescribedLanguage:
    """The language of a regular expression."""
    dfa = regex_dfa(text, alphabet, budget=budget)
    return DescribedLanguage("regex", text, dfa, dfa.alphabet, dfa, dfa.accepts)


def from_ltl(text: str, alphabet: Sequence[str] | None, budget: int) -> DescribedLanguage:
    """The language of a formula of past temporal logic."""
    formula = parse_ltl(text)
    letters = sorted({part.symbol for part in subformulas(formula) if isinstance(part, Letter)})
    symbols = tuple(letters if alphabet is None else alphabet)
    if not symbols:
        raise CapaxError("bad-formula", "the formula has no letters", hint="give the alphabet: --alphabet ab")
    formal = LtlLanguage(formula, symbols)
    return DescribedLanguage("ltl", text, formal, symbols, ltl_dfa(formal, budget=budget), formal.accepts)


def from_automaton(data: Any, name: str) -> DescribedLanguage:
    """The language of an automaton as JSON data."""
    dfa = dfa_from_json(data).minimal()
    return DescribedLanguage("dfa", name, dfa, dfa.alphabet, dfa, dfa.accepts)


def from_circuit(data: Any, name: str) -> DescribedLanguage:
    """The language of a circuit as JSON data: words of bits of one length."""
    circuit = circuit_from_json(data)

    def accepts(word: Sequence[str]) -> bool:
        for position, symbol in enumerate(word):
            if symbol not in ("0", "1"):
                what = f"the symbol {symbol!r:.60} at position {position} is not in the alphabet"
                raise CapaxError("unknown-token", what, hint="a circuit reads the bits 0 and 1")
        return circuit([symbol == "1" for symbol in word])

    return DescribedLanguage("circuit", name, circuit, ("0", "1"), None, accepts)


def from_name(name: str) -> DescribedLanguage:
    """A named language."""
    named = language(name)
    return DescribedLanguage("language", named.name, named, named.alphabet, named.automaton, named.accepts)
