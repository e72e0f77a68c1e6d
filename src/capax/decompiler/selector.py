"""Which selector does a head have? Comparisons of what its keys and queries tell, put together until they fit.

A selector has to select some pairs (`must`) and to leave out others (`never`); of the remaining pairs nothing is known,
since the mask or a better key hides them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from capax.decompiler.feature import Bank, Feature
from capax.model.parts import Array
from capax.rasp.ir.nodes import And, Comparison, Const, Map, Or, Select, SelectorNode

FEW: Final = 140
"""At most so many s-ops of each kind are compared on each side."""
MOST_ATOMS: Final = 700
"""At most so many comparisons are put together in pairs."""
OPERATORS: Final[tuple[Comparison, ...]] = ("==", "<", "<=", ">", ">=", "!=")


@dataclass(frozen=True, slots=True, eq=False)
class SelectorChoice:
    """A selector, the pairs that it selects (packed bits), and its size."""

    node: SelectorNode
    bits: Array
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class PairTask:
    """The pairs that a selector must select and those it must not; `key` and `query` give the row of each pair."""

    must: Array
    never: Array
    key: Array
    query: Array

    def packed(self, pairs: Array) -> Array:
        """Truth values of pairs as bits."""
        return np.packbits(pairs)


def visible(features: Sequence[Feature], row_class: Array, live: Array | None = None) -> list[Feature]:
    """The s-ops that are equal in any two rows of one class: those that can be told from the class.

    With `live` rows of a class that has none of them do not count: nothing is known of what the class stands for.
    """
    if not features:
        return []
    first = np.zeros(int(row_class.max()) + 1, np.int64)
    first[row_class[::-1]] = np.arange(len(row_class))[::-1]
    at = first[row_class]
    if live is not None:
        lively = np.zeros(len(first), bool)
        lively[row_class[live]] = True
        at = np.where(lively[row_class], at, np.arange(len(row_class)))
    return [f for f in features if np.array_equal(f.values, f.values[at])]


def quick_selector(task: PairTask, atoms: Sequence[SelectorChoice]) -> SelectorChoice | None:
    """The smallest selector of one comparison, or of two; None if there is none."""
    if not task.never.any():
        return SelectorChoice(Select(Const(1), Const(1), "=="), task.packed(task.must), 1.0)
    must, never = task.packed(task.must), task.packed(task.never)
    wide = [a for a in atoms if not (must & ~a.bits).any()]
    exact = [a for a in wide if not (never & a.bits).any()]
    if exact:
        return exact[0]
    narrow = [a for a in atoms if not (never & a.bits).any() and (must & a.bits).any()]
    options = [o for o in (_pair_and(wide, never), _pair_or(narrow, must)) if o is not None]
    return min(options, key=lambda o: o.cost, default=None)


def slow_selector(task: PairTask, atoms: Sequence[SelectorChoice]) -> SelectorChoice | None:
    """A selector of three or four comparisons; None if none was found."""
    must, never = task.packed(task.must), task.packed(task.never)
    wide = [a for a in atoms if not (must & ~a.bits).any()]
    narrow = [a for a in atoms if not (never & a.bits).any() and (must & a.bits).any()]
    return _triple_and(wide, never) or _or_of_ands(atoms, narrow, must, never) or _and_of_or(atoms, wide, must, never)


def comparisons(
    task: PairTask, bank: Bank, key_class: Array, query_class: Array, *, relaxed: bool = False
) -> list[SelectorChoice]:
    """The comparisons of what a head's keys and queries tell, small ones first.

    Relaxed, keys that are never selected and queries that select nothing may be alike though the s-op is not.
    """
    live: list[Array | None] = [None, None]
    if relaxed:
        live = [np.isin(np.arange(len(key_class)), rows[task.must]) for rows in (task.key, task.query)]
    truths = bank.of_kind("bool")
    keys = [visible(truths, key_class, live[0])[: 3 * FEW]]
    queries = [visible(truths, query_class, live[1])[:FEW]]
    for kind in ("str", "int", "float"):
        some = bank.of_kind(kind)
        keys.append(visible(some, key_class, live[0])[:FEW])
        queries.append(visible(some, query_class, live[1])[:FEW])
    return sorted(_atoms(task, keys, queries), key=lambda a: a.cost)


def _atoms(task: PairTask, keys: list[list[Feature]], queries: list[list[Feature]]) -> Iterator[SelectorChoice]:
    seen: set[bytes] = set()

    def fresh(made: Callable[[], SelectorNode], pairs: Array, cost: float) -> Iterator[SelectorChoice]:
        """A comparison with new pairs; its node is made only then, as most have the pairs of another."""
        bits = task.packed(pairs)
        mark = bits.tobytes()
        if mark not in seen and pairs.any():
            seen.add(mark)
            yield SelectorChoice(made(), bits, cost)

    for p in keys[0]:
        yield from fresh(partial(_key_only, p), p.values[task.key] > 0, p.cost + 1.0)
    for p in queries[0]:
        yield from fresh(partial(Select, Const(True), p.node, "=="), p.values[task.query] > 0, p.cost + 2.0)
    for some, others in zip(keys[1:], queries[1:], strict=True):
        for f in some:
            for g in others:
                for op, pairs in _comparisons(f.values[task.key], g.values[task.query]):
                    extra = 0.0 if op in ("==", "<", ">") else 0.5
                    yield from fresh(partial(Select, f.node, g.node, op), pairs, f.cost + g.cost + 1.0 + extra)


def _key_only(p: Feature) -> SelectorNode:
    """The selector of the keys at which something holds, written as a comparison where it is one."""
    node = p.node
    if isinstance(node, Map) and node.op in OPERATORS and isinstance(node.args[1], Const):
        return Select(node.args[0], node.args[1], node.op)
    return Select(node, Const(True), "==")


def _comparisons(keys: Array, queries: Array) -> Iterator[tuple[Comparison, Array]]:
    same = np.abs(keys - queries) < 1e-9
    less = (keys < queries) & ~same
    yield from (("==", same), ("<", less), (">", ~(same | less)), ("<=", same | less), (">=", ~less), ("!=", ~same))


def _and(*parts: SelectorChoice) -> SelectorChoice:
    node, bits = parts[0].node, parts[0].bits
    for part in parts[1:]:
        node, bits = And(node, part.node), bits & part.bits
    return SelectorChoice(node, bits, sum(p.cost for p in parts) + len(parts) - 1)


def _or(left: SelectorChoice, right: SelectorChoice) -> SelectorChoice:
    return SelectorChoice(Or(left.node, right.node), left.bits | right.bits, left.cost + right.cost + 1)


def _pair_and(wide: Sequence[SelectorChoice], never: Array) -> SelectorChoice | None:
    """The cheapest two selectors that together leave out all that must not be selected."""
    return _cheapest_pair([(a, a.bits & never) for a in wide[:MOST_ATOMS]], _and)


def _pair_or(narrow: Sequence[SelectorChoice], must: Array) -> SelectorChoice | None:
    """The cheapest two selectors that together select all that must be selected."""
    return _cheapest_pair([(a, must & ~a.bits) for a in narrow[:MOST_ATOMS]], _or)


def _cheapest_pair(
    parts: list[tuple[SelectorChoice, Array]], join: Callable[[SelectorChoice, SelectorChoice], SelectorChoice]
) -> SelectorChoice | None:
    """The cheapest two selectors whose leftovers have nothing in common, joined."""
    if len(parts) < 2:
        return None
    rests = np.stack([rest for _, rest in parts])
    costs = np.array([a.cost for a, _ in parts])
    best: tuple[float, int, int] | None = None
    for i in range(1, len(parts)):
        if best is not None and costs[i] + costs[0] >= best[0]:
            break
        clear = ~(rests[:i] & rests[i]).any(axis=1)
        if clear.any():
            j = int(np.flatnonzero(clear)[0])
            total = float(costs[i] + costs[j])
            if best is None or total < best[0]:
                best = total, j, i
    return None if best is None else join(parts[best[1]][0], parts[best[2]][0])


def _triple_and(wide: Sequence[SelectorChoice], never: Array) -> SelectorChoice | None:
    """The cheapest three selectors that together leave out all that must not be selected."""
    best: SelectorChoice | None = None
    for a in wide[:80]:
        rest = [b for b in wide[:MOST_ATOMS] if b.cost >= a.cost and b is not a]
        pair = _pair_and(rest, never & a.bits)
        if pair is not None:
            parts = pair.node
            assert isinstance(parts, And)
            whole = SelectorChoice(And(a.node, parts), a.bits & pair.bits, a.cost + pair.cost + 1)
            if best is None or whole.cost < best.cost:
                best = whole
    return best


def _or_of_ands(
    atoms: Sequence[SelectorChoice], narrow: Sequence[SelectorChoice], must: Array, never: Array
) -> SelectorChoice | None:
    """A disjunction of two, each a comparison or two that hold together."""
    useful = [a for a in atoms[:MOST_ATOMS] if (a.bits & must).any()][:360]
    terms: dict[bytes, SelectorChoice] = {(a.bits & must).tobytes(): a for a in reversed(narrow[:MOST_ATOMS])}
    bits = np.stack([a.bits for a in useful]) if useful else np.zeros((0, len(must)), np.uint8)
    for i, a in enumerate(useful):
        clear = ~(bits[:i] & a.bits & never).any(axis=1) & (bits[:i] & a.bits & must).any(axis=1)
        for j in np.flatnonzero(clear).tolist():
            both = _and(useful[j], a)
            mark = (both.bits & must).tobytes()
            if mark not in terms or terms[mark].cost > both.cost:
                terms[mark] = both
    return _pair_or(sorted(terms.values(), key=lambda t: t.cost)[:2000], must)


def _and_of_or(
    atoms: Sequence[SelectorChoice], wide: Sequence[SelectorChoice], must: Array, never: Array
) -> SelectorChoice | None:
    """A comparison that holds together with one of two others."""
    best: SelectorChoice | None = None
    for a in wide[:60]:
        left = never & a.bits
        narrow = [b for b in atoms if not (b.bits & left).any() and (b.bits & must).any()]
        pair = _pair_or(narrow[:MOST_ATOMS], must)
        if pair is not None and (best is None or pair.cost + a.cost + 1 < best.cost):
            best = SelectorChoice(And(pair.node, a.node), pair.bits & a.bits, pair.cost + a.cost + 1)
    return best
