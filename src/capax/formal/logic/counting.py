"""Counting logic in the style of C-RASP: how often does a formula hold up to here?

A formula holds or not at each position of a word. `#[a]` is the number of positions up to and including this one at
which a holds; sums of such counts, times whole numbers, are compared with each other. A word is in the language if the
formula holds at its last position; on the empty word every count is 0 and no letter stands anywhere. Read at an end
marker, a formula holds at one more position, where no letter stands.

Beyond the letter of a position, local atoms say which letter stands a fixed distance before it, and periodic ones what
the number of the position is modulo m.

Cite: Yang and Chiang 2024, "Counting Like Transformers: Compiling Temporal Counting Logic Into Softmax Transformers".
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import accumulate
from threading import Lock
from typing import Final, Literal, TypeAlias, assert_never
from weakref import WeakValueDictionary

from capax.formal.automata.dfa import Word, check_formula_symbols


class _Interned(type):
    """Equal formulas are one object: a part may stand in a formula in very many ways, and is compared by identity."""

    def __call__(cls, *content: object) -> "_Node":
        key = cls, content
        with _LOCK:
            node = _NODES.get(key)
            if node is None:
                _NODES[key] = node = super().__call__(*content)
            return node


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class _Node(metaclass=_Interned):
    """What formulas share: they are interned, also when they are copied or unpickled."""

    def __reduce__(self) -> "tuple[type[_Node], tuple[object, ...]]":
        return type(self), tuple(getattr(self, part.name) for part in fields(self))


_NODES: "WeakValueDictionary[tuple[type, tuple[object, ...]], _Node]" = WeakValueDictionary()
_LOCK = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(_Node):
    """The symbol stands here."""

    symbol: str


@dataclass(frozen=True, slots=True, eq=False)
class LetterBefore(_Node):
    """The symbol stands `distance` positions before this one."""

    symbol: str
    distance: int


@dataclass(frozen=True, slots=True, eq=False)
class Residue(_Node):
    """The number of the position, from 1 on, has this remainder modulo `modulus`."""

    modulus: int
    remainder: int


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


Counting: TypeAlias = Symbol | LetterBefore | Residue | Negation | All | AtLeast
TRUE: Final = All(())
FALSE: Final = Negation(TRUE)


@dataclass(frozen=True, slots=True)
class CountingLanguage:
    """The words over an alphabet at whose last position a formula holds; or at an end marker after them."""

    formula: Counting
    alphabet: tuple[str, ...]
    read: Literal["last", "end"] = "last"

    def __post_init__(self) -> None:
        parts = counting_subformulas(self.formula)
        check_formula_symbols((one.symbol for one in parts if isinstance(one, Symbol | LetterBefore)), self.alphabet)

    def accepts(self, word: Word) -> bool:
        """Whether the formula holds at the last position, or at the marker."""
        return counting_values(self.formula, word if self.read == "last" else (*word, ""))[-1]


def counting_values(formula: Counting, word: Word) -> list[bool]:
    """Whether a formula holds before the first position, where all counts are 0, and at each position of a word."""
    truth: list[list[bool]] = []
    for node, parts in numbered_subformulas(formula):
        truth.append(_line(node, [truth[part] for part in parts], word))
    return truth[-1]


def _line(node: Counting, parts: list[list[bool]], word: Word) -> list[bool]:
    """Whether a formula holds at each position, from where its parts do."""
    match node:
        case Symbol(symbol):
            return [False, *(symbol == here for here in word)]
        case LetterBefore(symbol, distance):
            return [i - distance > 0 and word[i - distance - 1] == symbol for i in range(len(word) + 1)]
        case Residue(modulus, remainder):
            return [i % modulus == remainder for i in range(len(word) + 1)]
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
        case Symbol() | LetterBefore() | Residue():
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
def counting_subformulas(formula: Counting) -> "tuple[Counting, ...]":
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
def numbered_subformulas(formula: Counting) -> "tuple[tuple[Counting, tuple[int, ...]], ...]":
    """A formula and all its parts, in that order, each with the numbers of its own parts.

    Numbers, since equal parts may be different objects, which are slow to compare for each word anew.
    """
    ordered = counting_subformulas(formula)
    number = {node: at for at, node in enumerate(ordered)}
    return tuple((node, tuple(number[part] for part in _parts(node))) for node in ordered)


def counting_length(formula: Counting) -> int:
    """How many parts the printed formula has; a part that stands in several places counts there each time."""
    size: dict[Counting, int] = {}
    for node in counting_subformulas(formula):
        size[node] = 1 + sum(size[part] for part in _parts(node))
    return size[formula]


def counting_depth(formula: Counting) -> int:
    """How deep counts are nested."""
    depth: dict[Counting, int] = {}
    for node in counting_subformulas(formula):
        depth[node] = isinstance(node, AtLeast) + max((depth[part] for part in _parts(node)), default=0)
    return depth[formula]


def equal(terms: "tuple[tuple[int, Counting], ...]", to: int) -> Counting:
    """The formula that a sum of counts is exactly a number."""
    return both([AtLeast(terms, to), AtLeast(tuple((-times, one) for times, one in terms), -to)])


def negated(formula: Counting) -> Counting:
    """The formula that another does not hold."""
    return formula.one if isinstance(formula, Negation) else Negation(formula)


def both(formulas: Iterable[Counting]) -> Counting:
    """All of several hold, each written once; of none, true."""
    parts: dict[Counting, None] = {}
    for one in formulas:
        parts |= dict.fromkeys(one.parts) if isinstance(one, All) else {one: None}
    if FALSE in parts:
        return FALSE
    return next(iter(parts)) if len(parts) == 1 else All(tuple(parts))


def either(formulas: Iterable[Counting]) -> Counting:
    """One of several holds; of none, false."""
    return negated(both([negated(one) for one in formulas]))
