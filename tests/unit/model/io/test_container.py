"""The container of model files, condition by condition: what is on either side of each, and the exact words."""

import json
import struct
from typing import Any

import pytest

from capax.errors import CapaxError
from capax.model.io import container
from capax.model.io.container import MOST_HEADER, Stored, bad_file, check_start, pack, parse_json, read_header, unpack

WHOLE = "is it a whole file that capax has written?"


def file(header: Any, rest: bytes = b"", *, text: bytes | None = None) -> bytes:
    """A file with a header and numbers."""
    said = json.dumps(header).encode() if text is None else text
    return struct.pack("<Q", len(said)) + said + rest


def why(data: bytes) -> str:
    """Why a file is refused."""
    with pytest.raises(CapaxError) as caught:
        unpack(data, "FILE")
    assert caught.value.code == "bad-model-file"
    assert caught.value.hint == WHOLE
    assert caught.value.data == {"file": "FILE"}
    assert caught.value.what.startswith("FILE: ")
    return caught.value.what.removeprefix("FILE: ")


def tensor(dtype: Any = "F64", shape: Any = (1,), place: Any = (0, 8)) -> dict[str, Any]:
    """The entry of a tensor in a header."""
    return {"dtype": dtype, "shape": shape, "data_offsets": place}


def test_errors_have_a_hint_of_their_own() -> None:
    assert bad_file("x", "is odd").hint == WHOLE
    assert bad_file("x", "is odd", "look at it").hint == "look at it"


# the start


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9])
def test_files_that_are_too_short(size: int) -> None:
    """A file has 8 bytes and a header of at least two: the tenth byte matters."""
    assert why(struct.pack("<Q", 1)[:size].ljust(size, b"1")) == f"it has {size} bytes and is not a safetensors file"


def test_the_shortest_file() -> None:
    """Ten bytes: an empty header."""
    assert unpack(file({}), "FILE") == ({}, {})
    with pytest.raises(CapaxError, match="it has 100 bytes and is not a safetensors file"):
        check_start(b"1234567", 100, "FILE")
    assert check_start(struct.pack("<Q", 2), 10, "FILE") == 2


def test_headers_that_are_longer_than_the_file() -> None:
    """By one byte, or by all that 8 bytes can say."""
    what = "it is not a safetensors file, or it is cut off"
    for length in (3, 11, 1 << 62, (1 << 64) - 1):
        assert why(struct.pack("<Q", length) + b"{}") == what
    assert check_start(struct.pack("<Q", 92), 100, "FILE") == 92
    with pytest.raises(CapaxError, match="cut off"):
        check_start(struct.pack("<Q", 93), 100, "FILE")


def test_headers_that_are_too_long() -> None:
    """The bound itself is allowed, when one is read and when one is written."""
    assert MOST_HEADER == 16_000_000
    assert check_start(struct.pack("<Q", MOST_HEADER), MOST_HEADER + 8, "FILE") == MOST_HEADER
    with pytest.raises(CapaxError) as caught:
        check_start(struct.pack("<Q", MOST_HEADER + 1), MOST_HEADER + 9, "FILE")
    assert caught.value.what == "FILE: its header has 16,000,001 bytes; at most 16,000,000 are read"


def test_what_is_written_has_the_same_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = len(pack({}, {"x": ""})) - 8
    assert empty % 8 == 0
    monkeypatch.setattr(container, "MOST_HEADER", empty + 8)
    assert len(pack({}, {"x": "y" * 8})) == empty + 16
    with pytest.raises(CapaxError) as caught:
        pack({}, {"x": "y" * 16})
    assert caught.value.code == "bad-model"
    assert caught.value.what == f"the model's description takes more than {empty + 8:,} bytes"


# the header


@pytest.mark.parametrize("text", [b"[]", b"7 ", b"null", b'"x"', b"true"])
def test_headers_that_are_no_objects(text: bytes) -> None:
    assert why(file(None, text=text)) == "its header is not a JSON object"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"{]", "its header is not JSON: "),
        (b"  ", "its header is not JSON: "),
        (b'{"\xff": 1}', "its header is not JSON: "),
        (b'{"a": 1, "a": 1}', "its header is not JSON: an object has a key twice"),
        (b'{"a": {"b": 1, "c": 2, "b": 3}}', "its header is not JSON: an object has a key twice"),
        (b'{"a": NaN}', "its header is not JSON: NaN is not a JSON number"),
        (b'{"a": -Infinity}', "its header is not JSON: -Infinity is not a JSON number"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "its header is nested too deeply"),
    ],
)
def test_headers_that_are_no_json(text: bytes, what: str) -> None:
    found = why(file(None, text=text))
    assert found.startswith(what)
    assert len(found) <= len("its header is not JSON: ") + 120


def test_json_from_bytes_and_text() -> None:
    """Both are read; other keys and numbers are as Python reads them."""
    for text in ('{"a": [1, 2.5, "é"], "b": {"a": null}}', '{"a": [1, 2.5, "é"], "b": {"a": null}}'.encode()):
        assert parse_json(text, "FILE", "it") == {"a": [1, 2.5, "é"], "b": {"a": None}}


@pytest.mark.parametrize("metadata", [[], "x", 1, None, {"a": 1}, {"a": "x", "b": None}, {"a": ["x"]}])
def test_metadata_that_is_no_map_of_strings(metadata: Any) -> None:
    assert why(file({"__metadata__": metadata})) == "its metadata is not a map of strings"


def test_metadata_and_tensors() -> None:
    """Tensors are given in the order of their numbers, each with its own bytes."""
    header = {"b": tensor(place=(8, 16)), "__metadata__": {"x": "y"}, "a": tensor("F32", (2,), (0, 8))}
    metadata, found = unpack(file(header, bytes(range(16))), "FILE")
    assert metadata == {"x": "y"}
    assert list(found) == ["a", "b"]
    assert (found["a"].dtype, found["a"].shape, bytes(found["a"].data)) == ("F32", (2,), bytes(range(8)))
    assert (found["b"].dtype, found["b"].shape, bytes(found["b"].data)) == ("F64", (1,), bytes(range(8, 16)))


def test_a_header_is_read_before_the_numbers() -> None:
    """The size of the file alone is compared with it."""
    start = file({"a": tensor()})
    assert read_header(start, len(start) + 8, "FILE") == ({}, {"a": ("F64", (1,), 0, 8)})
    with pytest.raises(CapaxError, match="ends outside the file"):
        read_header(start, len(start) + 7, "FILE")


# the entries of tensors

ENTRY = "the header entry of the tensor 'a' does not have a dtype, a shape and offsets"
COUNTS = "the shape or the offsets of the tensor 'a' is not a list of counts"
OUTSIDE = "the tensor 'a' ends outside the file"


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (None, ENTRY),
        ([], ENTRY),
        ({}, ENTRY),
        ({"dtype": "F64", "shape": [1]}, ENTRY),
        ({**tensor(), "more": 1}, ENTRY),
        (tensor("F128"), "the tensor 'a' has the unknown dtype 'F128'"),
        (tensor("f64"), "the tensor 'a' has the unknown dtype 'f64'"),
        (tensor(64), "the tensor 'a' has the unknown dtype 64"),
        (tensor(["F64"]), "the tensor 'a' has the unknown dtype ['F64']"),
        (tensor("x" * 99), f"the tensor 'a' has the unknown dtype {'x' * 99!r:.40}"),
        (tensor(shape=[-1]), COUNTS),
        (tensor(shape=[1.0]), COUNTS),
        (tensor(shape=[True]), COUNTS),
        (tensor(shape=1), COUNTS),
        (tensor(shape={"a": 1}), COUNTS),
        (tensor(shape=[1 << 62]), COUNTS),
        (tensor(shape=[1] * 9), COUNTS),
        (tensor(place=[0]), COUNTS),
        (tensor(place=[0, 8, 8]), COUNTS),
        (tensor(place=[-8, 0]), COUNTS),
        (tensor(place=[0, 8.0]), COUNTS),
        (tensor(place="08"), COUNTS),
        (tensor(place=[0, 1 << 62]), COUNTS),
        (tensor(place=[0, 9]), OUTSIDE),
        (tensor(place=[8, 0]), OUTSIDE),
        (tensor(place=[0, (1 << 62) - 1]), OUTSIDE),
        (tensor(shape=[(1 << 62) - 1]), f"the tensor 'a' has 8 bytes, which is not its shape [{(1 << 62) - 1}]"),
        (tensor(shape=[2]), "the tensor 'a' has 8 bytes, which is not its shape [2]"),
        (tensor(shape=[0]), "the tensor 'a' has 8 bytes, which is not its shape [0]"),
        (tensor(place=[0, 7]), "the tensor 'a' has 7 bytes, which is not its shape [1]"),
    ],
)
def test_entries_that_are_refused(entry: Any, what: str) -> None:
    assert why(file({"a": entry}, b"12345678")) == what


def test_shapes_at_the_bounds() -> None:
    """Eight axes; none; an axis of size 0."""
    assert unpack(file({"a": tensor(shape=[1] * 8)}, bytes(8)), "FILE")[1]["a"].shape == (1,) * 8
    assert unpack(file({"a": tensor(shape=[])}, bytes(8)), "FILE")[1]["a"].shape == ()
    assert bytes(unpack(file({"a": tensor(shape=[0, 3], place=[0, 0])}), "FILE")[1]["a"].data) == b""


ITEMS = {8: "F64 I64 U64 C64", 4: "F32 I32 U32", 2: "F16 BF16 I16 U16", 1: "I8 U8 BOOL F8_E4M3 F8_E5M2"}


@pytest.mark.parametrize(("size", "dtype"), [(size, d) for size, names in ITEMS.items() for d in names.split()])
def test_the_bytes_of_an_item(size: int, dtype: str) -> None:
    """Two items have twice the bytes, and no other number of them."""
    header = {"a": tensor(dtype, [2], [0, 2 * size])}
    assert unpack(file(header, bytes(2 * size)), "FILE")[1]["a"].dtype == dtype
    more = {"a": tensor(dtype, [2], [0, 2 * size + 1])}
    assert "which is not its shape" in why(file(more, bytes(2 * size + 1)))


@pytest.mark.parametrize(
    ("places", "before"),
    [
        ([(0, 8), (0, 8)], "b"),  # one on the other
        ([(0, 16), (8, 24)], "b"),  # half of one on the other
        ([(0, 24), (8, 16)], "b"),  # one inside the other
        ([(0, 8), (16, 24)], "b"),  # a gap
        ([(8, 16), (16, 24)], "a"),  # a gap at the start
    ],
)
def test_gaps_and_overlaps(places: list[tuple[int, int]], before: str) -> None:
    """Each tensor begins where the one before it ends."""
    header = {name: tensor(shape=[(b - a) // 8], place=[a, b]) for name, (a, b) in zip("ab", places, strict=True)}
    assert why(file(header, bytes(24))) == f"it has a gap or an overlap before the tensor '{before}'"


def test_bytes_that_belong_to_no_tensor() -> None:
    """After the last one, or without any."""
    assert why(file({"a": tensor()}, bytes(9))) == "1 of its bytes belong to no tensor"
    assert why(file({}, bytes(1234))) == "1,234 of its bytes belong to no tensor"


def test_names_are_cut_in_messages() -> None:
    long = "n" * 500
    for header in ({long: None}, {long: tensor("F1")}, {long: tensor(shape=[1.5])}, {long: tensor(place=[0, 99])}):
        assert f"{long!r:.80}" in why(file(header, bytes(8)))
        assert "n" * 80 not in why(file(header, bytes(8)))
    assert f"{long!r:.80}" in why(file({long: tensor(place=[8, 16])}, bytes(16)))


def test_what_is_written_is_read() -> None:
    """With the digest before the rest of the metadata, and numbers that start at a multiple of eight."""
    tensors = {"a": Stored("F32", (3,), bytes(range(12))), "b": Stored("F64", (1, 1), bytes(range(8)))}
    for extra in range(9):
        data = pack(tensors, {"x": "y" * extra, "é": "ü"})
        metadata, found = unpack(data, "FILE")
        assert list(metadata) == ["digest", "x", "é"]
        assert (metadata["x"], metadata["é"]) == ("y" * extra, "ü")
        assert {n: (t.dtype, t.shape, bytes(t.data)) for n, t in found.items()} == {
            n: (t.dtype, t.shape, bytes(t.data)) for n, t in tensors.items()
        }
        length = int.from_bytes(data[:8], "little")
        assert length % 8 == 0
        assert len(data) == 8 + length + 20
        assert data[8 : 8 + length].rstrip(b" ").endswith(b"}")
        assert len(data[8 : 8 + length]) - len(data[8 : 8 + length].rstrip(b" ")) < 8
        assert b": " not in data[8 : 8 + length]
