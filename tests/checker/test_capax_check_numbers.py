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

from checker import capax_check
from checker.capax_check import (
    ONE,
    SYSTEMS,
    Checker,
    Floats,
    Refused,
    S,
    States,
    W,
    held,
    hull,
    product_of,
    read_file,
    times,
    weight,
)
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
    assert floats.total([(0, one), (0, one)])[0] == 0  # no sum of such numbers is below zero
    assert floats.total([(-one, 0), (-one, 0)])[1] == 0
    assert floats.total([(-1, one), (0, one)])[0] < -1 >> W
    assert floats.total([(-one, 1), (-one, 0)])[1] > 1
    for large in (one << 121, one << 120):
        with pytest.raises(Refused):
            floats.total([(large, large)])
    assert floats.total([((one << 120) - one,) * 2])[1] > ONE << 119
    assert 3 << (S + W - 126) <= floats.error([(0, 1)]) <= (3 << (S + W - 126)) + 1  # least numbers, 2^-126
    assert floats.error([(0, 1), (0, 0), (0, 0)]) == floats.error([(0, 1)])  # zeros round nothing
    assert Floats("float64").error([(1, 2)]) >= 3  # the least number is no less than a unit
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
    assert times(-1, x) == (-x[1], -x[0])
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
    assert verdict(path) == 2
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


def test_sizes_of_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header, and numbers and rows of all tensors: one more than is allowed is refused."""
    path = written(small_model("reverse"), tmp_path)
    header, _ = header_of(path)
    shapes = [[*t["shape"], 1][:2] for name, t in header.items() if name != "__metadata__"]
    numbers = sum(rows * columns + rows for rows, columns in shapes)
    for limit, size in (("HEADER", struct.unpack("<Q", path.read_bytes()[:8])[0]), ("NUMBERS", numbers)):
        for allowed, code in ((size, 0), (size - 1, 2)):
            with monkeypatch.context() as context:
                context.setattr(capax_check, limit, allowed)
                assert verdict(path) == code


def test_limits_are_those_of_the_page() -> None:
    """A reader who writes a checker, or a file for this one, goes by them."""
    page = (Path(__file__).parents[2] / "docs/reference/plan.md").read_text()
    for limit in (
        f"at most {capax_check.LONGEST} |",
        f"files of more than {capax_check.NUMBERS:,} numbers and rows",
        f"a header of more than {capax_check.HEADER:,} bytes",
        f"tables of more than {capax_check.CELLS:,} combinations",
        f"more than {capax_check.WORK:,} units of work",
        f"more than {W} binary places",
        f"the gap, {SYSTEMS['float32'][-1]} in float32 and {SYSTEMS['float64'][-1]} in float64",
    ):
        assert limit in page, limit


def test_rows_without_numbers_are_counted(tmp_path: Path) -> None:
    """A short header may promise any number of them."""
    header, body = header_of(written(small_model("reverse"), tmp_path))
    header["other"] = {"dtype": "F32", "shape": [10**8, 0], "data_offsets": [len(body)] * 2}
    assert verdict(with_header(tmp_path / "bad.safetensors", json.dumps(header), body)) == 2
    header["other"]["shape"] = [9, 0]
    assert verdict(with_header(tmp_path / "good.safetensors", json.dumps(header), body)) == 0


def test_what_follows_the_numbers_is_refused_however_long_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only so much of a file is read; what is not read must not be there."""
    path = written(small_model("reverse"), tmp_path)
    data = path.read_bytes()
    header, _ = header_of(path)
    shapes = [[*t["shape"], 1][:2] for name, t in header.items() if name != "__metadata__"]
    monkeypatch.setattr(capax_check, "HEADER", struct.unpack("<Q", data[:8])[0])
    monkeypatch.setattr(capax_check, "NUMBERS", sum(rows * columns + rows for rows, columns in shapes))
    for more in (0, 1, 10**5):
        path.write_bytes(data + bytes(more))
        assert verdict(path) == (2 if more else 0)


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


def test_a_vocabulary_has_tokens_and_each_once(tmp_path: Path) -> None:
    """A statement about words of no tokens would be about none; equal tokens of two types are two."""
    model, tensors = read_file(str(written(small_model("reverse"), tmp_path)))
    for tokens in ([1, True], [1, 1.0]):
        Checker(model | {"vocabulary": tokens}, tensors)
    for tokens in ([], [1, 1], ["a", "a"]):
        with pytest.raises(Refused, match="a token stands twice"):
            Checker(model | {"vocabulary": tokens}, tensors)


UNIT = 1 << W


@pytest.mark.parametrize(
    ("weights", "bias", "unit"),
    [
        ([UNIT, 0, 0, 0], 0, (5, 1)),
        ([-UNIT, 0, 0, 0], 0, (5, -1)),
        ([0, UNIT, 0, 0], 0, (6, 1)),
        ([0, 0, UNIT, 0], 0, (6, -1)),
        ([0, -UNIT, 0, 0], 0, None),
        ([0, 0, -UNIT, 0], 0, None),
        ([0, 0, 0, UNIT], 0, None),
        ([UNIT, UNIT, 0, 0], 0, None),
        ([2 * UNIT, 0, 0, 0], 0, None),
        ([UNIT, 0, 0, 0], 1, None),
        ([0, 0, 0, 0], 0, None),
    ],
)
def test_units_that_hold_a_slot_are_known(weights: list[int], bias: int, unit: tuple[int, int] | None) -> None:
    """relu(x) and relu(-x) of a slot x, and further ReLUs of these with weight 1; nothing else."""
    assert held([(5, 0), (6, 1), (6, -1), None], weights, bias) == unit


@pytest.mark.parametrize(
    ("least", "units", "back", "bias", "cleared"),
    [
        (-1, [UNIT, -UNIT], [-UNIT, UNIT], 0, True),
        (-1, [-UNIT, UNIT], [UNIT, -UNIT], 0, True),
        (-1, [UNIT, -UNIT], [-UNIT, UNIT], 1, False),
        (-1, [UNIT, -UNIT], [-UNIT, -UNIT], 0, False),
        (-1, [UNIT, -UNIT], [-UNIT, 0], 0, False),
        (-1, [UNIT, -UNIT], [0, UNIT], 0, False),
        (1, [UNIT, -UNIT], [-UNIT, 0], 0, True),
        (-4, [UNIT, -UNIT], [0, UNIT], 0, True),
        (1, [UNIT, UNIT], [-UNIT, -UNIT], 0, False),
    ],
)
def test_a_slot_that_is_taken_from_itself_is_zero(
    least: int, units: list[int], back: list[int], bias: int, cleared: bool, tmp_path: Path
) -> None:
    """Though its number is known to lie in an interval alone: x + relu(-x) - relu(x), or one side of it."""
    checker = checker_of(tmp_path)
    checker.states = States(checker.tokens, 3)
    slot = checker.states.axis(1, lambda i: ((i + least) * ONE - 9, (i + least) * ONE + 9))
    checker.tensors = {"mlp.maps.0.weight": [units], "mlp.maps.0.bias": [0, 0]}
    checker.tensors |= {"mlp.maps.1.weight": [[w] for w in back], "mlp.maps.1.bias": [bias]}
    (after,) = checker.mlp([slot], {"activation": "relu", "maps": 2}, "mlp")
    assert (after.entries == [(0, 0)]) == cleared
    for box, part, zero in (((0, 9), 0, True), ((-1, 9), 0, False), ((-9, 0), 1, True), ((-9, 1), 1, False)):
        back = [[0], [0]]
        back[part] = [(-UNIT, UNIT)[part]]
        checker.tensors |= {"mlp.maps.0.weight": [[UNIT, -UNIT]], "mlp.maps.1.weight": back, "mlp.maps.1.bias": [0]}
        (after,) = checker.mlp([checker.states.constant(box)], {"activation": "relu", "maps": 2}, "mlp")
        assert (after.entries == [(0, 0)]) == zero, box


def checker_of(tmp_path: Path) -> Checker:
    """A checker whose answers are read from one number."""
    return Checker(*read_file(str(written(small_model("reverse"), tmp_path))))


def test_a_link_names_fewer_than_500_nodes(tmp_path: Path) -> None:
    """Of any kind; and a sign is that of an order."""
    checker = checker_of(tmp_path)
    name, node = "indices_", checker.graph.indices
    checker.names[name] = node
    assert checker.linked([name] * 499, False) == [node] * 499
    assert checker.linked([name, "-" + name], True) == [(1, node), (-1, node)]
    for ordered in (True, False):
        with pytest.raises(Refused, match="a link to many nodes"):
            checker.linked([name] * 500, ordered)


def test_powers_of_positions_are_numbers_of_the_system(tmp_path: Path) -> None:
    """6^9 is below 2^24, 7^9 is not and would be rounded before it is multiplied."""
    checker = checker_of(tmp_path)
    checker.model["positions"]["functions"] = ["i^9", "i^2"]
    for longest in (7, 8):
        checker.longest, checker.states = longest, States(checker.tokens, longest)
        if longest == 7:
            assert len(checker.embedding()) == len(checker.model["names"])
        else:
            with pytest.raises(Refused, match="a power of the position that is rounded"):
                checker.embedding()


@pytest.mark.parametrize("name", ["embedding", "positions.weight", "positions.table"])
def test_the_embedding_has_a_row_for_each_token_and_function(name: str, tmp_path: Path) -> None:
    """A row that stands for nothing is refused, as one that is missing; of positions there may be more."""
    checker = checker_of(tmp_path)
    checker.states = States(checker.tokens, checker.longest)
    width = len(checker.model["names"])
    checker.model["positions"]["table"] = 1
    checker.tensors["positions.table"] = [[0] * width] * checker.longest
    for more in ([], [[0] * width]):
        rows = checker.tensors[name]
        checker.tensors[name] = [*rows, *more]
        if more and name != "positions.table":
            with pytest.raises(Refused, match="the embedding or the positions"):
                checker.embedding()
        else:
            assert len(checker.embedding()) == width
        checker.tensors[name] = rows
    checker.tensors[name] = checker.tensors[name][:-1]
    with pytest.raises(Refused, match="the embedding or the positions"):
        checker.embedding()


def test_the_middle_of_two_codes_may_be_rounded(tmp_path: Path) -> None:
    """An answer is farther from it than 2^-45 of its size and one."""
    checker, half = checker_of(tmp_path), ONE >> 1
    checker.floats = Floats("float64")
    right = checker.nearest({"values": [1, 2], "codes": [0.0, 1.0]}, [[UNIT]])
    for want, number, good in (
        (2, half + (1 << 55) + (1 << 48), True),
        (2, half + (1 << 55), False),
        (1, half - (1 << 55), True),
        (1, half - (1 << 55) + (1 << 48), False),
    ):
        assert right(want, [(number, number)]) == good, (want, number)


def test_answers_are_read_with_a_margin(tmp_path: Path) -> None:
    """The nearest code, the nearest fraction, the class that leads; no margin is no proof."""
    checker, one = checker_of(tmp_path), [[UNIT]]
    right = checker.nearest({"values": [1, 2, 3], "codes": [0.0, 1.0, 3.0]}, one)
    for want, low, high, good in (
        (1, -9, 0.49, True),
        (1, -9, 0.5, False),
        (2, 0.51, 1.99, True),
        (2, 0.5, 1.99, False),
        (2, 0.51, 2, False),
        (3, 2.01, 99, True),
        (3, 2, 99, False),
    ):
        assert right(want, [(int(low * ONE), int(high * ONE))]) == good, (want, low, high)
    right = checker.fractions({"most": 4, "unit": 1.0}, one)
    for low, high, good in ((0.44, 0.56, True), (0.43, 0.5, False), (0.5, 0.57, False)):
        assert right(0.5, [(int(low * ONE), int(high * ONE))]) == good, (low, high)
    right = checker.fractions({"most": 1, "unit": 1.0}, one)
    for low, high, good in ((0.51, 1.49, True), (0.5, 1, False), (1, 1.5, False)):
        assert right(1, [(int(low * ONE), int(high * ONE))]) == good, (low, high)
    right = checker.classes({"values": ["a", "b"]}, [[UNIT, 0], [-UNIT, UNIT]])
    for want, low, high, good in (
        ("a", 0.51, 0.6, True),
        ("a", 0.5, 0.6, False),
        ("b", 0.4, 0.49, True),
        ("b", 0.4, 0.5, False),
    ):
        assert right(want, [(int(low * ONE), int(high * ONE)), (ONE, ONE)]) == good, (want, low, high)


@pytest.mark.parametrize(
    ("kind", "decoding", "columns"),
    [
        ("nearest", {"values": [1, 2], "codes": [2.0, 1.0]}, 1),
        ("nearest", {"values": [1, 2], "codes": [1.0, 1.0]}, 1),
        ("nearest", {"values": [1, 2], "codes": [1.0]}, 1),
        ("nearest", {"values": [], "codes": []}, 1),
        ("nearest", {"values": [1, None], "codes": [1.0, 2.0]}, 1),
        ("nearest", {"values": [1, 2], "codes": [1.0, True]}, 1),
        ("nearest", {"values": [1, 2], "codes": [1.0, 2.0]}, 2),
        ("fractions", {"most": 0, "unit": 1.0}, 1),
        ("fractions", {"most": 10**6 + 1, "unit": 1.0}, 1),
        ("fractions", {"most": True, "unit": 1.0}, 1),
        ("fractions", {"most": 4, "unit": 0}, 1),
        ("fractions", {"most": 4, "unit": True}, 1),
        ("fractions", {"most": 4, "unit": 1.0, "whole": 2}, 1),
        ("fractions", {"most": 4, "unit": 1.0}, 2),
        ("classes", {"values": ["a"]}, 2),
        ("classes", {"values": [["a"]]}, 1),
        ("classes", {"values": []}, 0),
    ],
)
def test_descriptions_of_answers_must_make_sense(
    kind: str, decoding: dict[str, Any], columns: int, tmp_path: Path
) -> None:
    """With exit code 2, since the file is damaged."""
    with pytest.raises(Refused) as refused:
        getattr(checker_of(tmp_path), kind)(decoding, [[UNIT]] * columns)
    assert refused.value.args[1] == 2


def test_answers_are_found_by_value_and_type(tmp_path: Path) -> None:
    """An equal answer of the same type first; near floats count as equal, texts and numbers never do."""
    checker = checker_of(tmp_path)
    assert checker.row(1, [True, 1.0, 1]) == 2
    assert checker.row(1.0, [1, 1.0 + 2**-50, 1.0]) == 2
    assert checker.row(1.0, [1, 1.0 + 2**-50]) == 1
    assert checker.typed
    assert checker.row(1, [0, 1.0]) == 1
    assert not checker.typed
    assert checker.row(1.0, [0.0, 1.0 + 2**-40]) == 1
    for want, values in ((1.0, [1.0 + 2**-40 + 2**-42]), ("1", [1]), (1, ["1"]), (2, [])):
        with pytest.raises(Refused):
            checker.row(want, values)
