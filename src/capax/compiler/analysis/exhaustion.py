"""What the parts of a program are on all words, where these are few: no bound is needed where everything is known.

Bounds take every mean that could be, and every pair of values that could meet. Where a program would be refused by
them, and its domain is small, it is run on all its words instead (`rasp/analysis/all_words.py`). Of floats that differ
by rounding only, one stands for all. Whether an operation has the same result on what stands for its operands as on
the operands themselves is then seen, pair by pair.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np

from capax.compiler.analysis.operation_tables import evaluate_entry
from capax.compiler.analysis.value_sets import NEAR, TINY, Finite, finite, rational
from capax.compiler.domain import Domain
from capax.errors import CapaxError
from capax.model.parts import Array
from capax.rasp.analysis.all_words import Word, words_for_all
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Best, Map, Node, Select, SOpNode, Table
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import FastRun, evaluate_batch
from capax.rasp.meaning.sequence import Sequence as Values

EXACT_BELOW = 2.0**53
SAME = 2.0**-30
"""Results that differ by no more than this share of themselves differ by rounding only."""


@dataclass(frozen=True, slots=True, eq=False)
class Exhaustion:
    """Words that stand for all on which a program has a value, and the values of its s-ops at all their positions."""

    words: tuple[Word, ...]
    columns: dict[Node, list[Atom]] = field(default_factory=dict)

    def column(self, node: SOpNode) -> list[Atom]:
        """The values of an s-op at the positions of all words, one word after the other."""
        if node not in self.columns:
            self.columns[node] = _flat(evaluate_batch(node, self.words))
        return self.columns[node]

    def values(self, node: SOpNode) -> Finite:
        """The values of an s-op; of those that differ by rounding only, one."""
        return finite(set(stand_ins(self.column(node)).values()))

    def distances(self, node: SOpNode, values: Finite) -> dict[Atom, float] | None:
        """For each listed value how far the floats are that it stands for; None if a float is near none of them."""
        far: dict[Atom, float] = {}
        for value in set(self.column(node)):
            near = _stand_in(value, values)
            if near is None:
                return None
            if near != value:
                far[near] = max(far.get(near, 0.0), float(abs(Fraction(value) - Fraction(near))))
        return far

    def decides(self, node: Node, listed: Mapping[SOpNode, Finite]) -> bool:
        """Whether a node gives on what stands for its operands what it gives on them, wherever they meet."""
        match node:
            case Map() | Table():
                args = node.args if isinstance(node, Map) else (node.arg,)
                return all(self._same_result(node, *row) for row in self._changed(node, args, listed))
            case Select():
                return self._same_pairs(node.key, node.query, _OUTCOMES[node.op], listed)
            case Best():
                return self._same_pairs(node.score, node.score, lambda a, b: np.sign(a - b), listed)
        return False

    def _changed(
        self, node: SOpNode, args: Sequence[SOpNode], listed: Mapping[SOpNode, Finite]
    ) -> Iterator[tuple[tuple[Atom, ...] | None, Atom]]:
        """What stands for operands that are not all as listed, or too large for floats, and the result; each once."""
        known = [_known(self.column(a), listed[a]) for a in args]
        for *operands, result in set(zip(*(self.column(n) for n in (*args, node)), strict=True)):
            stand = [one.get(v) for one, v in zip(known, operands, strict=True)]
            if stand != operands or any(not isinstance(v, str) and abs(v) > EXACT_BELOW for v in operands):
                yield None if None in stand else tuple(v for v in stand if v is not None), result

    def _same_result(self, node: SOpNode, operands: tuple[Atom, ...] | None, result: Atom) -> bool:
        expected = None if operands is None else evaluate_entry(node, *operands)[0]
        if expected is None or isinstance(expected, (str, bool)) or isinstance(result, (str, bool)):
            return type(expected) is type(result) and expected == result
        return abs(expected - result) <= SAME * max(1.0, abs(result))

    def _same_pairs(
        self, key: SOpNode, query: SOpNode, compare: Callable[[Array, Array], Array], listed: Mapping[SOpNode, Finite]
    ) -> bool:
        """Whether what stands for keys and queries compares as they do, in every word."""
        sides = [_numbers(self.column(n)) for n in (key, query)]
        known = [_known(self.column(n), listed[n]) for n in (key, query)]
        near = [_numbers([one.get(v) for v in self.column(n)]) for one, n in zip(known, (key, query), strict=True)]
        moved = np.any([a != b for a, b in zip(sides, near, strict=True)], axis=0)
        end = 0
        for word in self.words:
            own, end = slice(end, end + len(word)), end + len(word)
            if moved[own].any():
                one, two = (compare(pair[0][own][:, None], pair[1][own][None]) for pair in (sides, near))
                if np.any(one != two):
                    return False
        return True


_OUTCOMES: Final[dict[str, Callable[[Array, Array], Array]]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}


def exhaust(root: SOpNode, domain: Domain) -> Exhaustion | None:
    """A program on all words of a domain on which it has a value; None where these are too many, or there is none."""
    words = words_for_all(root, domain.alphabet, domain.max_length)
    if words is None:
        return None
    run = FastRun(words)
    nodes: list[Node] = [n for n in topological(root) if isinstance(n, SOpNode)]
    run.run(nodes, keep=True)
    right = [w for w, outcome in zip(words, run.outcomes(root), strict=True) if not isinstance(outcome, CapaxError)]
    return Exhaustion(tuple(right), {node: _flat(run.outcomes(node)) for node in nodes}) if right else None


def stand_ins(values: Iterable[Atom]) -> dict[Atom, Atom]:
    """For each value the one that stands for it: itself, or one from which it differs by rounding only.

    >>> stand_ins(["a", 0.1 + 2**-56])
    {'a': 'a', 0.10000000000000002: 0.10000000000000002}
    >>> stand_ins([0.1, 0.1 + 2**-56])[0.1 + 2**-56], stand_ins([1e-17, 0])[1e-17]
    (0.1, 0)
    """
    distinct = set(values)
    numbers = [v for v in distinct if not isinstance(v, str) and math.isfinite(v)]
    result: dict[Atom, Atom] = {v: v for v in distinct if isinstance(v, str) or not math.isfinite(v)}
    groups = [[v for v in numbers if abs(v) <= TINY]]
    for value in sorted(v for v in numbers if abs(v) > TINY):
        before = groups[-1][-1] if groups[-1] else 0
        if abs(value - before) <= NEAR * abs(value):
            groups[-1].append(value)
        else:
            groups.append([value])
    for group in filter(None, groups):
        result.update(dict.fromkeys(group, _plainest(group)))
    return result


def _plainest(group: Sequence[int | float]) -> int | float:
    """Of numbers that differ by rounding only the one that is zero, or nearest to a fraction with a small divisor."""
    return next((v for v in group if not v or float(rational(v)) == v), group[0])


def _stand_in(value: Atom, values: Finite) -> Atom | None:
    """The listed value that stands for one; None if there is none."""
    near = values.nearest(value)
    if near in values:
        return near
    tiny = not isinstance(value, str) and abs(value) <= TINY
    return next((v for v in values.values if not isinstance(v, str) and abs(v) <= TINY), None) if tiny else None


def _known(column: Iterable[Atom], values: Finite) -> dict[Atom, Atom | None]:
    return {value: _stand_in(value, values) for value in set(column)}


def _numbers(column: Iterable[Atom | None]) -> Array:
    """Numbers as they are, and nothing in the place of others, which no rounding changes."""
    return np.array([0.0 if v is None or isinstance(v, str) else float(v) for v in column])


def _flat(outcomes: Iterable[object]) -> list[Atom]:
    return [v for outcome in outcomes if isinstance(outcome, Values) for v in outcome.values]
