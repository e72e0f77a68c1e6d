"""The lookup of hard attention gives the bits of the scan, whatever keys, values and queries come in whatever order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.model.parts import HARD_KINDS, Array, HardKind
from capax.model.run.lookup import KeyStore, ScanStore
from capax.model.run.lookup import forest as forest_module
from capax.model.run.lookup import key_store as store_module

TYPES = ["float64", "float32", "int64"]
SMALL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1 / 3, 0.1]
LARGE = [1e30, -1e30, 3e38, 1e-40, -1e-45, 2.0**60, 2.0**53 + 2]
HUGE = [1e300, -1e300, 1.7e308, 5e-324, -1e-310, float("inf"), float("-inf"), float("nan")]


def numbers(dtype: str) -> st.SearchStrategy[Any]:
    """Numbers with many ties; and all sorts of sizes."""
    if dtype == "int64":
        return st.one_of(st.integers(-3, 3), st.integers(-(2**62), 2**62))
    width = 64 if dtype == "float64" else 32
    listed = SMALL + (LARGE if dtype == "float32" else LARGE + HUGE)
    return st.one_of(st.sampled_from(SMALL), st.sampled_from(listed), st.floats(width=width))  # type: ignore[arg-type]


@st.composite
def sessions(draw: st.DrawFn) -> tuple[HardKind, str, list[tuple[bool, list[Any]]], list[Any] | None, int]:
    """A kind, a type, steps (append or ask) with their vectors, a sink or none, and the dimension of keys."""
    dtype = draw(st.sampled_from(TYPES))
    kind = draw(st.sampled_from(HARD_KINDS))
    k = draw(st.integers(0, 6))
    pool = draw(st.lists(numbers(dtype), min_size=1, max_size=6))
    number = st.sampled_from(pool)
    row = st.lists(number, min_size=k + 2, max_size=k + 2)
    steps = draw(st.lists(st.tuples(st.booleans(), row), max_size=40))
    return kind, dtype, steps, draw(st.none() | row), k


def both(kind: HardKind, k: int, v: int, dtype: str, sink: list[Any] | None = None) -> list[KeyStore | ScanStore]:
    """A lookup and a scan."""
    pair = None
    if sink is not None:
        with np.errstate(over="ignore"):
            row = np.array(sink).astype(dtype)
        pair = (row[:k], row[k:])
    return [store(kind, k, v, dtype, sink=pair) for store in (KeyStore, ScanStore)]


def same(stores: list[KeyStore | ScanStore], query: Array) -> None:
    """Both stores give the same bytes."""
    one, two = (store.attend(query) for store in stores)
    assert one.dtype == two.dtype
    # all that is not a number is alike
    one, two = (np.nan_to_num(x, nan=12345) if x.dtype.kind == "f" else x for x in (one, two))
    assert one.tobytes() == two.tobytes(), (query, one, two)


@settings(max_examples=300)
@given(sessions())
@example(
    (
        "rightmost-hard",
        "float64",
        [(True, [x, x, x, x]) for x in (1.0, 2.0, 3.0, 4.0)]
        + [(False, [0.0] * 4), (True, [float("inf")] * 4), (False, [0.0] * 4)],
        None,
        2,
    )
)
@example(("average-hard", "float64", [(True, [-0.0] * 4), (False, [1.0] * 4)] * 5, [-0.0, 1.0, -0.0, -0.0], 2))
@example(("average-hard", "float64", [(True, [1e308]), (True, [1e308]), (False, [0.0])], None, -1))
@pytest.mark.usefixtures("small_leaves")
def test_lookup_and_scan_agree_on_short_sessions(
    session: tuple[HardKind, str, list[tuple[bool, list[Any]]], list[Any] | None, int],
) -> None:
    kind, dtype, steps, sink, k = session
    v = 2
    if k < 0:
        k, v = 0, 1
    stores = both(kind, k, v, dtype, sink)
    for append, numbers in steps:
        with np.errstate(over="ignore"):
            row = np.array(numbers).astype(dtype)
        if append:
            for store in stores:
                store.append(row[:k], row[k:])
        else:
            same(stores, row[:k])
    same(stores, np.ones(k, dtype))
    same(stores, np.zeros(k, dtype))


@pytest.fixture
def small_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forest that grows all its parts on a few hundred keys."""
    monkeypatch.setattr(store_module, "PLAIN", 0)
    monkeypatch.setattr(store_module, "MANY", 2)
    monkeypatch.setattr(forest_module, "LEAF", 4)
    monkeypatch.setattr(forest_module, "FLAT", 20)
    monkeypatch.setattr(forest_module, "BATCH", 2)


def keys_of(shape: str, rng: np.random.Generator, n: int, k: int) -> Array:
    """Keys of a shape."""
    x = rng.integers(-n, n, size=n)
    match shape:
        case "gauss":
            return rng.normal(size=(n, k))
        case "few":
            return rng.integers(-1, 2, size=(n, k)).astype(float)
        case "parabola":
            return np.stack([x, x * x, np.ones(n), rng.integers(0, 2, n), np.arange(n), -x], axis=1)[:, :k].astype(
                float
            )
        case "near":
            return 1 + rng.integers(-2, 3, size=(n, k)) * 2.0**-22
        case "sizes":
            return rng.normal(size=(n, k)) * 10.0 ** rng.integers(-300, 300, size=(n, k))
        case "tiny":
            return rng.integers(-9, 9, size=(n, k)) * 5e-324
        case "line":
            return np.outer(x, rng.integers(-3, 4, size=k)).astype(float) / 3
        case _:
            raise AssertionError(shape)


SHAPES = ["gauss", "few", "parabola", "near", "sizes", "tiny", "line"]


@pytest.mark.usefixtures("small_leaves")
@pytest.mark.parametrize(("dtype", "kind"), [(t, kind) for t in TYPES for kind in HARD_KINDS])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_lookup_and_scan_agree_on_long_sessions(kind: HardKind, dtype: str, shape: str, k: int) -> None:
    rng = np.random.default_rng([k, SHAPES.index(shape)])
    n = 130
    limit = {"float64": 1e300, "float32": 3e38, "int64": 2.0**61}[dtype]
    stores = both(kind, k, 1, dtype)
    keys = np.clip(keys_of(shape, rng, n, k), -limit, limit).astype(dtype)
    queries = [np.clip(keys_of(s, rng, n, k), -limit, limit).astype(dtype) for s in ("gauss", "few", shape, "line")]
    if shape == "parabola" and k > 1:
        queries.append(np.concatenate([keys[:, :1] * 2, -np.ones((n, 1)), keys[:, 2:] * 0], axis=1).astype(dtype))
    values = rng.normal(size=(n, 1)) if dtype != "int64" else rng.integers(-9, 9, size=(n, 1))
    for i in range(n):
        for store in stores:
            store.append(keys[i], values[i].astype(dtype))
        same(stores, queries[i % len(queries)][rng.integers(n)])


@settings(max_examples=60)
@given(st.data())
@pytest.mark.usefixtures("small_leaves")
def test_long_sessions_of_any_numbers(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(TYPES))
    kind = data.draw(st.sampled_from(HARD_KINDS))
    k = data.draw(st.integers(1, 4))
    pool = data.draw(st.lists(numbers(dtype).filter(lambda x: abs(x) < 1e300), min_size=2, max_size=8))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    with np.errstate(over="ignore"):
        rows = np.array(pool).astype(dtype)[rng.integers(len(pool), size=(150, 2 * k + 1))]
    jitter = data.draw(st.sampled_from([0, 1]))
    if jitter and dtype != "int64":
        rows = np.nextafter(rows, rows.dtype.type(0)) * rng.integers(0, 2, size=rows.shape).astype(dtype)
    stores = both(kind, k, 1, dtype)
    for row in rows:
        for store in stores:
            store.append(row[:k], row[2 * k :])
        same(stores, row[k : 2 * k])


def test_queries_that_read_few_coordinates_stay_cheap() -> None:
    store, scan = both("average-hard", 2, 1, "float64")
    assert isinstance(store, KeyStore)
    for i in range(2000):
        for each in (store, scan):
            each.append(np.array([i, i % 3]), np.array([i / 7]))
    for query in ([0.0, 0.0], [0.0, 1.0], [0.0, -2.0]):
        same([store, scan], np.array(query))
        same([store, scan], np.array(query))
    assert len(store._views) == 2, "one for no coordinate, one for the last"


def test_the_lookup_scores_few_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lookup of a place among many scores a few leaves, not all keys."""
    store = KeyStore("rightmost-hard", 2, 1)
    n = 20_000
    for i in range(n):
        store.append(np.array([i, i * i]), np.array([i]))
        if i % 16 == 0:
            store.attend(np.array([i / (i + 1), -1 / (i + 1)]))
    scored = []
    plain = forest_module.accumulated
    monkeypatch.setattr(forest_module, "accumulated", lambda q, keys: (scored.append(keys.shape[1]), plain(q, keys))[1])
    for a in range(0, n, 97):
        assert store.attend(np.array([2 * a / n, -1 / n]))[0] == a
    assert np.mean(scored) < n / 20
