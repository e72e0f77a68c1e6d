"""Sums and files as the outside checker reads them."""

import json
import random
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.capax_check import ONE, SYSTEMS, Floats, Refused, S, W, hull, product_of, times, weight
from tests.support.checked_files import changed_facts, small_model, verdict, with_header, written

TYPES = {"float32": np.float32, "float64": np.float64}


def interval(value: float) -> tuple[int, int]:
    """A number as an interval in units of products."""
    exact = Fraction(value) * (1 << (S + W))
    return int(exact // 1), int(-((-exact) // 1))


@given(
    st.sampled_from(sorted(TYPES)),
    st.lists(st.tuples(st.integers(-300, 300), st.integers(-9, 9)), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
@settings(max_examples=120, deadline=None)
def test_sums_lie_in_their_intervals(system: str, pairs: list[tuple[int, int]], draw: random.Random) -> None:
    """In every order; and a sum that is said to be exact is."""
    kind: Any = TYPES[system]
    terms = [kind(m) * kind(2.0) ** kind(e) / kind(draw.choice([1, 3])) for m, e in pairs]
    low, high = Floats(system).total([interval(float(t)) for t in terms])
    draw.shuffle(terms)
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    assert low <= Fraction(float(total)) * ONE <= high
    exact = sum(Fraction(float(t)) for t in terms) * ONE
    assert low <= exact <= high
    if low == high:
        assert Fraction(float(total)) * ONE == exact == low


def test_bounds_of_sums_are_those_of_the_page() -> None:
    """Exact below q 2^digits; else gamma(m) of the sizes, and (m + 2) times the least number."""
    floats = Floats("float32")
    one = 1 << (S + W)
    assert floats.total([]) == floats.total([(0, 0)]) == (0, 0)
    assert floats.total([((1 << 23) * one,) * 2, (one, one)]) == (((1 << 23) + 1) * ONE,) * 2
    low, high = floats.total([((1 << 24) * one,) * 2, (one, one)])
    assert low < ((1 << 24) + 1) * ONE < high
    error = 2 * ((1 << 24) + 1) * ONE / ((1 << 24) - 2)
    assert error <= high - ((1 << 24) + 1) * ONE <= error * 1.001
    low, high = floats.total([(one, 2 * one)])
    assert low < ONE
    assert high > 2 * ONE
    assert floats.total([(one >> 61,) * 2])[0] < ONE >> 61  # finer than 2^-60
    with pytest.raises(Refused):
        floats.total([(one << 121,) * 2])
    with pytest.raises(Refused):
        floats.gamma(1 << 22, 1)
    assert SYSTEMS["float32"][-1] == 104
    assert SYSTEMS["float64"][-1] == 746


@given(*[st.integers(-(2**110), 2**110)] * 4)
def test_products_of_intervals_hold_all_products(a: int, b: int, c: int, d: int) -> None:
    """Those of the ends, and of what is between."""
    x, y = (min(a, b), max(a, b)), (min(c, d), max(c, d))
    low, high = product_of(x, y)
    for one in (*x, sum(x) // 2):
        for two in (*y, sum(y) // 2):
            assert low <= Fraction(one * two, 1 << (S - W)) <= high
    assert times(3, x) == (3 * x[0], 3 * x[1])
    assert times(-3, x) == (-3 * x[1], -3 * x[0])
    assert hull(x, y) == (min(x[0], y[0]), max(x[1], y[1]))


def test_weights_are_integers() -> None:
    """In units of 2^-60; what is finer, or no number, is refused."""
    assert weight(1.5) == 3 << (W - 1)
    assert weight(-(2.0**-60)) == -1
    for bad in (2.0**-61, float("nan"), float("inf"), 2.0**100):
        with pytest.raises(Refused):
            weight(bad)


def header_of(path: Path) -> tuple[dict[str, Any], bytes]:
    """The header of a file, and its numbers."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def _offsets(header: dict[str, Any]) -> None:
    one, two = [name for name in header if name != "__metadata__"][:2]
    header[two]["data_offsets"] = header[one]["data_offsets"]


DAMAGE: dict[str, Any] = {
    "overlapping tensors": _offsets,
    "a negative size": lambda h: h["embedding"].update(shape=[-1, -5]),
    "a huge size": lambda h: h["embedding"].update(shape=[10**12, 10**12]),
    "another shape": lambda h: h["embedding"].update(shape=[1]),
    "three axes": lambda h: h["embedding"].update(shape=[1, 1, 10]),
    "no shape": lambda h: h["embedding"].pop("shape"),
    "no offsets": lambda h: h["embedding"].pop("data_offsets"),
    "another type": lambda h: h["embedding"].update(dtype="F64"),
    "a tensor that is none": lambda h: h.update(embedding=7),
    "no description": lambda h: h["__metadata__"].pop("model"),
    "another version": lambda h: h["__metadata__"].update(version="1"),
    "another format": lambda h: h["__metadata__"].update(format="none"),
    "no metadata": lambda h: h.pop("__metadata__"),
    "a description that is no object": lambda h: h["__metadata__"].update(model="[1]"),
    "NaN in the description": lambda h: h["__metadata__"].update(model='{"numbers": NaN}'),
    "a tensor less": lambda h: h.pop("readout.map.bias"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_files_are_refused(what: str, tmp_path: Path) -> None:
    """With exit code 2, and never with an exception."""
    header, body = header_of(written(small_model("reverse"), tmp_path))
    DAMAGE[what](header)
    assert verdict(with_header(tmp_path / "bad.safetensors", json.dumps(header), body)) == 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"1234567",
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 2) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 5) + b"\xff\xff\xff\xff\xff",
        struct.pack("<Q", 13) + b'{"a":1,"a":2}',
        struct.pack("<Q", 200_000) + b"[" * 200_000,
    ],
)
def test_what_is_no_model_is_refused(data: bytes, tmp_path: Path) -> None:
    """Short files, sizes beyond the file, other JSON, keys that stand twice."""
    path = tmp_path / "bad.safetensors"
    path.write_bytes(data)
    assert verdict(path) in (1, 2)
    assert verdict(tmp_path / "missing.safetensors") == 2


def test_every_cut_of_a_file_is_refused(tmp_path: Path) -> None:
    """Also numbers too many, and numbers that are none."""
    path = written(small_model("reverse"), tmp_path)
    data, cut = path.read_bytes(), tmp_path / "cut.safetensors"
    for end in range(0, len(data), len(data) // 20):
        cut.write_bytes(data[:end])
        assert verdict(cut) in (1, 2)
    for more in (data + b"\0\0\0\0", data[:-4] + struct.pack("<f", float("nan"))):
        cut.write_bytes(more)
        assert verdict(cut) == 2


SHAPES = (
    "embedding",
    "positions.weight",
    "readout.map.weight",
    "blocks.1.heads.0.output",
    "blocks.1.heads.0.key.weight",
)


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_must_fit(name: str, tmp_path: Path) -> None:
    """A tensor that is turned has the same numbers in other rows."""
    header, body = header_of(written(small_model("reverse"), tmp_path))
    header[name]["shape"].reverse()
    if header[name]["shape"][0] != header[name]["shape"][1]:
        assert verdict(with_header(tmp_path / "bad.safetensors", json.dumps(header), body)) == 2


def test_a_missing_entry_is_refused(tmp_path: Path) -> None:
    """Whatever is taken out of the description that a proof needs."""
    for key in ("vocabulary", "blocks", "facts", "readout", "decoding", "positions", "names", "max_length"):
        path = written(small_model("reverse"), tmp_path)
        assert verdict(changed_facts(path, lambda d, key=key: d.pop(key))) == 1
