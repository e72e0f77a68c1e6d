"""A unit with too few dimensions, and the subset on which it fails whatever its queries are."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array
from capax.report import Report
from capax.theorems.sparse_averaging.parts.dual import Subset
from capax.theorems.sparse_averaging.parts.measure import report
from capax.theorems.sparse_averaging.parts.radon import radon
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.subsets import Chosen


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
