"""Formulas of counting logic for languages that are not regular."""

from capax.formal.logic.counting import All, AtLeast, Counting, Negation, Symbol, equal


def majority_formula() -> Counting:
    """More ones than zeros."""
    return AtLeast(((1, Symbol("1")), (-1, Symbol("0"))), 1)


def shuffle_dyck_formula(pairs: tuple[tuple[str, str], ...]) -> Counting:
    """Brackets of each kind match on their own: as many of each in the end, and never more closed than opened."""
    formulas: list[Counting] = []
    for opening, close in pairs:
        height = ((1, Symbol(opening)), (-1, Symbol(close)))
        below = Negation(AtLeast(height, 0))
        formulas += [equal(height, 0), equal(((1, below),), 0)]
    return All(tuple(formulas))


def anbn_formula() -> Counting:
    """As many a as b, and never an a after a b."""
    late = All((Symbol("a"), AtLeast(((1, Symbol("b")),), 1)))
    return All((equal(((1, Symbol("a")), (-1, Symbol("b"))), 0), equal(((1, late),), 0)))


def anbncn_formula() -> Counting:
    """As many a as b as c, and none before those that come before it in the alphabet."""
    seen = {letter: AtLeast(((1, Symbol(letter)),), 1) for letter in "bc"}
    late = [All((Symbol(first), seen[then])) for first, then in ("ab", "ac", "bc")]
    counts = [equal(((1, Symbol(x)), (-1, Symbol(y))), 0) for x, y in ("ab", "bc")]
    return All((*counts, *(equal(((1, one),), 0) for one in late)))
