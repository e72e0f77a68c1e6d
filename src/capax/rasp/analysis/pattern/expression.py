"""The smallest selector over given s-ops that gives a pattern on a word, or why there is none.

Statement. Comparisons of given keys and queries, joined by and, or and not, give a pattern exactly if no two pairs of
a query and a key have the same outcomes of all comparisons but differ in the pattern.
Idea. Pairs with the same outcomes are selected together by every selector; and a union of such classes is a disjunction
of conjunctions of comparisons.
Scope. On the one word. The smallest expression is found by size, the number of comparisons (`not` is free: it is
another comparison); beyond a budget a disjunction of conjunctions is given instead, and said to be an upper bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.ir.nodes import COMPARISONS
from capax.rasp.meaning.evaluation import evaluation_on
from capax.rasp.meaning.sequence import Matrix
from capax.rasp.meaning.sequence import Sequence as Values
from capax.rasp.python.program import Selector, SOp

MOST_PAIRS: Final = 1_000_000
"""How many pairs of expressions are joined before the search for the smallest selector stops."""


@dataclass(frozen=True, slots=True)
class NoSelector:
    """Two pairs (query, key) with the same outcomes of all comparisons, of which one is selected."""

    selected: tuple[int, int]
    other: tuple[int, int]
    why: str


@dataclass(frozen=True, slots=True)
class FoundSelector:
    """A selector that gives the pattern: its text, its comparisons, and whether no smaller one does."""

    selector: Selector
    text: str
    comparisons: int
    smallest: bool


@dataclass(frozen=True, slots=True)
class _Leaf:
    text: str
    selector: Selector
    mask: int


def selector_for(
    pattern: Sequence[Sequence[bool]], word: Sequence[object], keys: Sequence[SOp], queries: Sequence[SOp]
) -> FoundSelector | NoSelector:
    """The smallest selector over the s-ops that gives a pattern on a word, or two pairs that tell that none does."""
    n = len(pattern)
    target = _mask(pattern)
    full = (1 << n * n) - 1
    if target in (0, full):
        return _constant(everything=target == full)
    leaves = _leaves(word, keys, queries)
    clash = _clash(target, n, [leaf.mask for leaf in leaves])
    if clash is not None:
        return NoSelector(*clash, _why(clash, word, keys, queries))
    return _smallest(target, full, leaves)


def _constant(*, everything: bool) -> FoundSelector:
    selector = build.select(1, 1, "==" if everything else "!=")
    return FoundSelector(selector, f"select(1, 1, {'==' if everything else '!='})", 1, True)


def _mask(pattern: Sequence[Sequence[bool]]) -> int:
    """The pairs of a pattern as the bits of a number, query by query."""
    cells = [cell for row in pattern for cell in row]
    return sum(1 << place for place, cell in enumerate(cells) if cell)


def _leaves(word: Sequence[object], keys: Sequence[SOp], queries: Sequence[SOp]) -> list[_Leaf]:
    """The comparisons with different patterns; those that make no sense on the word are left out."""
    evaluation = evaluation_on(list(word))
    leaves: dict[int, _Leaf] = {}
    for key in keys:
        for query in queries:
            for op in COMPARISONS:
                selector = build.select(key, query, op)
                try:
                    value = selector.on(evaluation)
                except CapaxError:
                    continue
                assert isinstance(value, Matrix)
                leaf = _Leaf(f"select({_name(key)}, {_name(query)}, {op})", selector, _mask(value.rows))
                leaves.setdefault(leaf.mask, leaf)
    return list(leaves.values())


def _name(sop: SOp) -> str:
    return sop.name or str(sop)


def _clash(target: int, n: int, masks: list[int]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two pairs with the same outcomes, the first selected and the second not; of one query or key if there are any."""
    classes: dict[tuple[bool, ...], list[tuple[int, int]]] = {}
    for place in range(n * n):
        outcomes = tuple(bool(mask >> place & 1) for mask in masks)
        classes.setdefault(outcomes, []).append((place // n, place % n))
    clashes = []
    for members in classes.values():
        chosen = [p for p in members if target >> (p[0] * n + p[1]) & 1]
        others = [p for p in members if not target >> (p[0] * n + p[1]) & 1]
        clashes += [(a, b) for a in chosen for b in others][:200]
    return min(clashes, key=lambda c: (c[0][0] != c[1][0] and c[0][1] != c[1][1], c), default=None)


def _why(
    clash: tuple[tuple[int, int], tuple[int, int]], word: Sequence[object], keys: Sequence[SOp], queries: Sequence[SOp]
) -> str:
    """What makes two pairs equal to all comparisons."""
    (i, j), (u, v) = clash
    evaluation = evaluation_on(list(word))

    def same(sops: Sequence[SOp], a: int, b: int) -> bool:
        values = [s.on(evaluation) for s in sops]
        return all(isinstance(x, Values) and x[a] == x[b] for x in values)

    if i == u and same(keys, j, v):
        return f"the keys {j} and {v} have equal values, but query {i} selects {j} and not {v}: their columns differ"
    if j == v and same(queries, i, u):
        return f"the queries {i} and {u} have equal values, but {i} selects key {j} and {u} does not: their rows differ"
    return (
        f"query {i} with key {j} and query {u} with key {v} have the same outcome of every comparison, "
        f"but only the first pair is selected"
    )


def _smallest(target: int, full: int, leaves: list[_Leaf]) -> FoundSelector:
    """Patterns by the number of comparisons, until the target is among them."""
    made: dict[int, tuple[str, int, int] | _Leaf] = {leaf.mask: leaf for leaf in leaves}
    levels: list[list[int]] = [[], [leaf.mask for leaf in leaves]]
    joined = 0
    while target not in made:
        size = len(levels)
        fresh: list[int] = []
        for left in range(1, size // 2 + 1):
            for one in levels[left]:
                for two in levels[size - left]:
                    for op, mask in (("and", one & two), ("or", one | two)):
                        if mask not in made and mask not in (0, full):
                            made[mask] = (op, one, two)
                            fresh.append(mask)
                    if target in made:
                        return _found(target, made, size, smallest=True)
                joined += len(levels[size - left])
                if joined > MOST_PAIRS:
                    return _disjunction(target, full, leaves)
        levels.append(fresh)
    return _found(target, made, 1, smallest=True)


def _found(mask: int, made: dict[int, "tuple[str, int, int] | _Leaf"], size: int, *, smallest: bool) -> FoundSelector:
    selector, text = _built(mask, made)
    return FoundSelector(selector, text, size, smallest)


def _built(mask: int, made: dict[int, "tuple[str, int, int] | _Leaf"]) -> tuple[Selector, str]:
    step = made[mask]
    if isinstance(step, _Leaf):
        return step.selector, step.text
    op, one, two = step
    (left, left_text), (right, right_text) = _built(one, made), _built(two, made)
    joined = left & right if op == "and" else left | right

    def inner(text: str, part: int) -> str:
        return text if isinstance(made[part], _Leaf) else f"({text})"

    return joined, f"{inner(left_text, one)} {op} {inner(right_text, two)}"


def _disjunction(target: int, full: int, leaves: list[_Leaf]) -> FoundSelector:
    """A disjunction of conjunctions that gives the pattern: each covers pairs until none is left."""
    literals = {leaf.mask: leaf for leaf in leaves}
    left = target
    terms: list[list[_Leaf]] = []
    while left:
        pair = left & -left
        holding = [leaf for mask, leaf in literals.items() if mask & pair]
        chosen: list[_Leaf] = []
        covered = full
        while covered & ~target:
            best = min(
                holding, key=lambda leaf: ((covered & leaf.mask & ~target).bit_count(), -(leaf.mask & left).bit_count())
            )
            chosen.append(best)
            covered &= best.mask
        terms.append(chosen)
        left &= ~covered
    selectors = []
    for term in terms:
        joined = term[0].selector
        for leaf in term[1:]:
            joined = joined & leaf.selector
        selectors.append(joined)
    whole = selectors[0]
    for other in selectors[1:]:
        whole = whole | other
    texts = [" and ".join(leaf.text for leaf in term) for term in terms]
    text = " or ".join(
        f"({t})" if len(term) > 1 and len(terms) > 1 else t for t, term in zip(texts, terms, strict=True)
    )
    return FoundSelector(whole, text, sum(map(len, terms)), False)
