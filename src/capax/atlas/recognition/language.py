"""A language as a user describes it: an expression, a formula, an automaton, a circuit, a machine, or a name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.dfa_json import circuit_from_json, dfa_from_json
from capax.formal.automata.regex import regex_dfa
from capax.formal.counters.machine import CounterMachine
from capax.formal.languages.catalogue import language
from capax.formal.logic.fo.automaton import fo_automaton, fo_membership
from capax.formal.logic.fo.formula import FoLanguage, SymbolAt, fo_subformulas
from capax.formal.logic.fo.text import parse_fo
from capax.formal.logic.foc.formula import FocLanguage, foc_subformulas
from capax.formal.logic.foc.normal import foc_normal_form
from capax.formal.logic.foc.text import parse_foc, printed_normal
from capax.formal.logic.ltl import Letter, LtlLanguage, ltl_dfa, subformulas
from capax.formal.logic.ltl_text import parse_ltl
from capax.formal.logic.ltlc.formula import LtlcLanguage, SymbolHere, ltlc_subformulas
from capax.formal.logic.ltlc.text import parse_ltlc, printed_ltlc


@dataclass(frozen=True, slots=True)
class DescribedLanguage:
    """A language with its description, and with its automaton if it is regular."""

    kind: str
    text: str
    formal: object
    alphabet: tuple[str, ...]
    dfa: Dfa | None
    accepts: Callable[[Sequence[str]], bool]
    cls: str = ""
    """The class of the atlas that all such descriptions define, for one that need not be regular."""
    facts: tuple[tuple[str, str], ...] = ()
    """What is said of it before anything else: a label and a text each."""

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
    symbols = _symbols(letters, alphabet)
    formal = LtlLanguage(formula, symbols)
    return DescribedLanguage("ltl", text, formal, symbols, ltl_dfa(formal, budget=budget), formal.accepts)


def _symbols(letters: Sequence[str], alphabet: Sequence[str] | None) -> tuple[str, ...]:
    """The alphabet that is given, or else the letters of a formula."""
    symbols = tuple(letters if alphabet is None else alphabet)
    if not symbols:
        raise CapaxError("bad-formula", "the formula has no letters", hint="give the alphabet: --alphabet ab")
    return symbols


def from_fo(text: str, alphabet: Sequence[str] | None, budget: int) -> DescribedLanguage:
    """The language of a sentence of FO[Mon]; without numerical predicates it is regular."""
    formula = parse_fo(text)
    letters = sorted({part.symbol for part in fo_subformulas(formula) if isinstance(part, SymbolAt)})
    formal = FoLanguage(formula, _symbols(letters, alphabet))
    dfa, finer = fo_automaton(formal, budget=budget)
    facts = [
        (
            "predicates",
            "; ".join(predicate.text for predicate in finer.predicates) or "none: first-order logic of order",
        )
    ]
    if finer.predicates:
        states = f"{dfa.size:,} state{'s' * (dfa.size != 1)}"
        facts.append(("automaton", f"{states} over symbols with the truth of the predicates at their positions"))
    regular = None if finer.predicates else dfa
    accepts = fo_membership(formal, dfa, finer)
    return DescribedLanguage("fo", text, formal, formal.alphabet, regular, accepts, "FO[Mon]", tuple(facts))


def from_foc(text: str, alphabet: Sequence[str] | None) -> DescribedLanguage:
    """The language of a sentence of FOC[MOD; +]; words are asked of its normal form."""
    formula = parse_foc(text)
    letters = sorted({part.symbol for part in foc_subformulas(formula) if isinstance(part, SymbolAt)})
    formal = FocLanguage(formula, _symbols(letters, alphabet))
    normal = foc_normal_form(formal)
    facts = (("normal form", printed_normal(normal)),)
    return DescribedLanguage("foc", text, formal, formal.alphabet, None, normal.accepts, "FOC[MOD;+]", facts)


def from_ltlc(text: str, alphabet: Sequence[str] | None) -> DescribedLanguage:
    """The language of a formula of LTL + C[Mon]."""
    formula = parse_ltlc(text)
    letters = sorted({part.symbol for part in ltlc_subformulas(formula) if isinstance(part, SymbolHere)})
    formal = LtlcLanguage(formula, _symbols(letters, alphabet))
    facts = (("read as", printed_ltlc(formula)),)
    return DescribedLanguage("ltlc", text, formal, formal.alphabet, None, formal.accepts, "LTL+C[Mon]", facts)


def from_counter(machine: CounterMachine, name: str) -> DescribedLanguage:
    """The language of a simplified stateless counter machine."""
    updates = [
        f"{symbol} {' '.join(f'{number:+d}' if number else '0' for number in step)}"
        for symbol, step in zip(machine.alphabet, machine.steps, strict=True)
    ]
    accepted = " or ".join(" ".join(pattern) for pattern in machine.patterns)
    facts = (("counters", f"{machine.counters}: {'; '.join(updates)}"), ("accepted", accepted))
    return DescribedLanguage("counter", name, machine, machine.alphabet, None, machine.accepts, "SSCM", facts)


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
