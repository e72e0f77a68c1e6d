"""Words that stand for all words of a domain, where these are few: then what an s-op can be is a matter of running it.

Lemma. Let a program read no position: no `indices`, no list in the place of an s-op, no `best` (of equal keys it takes
the last), and no selector over triples. If the tokens of a word change places then so do the program's values, and
nothing else changes: each part is a function of tokens, or asks which keys (and how many) have a property, and a mean
is the rounded exact sum by the count, in whatever order. So every value that such a program has on any word it has on
one whose tokens stand in the order of the alphabet. There are far fewer of these: 43,757 of up to 8 digits, of
111,111,110 words.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import Aggregate, And, Const, Input, Map, Node, Not, Or, Select, Table, Width
from capax.rasp.ir.types import Atom

Word = tuple[Atom, ...]

MOST_TOKENS = 400_000
"""Words stand for all if they have together at most so many tokens: all of two letters up to length 13."""

_WITHOUT_POSITIONS = (Input, Const, Map, Select, And, Or, Not, Aggregate, Width)


def reads_no_position(root: Node) -> bool:
    """Whether a program's values go with the tokens wherever they stand.

    >>> from capax import aggregate, full_s, indices, tokens_asis
    >>> reads_no_position(aggregate(full_s, tokens_asis).node), reads_no_position(indices.node)
    (True, False)
    """
    return all(
        isinstance(node, _WITHOUT_POSITIONS) or (isinstance(node, Table) and node.kind != "positions")
        for node in topological(root)
    )


def words_for_all(root: Node, alphabet: Sequence[Atom], longest: int, most: int = MOST_TOKENS) -> list[Word] | None:
    """Words of 1 to `longest` tokens on which a program has every value that it has on any; None where they are many.

    >>> from capax import aggregate, full_s, indices, select, tokens_asis
    >>> words_for_all(aggregate(full_s, tokens_asis).node, (0, 3), 2)
    [(0,), (3,), (0, 0), (0, 3), (3, 3)]
    >>> len(words_for_all(aggregate(select(indices, indices, "<"), tokens_asis).node, (0, 3), 2))
    6
    """
    letters, total = len(alphabet), 0
    if any(isinstance(node, State) for node in topological(root)):
        return None  # in the body of a loop: what a state is, is no matter of words
    free = reads_no_position(root)
    for n in range(1, longest + 1):
        total += n * (math.comb(letters + n - 1, n) if free else letters**n)
        if total > most:
            return None
    return list(_words(alphabet, longest, in_order=free))


def _words(alphabet: Sequence[Atom], longest: int, *, in_order: bool) -> Iterator[Word]:
    for n in range(1, longest + 1):
        yield from combinations_with_replacement(alphabet, n) if in_order else product(alphabet, repeat=n)
