"""q-sparse averaging: how large must a head be, in which numbers, and how large are networks without attention?

    python benchmarks/q_sparse.py [--quick]

Table 1: the smallest m of random keys that works, beside q ln N and the lower bounds; all subsets where there are at
most 5,000, else random and hard ones (so many as the column says). Table 2: the worst error by number system.
Table 3: the longest N of the moment curve that is right, by q and number system. Table 4: the smallest m of the ReLU
network that finds the queries, and of the matched filter. Table 5: sizes against N and q. One seed; eps = 0.1 unless a
column says otherwise. About five minutes; --quick a few seconds.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import math
import sys

from table import Table

from capax.errors import CapaxError
from capax.theorems.sparse_averaging import q_sparse_honest, q_sparse_moment
from capax.theorems.sparse_averaging.parts.feedforward import feedforward
from capax.theorems.sparse_averaging.parts.oracle_free_unit import MOST, smallest_oracle_free_m
from capax.theorems.sparse_averaging.parts.random_unit import (
    RandomKeys,
    random_unit,
    smallest_m,
    smallest_working_m,
    subsets_for,
)
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.recurrent import recurrent
from capax.theorems.sparse_averaging.parts.worst_error import measure
from capax.theorems.sparse_averaging.q_sparse_moment import Curve

QUICK = "--quick" in sys.argv
SEED, ERROR, COUNT = 0, 0.1, 200
SYSTEMS = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "fixed:20.12",
    "fixed:16.9",
    "fixed:12.6",
    "fixed:10.4",
    "fixed:8.3",
)


def table(title: str, *columns: str) -> Table:
    """An empty table."""
    return Table(*columns, title=title)


def error_at(length: int, q: int, m: int, numbers: str) -> float:
    """The worst error of the unit with random keys."""
    keys = RandomKeys(length, q, SEED, COUNT)
    which = subsets_for(keys, m).subsets
    model = random_unit(keys, m, dimension=1, error=ERROR, numbers=numbers)
    return measure(model, TokenReading(length, q, 1), which, SEED).worst


def smallest_sizes() -> Table:
    """The smallest m of random keys."""
    found = table(
        "smallest m of random keys", "N", "q", "subsets", "m", "q ln N", "ratio", "2q", "q/p, p = 64", "error"
    )
    sizes = [(8, 2), (12, 2), (16, 2), (32, 2), (64, 2), (100, 2), (12, 3), (16, 3), (24, 3), (12, 4), (16, 4), (14, 5)]
    sizes += [(200, 2), (200, 5), (200, 10), (1000, 2), (1000, 5)]
    for n, q in sizes[:3] if QUICK else sizes:
        keys = RandomKeys(n, q, SEED, COUNT)
        m = smallest_working_m(keys, ERROR, "float64") or 0
        which = subsets_for(keys, m)
        many = f"{'all ' if which.all else ''}{len(which.subsets):,}"
        unit = q * math.log(n)
        row = (
            n,
            q,
            many,
            m,
            f"{unit:.1f}",
            f"{m / unit:.2f}",
            2 * q,
            f"{q / 64:.3f}",
            f"{error_at(n, q, m, 'float64'):.1e}",
        )
        found.add_row(*map(str, row))
    return found


def number_systems() -> Table:
    """The worst error by number system."""
    sizes = [(16, 3)] if QUICK else [(16, 3), (16, 4), (64, 2), (200, 5)]
    at = [(n, q, k * smallest_m(RandomKeys(n, q, SEED, COUNT))) for n, q in sizes for k in (1, 2)]
    title = "worst error by number system, at the smallest m with duals and at twice that"
    found = table(title, "numbers", *(f"N = {n}, q = {q}, m = {m}" for n, q, m in at))
    for numbers in SYSTEMS:
        each = [error_at(n, q, m, numbers) for n, q, m in at]
        found.add_row(numbers, *(f"{e:.2g}{'' if e <= ERROR else ' x'}" for e in each))
    return found


LENGTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096)
TRIED = LENGTHS[:5] if QUICK else LENGTHS
"""The lengths of the moment curve."""


def longest_curve(curve: Curve, q: int, numbers: str) -> int:
    """The longest N of a list up to which the moment curve is right."""
    best = 0
    for n in TRIED:
        if n <= q:
            continue
        at = q_sparse_moment.THEOREM.at(length=n, q=q, curve=curve, dtype=numbers, subsets=20, error=ERROR)
        try:
            right = q_sparse_moment.verify(q_sparse_moment.construct(at), at).holds
        except CapaxError:  # a query is too large for the system
            right = False
        if not right:
            break
        best = n
    return best


def curves() -> Table:
    """Where the precision ends the moment curve."""
    degrees = (1, 2, 3) if QUICK else (1, 2, 3, 4, 5, 6, 8)
    title = f"the moment curve, m = 2q + 1: the longest N tried that is right (the list ends at {TRIED[-1]:,})"
    found = table(title, "curve", "numbers", *(f"q = {q}" for q in degrees))
    curves: tuple[Curve, ...] = ("circle", "line")
    for curve in curves:
        for numbers in ("float64", "float32", "float16"):
            found.add_row(curve, numbers, *(str(longest_curve(curve, q, numbers) or "-") for q in degrees))
    return found


def networks() -> Table:
    """The smallest m with a network for the queries, and with the matched filter."""
    columns = ("N", "q", "duals", "descent, 40 steps", "100 steps", "matched, eps 0.1", "matched, eps 0.5")
    found = table("smallest m without tables and oracles", *columns)
    for n, q in [(8, 2), (10, 3)] if QUICK else [(8, 2), (16, 2), (32, 2), (10, 3), (16, 3), (24, 3), (12, 4)]:
        which = q_sparse_honest.subsets_tried(
            q_sparse_honest.THEOREM.at(length=n, q=q, seed=SEED, subsets=COUNT)
        ).subsets
        each = [(ERROR, 40), (ERROR, 100), (ERROR, 0), (0.5, 0)]
        sizes = [smallest_oracle_free_m(n, error, steps, SEED, which) for error, steps in each]
        found.add_row(
            str(n), str(q), str(smallest_m(RandomKeys(n, q, SEED, COUNT))), *(str(s or f"> {MOST:,}") for s in sizes)
        )
    return found


def separation() -> Table:
    """Sizes against N and q."""
    title = "sizes against N and q (d' = 1): attention's m, a first layer's width, the bits of a state of signs"
    kinds = ("attention m", "with many bits", "at least", "feedforward", "at least", "recurrent", "at least")
    found = table(title, "N", "q", *kinds)
    for q in (2,) if QUICK else (2, 3, 5):
        for n in (8, 16) if QUICK else (16, 32, 64, 128, 256, 512, 1024):
            m = smallest_m(RandomKeys(n, q, SEED, 100))
            wide, state = feedforward(n, q, 1).widths[0], recurrent(n, q, 1).state_size
            found.add_row(*map(str, (n, q, m, 2 * q + 1, 2 * q, wide, n, state, n - 1)))
    return found


if __name__ == "__main__":
    for make in (smallest_sizes, number_systems, curves, networks, separation):
        print(make())
