"""Temporal logic of the past on words: formulas as values, and where they hold.

All operators are strict: they speak of earlier positions only. At position i of a word,

- `a S b` (since): at some j < i, b holds, and a holds at every k with j < k < i;
- `Y a` (yesterday): i > 0, and a holds at i - 1;
- `P a` (once): a holds at some j < i;
- `H a` (historically): a holds at every j < i.

A word is in the language of a formula if the formula holds at its last position. On the empty word, which has none, a
letter and the operators Y, S and P are false, and H is true: it is read as one position that no letter stands at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, assert_never

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, Word, check_formula_symbols, explored


@dataclass(frozen=True, slots=True)
class Letter:
    """The symbol stands here."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false everywhere."""

    value: bool


@dataclass(frozen=True, slots=True)
class NotFormula:
    """The other does not hold."""

    one: "Formula"


@dataclass(frozen=True, slots=True)
class AndFormula:
    """Both hold."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class OrFormula:
    """One of two holds."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Since:
    """`left S right`: right held once before, and left has held ever since, up to the position before this one."""

    left: "Formula"
    right: "Formula"


@dataclass(frozen=True, slots=True)
class Yesterday:
    """It held at the position before."""

    one: "Formula"


@dataclass(frozen=True, slots=True)
class Once:
    """It held at some earlier position."""

    one: "Formula"


@dataclass(frozen=True, slots=True)
class Historically:
    """It held at every earlier position."""

    one: "Formula"


Formula: TypeAlias = Letter | Constant | NotFormula | AndFormula | OrFormula | Since | Yesterday | Once | Historically
TEMPORAL = (Since, Yesterday, Once, Historically)


@dataclass(frozen=True, slots=True)
class LtlLanguage:
    """The words over an alphabet at whose last position a formula holds."""

    formula: Formula
    alphabet: tuple[str, ...]

    def __post_init__(self) -> None:
        symbols = (part.symbol for part in subformulas(self.formula) if isinstance(part, Letter))
        check_formula_symbols(symbols, self.alphabet)

    def accepts(self, word: Word) -> bool:
        """Whether the formula holds at the last position."""
        return accepts(self.formula, word)


def parts(formula: Formula) -> tuple[Formula, ...]:
    """What a formula is made of directly."""
    match formula:
        case Letter() | Constant():
            return ()
        case NotFormula(one) | Yesterday(one) | Once(one) | Historically(one):
            return (one,)
        case AndFormula(left, right) | OrFormula(left, right) | Since(left, right):
            return (left, right)
        case _:
            assert_never(formula)


@lru_cache(maxsize=16)
def subformulas(formula: Formula) -> tuple[Formula, ...]:
    """A formula and all its parts, each once, parts before what is made of them."""
    ordered: dict[Formula, None] = {}
    stack: list[tuple[Formula, Iterator[Formula]]] = [(formula, iter(parts(formula)))]
    while stack:
        node, rest = stack[-1]
        part = next((p for p in rest if p not in ordered), None)
        if part is None:
            ordered[node] = None
            stack.pop()
        else:
            stack.append((part, iter(parts(part))))
    return tuple(ordered)


def values(formula: Formula, word: Word) -> list[bool]:
    """Whether a formula holds at each position of a word."""
    truth: dict[Formula, list[bool]] = {}
    for node in subformulas(formula):
        truth[node] = _line(node, [truth[p] for p in parts(node)], word)
    return truth[formula]


def accepts(formula: Formula, word: Word) -> bool:
    """Whether a formula holds at the last position of a word."""
    if not len(word):
        return values(formula, ("",))[0]  # one position, at which no letter stands and before which there is none
    return values(formula, word)[-1]


def _line(node: Formula, below: Sequence[list[bool]], word: Word) -> list[bool]:
    """The values of a node along a word, from those of its parts."""
    match node:
        case Letter(symbol):
            return [symbol == here for here in word]
        case Constant(value):
            return [value] * len(word)
        case NotFormula():
            return [not a for a in below[0]]
        case AndFormula():
            return [a and b for a, b in zip(*below, strict=True)]
        case OrFormula():
            return [a or b for a, b in zip(*below, strict=True)]
        case Yesterday():
            return [False, *below[0][:-1]]
        case Since() | Once() | Historically():
            values, state = [], isinstance(node, Historically)
            for here in zip(*below, strict=True):
                values.append(state)
                state = _after(node, state, here)
            return values
        case _:
            assert_never(node)


def _after(node: Formula, state: bool, here: Sequence[bool]) -> bool:
    """The value of a temporal operator at the next position, from its value here and those of its parts."""
    match node:
        case Since():
            return here[1] or (here[0] and state)
        case Yesterday():
            return here[0]
        case Once():
            return here[0] or state
        case Historically():
            return here[0] and state
        case _:
            raise AssertionError(f"{node} is not temporal")


def temporal_depth(formula: Formula) -> int:
    """The most temporal operators inside each other."""
    deep: dict[Formula, int] = {}
    for node in subformulas(formula):
        deep[node] = max((deep[p] for p in parts(node)), default=0) + isinstance(node, TEMPORAL)
    return deep[formula]


def ltl_dfa(language: LtlLanguage, *, budget: int = 20_000) -> Dfa:
    """The minimal automaton of a formula: a state is the value of each temporal operator, and of the formula, here."""
    nodes = subformulas(language.formula)
    temporal = [node for node in nodes if isinstance(node, TEMPORAL)]

    def step(memory: tuple[bool, ...], symbol: str) -> tuple[tuple[bool, ...], bool]:
        truth: dict[Formula, bool] = dict(zip(temporal, memory, strict=True))
        for node in nodes:
            if not isinstance(node, TEMPORAL):
                truth[node] = _line(node, [[truth[p]] for p in parts(node)], (symbol,))[0]
        after = tuple(_after(node, truth[node], [truth[p] for p in parts(node)]) for node in temporal)
        return after, truth[language.formula]

    first = tuple(isinstance(node, Historically) for node in temporal)
    return explored(
        language.alphabet,
        (first, accepts(language.formula, ())),
        lambda state: [step(state[0], symbol) for symbol in language.alphabet],
        lambda state: state[1],
        lambda count: _require(count, budget),
    ).minimal()


def _require(states: int, budget: int) -> None:
    if states > budget:
        what = f"the automaton of the formula has more than {budget:,} states before it is made minimal"
        raise CapaxError("too-large", what, hint="a smaller formula, or a larger --budget")
