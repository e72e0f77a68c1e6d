"""Damaged, foreign and newer files: an error that says so, or a model that is whole; never anything else."""

import copy
import hashlib
import json
import struct
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as safetensors_save

import capax
from capax.app.files.models import MOST_BYTES
from capax.errors import CapaxError
from capax.model.io.container import MOST_HEADER
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from examples.previous_token import build
from tests.support.random_models import models


@lru_cache(maxsize=1)
def whole() -> bytes:
    """The file of the example."""
    return to_bytes(build())


def opened(data: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """The header, the description in it, and the numbers of a file."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["model"]), data[8 + length :]


def closed(header: Any, description: Any, numbers: bytes) -> bytes:
    """The file of a header, a description and numbers, with the digest of what it has."""
    if description is not None:
        header["__metadata__"]["model"] = json.dumps(description)
    text = json.dumps(header, separators=(",", ":")).encode()
    return sealed(struct.pack("<Q", len(text)) + text + numbers)


def sealed(data: bytes) -> bytes:
    """A file with the digest of its bytes, if its header begins with one."""
    start = data.find(b'{"__metadata__":{"digest":"')
    if start != 8 or len(data) < 99:
        return data
    zeros = data[:35] + b"0" * 64 + data[99:]
    return data[:35] + hashlib.sha256(zeros).hexdigest().encode() + data[99:]


def assert_read_or_refused(data: bytes) -> Model | CapaxError:
    """What reading a file gives: a model that can be written and read again, or a short error with the right code."""
    result: Model | CapaxError
    try:
        result = from_bytes(data, "file")
    except CapaxError as error:
        result = error
    if isinstance(result, Model):
        assert from_bytes(to_bytes(result), "file") == result
    else:
        assert result.code == "bad-model-file"
        assert result.what.startswith("file: ")
        assert len(result.render()) < 1000
    return result


def why(data: bytes) -> str:
    """Why a file is refused."""
    error = assert_read_or_refused(data)
    assert isinstance(error, CapaxError)
    return error.what


def test_every_truncation() -> None:
    """At any offset a cut file is refused."""
    data = whole()
    for end in range(len(data)):
        assert isinstance(assert_read_or_refused(data[:end]), CapaxError), end
    assert "belong to no tensor" in why(data + b"\0")


@given(models(), st.data())
@settings(max_examples=150)
def test_changed_bytes(model: Model, data: st.DataObject) -> None:
    """In the length, the header and the numbers."""
    before = to_bytes(model)
    file = bytearray(before)
    header = 8 + int.from_bytes(file[:8], "little")
    offsets = st.one_of(st.integers(0, 7), st.integers(8, header - 1), st.integers(0, len(file) - 1))
    for offset in data.draw(st.lists(offsets, min_size=1, max_size=3)):
        file[offset] = data.draw(st.integers(0, 255))
    after = bytes(file)
    assert isinstance(assert_read_or_refused(after), Model) == (after == before)  # the digest shows every change
    assert_read_or_refused(sealed(after))


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths in nested data."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, inner in items for p in paths(inner, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy of nested data in which something is done to what holds the path."""
    made = copy.deepcopy(value)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return made


WRONG: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 10**30, 10**400, 0.5, -0.0, 1e308, "", "x", "relu", "none", [], [0], [[0]]),
    *({}, {"x": 1}, {"$float": "inf"}, {"$float": "x"}, {"$": 0}, [[], []], ["a"], "fixed:99.1", "i%0", "\ud800"),
]


@given(models(), st.data())
@settings(max_examples=150)
def test_changed_fields(model: Model, data: st.DataObject) -> None:
    """A field of the description or of the header that is something else, missing or new."""
    header, description, numbers = opened(to_bytes(model))
    in_header = data.draw(st.booleans())
    target = header if in_header else description
    path = data.draw(st.sampled_from([p for p in paths(target) if p]))
    kind = data.draw(st.sampled_from(["set", "delete", "add"]))
    wrong = data.draw(st.sampled_from(WRONG))

    def change(holder: Any, key: Any) -> None:
        if kind == "set":
            holder[key] = wrong
        elif kind == "delete":
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(key, wrong)
        else:
            holder["new"] = wrong

    target = changed(target, path, change)
    file = closed(target, None, numbers) if in_header else closed(header, target, numbers)
    assert_read_or_refused(file)


def test_every_field_of_the_example_is_checked() -> None:
    """Each field that is missing or of another kind is told by its name."""
    header, description, numbers = opened(whole())
    for path in (p for p in paths(description) if p and isinstance(p[-1], str) and p[0] != "facts"):
        gone = closed(header, changed(description, path, lambda holder, key: holder.pop(key)), numbers)
        assert f"{path[-1]} is missing" in why(gone), path
        odd = closed(header, changed(description, path, lambda holder, key: holder.update({key: {"odd": 1}})), numbers)
        assert path[-1] in why(odd), path


def with_tensors(change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The example with another list of tensors."""
    header, _, numbers = opened(whole())
    change(header)
    return closed(header, None, numbers)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda h: h.update(other=h.pop("embedding")), "embedding is missing"),
        (lambda h: h["embedding"].update(shape=[7, 3]), "has the shape (7, 3) and not (3, 7)"),
        (lambda h: h["embedding"].update(shape=[21]), "has the shape (21,)"),
        (lambda h: h["embedding"].update(shape=[-3, -7]), "not a list of counts"),
        (lambda h: h["embedding"].update(shape=[3.0, 7]), "not a list of counts"),
        (lambda h: h["embedding"].update(shape=[True, 21]), "not a list of counts"),
        (lambda h: h["embedding"].update(shape=[1 << 40, 1 << 40]), "which is not its shape"),
        (lambda h: h["embedding"].update(shape=[1] * 40), "not a list of counts"),
        (lambda h: h["embedding"].update(dtype="I64"), "is I64; a model of float64 has F64"),
        (lambda h: h["embedding"].update(dtype="F32"), "which is not its shape"),
        (lambda h: h["embedding"].update(dtype="F128"), "unknown dtype"),
        (lambda h: h["embedding"].update(dtype=["F64"]), "unknown dtype"),
        (lambda h: h["embedding"].update(data_offsets=[0, 10**15]), "ends outside the file"),
        (lambda h: h["embedding"].update(data_offsets=[168, 0]), "ends outside the file"),
        (lambda h: h["embedding"].update(data_offsets=[8, 176]), "gap or an overlap"),
        (lambda h: h["embedding"].pop("shape"), "does not have a dtype, a shape and offsets"),
        (lambda h: h.update(embedding=None), "does not have a dtype, a shape and offsets"),
        (lambda h: h.update(extra={"dtype": "F64", "shape": [0], "data_offsets": [0, 0]}), "belongs to no part"),
        (lambda h: h["__metadata__"].update(other=""), "must have exactly"),
        (lambda h: h["__metadata__"].update(version=1), "not a map of strings"),
        (lambda h: h.pop("__metadata__"), "not a model of capax"),
        (lambda h: h["__metadata__"].pop("digest"), "it has no digest"),
        (lambda h: h["__metadata__"].pop("model"), "must have exactly"),
        (lambda h: h["__metadata__"].pop("version"), "'' is not a version"),
    ],
)
def test_changed_tensors(change: Callable[[dict[str, Any]], Any], what: str) -> None:
    """Missing, renamed, of another shape or dtype, outside the file, or too many."""
    assert what in why(with_tensors(change))


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        *((v, "make the model again with this version") for v in ("1", "01")),
        *((v, "update capax, or save the model again with this version") for v in ("3", "99", "9" * 9)),
        *((v, None) for v in ("0", "-1", "2.0", "", "9" * 10, "9" * 5000, "²")),
    ],
)
def test_other_versions_of_the_format_are_refused(version: str, hint: str | None) -> None:
    """An older and a newer file are told from one that has no version."""
    error = assert_read_or_refused(with_tensors(lambda h: h["__metadata__"].update(version=version)))
    assert isinstance(error, CapaxError)
    if hint is None:
        assert error.what == f"file: {version!r:.40} is not a version of the format"
    else:
        assert error.what == f"file: it is written in version {version} of the format; this capax reads 2"
        assert error.hint == hint


def test_infinite_weights_are_refused() -> None:
    """Weights are finite numbers."""
    for odd in (np.inf, -np.inf, np.nan):
        assert "not finite" in why(sealed(whole()[:-8] + struct.pack("<d", odd)))


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_json(depth: int) -> None:
    """In the header, in the description and in the facts."""
    nested = "[" * depth + "]" * depth
    text = f'{{"__metadata__": {nested}}}'.encode()
    assert isinstance(assert_read_or_refused(struct.pack("<Q", len(text)) + text), CapaxError)
    header, description, numbers = opened(whole())
    header["__metadata__"]["model"] = nested
    assert isinstance(assert_read_or_refused(closed(header, None, numbers)), CapaxError)
    description["facts"] = {"x": "HERE"}
    header["__metadata__"]["model"] = json.dumps(description).replace('"HERE"', nested)
    assert isinstance(assert_read_or_refused(closed(header, None, numbers)), CapaxError)


def test_other_json() -> None:
    """Twins, huge numbers and what Python reads beyond JSON."""
    header, description, numbers = opened(whole())
    for old, new, what in [
        ('"scale": 2048.0', '"scale": 1e999', "scale is not a finite number"),
        ('"scale": 2048.0', '"scale": Infinity', "not a JSON number"),
        ('"scale": 2048.0', '"scale": 1, "scale": 2', "a key twice"),
        ('"scale": 2048.0', '"scale": ' + "9" * 100_000, "not JSON"),
        ('"numbers": "float64"', '"numbers": "integer:8,10,8;0:' + "9" * 5000 + '"', "number"),
    ]:
        text = json.dumps(description)
        assert old in text
        header["__metadata__"]["model"] = text.replace(old, new)
        assert what in why(closed(header, None, numbers))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "0 bytes"),
        (b"\x80\x04K\x01.", "5 bytes"),
        (b"not a model, but a text that goes on", "not a safetensors file, or it is cut off"),
        (struct.pack("<Q", 1 << 63) + b"{}", "not a safetensors file, or it is cut off"),
        (struct.pack("<Q", 2) + b"{}", "not a model of capax"),
        (struct.pack("<Q", 2) + b"[]", "not a JSON object"),
        (struct.pack("<Q", 2) + b"\xff\xff", "not JSON"),
        (struct.pack("<Q", 0) + b"  ", "not JSON"),
        (struct.pack("<Q", MOST_HEADER + 1) + b" " * (MOST_HEADER + 1), "at most"),
        (safetensors_save({"weight": np.ones((2, 2))}, {"format": "pt"}), "not a model of capax"),
    ],
)
def test_foreign_files(data: bytes, what: str) -> None:
    """Files of other kinds, and safetensors files of other projects."""
    assert what in why(data)


@given(st.binary(max_size=200))
@example(struct.pack("<Q", 4) + b"null")
def test_random_bytes_are_not_a_model(noise: bytes) -> None:
    """Is no model."""
    assert isinstance(assert_read_or_refused(noise), CapaxError)
    assert isinstance(assert_read_or_refused(struct.pack("<Q", len(noise)) + noise), CapaxError)


def test_files_that_are_none(tmp_path: Path) -> None:
    """Missing files, folders, devices, and files beyond the bound, which are not read."""
    huge = tmp_path / "huge.safetensors"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    for path, code in [
        (tmp_path / "none.safetensors", "file-not-found"),
        (tmp_path, "file-unreadable"),
        (Path("/dev/zero"), "file-unreadable"),
        (huge, "file-unreadable"),
        (Path("nul\0byte"), "file-unreadable"),
    ]:
        with pytest.raises(CapaxError) as caught:
            capax.load_model(path)
        assert caught.value.code == code


def test_a_sparse_file_is_refused_by_its_header(tmp_path: Path) -> None:
    """Before its zeros are read into memory."""
    sparse = tmp_path / "sparse.safetensors"
    with sparse.open("wb") as file:
        file.truncate(MOST_BYTES)
    with pytest.raises(CapaxError, match="not JSON"):
        capax.load_model(sparse)
