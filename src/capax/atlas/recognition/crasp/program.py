"""A formula of counting logic as a RASP program: counts are widths of selectors that look at no key to the right."""

from typing import assert_never

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
from capax.rasp.python.embed import aggregate, indices, select, selector_width, tokens
from capax.rasp.python.program import SOp


def counting_program(formula: Counting) -> SOp:
    """The program whose value at each position is whether the formula holds there.

    >>> from capax.formal.logic.counting import AtLeast, Symbol
    >>> counting_program(AtLeast(((1, Symbol("a")), (-1, Symbol("b"))), 1))("abaa")
    [True, False, True, True]
    """
    booleans: dict[Counting, SOp] = {}
    counts: dict[Counting, SOp] = {}
    up_to_here = select(indices, indices, "<=")
    for node in counting_subformulas(formula):
        if isinstance(node, AtLeast):
            for _, part in node.terms:
                if part not in counts:
                    counts[part] = selector_width(up_to_here & select(booleans[part], True, "=="))
        booleans[node] = _boolean(node, booleans, counts)
    return booleans[formula]


def _boolean(node: Counting, booleans: dict[Counting, SOp], counts: dict[Counting, SOp]) -> SOp:
    match node:
        case Symbol(symbol):
            return tokens == symbol
        case LetterBefore(symbol, distance):
            return aggregate(select(indices, indices - distance, "=="), tokens == symbol, default=False)
        case Residue(modulus, remainder):
            return (indices + 1) % modulus == remainder
        case Negation(one):
            return ~booleans[one]
        case All(parts):
            holds = indices >= 0
            for at, part in enumerate(parts):
                holds = holds & booleans[part] if at else booleans[part]
            return holds
        case AtLeast(terms, least):
            return _compared(terms, least, counts)
        case _:
            assert_never(node)


def _compared(terms: tuple[tuple[int, Counting], ...], least: int, counts: dict[Counting, SOp]) -> SOp:
    """A linear comparison: what is added on the left, what is taken away on the right."""
    left, right = (_sum([(abs(x), part) for x, part in terms if (x > 0) == sign], counts) for sign in (True, False))
    if left is None and right is None:
        return indices >= 0 if least <= 0 else indices < 0
    if left is None:
        assert right is not None
        return right <= -least
    if right is None:
        return left >= least
    return left - right >= least


def _sum(terms: list[tuple[int, Counting]], counts: dict[Counting, SOp]) -> SOp | None:
    total: SOp | None = None
    for times, part in terms:
        one = counts[part] if times == 1 else counts[part] * times
        total = one if total is None else total + one
    return total
