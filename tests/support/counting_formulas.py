"""Formulas of counting logic: random ones, their meaning, and those of languages that are not regular."""

from hypothesis import strategies as st

from capax.formal.logic.counting import All, AtLeast, Counting, LetterBefore, Negation, Residue, Symbol, equal


def counting(*, atoms: bool = False, leaves: int = 5) -> st.SearchStrategy[Counting]:
    """Random formulas over a and b; with local and periodic atoms too."""
    letters: st.SearchStrategy[Counting] = st.sampled_from("ab").map(Symbol)
    if atoms:
        before = st.builds(LetterBefore, st.sampled_from("ab"), st.integers(1, 2))
        letters = st.one_of(letters, before, st.builds(Residue, st.just(3), st.integers(0, 2)))

    def larger(inner: st.SearchStrategy[Counting]) -> st.SearchStrategy[Counting]:
        term = st.tuples(st.integers(-2, 2), inner)
        return st.one_of(
            inner.map(Negation),
            st.lists(inner, max_size=2).map(lambda some: All(tuple(some))),
            st.builds(AtLeast, st.lists(term, max_size=2).map(tuple), st.integers(-1, 2)),
        )

    return st.recursive(letters, larger, max_leaves=leaves)


def holds(formula: Counting, word: tuple[str, ...], i: int) -> bool:
    """The definition, word for word; position 0 is before the first symbol."""
    match formula:
        case Symbol(symbol):
            return i > 0 and word[i - 1] == symbol
        case LetterBefore(symbol, distance):
            return i > distance and word[i - distance - 1] == symbol
        case Residue(modulus, remainder):
            return i % modulus == remainder
        case Negation(one):
            return not holds(one, word, i)
        case All(parts):
            return all(holds(one, word, i) for one in parts)
        case AtLeast(terms, least):
            return sum(c * sum(holds(one, word, j) for j in range(1, i + 1)) for c, one in terms) >= least


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
