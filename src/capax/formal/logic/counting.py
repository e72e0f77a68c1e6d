"""Counting logic in the style of C-RASP: how often does a formula hold up to here?

A formula holds or not at each position of a word. `#[a]` is the number of positions up to and including this one at
which a holds; sums of such counts, times whole numbers, are compared with each other. A word is in the language if the
formula holds at its last position; on the empty word every count is 0 and no letter stands anywhere.

Cite: Yang and Chiang 2024, "Counting Like Transformers: Compiling Temporal Counting Logic Into Softmax Transformers".
"""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import TypeAlias, assert_never

from capax.formal.automata.dfa import Word, check_formula_symbols


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """What formulas share: their hash is kept, since a part may stand in a formula in very many ways."""

    _hash: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((type(self).__name__, *_content(self))))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and self._hash == hash(other) and _content(self) == _content(other)


def _content(node: object) -> tuple[object, ...]:
    """What makes nodes of one kind equal."""
    match node:
        case AtLeast(terms, least):
            return terms, least
        case Symbol(part) | Negation(part) | All(part):
            return (part,)
        case _:
            raise AssertionError(node)


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(_Node):
    """The symbol stands here."""

    symbol: str


@dataclass(frozen=True, slots=True, eq=False)
class Negation(_Node):
    """The other does not hold."""

    one: "Counting"


@dataclass(frozen=True, slots=True, eq=False)
class All(_Node):
    """All of several hold; without parts, true."""

    parts: "tuple[Counting, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class AtLeast(_Node):
    """The sum of counts, each times a whole number, is at least `least`."""

    terms: "tuple[tuple[int, Counting], ...]"
    least: int


Counting: TypeAlias = Symbol | Negation | All | AtLeast


@dataclass(frozen=True, slots=True)
class CountingLanguage:
    """The words over an alphabet at whose last position a formula holds."""

    formula: Counting
    alphabet: tuple[str, ...]

    def __post_init__(self) -> None:
        symbols = (part.symbol for part in _subformulas(self.formula) if isinstance(part, Symbol))
        check_formula_symbols(symbols, self.alphabet)

    def accepts(self, word: Word) -> bool:
        """Whether the formula holds at the last position."""
        return counting_values(self.formula, word)[-1]


def counting_values(formula: Counting, word: Word) -> list[bool]:
    """Whether a formula holds before the first position, where all counts are 0, and at each position of a word."""
    truth: list[list[bool]] = []
    for node, parts in _numbered(formula):
        truth.append(_line(node, [truth[part] for part in parts], word))
    return truth[-1]


def _line(node: Counting, parts: list[list[bool]], word: Word) -> list[bool]:
    """Whether a formula holds at each position, from where its parts do."""
    match node:
        case Symbol(symbol):
            return [False, *(symbol == here for here in word)]
        case Negation():
            return [not a for a in parts[0]]
        case All():
            return [all(here) for here in zip(*parts, strict=True)] if parts else [True] * (len(word) + 1)
        case AtLeast(terms, least):
            totals = [0] * (len(word) + 1)
            for (times, _), part in zip(terms, parts, strict=True):
                counts = accumulate(part[1:], initial=0)
                totals = [total + times * count for total, count in zip(totals, counts, strict=True)]
            return [total >= least for total in totals]
        case _:
            assert_never(node)


def _parts(node: Counting) -> "tuple[Counting, ...]":
    match node:
        case Symbol():
            return ()
        case Negation(one):
            return (one,)
        case All(parts):
            return parts
        case AtLeast(terms):
            return tuple(one for _, one in terms)
        case _:
            assert_never(node)


@lru_cache(maxsize=16)
def _subformulas(formula: Counting) -> "tuple[Counting, ...]":
    """A formula and all its parts, each once, parts before what is made of them."""
    ordered: dict[Counting, None] = {}
    stack = [formula]
    while stack:  # no recursion: formulas of long automata are deeper than Python's stack
        ahead = [part for part in reversed(_parts(stack[-1])) if part not in ordered]
        if ahead:
            stack += ahead
        else:
            ordered.setdefault(stack.pop())
    return tuple(ordered)


@lru_cache(maxsize=16)
def _numbered(formula: Counting) -> "tuple[tuple[Counting, tuple[int, ...]], ...]":
    """A formula and all its parts, in that order, each with the numbers of its own parts.

    Numbers, since equal parts may be different objects, which are slow to compare for each word anew.
    """
    ordered = _subformulas(formula)
    number = {node: at for at, node in enumerate(ordered)}
    return tuple((node, tuple(number[part] for part in _parts(node))) for node in ordered)


def counting_length(formula: Counting) -> int:
    """How many parts the printed formula has; a part that stands in several places counts there each time."""
    size: dict[Counting, int] = {}
    for node in _subformulas(formula):
        size[node] = 1 + sum(size[part] for part in _parts(node))
    return size[formula]


def counting_printed(formula: Counting) -> str:
    """A formula as text."""
    match formula:
        case Symbol(symbol):
            return f"'{symbol}'"
        case Negation(one):
            return f"!({counting_printed(one)})" if isinstance(one, (All, AtLeast)) else f"!{counting_printed(one)}"
        case All(parts):
            texts = (
                f"({counting_printed(p)})" if isinstance(p, (All, AtLeast)) else counting_printed(p) for p in parts
            )
            return " & ".join(texts) or "true"
        case AtLeast(terms, least):
            sums = " + ".join(f"{'' if times == 1 else f'{times}*'}#[{counting_printed(one)}]" for times, one in terms)
            return f"{sums} >= {least}"
        case _:
            assert_never(formula)


def equal(terms: "tuple[tuple[int, Counting], ...]", to: int) -> Counting:
    """The formula that a sum of counts is exactly a number."""
    return All((AtLeast(terms, to), AtLeast(tuple((-times, one) for times, one in terms), -to)))


def either(formulas: "list[Counting]") -> Counting:
    """One of several holds; of none, false."""
    return formulas[0] if len(formulas) == 1 else Negation(All(tuple(Negation(one) for one in formulas)))
