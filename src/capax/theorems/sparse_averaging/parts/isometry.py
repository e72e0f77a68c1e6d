"""The restricted isometry and orthogonality constant of a matrix of signs: exactly, or between two bounds.

A matrix U of N unit columns has the (q, delta) property if for all v of support at most q and v' of support at most 2q,
disjoint from it, |Uv|^2 is within delta |v|^2 of |v|^2 and |<Uv, Uv'>| <= delta |v| |v'|. The least such delta is the
constant here. It is the largest of two norms over supports: that of U_T^T U_T - 1, and that of U_T^T U_T' (smaller
supports have smaller norms). Columns of m signs over sqrt(m) have products of whole numbers over m, so the upper bounds
and the products of a violating pair of vectors are exact.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from typing import Final, Literal, TypeAlias

import numpy as np

from capax.model.parts import Array

MOST_PAIRS: Final = 200_000
"""With more pairs of supports than these, the constant is bounded and not computed."""
ROUNDING: Final = 1e-10
"""What rounding may add to an eigenvalue; far more than it does."""
STARTS: Final = 48
"""From so many columns a search for bad supports starts."""
SCALE: Final = 1 << 20
"""The entries of a vector that proves a lower bound are whole multiples of one over this."""

Supports: TypeAlias = tuple[tuple[int, ...], ...]
Standing: TypeAlias = Literal["holds", "fails", "undecided"]


@dataclass(frozen=True, slots=True)
class IsometryConstant:
    """The constant lies from `low` to `high`; `supports` (T, and T' for orthogonality) attain `low`.

    `exact` says that all supports were tried, so that the two differ by rounding alone.
    """

    low: float
    high: float
    exact: bool
    supports: Supports
    pairs: int

    def standing(self, delta: float) -> Standing:
        """Whether the matrix has the property for a delta."""
        if self.high <= delta + ROUNDING * self.exact:
            return "holds"
        return "fails" if self.low > delta else "undecided"


def pairs_of_supports(length: int, q: int) -> int:
    """How many pairs of disjoint supports of sizes q and 2q there are."""
    return math.comb(length, q) * math.comb(length - q, 2 * q)


def isometry_constant(signs: Array, q: int) -> IsometryConstant:
    """The constant of the keys (N, m): exactly where the pairs of supports are few, else between bounds."""
    length, m = signs.shape
    assert length >= 3 * q, "supports of q and 2q columns fit"
    gram = np.asarray(signs @ signs.T)
    count = pairs_of_supports(length, q)
    if count <= MOST_PAIRS:
        value, supports = _largest(gram / m, q)
        return IsometryConstant(value, value, True, supports, count)
    low, supports = searched(gram.astype(np.int64), m, q)
    return IsometryConstant(low, min(coherence_bound(gram, m, q), gershgorin_bound(gram, m, q)), False, supports, count)


def _largest(gram: Array, q: int) -> tuple[float, Supports]:
    """The largest of both norms over all supports, and the supports: the definition."""
    length, best = len(gram), 0.0
    where: Supports = ((0,),)
    for support in combinations(range(length), q):
        own = np.linalg.eigvalsh(gram[np.ix_(support, support)])
        size = float(max(own[-1] - 1, 1 - own[0]))
        if size > best:
            best, where = size, (support,)
        rest = [j for j in range(length) if j not in support]
        columns = gram[list(support)][:, rest]
        squares = np.einsum("in,jn->nij", columns, columns)
        for block in _blocks(len(rest), 2 * q):
            norms = np.linalg.eigvalsh(squares[block].sum(axis=1))[:, -1]
            at = int(norms.argmax())
            if norms[at] > best * best:
                best, where = math.sqrt(norms[at]), (support, tuple(rest[k] for k in block[at]))
    return best, where


def _blocks(length: int, size: int, most: int = 4096) -> Iterator[Array]:
    """All sets of some size as rows of indices, some thousands at a time."""
    sets = combinations(range(length), size)
    while rows := list(islice(sets, most)):
        yield np.array(rows)


def coherence_bound(gram: Array, m: int, q: int) -> float:
    """An upper bound by the coherence mu, the largest product of two columns: sqrt(2) q mu."""
    off = np.abs(gram - np.diag(np.diagonal(gram)))
    return _up(Fraction(int(off.max()), m) ** 2 * 2 * q * q)


def gershgorin_bound(gram: Array, m: int, q: int) -> float:
    """An upper bound by sums of products along a row.

    The eigenvalues of U_T^T U_T are within the sum of q - 1 products of 1; the norm of U_T^T U_T' is at most the root
    of its largest row sum (2q products) times its largest column sum (q products).
    """
    off = np.abs(gram - np.diag(np.diagonal(gram)))
    sums = np.cumsum(-np.sort(-off, axis=1), axis=1).max(axis=0)
    own = int(sums[q - 2]) ** 2 if q > 1 else 0
    return _up(Fraction(max(own, int(sums[2 * q - 1]) * int(sums[q - 1])), m * m))


def _up(square: Fraction) -> float:
    """The root of a fraction, rounded up."""
    return math.nextafter(math.sqrt(square), math.inf) if square else 0.0


def searched(gram: Array, m: int, q: int) -> tuple[float, Supports]:
    """A lower bound from supports that a search found, and these; the products of its vectors are whole numbers.

    Power iteration: from a column, take the 2q columns outside the support that have the largest products with Uv, with
    v' their products; then the same with the two sides exchanged, until nothing grows.
    """
    best = Fraction(0)
    where: Supports = ((0,),)
    length = len(gram)
    off = np.abs(gram - np.diag(np.diagonal(gram)))
    starts = np.argsort(-np.sort(off, axis=1)[:, -2 * q :].sum(axis=1), kind="stable")[:STARTS]
    for start in starts.tolist():
        v = np.zeros(length)
        v[start] = 1.0
        reached = 0.0
        for _ in range(50):
            v2 = _strongest(gram @ v, v != 0, 2 * q)
            v = _strongest(gram @ v2, v2 != 0, q)
            value = float(v @ gram @ v2)
            if value <= reached * (1 + 1e-9):
                break
            reached = value
        square = _square(gram, m, v, v2)
        if square > best:
            best, where = square, (_support(v), _support(v2))
    return math.nextafter(math.sqrt(best), 0.0), where


def _strongest(products: Array, taken: Array, size: int) -> Array:
    """The products themselves at the `size` free columns where they are largest, as a vector of norm 1."""
    free = np.where(taken, 0.0, products)
    keep = np.argsort(-np.abs(free), kind="stable")[:size]
    v = np.zeros(len(free))
    v[keep] = free[keep]
    norm = float(np.linalg.norm(v))
    return v / norm if norm else v


def _square(gram: Array, m: int, v: Array, v2: Array) -> Fraction:
    """<Uv, Uv'>^2 / (|v|^2 |v'|^2) of the vectors rounded to whole numbers, exactly."""
    one, two = ([round(float(x) * SCALE) for x in row] for row in (v, v2))
    mixed = [sum(int(g) * y for g, y in zip(row, two, strict=True) if y) for row in gram]
    product = sum(x * y for x, y in zip(one, mixed, strict=True) if x)
    norms = sum(x * x for x in one) * sum(y * y for y in two)
    return Fraction(product * product, m * m * norms) if norms else Fraction(0)


def _support(v: Array) -> tuple[int, ...]:
    return tuple(np.flatnonzero(v).tolist())
