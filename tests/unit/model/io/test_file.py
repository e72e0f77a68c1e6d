"""Models as files: what is read is what was written, and other programs can read it too."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
from hypothesis import given
from safetensors.numpy import load as safetensors_load

import capax
from capax.errors import CapaxError
from capax.model.io.atomic import write_bytes
from capax.model.io.container import MOST_HEADER
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from capax.model.parts import OracleMap
from capax.model.provenance import Provenance
from examples.previous_token import build
from tests.unit.model.random_models import SYSTEMS, models

FLOATS = tuple(s for s in SYSTEMS if s.startswith("float"))


def header_of(data: bytes) -> dict[str, Any]:
    """The header of a file."""
    found: dict[str, Any] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return found


@given(models())
def test_round_trip(model: Model) -> None:
    """A model comes back equal, down to the dtypes of its arrays, and gives the same bytes again."""
    data = to_bytes(model)
    again = from_bytes(data, "file")
    assert again == model
    assert again is not model
    for (name, one), (other, two) in zip(model.arrays(), again.arrays(), strict=True):
        assert (name, one.dtype, one.shape) == (other, two.dtype, two.shape)
        assert not two.flags.writeable
    assert to_bytes(again) == data


@given(models())
def test_the_package_accepts_our_files(model: Model) -> None:
    """In every number system."""
    found = dict(safetensors.deserialize(to_bytes(model)))
    assert {n: tuple(t["shape"]) for n, t in found.items()} == {n: a.shape for n, a in model.arrays()}


@given(models(FLOATS))
def test_the_package_reads_our_files(model: Model) -> None:
    """The safetensors package finds the same numbers under the same names."""
    found = safetensors_load(to_bytes(model))
    ours = dict(model.arrays())
    assert set(found) == set(ours)
    for name, array in ours.items():
        np.testing.assert_array_equal(found[name].astype(array.dtype), array)


DTYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "fixed:16.8": "I64"}


@pytest.mark.parametrize(("numbers", "dtype"), DTYPES.items())
def test_each_system_has_its_dtype(numbers: str, dtype: str) -> None:
    """Small floats take two bytes a number in files, though numpy holds them in four."""
    model = in_system(build(), numbers)
    header = header_of(to_bytes(model))
    assert header["__metadata__"].keys() == {"digest", "format", "version", "model"}
    assert {entry["dtype"] for name, entry in header.items() if name != "__metadata__"} == {dtype}
    assert from_bytes(to_bytes(model), "file") == model


def in_system(model: Model, numbers: str) -> Model:
    """The example in another number system: its weights are whole numbers but for one half."""
    from capax.model.io.storage import storage_of

    def cast(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            return part.astype(storage_of(numbers).array)
        if isinstance(part, tuple):
            return tuple(map(cast, part))
        if hasattr(part, "__dataclass_fields__"):
            names = [n for n, f in part.__dataclass_fields__.items() if f.init]
            return replace(part, **{n: cast(getattr(part, n)) for n in names})
        return part

    made: Model = cast(replace(model, numbers=numbers))
    return made


def test_numbers_start_at_a_multiple_of_eight() -> None:
    """So that readers need not copy them."""
    data = to_bytes(build())
    assert int.from_bytes(data[:8], "little") % 8 == 0


def refused(model: Model) -> str:
    """Why a model cannot be kept."""
    with pytest.raises(CapaxError) as caught:
        to_bytes(model)
    assert caught.value.code in ("bad-model", "number-system")
    return caught.value.what


def test_what_cannot_be_kept() -> None:
    """Functions, wrong dtypes, numbers that would be rounded, infinities, facts that are not plain data."""
    model = build()
    oracle = OracleMap(np.zeros_like, "guess")
    assert "`guess` before the first layer is an arbitrary function" in refused(replace(model, input_mlp=oracle))
    in_block = replace(model.blocks[0], mlp=oracle)
    assert "`guess` in block 0" in refused(replace(model, blocks=(in_block,)))
    assert "is of float64; a model of float32 has float32" in refused(replace(model, numbers="float32"))
    for numbers in ("bfloat16", "float16"):
        small = in_system(model, numbers)
        assert f"not of {numbers}" in refused(replace(small, embedding=small.embedding + np.float32(0.0001)))
        assert f"not of {numbers}" in refused(replace(small, embedding=small.embedding + np.float32(3e38)))
    assert "not finite" in refused(replace(model, embedding=model.embedding + np.inf))
    assert "not finite" in refused(replace(model, embedding=model.embedding * np.nan))
    small = in_system(model, "fixed:8.2")
    assert "not of fixed:8.2" in refused(replace(small, embedding=small.embedding + 128))
    assert "a set, which is not plain data" in refused(replace(model, provenance=Provenance(extra={"x": {1, 2}})))
    assert "not a string" in refused(replace(model, provenance=Provenance(extra={"x": {1: 2}})))
    assert "bits" in refused(replace(model, provenance=Provenance(extra={"x": 10**5000})))
    assert "description takes more than" in refused(
        replace(model, provenance=Provenance(extra={"x": "y" * MOST_HEADER}))
    )
    with_table = replace(model, positions=replace_table(model))
    assert from_bytes(to_bytes(with_table), "file") == with_table
    assert "a list of strings" in refused(replace(model, names=("\ud800", *model.names[1:])))
    assert "a character" in refused(replace(model, provenance=Provenance(extra={"x": "\udc00"})))
    assert "a character" in refused(replace(model, provenance=Provenance(extra={"x": {"\udc00": 1}})))


def replace_table(model: Model) -> Any:
    """The positions of a model with a table of three rows."""
    return replace(model.positions, table=np.zeros((3, model.width)))


def test_nested_facts() -> None:
    """Up to a depth that any reader can follow."""
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    model = replace(build(), provenance=Provenance(extra={"deep": deep}))
    assert from_bytes(to_bytes(model), "file") == model
    for _ in range(50):
        deep = [deep]
    assert "deep" in refused(replace(build(), provenance=Provenance(extra={"deep": deep})))


def test_numpy_scalars_count_as_numbers() -> None:
    """In scales and facts."""
    model = build()
    head = replace(model.blocks[0].heads[0], scale=np.float64(2048.0))
    other = replace(
        model,
        blocks=(replace(model.blocks[0], heads=(head,)),),
        provenance=Provenance(extra={"n": np.int64(3), "x": np.float32(0.5)}),
    )
    assert from_bytes(to_bytes(other), "file") == other


def test_save_and_load(tmp_path: Path) -> None:
    """By the names that users know; a link stays a link, and an old file keeps its mode."""
    path = tmp_path / "model.safetensors"
    build().save(path)
    path.chmod(0o600)
    link = tmp_path / "link.safetensors"
    link.symlink_to(path)
    capax.load_model(link).save(str(link))
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert capax.load_model(path) == build()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.safetensors", "model.safetensors"]


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails leaves the old file as it was, and nothing beside it."""
    path = tmp_path / "model.safetensors"
    build().save(path)
    before = path.read_bytes()

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CapaxError, match="No space left"):
        write_bytes(path, b"other")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["no/such/folder/m.safetensors", "nul\0byte.safetensors"])
def test_unwritable_places(tmp_path: Path, name: str) -> None:
    """Are told."""
    with pytest.raises(CapaxError, match="cannot write"):
        build().save(str(tmp_path / name))
