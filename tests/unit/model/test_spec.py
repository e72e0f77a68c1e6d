"""A model is a value: immutable, printed as its size, compared by content."""

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.model.model import Model
from capax.model.parts import Affine, OracleMap, Origin
from capax.model.vocabulary import Classes, Vocabulary
from examples.previous_token import build
from tests.unit.model.random_models import models


def test_equal_models_are_made_twice() -> None:
    """Equal content, equal models, whatever the objects."""
    assert build() == build()
    assert hash(build()) == hash(build())
    assert len({build(), build()}) == 1
    assert build() != "a model"


@given(models(), st.data())
def test_any_number_counts(model: Model, data: st.DataObject) -> None:
    """A model with one other number is another model."""
    names = [name for name, array in model.arrays() if array.size]
    name = data.draw(st.sampled_from(names))
    other = changed(model, name, data.draw(st.integers(0, 10**6)))
    assert other != model
    assert other.key() != model.key()


def changed(model: Model, name: str, place: int) -> Model:
    """The model with another number in one array."""

    def at(part: Any, path: list[str]) -> Any:
        if not path:
            made = part.copy()
            made.flat[place % made.size] += 1
            return made
        if isinstance(part, tuple):
            number = int(path[0])
            return (*part[:number], at(part[number], path[1:]), *part[number + 1 :])
        return replace(part, **{path[0]: at(getattr(part, path[0]), path[1:])})

    made: Model = at(model, name.split("."))
    return made


@pytest.mark.parametrize(
    "other",
    [
        {"names": tuple("abcdefg")},
        {"facts": {}},
        {"facts": {"program": "x = 1;"}},
        {"min_length": 0},
        {"max_length": 9},
        {"prefix": ("a",)},
        {"norm_place": "after"},
        {"output_weights": "sparsemax"},
        {"decoding": Classes(("a", "b", "c", "_"))},
        {"vocabulary": Vocabulary(("a", "b", "x"))},
        {"embedding": np.eye(3, 7, dtype=np.float32)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_everything_else_counts_too(other: dict[str, Any]) -> None:
    """Names, facts, lengths, meanings, dtypes."""
    assert replace(build(), **other) != build()


def test_parts_count() -> None:
    """Where a head comes from, and whether a token is 1, 1.0 or True."""
    model = build()
    head = replace(model.blocks[0].heads[0], origin=Origin("something else"))
    assert replace(model, blocks=(replace(model.blocks[0], heads=(head,)),)) != model
    kinds = [replace(model, vocabulary=Vocabulary(("a", "b", token))) for token in (1, 1.0, True, "1")]
    assert len(set(kinds)) == 4


def test_oracles_are_told_apart() -> None:
    """Two functions are two models, though files could not say so."""
    one, two = (replace(build(), input_mlp=OracleMap(f, "f")) for f in (np.sin, np.cos))
    assert one != two
    assert one == replace(build(), input_mlp=OracleMap(np.sin, "f"))


def test_models_do_not_change() -> None:
    """Neither fields nor numbers nor facts."""
    model = build()
    with pytest.raises(FrozenInstanceError):
        model.names = ()  # type: ignore[misc]
    for _, array in model.arrays():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(TypeError):
        model.facts["x"] = 1  # type: ignore[index]


@given(models())
def test_arrays_have_their_names(model: Model) -> None:
    """Each array is where its name says, and no name comes twice."""
    found = list(model.arrays())
    assert len({name for name, _ in found}) == len(found)
    for name, array in found:
        part: Any = model
        for step in name.split("."):
            part = part[int(step)] if isinstance(part, tuple) else getattr(part, step)
        assert part is array


def test_wrong_shapes_are_noticed() -> None:
    """When a model is made by hand."""
    with pytest.raises(AssertionError):
        Affine(np.zeros((2, 3)), np.zeros(2))
    with pytest.raises(AssertionError):
        replace(build(), embedding=np.zeros((2, 7)))
    assert len(fields(Model)) == 15


def test_printed() -> None:
    """`print` gives the table of sizes, `repr` a line."""
    model = build()
    assert str(model) == str(model.size)
    assert repr(model) == "<model: 1 attention layers; heads 1; width 7; float64>"
