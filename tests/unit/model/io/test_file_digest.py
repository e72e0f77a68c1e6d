"""The digest of a model file: every changed byte is noticed, and `unchecked` reads the file all the same."""

import hashlib
import json
import struct
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import capax
from capax.errors import CapaxError
from capax.model.io.container import digest_fault, digest_of
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from examples.previous_token import build
from tests.support.random_models import models

START = b'{"__metadata__":{"digest":"'
CHANGED = "it was changed after it was written"


@lru_cache(maxsize=1)
def whole() -> bytes:
    """The file of the example."""
    return to_bytes(build())


def flipped(data: bytes, place: int, change: int = 1) -> bytes:
    """A file with one byte changed."""
    return data[:place] + bytes([data[place] ^ change]) + data[place + 1 :]


@given(models())
def test_the_digest_is_that_of_the_whole_file(model: Model) -> None:
    """In which the digest's own digits are zeros; it stands at the bytes 35 to 98."""
    data = to_bytes(model)
    assert data[8:35] == START
    zeros = data[:35] + b"0" * 64 + data[99:]
    assert data[35:99].decode() == hashlib.sha256(zeros).hexdigest()


@given(models(), st.data())
def test_changed_numbers_are_refused(model: Model, data: st.DataObject) -> None:
    """A single byte of the tensors that is another."""
    file = to_bytes(model)
    start = 8 + int.from_bytes(file[:8], "little")
    place, change = data.draw(st.integers(start, len(file) - 1)), data.draw(st.integers(1, 255))
    with pytest.raises(CapaxError) as caught:
        from_bytes(flipped(file, place, change), "file")
    assert caught.value.code == "bad-model-file"
    assert "its digest is" in caught.value.what
    assert CHANGED in caught.value.what
    assert caught.value.hint is not None
    assert "--unchecked" in caught.value.hint


def test_every_byte_counts() -> None:
    """Of the length, the header, the digest itself and the numbers."""
    data = whole()
    metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    assert digest_fault(data, metadata) is None
    for place in range(len(data)):
        assert digest_fault(flipped(data, place), metadata) is not None, place
    assert digest_fault(data + b"\0", metadata) is not None
    assert digest_fault(data[:-1], metadata) is not None


@pytest.mark.parametrize("change", [1, 2, 4])
def test_a_digest_under_another_name(change: int) -> None:
    """It may be that of the bytes: if the header begins otherwise in any byte, it is not the file's digest."""
    for place in range(8, 35):
        data = flipped(whole(), place, change)
        data = data[:35] + digest_of(data).encode() + data[99:]
        assert digest_fault(data, {"digest": "0"}) == "its digest does not stand at the start of its header"


def rewritten(*, first: bool, digest: str | None) -> bytes:
    """The example with another digest, at the start of its header or elsewhere."""
    data = whole()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header["__metadata__"]
    kept = metadata.pop("digest")
    value = kept if digest is None else digest
    header["__metadata__"] = {"digest": value, **metadata} if first else {**metadata, "digest": value}
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (rewritten(first=False, digest=None), "file: its digest does not stand at the start of its header"),
        (rewritten(first=True, digest="0" * 64), "file: its digest is '0000000000000000' and that of its bytes"),
        (rewritten(first=True, digest=""), "file: its digest is '' and that of its bytes"),
        (rewritten(first=True, digest="é" * 80), "file: its digest is 'éééééééééééééééé' and that of its bytes"),
    ],
)
def test_digests_that_are_none(data: bytes, what: str) -> None:
    """At another position, or something else: refused, and read when that is asked for."""
    with pytest.raises(CapaxError) as caught:
        from_bytes(data, "file")
    assert caught.value.what.startswith(what)
    told: list[str] = []
    assert from_bytes(data, "file", warn=told.append) == build()
    assert len(told) == 1
    assert told[0].startswith(what)


def test_a_right_digest_is_no_warning() -> None:
    """Also where a wrong one would be read."""
    told: list[str] = []
    assert from_bytes(whole(), "file", warn=told.append) == build()
    assert told == []


def changed_file(tmp_path: Path) -> str:
    """A file whose last number was changed."""
    path = tmp_path / "changed.safetensors"
    path.write_bytes(whole()[:-8] + struct.pack("<d", 0.75))
    return str(path)


def test_unchecked_reads_a_changed_file_with_a_warning(tmp_path: Path) -> None:
    """`unchecked=True` gives the model as it is in the file, with a warning that points at the caller."""
    path = changed_file(tmp_path)
    with pytest.raises(CapaxError, match=CHANGED):
        capax.load_model(path)
    with pytest.warns(UserWarning, match=CHANGED) as caught:
        model = capax.load_model(path, unchecked=True)
    assert caught[0].filename == __file__
    before, after = (list(m.arrays())[-1][1] for m in (build(), model))
    assert np.count_nonzero(before != after) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build().save(path)
        assert capax.load_model(path, unchecked=True) == build()


@given(st.binary(max_size=120))
@example(b"")
@example(START)
def test_a_digest_of_noise(data: bytes) -> None:
    """Is none, and reading it ends."""
    assert digest_fault(data, {}) == "it has no digest, so a changed byte could not be noticed"
    assert digest_fault(data, {"digest": "0"}) is not None
