"""Dyck languages: words of matching brackets, of any depth, of bounded depth, and shuffled."""

from collections.abc import Iterator

from capax.formal.automata.dfa import Dfa, Word, explored
from capax.formal.languages.language import Language, Random

PAIRS = ("()", "[]", "{}", "<>")


def brackets(k: int) -> tuple[tuple[str, str], ...]:
    """k pairs of an opening and a closing bracket."""
    plain = [(pair[0], pair[1]) for pair in PAIRS[:k]]
    return (*plain, *((f"({n}", f"){n}") for n in range(len(PAIRS), k)))


def bracket_alphabet(k: int) -> tuple[str, ...]:
    """The brackets of k pairs, each pair together."""
    return tuple(symbol for pair in brackets(k) for symbol in pair)


def heights(word: Word, k: int) -> list[int] | None:
    """How many brackets are open after each symbol of a word whose brackets match so far; None if some do not."""
    closes = {close: opening for opening, close in brackets(k)}
    open_counts: list[int] = []
    open_: list[str] = []
    for symbol in word:
        if symbol not in closes:
            open_.append(symbol)
        elif not open_ or open_.pop() != closes[symbol]:
            return None
        open_counts.append(len(open_))
    return open_counts


def dyck(k: int) -> Language:
    """Words of k kinds of brackets that match."""

    def contains(word: Word) -> bool:
        after = heights(word, k)
        return after is not None and (not after or after[-1] == 0)

    what = f"words of {k} kind{'s' if k > 1 else ''} of brackets that match"
    return Language("dyck", {"k": k}, bracket_alphabet(k), what, contains, lambda r, n: _nested(r, n, k, n))


def bounded_dyck(k: int, depth: int) -> Language:
    """Words of k kinds of brackets that match, at most `depth` inside each other."""

    def contains(word: Word) -> bool:
        after = heights(word, k)
        return after is not None and (not after or (after[-1] == 0 and max(after) <= depth))

    what = f"words of {k} kind{'s' if k > 1 else ''} of brackets that match, at most {depth} inside each other"
    parameters = {"k": k, "depth": depth}
    automaton = bounded_dyck_dfa(k, depth) if states(k, depth) <= 2000 else None

    def inside(random: Random, length: int) -> tuple[str, ...] | None:
        return _nested(random, length, k, depth)

    return Language("bounded-dyck", parameters, bracket_alphabet(k), what, contains, inside, automaton)


def states(k: int, depth: int) -> int:
    """The number of stacks of height at most `depth`, and one for failure."""
    total, row = 2, 1
    for _ in range(depth):
        row *= k
        total += row
    return total


def bounded_dyck_dfa(k: int, depth: int) -> Dfa:
    """The automaton of bounded-depth Dyck words: a state is a stack of opened brackets, or failure."""

    def step(stack: tuple[int, ...] | None) -> Iterator[tuple[int, ...] | None]:
        for kind in range(k):
            yield (*stack, kind) if stack is not None and len(stack) < depth else None
            yield stack[:-1] if stack and stack[-1] == kind else None

    empty: tuple[int, ...] | None = ()
    return explored(bracket_alphabet(k), empty, step, lambda stack: stack == empty).minimal()


def shuffle_dyck(k: int) -> Language:
    """Words in which the brackets of each of k kinds match, whatever stands between them."""
    pairs = brackets(k)

    def contains(word: Word) -> bool:
        return all(_balanced(word, *pair) for pair in pairs)

    def inside(random: Random, length: int) -> tuple[str, ...] | None:
        kinds = [int(x) for x in random.integers(k, size=length // 2)]
        parts = [list(_nested(random, 2 * kinds.count(kind), 1, length) or ()) for kind in range(k)]
        order = [kind for kind in range(k) for _ in parts[kind]]
        random.shuffle(order)
        rest = [iter(part) for part in parts]
        return tuple(pairs[kind]["()".index(next(rest[kind]))] for kind in order)

    what = f"words in which each of {k} kinds of brackets matches on its own"
    return Language("shuffle-dyck", {"k": k}, bracket_alphabet(k), what, contains, inside)


def _balanced(word: Word, opening: str, close: str) -> bool:
    height = 0
    for symbol in word:
        height += (symbol == opening) - (symbol == close)
        if height < 0:
            return False
    return height == 0


def _nested(random: Random, length: int, k: int, depth: int) -> tuple[str, ...]:
    """A random Dyck word of the even length at or below `length`, at most `depth` deep."""
    pairs, rest = brackets(k), length - length % 2
    word: list[str] = []
    open_: list[int] = []
    while rest:
        may_open = len(open_) < min(depth, rest - 1) and len(open_) < rest
        if may_open and (not open_ or random.random() < 0.5):
            open_.append(int(random.integers(k)))
            word.append(pairs[open_[-1]][0])
        else:
            word.append(pairs[open_.pop()][1])
        rest -= 1
    return tuple(word)
