"""Classes by their circuits: the fields agree with the inclusions, filters choose, mistakes in records are named."""

from itertools import product
from pathlib import Path

import pytest

from capax.atlas.circuit_classes import SHAPE, circuit_classes, field_values, shape_value
from capax.atlas.dataset import ATLAS, BadRecord, load_atlas
from capax.atlas.inference.closure import above
from capax.atlas.records import CircuitShape, LanguageClass
from capax.errors import CapaxError
from tests.unit.atlas.test_dataset import with_records

CLASS = """
[[classes]]
id = "QC0"
what = "a class of its own"
closed = true
nonuniform = true
circuits = { depth = "constant", size = "poly", fan_in = "unbounded", gates = ["AND", "OR"], uniformity = "none" }
"""
# What a field allows at least: two gates of fan-in two in log depth are one of unbounded fan-in, not the other way.
WEAKER = {
    "uniformity": {"DLOGTIME": {"FO", "L", "P", "none"}, "FO": {"P", "none"}, "L": {"P", "none"}, "P": {"none"}},
}


def at_most(one: CircuitShape, two: CircuitShape) -> bool:
    """Whether circuits of one shape are among those of another by their fields alone."""
    ordered = all(
        field_values(name).index(getattr(one, name)) <= field_values(name).index(getattr(two, name))
        for name in ("depth", "fan_in")
    )
    uniform = one.uniformity == two.uniformity or two.uniformity in WEAKER["uniformity"].get(one.uniformity, set())
    return ordered and uniform and set(one.gates) <= set(two.gates)


def shapes() -> list[tuple[LanguageClass, CircuitShape]]:
    """The classes that circuits define."""
    return [(one, one.circuits) for one in ATLAS.classes if one.circuits is not None]


def test_smaller_shapes_are_smaller_classes() -> None:
    """Where every field of one class is at most that of another, the records have the inclusion."""
    pairs = [(a, b) for (a, one), (b, two) in product(shapes(), repeat=2) if a is not b and at_most(one, two)]
    assert len(pairs) >= 20
    missing = [(a.id, b.id) for a, b in pairs if b.id not in above(ATLAS, a.id)]
    assert missing == []


def test_every_field_has_values_and_a_meaning() -> None:
    """Each record's value is one of the field's, and each value but those of size tells classes apart."""
    for _, shape in shapes():
        for name in SHAPE:
            assert set(shape_value(shape, name)) <= set(field_values(name))
    assert {name for name in SHAPE if len(field_values(name)) > 1} == set(SHAPE) - {"size"}


@pytest.mark.parametrize(
    ("filters", "classes"),
    [
        (["depth=constant", "gates!=MAJORITY", "uniformity=none"], ["AC0", "ACC0"]),
        (["fan-in=two", "uniformity!=none"], ["u-NC1", "P"]),
        (["fan_in=two", "uniformity!=none"], ["u-NC1", "P"]),
        (["gates=mod", "depth=log"], []),
    ],
)
def test_filters_choose(filters: list[str], classes: list[str]) -> None:
    """Each filter must hold, or must not."""
    assert [one.id for one in circuit_classes(ATLAS, filters)] == classes


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("depht=log", "depth="),
        ("depth", "did you mean"),
        ("depth=deep", "constant, log"),
        ("foo=1", "fan-in, gates"),
        ("fan_on=two", "fan-in="),
        ("", "FIELD"),
    ],
)
def test_a_filter_that_says_nothing_is_refused(text: str, hint: str) -> None:
    """With what it may be."""
    with pytest.raises(CapaxError) as error:
        circuit_classes(ATLAS, [text])
    assert error.value.code == "bad-question"
    assert hint in str(error.value.hint)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('uniformity = "none"', 'uniformity = "L"', "it is non-uniform, and its circuits have the uniformity L"),
        ("nonuniform = true", "nonuniform = false", "it is uniform, and its circuits have the uniformity none"),
        ('["AND", "OR"]', '["AND", "AND"]', "its gates are AND, AND"),
        ('"AND", "OR"', '"AND", "XOR"', "circuits: gates is 'XOR', not one of AND, OR"),
        ('depth = "constant"', 'depth = "3"', "circuits: depth is '3', not one of constant"),
        ('size = "poly", ', "", "circuits: the field size is missing"),
    ],
)
def test_a_mistake_in_a_record_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    """The record and what is wrong with its circuits."""
    assert load_atlas(with_records(tmp_path / "right", CLASS)).classes[-1].circuits is not None
    with pytest.raises(BadRecord) as error:
        load_atlas(with_records(tmp_path / "wrong", CLASS.replace(old, new)))
    assert message in str(error.value)


def test_a_non_uniform_class_has_circuits(tmp_path: Path) -> None:
    """A class that only circuits define says which."""
    text = "\n".join(line for line in CLASS.splitlines() if not line.startswith("circuits"))
    with pytest.raises(BadRecord) as error:
        load_atlas(with_records(tmp_path, text))
    assert "circuits are missing" in str(error.value)
