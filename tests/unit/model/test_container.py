"""The container of model files, at the edges of what it takes."""

import json
from typing import Any

import pytest

from capax.errors import CapaxError
from capax.model.container import Stored, check_start, pack, unpack


def file_of(entry: dict[str, Any], data: bytes = bytes(8)) -> bytes:
    """A file with one tensor, whose header entry is as given."""
    text = json.dumps({"__metadata__": {}, "x": entry}).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(**changes: Any) -> dict[str, Any]:
    """The header entry of a tensor of 8 bytes, changed."""
    return {"dtype": "F64", "shape": [1], "data_offsets": [0, 8], **changes}


def test_up_to_eight_axes() -> None:
    """Of whatever sizes; nine are refused."""
    _, tensors = unpack(file_of(entry(shape=[1] * 8)), "f")
    assert tensors["x"].shape == (1,) * 8
    with pytest.raises(CapaxError, match="is not a list of counts"):
        unpack(file_of(entry(shape=[1] * 9)), "f")


@pytest.mark.parametrize("place", [[], [0], [8], [0, 8, 8], [0, -8], [0, 8.0], "08", None, [True, 8]])
def test_a_place_is_a_start_and_an_end(place: Any) -> None:
    with pytest.raises(CapaxError, match="is not a list of counts"):
        unpack(file_of(entry(data_offsets=place)), "f")


@pytest.mark.parametrize(("start", "size"), [(b"", 0), (bytes(7), 100), (bytes(8), 9), (bytes(7), 7)])
def test_the_start_of_a_file_has_eight_bytes(start: bytes, size: int) -> None:
    """And the file some more for its header; a reader that hands over fewer is refused, whatever the size is."""
    with pytest.raises(CapaxError, match="is no safetensors file"):
        check_start(start, size, "f")
    assert check_start((2).to_bytes(8, "little"), 10, "f") == 2


@pytest.mark.parametrize("places", [[[0, 8], [4, 12]], [[0, 8], [9, 16]], [[1, 9], [9, 17]], [[8, 16], [0, 4]]])
def test_tensors_lie_side_by_side(places: list[list[int]]) -> None:
    """Without a gap and without an overlap."""
    shapes = [[(b - a) // 4] for a, b in places]
    header = {
        name: {"dtype": "F32", "shape": shape, "data_offsets": place}
        for name, shape, place in zip("xy", shapes, places, strict=True)
    }
    text = json.dumps({"__metadata__": {}, **header}).encode()
    data = len(text).to_bytes(8, "little") + text + bytes(max(b for _, b in places))
    with pytest.raises(CapaxError, match=r"gap or an overlap|is not its shape"):
        unpack(data, "f")
    fine = pack({"x": Stored("F32", (2,), bytes(8)), "y": Stored("F32", (1,), bytes(4))}, {})
    assert [len(t.data) for t in unpack(fine, "f")[1].values()] == [8, 4]
