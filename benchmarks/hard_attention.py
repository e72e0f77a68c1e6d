"""What a token costs in hard attention over long caches: the lookup against the scan, by length.

    python benchmarks/hard_attention.py [--quick]

The first table generates with a model of two heads, one that looks a position up and one that finds the last equal
token. The second is a store alone: one append and one query per token. Times are processor time of one process with one
thread; "last" is the mean of the last tenth of the tokens. The scan is left out where it would take over a minute.
Memory is what the store keeps at the end. Both ways give the same bits, which is checked wherever both run.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import math
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from table import Table

from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, HardKind, Head, Readout
from capax.model.positions import Positions
from capax.model.run.cache import Cache, MakeStore, array_store
from capax.model.run.lookup import KeyStore, ScanStore
from capax.model.run.lookup.key_store import lookup_store
from capax.model.vocabulary import Classes, Vocabulary

LENGTHS = (1_000, 10_000, 30_000, 100_000)
SYMBOLS, PERIOD = 64, 500
Row = tuple[Array, Array]
"""A key and the query that comes after it."""


def places(n: int) -> Iterator[Row]:
    """Lookup of a random earlier place: keys (j, j^2), as in the Turing machine's second layer."""
    random = np.random.default_rng(1)
    for i in range(n):
        yield np.array([i, i * i], float), np.array([2 * random.integers(i + 1), -1]) / (i + 1)


def last_write(n: int, cells: int | None) -> Iterator[Row]:
    """The last write to a cell: keys (c, c^2, 1, 0, j); cells of a random walk, or random ones."""
    random = np.random.default_rng(2)
    c = h = 0
    for i in range(n):
        if cells is None:
            c = h = abs(c + int(random.choice([-1, 1])))
        else:
            c, h = (int(x) for x in random.integers(cells, size=2))
        yield np.array([c, c * c, 1, 0, i], float), np.array([4 * h, -2, -2 * h * h, 1, 1 / (i + 1)])


def equal(n: int, values: int) -> Iterator[Row]:
    """Equality of random integers: keys (x, x^2, 1)."""
    random = np.random.default_rng(3)
    for x, y in random.integers(values, size=(n, 2)).tolist():
        yield np.array([x, x * x, 1], float), np.array([2 * y, -1, -y * y], float)


def uniform(n: int) -> Iterator[Row]:
    """A zero query: all keys tie."""
    for i in range(n):
        yield np.array([i, 1.0]), np.zeros(2)


def gauss(n: int, k: int) -> Iterator[Row]:
    """Random keys and queries without any structure: the bad case."""
    random = np.random.default_rng(4)
    for pair in random.normal(size=(n, 2, k)):
        yield pair[0], pair[1]


@dataclass(frozen=True)
class Case:
    """A head and what it is asked."""

    name: str
    k: int
    kind: HardKind
    rows: Callable[[int], Iterator[Row]]


CASES = (
    Case("uniform", 2, "average-hard", uniform),
    Case("position", 2, "average-hard", places),
    Case("equality, 50 values", 3, "average-hard", lambda n: equal(n, 50)),
    Case("equality, 100,000 values", 3, "leftmost-hard", lambda n: equal(n, 100_000)),
    Case("last write, random walk", 5, "average-hard", lambda n: last_write(n, None)),
    Case("last write, 100 cells", 5, "rightmost-hard", lambda n: last_write(n, 100)),
    Case("last write, 5,000 cells", 5, "average-hard", lambda n: last_write(n, 5_000)),
    *(Case(f"random, {k} dimensions", k, "average-hard", lambda n, k=k: gauss(n, k)) for k in range(2, 7)),
)


@dataclass(frozen=True)
class Cost:
    """Seconds in all, microseconds per token at the end, and what came out."""

    seconds: float
    last: float
    found: Array


def timed(steps: Iterator[Callable[[], Array]], n: int) -> Cost:
    """The cost of n steps; what prepares a step is not counted."""
    spent = np.zeros(n)
    found = []
    gc.collect()
    for i, step in enumerate(steps):
        start = time.process_time()
        found.append(step())
        spent[i] = time.process_time() - start
    return Cost(float(spent.sum()), 1e6 * float(spent[-(n // 10) :].mean()), np.array(found))


def store_steps(store: KeyStore | ScanStore, rows: Iterator[Row]) -> Iterator[Callable[[], Array]]:
    """One append and one query each."""
    for i, (key, query) in enumerate(rows):
        value = np.array([i, 1.0])

        def step(key: Array = key, query: Array = query, value: Array = value) -> Array:
            store.append(key, value)
            return store.attend(query)

        yield step


def memory(case: Case, n: int) -> float:
    """Mebibytes that a lookup keeps after n keys."""
    tracemalloc.start()
    store = KeyStore(case.kind, case.k, 2)
    for i, (key, query) in enumerate(case.rows(n)):
        store.append(key, np.array([i, 1.0]))
        if i % 64 == 0:
            store.attend(query)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return kept / 2**20


def model() -> Model:
    """A model that repeats what it read PERIOD tokens ago; its second head finds the last equal token.

    The stream is x, x^2, 1, i, i^2, 1/(i+1) and what the heads found. The next token is the one that stood PERIOD - 1
    places back, plus the difference between this token and the last equal one, which is 0 from the second time on.
    """
    names = ("x", "x^2", "1", "i", "i^2", "1/(i+1)", "found", "equal")
    d = len(names)

    def affine(*columns: dict[str, float]) -> Affine:
        weight = np.array([[column.get(name, 0.0) for column in columns] for name in names])
        return Affine(weight, np.zeros(len(columns)))

    def row(name: str) -> Array:
        return np.eye(d)[[names.index(name)]]

    back = {"i": 2.0, "1": -2.0 * (PERIOD - 1)}
    place = Head(
        affine(back, {"1": -1.0}),
        affine({"i": 1.0}, {"i^2": 1.0}),
        affine({"x": 1.0}),
        row("found"),
        attention="average-hard",
        mask="causal",
    )
    same = Head(
        affine({"x": 4.0}, {"1": -2.0}, {"x^2": -2.0}, {"1/(i+1)": 1.0}),
        affine({"x": 1.0}, {"x^2": 1.0}, {"1": 1.0}, {"i": 1.0}),
        affine({"x": 1.0}),
        row("equal"),
        attention="rightmost-hard",
        mask="strict past",
    )
    symbols = np.arange(SYMBOLS, dtype=float)
    nearest = np.zeros((d, SYMBOLS))
    nearest[[names.index("found"), names.index("equal"), 0]] = 2 * symbols * np.array([[1.0], [-1.0], [1.0]])
    tokens = tuple(range(SYMBOLS))
    return Model(
        Vocabulary(tokens),
        np.stack([symbols, symbols**2], axis=1) @ np.eye(d)[:2],
        Positions(("1", "i", "i^2", "1/(i+1)"), np.eye(d)[2:6]),
        (Block((place, same), np.zeros(d)),),
        Readout(Affine(nearest, -(symbols**2))),
        Classes(tokens),
        names,
    )


def generation_steps(cache: Cache, n: int) -> Iterator[Callable[[], Array]]:
    """Feed a random prompt of PERIOD tokens, then the best token each time."""
    prompt = np.random.default_rng(5).integers(SYMBOLS, size=PERIOD).tolist()
    tokens = list(prompt)

    def step() -> Array:
        best = int(cache.feed([tokens[-1]])[0].argmax())
        tokens.append(best)
        return np.array(best)

    for token in prompt[:-1]:
        tokens.append(token)
        yield step
        tokens.pop()
    tokens.append(prompt[-1])
    for _ in range(n - PERIOD + 1):
        yield step


def compare(
    name: str, lengths: tuple[int, ...], cost: Callable[[bool, int], Cost], kept: Callable[[int], float]
) -> Iterator[list[str]]:
    """The rows of one case."""
    expected = 0.0
    for n in lengths:
        fast = cost(True, n)
        row = [name, f"{n:,}", f"{fast.seconds:.2f}", f"{1e6 * fast.seconds / n:.1f}", f"{fast.last:.1f}"]
        if expected < 60:
            slow = cost(False, n)
            assert slow.found.tobytes() == fast.found.tobytes(), "the same bits"
            row += [f"{slow.seconds:.2f}", f"{slow.last:.1f}"]
            row += [f"{slow.seconds / fast.seconds:.2f}", f"{slow.last / fast.last:.2f}"]
            following = next((m for m in lengths if m > n), n)
            expected = slow.seconds * (following / n) ** 2
        else:
            row += ["-"] * 4
        memory = kept(n)
        yield [*row, "-" if math.isnan(memory) else f"{memory:.1f}"]


def main() -> None:
    """Prints the tables."""
    lengths = LENGTHS[:2] if "--quick" in sys.argv else LENGTHS
    columns = ("n", "lookup s", "us/token", "last us", "scan s", "last us", "ratio", "at end", "MiB")
    table = Table("heads", *columns, title="generation")
    made = model()

    def generation(fast: bool, n: int) -> Cost:
        make: MakeStore = lookup_store if fast else array_store
        return timed(generation_steps(Cache(made, make), n), n)

    for row in compare("two heads, k = 2 and 4", lengths, generation, lambda n: math.nan):
        table.add_row(*row)
    print(table)
    table = Table("store", *columns, title="one store")
    for case in CASES:

        def alone(fast: bool, n: int, case: Case = case) -> Cost:
            store = (KeyStore if fast else ScanStore)(case.kind, case.k, 2)
            return timed(store_steps(store, case.rows(n)), n)

        for row in compare(case.name, lengths, alone, lambda n, case=case: memory(case, n)):
            table.add_row(*row)
    print(table)


if __name__ == "__main__":
    main()
