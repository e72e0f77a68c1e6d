"""Why fewer than 2q dimensions are not enough: Radon's theorem, with a certificate for given keys."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array
from capax.report import Report
from capax.theorems.base.theorem import SizeRow
from capax.theorems.sparse_averaging.parts.dual import Subset
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.subsets import Chosen
from capax.theorems.sparse_averaging.parts.worst_error import report


@dataclass(frozen=True, slots=True)
class Radon:
    """A subset that no query singles out, with the reason: a mean of keys inside is a mean of keys outside.

    `inside` and `outside` map positions to weights that sum to 1 each; `gap` is how far apart their means are
    (rounding). So no query scores all of `inside` above all of `outside`: some position outside weighs at least as much
    as one inside, and the weights differ from 1/q on the subset and 0 elsewhere by at least 1/q in sum.
    """

    subset: Subset
    inside: dict[int, float]
    outside: dict[int, float]
    gap: float

    def to_json(self) -> dict[str, Any]:
        """The certificate as plain data."""
        return {"subset": list(self.subset), "inside": self.inside, "outside": self.outside, "gap": self.gap}


def least_dimension(length: int, q: int) -> int | None:
    """2q: with fewer dimensions `radon` finds a subset for any keys; None below N = 3q, where positions may be too few.

    m + 2 <= 2q + 1 points have parts of at most q and of other points; N - 2q - 1 >= q - 1 positions are left to fill
    the small part up to q. For smaller N fewer dimensions can do: 3 are enough for q = 3 of N = 4.
    """
    return 2 * q if length >= 3 * q else None


def least_row(built: int, length: int, q: int) -> SizeRow:
    """The line of a table of sizes that shows this bound."""
    least = least_dimension(length, q)
    what = "m, at least, at any precision"
    if least is None:
        return SizeRow(what, built, "", "no statement at this size: Radon's bound 2q is for N >= 3q")
    return SizeRow(what, built, least, "Radon: below 2q some subset fails by 1/q")


def radon(keys: Array, q: int, random: np.random.Generator) -> Radon | None:
    """A subset of q positions that no query singles out, for keys (N, m) whose affine hull has a dimension below 2q.

    Any m + 2 points of an m-dimensional space have a Radon partition: two disjoint parts, one of them of at most q
    points, whose convex hulls meet. None means that the few positions that are left do not fill the part up to q.
    """
    length = len(keys)
    affine = np.concatenate([keys, np.ones((length, 1))], axis=1)
    points = int(np.linalg.matrix_rank(affine)) + 1
    if points > min(length, 2 * q + 1):
        return None
    for _ in range(200):
        positions = random.choice(length, points, replace=False)
        null = np.linalg.svd(affine[positions].T)[2][-1]
        null = np.where(np.abs(null) > 1e-9 * np.abs(null).max(), null, 0)
        if (null > 0).sum() > (null < 0).sum():
            null = -null
        inside = {int(p): float(c) for p, c in zip(positions, null, strict=True) if c > 0}
        outside = {int(p): float(-c) for p, c in zip(positions, null, strict=True) if c < 0}
        free = [j for j in range(length) if j not in inside and j not in outside]
        if len(inside) <= q <= len(inside) + len(free):
            subset = tuple(sorted([*inside, *free[: q - len(inside)]]))
            return _certified(keys, subset, inside, outside)
    return None


def _certified(keys: Array, subset: Subset, inside: dict[int, float], outside: dict[int, float]) -> Radon:
    one, two = sum(inside.values()), sum(outside.values())
    inside = {p: c / one for p, c in inside.items()}
    outside = {p: c / two for p, c in outside.items()}
    means = [sum(c * keys[p] for p, c in part.items()) for part in (inside, outside)]
    return Radon(subset, inside, outside, float(np.abs(means[0] - means[1]).max()))


def below(
    keys: Array, reading: TokenReading, error: float, seed: int, build: Callable[[tuple[Subset, ...]], Model]
) -> Report:
    """The failure of the model that `build` makes for a subset, where keys (N, m) span fewer than 2q dimensions.

    The error is at least 1/q, whatever the queries are, so it is compared with `error` or 1/(2q), the smaller one.
    """
    q = reading.q
    witness = radon(keys, q, np.random.default_rng(seed))
    if witness is None:
        raise CapaxError(
            "bad-option",
            f"a length of {reading.length} is too short to go below the bound for q = {q}",
            hint=f"give a length of at least {3 * q}",
        )
    allowed = min(error, 1 / (2 * q))
    members = ", ".join(map(str, witness.subset))
    statement = (
        f"with keys of {keys.shape[1]} dimensions, fewer than 2q = {2 * q}, the answers are within {allowed:g}; but a "
        f"mean of keys in {{{members}}} is a mean of keys outside: no query tells them apart"
    )
    checked = report(build((witness.subset,)), reading, Chosen((witness.subset,), True), allowed, seed, statement)
    return replace(checked, counterexample={**(checked.counterexample or {}), "radon": witness.to_json()})
