"""The normal form of a sentence of FOC[MOD; +]: linear conditions on how many positions of each type there are.

The type of a position is its symbol and its index modulo M, where M is divisible by all moduli of the sentence. Since
positions are not compared, whether a formula holds of p depends on p's type alone. So "exactly t positions" is a sum of
numbers of positions, over those types of which it holds; and quantifiers over numbers are eliminated. What is left has
no quantifiers but one count for each type: the counts are of depth one, and conditions on them linear.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm
from typing import Final

from capax.errors import CapaxError
from capax.formal.automata.dfa import Word, unknown_symbol
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.fo.formula import SymbolAt
from capax.formal.logic.foc.formula import (
    Exactly,
    FocFormula,
    FocLanguage,
    RemainderAt,
    SomeNumber,
    counted,
    foc_subformulas,
)
from capax.formal.logic.foc.linear import (
    FALSE,
    TRUE,
    Linear,
    LinearCondition,
    LinearSum,
    all_of,
    any_of,
    condition,
    conditions_of,
    eliminated,
    linear_holds,
    negated,
)

MOST_TYPES: Final = 400
LARGEST_MODULUS: Final = 60


@dataclass(frozen=True, slots=True)
class FocNormalForm:
    """A condition on the numbers of positions of each type; the variable of a type is `name(symbol, remainder)`."""

    alphabet: tuple[str, ...]
    modulus: int
    condition: Linear

    @property
    def types(self) -> tuple[tuple[str, int], ...]:
        """The types of positions."""
        return tuple((symbol, r) for symbol in self.alphabet for r in range(self.modulus))

    def name(self, symbol: str, remainder: int) -> str:
        """The variable for the number of positions of a type."""
        return type_name(symbol, remainder, self.modulus)

    def counts(self, word: Word) -> dict[str, int]:
        """How many positions of each type a word has."""
        known = set(self.alphabet)
        for position, symbol in enumerate(word):
            if symbol not in known:
                raise unknown_symbol(symbol, position, self.alphabet)
        numbers = Counter((symbol, i % self.modulus) for i, symbol in enumerate(word))
        return {self.name(symbol, r): numbers[symbol, r] for symbol, r in self.types}

    def accepts(self, word: Word) -> bool:
        """Whether the sentence holds of a word."""
        return linear_holds(self.condition, self.counts(word))

    @property
    def inequalities(self) -> tuple[LinearCondition, ...]:
        """The conditions, each once."""
        return tuple(dict.fromkeys(conditions_of(self.condition)))


def type_name(symbol: str, remainder: int, modulus: int) -> str:
    """The variable for the number of positions of a type."""
    return f"#{symbol}" if modulus == 1 else f"#{symbol}%{remainder}"


def foc_normal_form(language: FocLanguage) -> FocNormalForm:
    """The normal form of a sentence."""
    moduli = [part.modulus for part in foc_subformulas(language.formula) if isinstance(part, RemainderAt)]
    modulus = lcm(*moduli) if moduli else 1
    if modulus > LARGEST_MODULUS or modulus * len(language.alphabet) > MOST_TYPES:
        what = (
            f"positions are told apart modulo {modulus:,}: at most {LARGEST_MODULUS}, and {MOST_TYPES} types, are read"
        )
        raise CapaxError("too-large", what, hint="smaller moduli, or moduli that divide each other")
    types = [(symbol, r) for symbol in language.alphabet for r in range(modulus)]
    sizes = {one: LinearSum.of({type_name(*one, modulus): 1}) for one in types}
    natural = frozenset(name for size in sizes.values() for name, _ in size.terms)
    made = _linear(language.formula, {}, sizes, natural)
    return FocNormalForm(language.alphabet, modulus, made)


def _linear(
    formula: FocFormula,
    at: Mapping[str, tuple[str, int]],
    sizes: Mapping[tuple[str, int], LinearSum],
    natural: frozenset[str],
) -> Linear:
    """What a formula says about numbers, with types for its free position variables; without NOT."""
    match formula:
        case SymbolAt(symbol, variable):
            return TRUE if at[variable][0] == symbol else FALSE
        case RemainderAt(variable, modulus, remainder):
            return TRUE if at[variable][1] % modulus == remainder else FALSE
        case LinearCondition(total, kind):
            return condition(total, kind, natural)
        case Negated(one):
            return negated(_linear(one, at, sizes, natural), natural)
        case AllOf(parts):
            return all_of(_linear(part, at, sizes, natural) for part in parts)
        case AnyOf(parts):
            return any_of(_linear(part, at, sizes, natural) for part in parts)
        case Exactly(count, variable, one):
            kinds = [(size, _linear(one, {**at, variable: kind}, sizes, natural)) for kind, size in sizes.items()]
            return counted(_merged(kinds), count, natural)
        case SomeNumber(variable, one):
            return eliminated(variable, _linear(one, at, sizes, natural), natural)


def _merged(kinds: list[tuple[LinearSum, Linear]]) -> list[tuple[LinearSum, Linear]]:
    """Types of which the same is said, taken together."""
    total: dict[Linear, LinearSum] = {}
    for size, says in kinds:
        total[says] = total[says].plus(size) if says in total else size
    return [(size, says) for says, size in total.items()]
