"""What a model file says of itself: format, version and description, in the exact words of errors and of the file."""

import json
import struct
from typing import Any

import pytest

from capax.errors import CapaxError
from capax.model.io.file import FORMAT, UNCHECKED, VERSION, check_head, from_bytes, to_bytes
from capax.model.io.header import header_json
from examples.previous_token import build

WHOLE = "is it a whole file that capax has written?"


def file(metadata: dict[str, str]) -> bytes:
    """A file without tensors, with such metadata."""
    text = json.dumps({"__metadata__": metadata}, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text


def said(data: bytes) -> tuple[str, str | None]:
    """What is wrong with a file, and the hint; by its header alone and by the whole file."""
    found = []
    for read in (lambda: check_head(data, len(data), "FILE"), lambda: from_bytes(data, "FILE", warn=lambda text: None)):
        with pytest.raises(CapaxError) as caught:
            read()
        assert caught.value.code == "bad-model-file"
        found.append((caught.value.what, caught.value.hint))
    assert found[0] == found[1]
    return found[0]


def test_the_metadata_that_is_written() -> None:
    data = to_bytes(build())
    metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    assert list(metadata) == ["digest", "format", "version", "model"]
    assert (metadata["format"], metadata["version"]) == ("capax-model", "2") == (FORMAT, str(VERSION))
    assert metadata["model"] == json.dumps(header_json(build()), separators=(",", ":"))


@pytest.mark.parametrize("metadata", [{}, {"format": "pt"}, {"format": "Capax-model"}, {"version": "2", "model": "{}"}])
def test_other_formats(metadata: dict[str, str]) -> None:
    what = "FILE: it is a safetensors file, but not a model of capax"
    assert said(file(metadata)) == (what, "capax reads models that it has written itself")


@pytest.mark.parametrize(
    "more",
    [{"model": "{}", "more": ""}, {"digest": "", "model": "{}", "more": ""}, {}, {"digest": ""}],
)
def test_other_metadata(more: dict[str, str]) -> None:
    what = "FILE: its metadata must have exactly a format, a version, a model and a digest"
    assert said(file({"format": "capax-model", "version": "2", **more})) == (what, WHOLE)


def test_a_description_that_is_none() -> None:
    """With a digest or without, once its digest is not asked for."""
    for more in ({}, {"digest": "0" * 64}):
        data = file({**more, "format": "capax-model", "version": "2", "model": "{"})
        check_head(data, len(data), "FILE")
        with pytest.raises(CapaxError) as caught:
            from_bytes(data, "FILE", warn=lambda text: None)
        assert caught.value.what.startswith("FILE: its description is not JSON: ")
        with pytest.raises(CapaxError) as caught:
            from_bytes(data, "FILE")
        assert caught.value.hint == UNCHECKED
        assert "digest" in caught.value.what


def test_an_error_of_a_part_is_one_of_the_file() -> None:
    """A description that the parts of a model refuse themselves."""
    data = to_bytes(build())
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    about: dict[str, Any] = json.loads(header["__metadata__"]["model"])
    about["positions"]["functions"] = ["log(i)"]
    header["__metadata__"]["model"] = json.dumps(about)
    text = json.dumps(header).encode()
    with pytest.raises(CapaxError) as caught:
        from_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :], "FILE", warn=lambda text: None)
    assert (caught.value.code, caught.value.hint) == ("bad-model-file", WHOLE)
    assert caught.value.what == "FILE: unknown position function 'log(i)'"


def test_warnings_name_the_file() -> None:
    data = to_bytes(build())
    told: list[str] = []
    from_bytes(data[:-1] + bytes([data[-1] ^ 1]), "FILE", warn=told.append)
    assert len(told) == 1
    assert told[0].startswith("FILE: its digest is '")
    assert told[0].endswith("': it was changed after it was written")
