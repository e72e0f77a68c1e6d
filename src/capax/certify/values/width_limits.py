"""What positions and other counts tell of a count, whatever the word."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np

from capax.certify.values.coded_values import Values
from capax.model.parts import Array
from capax.rasp.analysis.position_values import is_positional
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import conjuncts
from capax.rasp.ir.nodes import Indices, Node, Select, SelectorNode, Width
from capax.rasp.ir.types import Atom

SO_FAR = Select(Indices(), Indices(), "<=")
BEFORE = Select(Indices(), Indices(), "<")
FROM_HERE = Select(Indices(), Indices(), ">=")
AFTER = Select(Indices(), Indices(), ">")
HERE = Select(Indices(), Indices(), "==")


def by_position(selector: SelectorNode, counts: Array, longest: int) -> Array | None:
    """For each position and each count, whether a query there can select so many keys; None where nothing is known.

    Lemma. A conjunction with a comparison of positions selects at most those that the comparison selects: i + 1 so
    far, i before, and on words of up to N tokens N - i from here on and N - 1 - i after. If the comparison is all of
    the selector, those so far and before are exactly as many.
    """
    here, counts = np.arange(longest)[:, None], np.asarray(counts)[None, :]
    if selector is SO_FAR or selector is BEFORE:
        return np.asarray(counts == here + (selector is SO_FAR))
    most = {SO_FAR: here + 1, BEFORE: here, FROM_HERE: longest - here, AFTER: longest - 1 - here, HERE: here * 0 + 1}
    limits = [counts <= most[part] for part in conjuncts(selector) if part in most]
    return np.logical_and.reduce(limits) if limits else None


def selects_no_more(one: SelectorNode, two: SelectorNode) -> bool:
    """Whether every key that one selector selects is surely selected by another: it has all its conditions."""
    return one is not two and (two is FULL or {*conjuncts(two)} <= {*conjuncts(one)})


def ordered_counts(
    axes: Sequence[Node], values: Mapping[Node, Sequence[Atom]]
) -> Iterator[tuple[tuple[Node, Node], Array]]:
    """Pairs of counts of which the first is never above the second, and which of their values go together."""
    for one, two in permutations([a for a in axes if isinstance(a, Width)], 2):
        if selects_no_more(one.selector, two.selector):
            yield (one, two), np.array(values[one])[:, None] <= np.array(values[two])[None, :]


def sums_of(counts: Sequence[Sequence[Atom]]) -> Array:
    """The sum of counts for each combination of their values, with an axis for each count."""
    total: Array = np.zeros((1,) * len(counts), np.int64)
    for number, values in enumerate(counts):
        total = total + np.array(values).reshape([-1 if k == number else 1 for k in range(len(counts))])
    return total


def distinct_rows(columns: list[Array]) -> bool:
    """Whether several functions of the position, the bits of it for instance, tell all positions apart together."""
    if len(columns) < 2 or any((codes < 0).any() for codes in columns):
        return False
    rows = np.stack(columns)
    return bool(len(np.unique(rows, axis=1).T) == rows.shape[1])


def positional_counts(parts: Mapping[Node, Sequence[SelectorNode]]) -> list[Width]:
    """The counts of those parts of widths that read no token, and so go with the position and the length."""
    return [Width(part) for some in parts.values() for part in some if is_positional(part)]


def is_one_to_one(values: Values, longest: int) -> bool:
    """Whether an s-op tells all positions of a word apart."""
    if values.axes != (Indices(),):
        return False
    listed = [values.listed[c] for c in values.codes.tolist() if c >= 0]
    return len(listed) == longest == len(set(listed))
