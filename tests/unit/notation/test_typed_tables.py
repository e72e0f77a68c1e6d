"""Records from TOML tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from capax.notation.typed_tables import BadRecord, read_tables, record


@dataclass(frozen=True)
class Part:
    """A part of a thing."""

    name: str


@dataclass(frozen=True)
class Thing:
    """A record with a field of every type."""

    name: str
    cls: Literal["small", "large"]
    parts: tuple[Part, ...] = ()
    pair: tuple[str, str] = ("", "")
    notes: Mapping[str, str] = field(default_factory=dict)
    anything: Any = None
    true: bool = False
    whole: Part | None = None


def test_a_table_becomes_a_record() -> None:
    """Lists become tuples, tables become records, and `class` stands for `cls`."""
    table = {"name": "x", "class": "small", "parts": [{"name": "y"}], "pair": ["a", "b"], "notes": {"k": "v"}}
    assert record(Thing, table, "file") == Thing("x", "small", (Part("y"),), ("a", "b"), {"k": "v"})
    assert record(Thing, {"name": "x", "class": "large", "anything": 3, "true": True}, "file").anything == 3
    assert record(Thing, {"name": "x", "class": "large", "whole": {"name": "z"}}, "file").whole == Part("z")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, "file: name is 3, not a string"),
        ({"class": "huge"}, "file: class is 'huge', not one of small, large"),
        ({"parts": [{}]}, "file: parts: the field name is missing"),
        ({"parts": [3]}, "file: parts: expected a table, not 3"),
        ({"pair": ["a"]}, "file: pair is ['a'], not a list of 2"),
        ({"notes": ["a"]}, "file: notes is ['a'], not a table"),
        ({"notes": {"k": 1}}, "file: notes.k is 1, not a string"),
        ({"true": "yes"}, "file: true is 'yes', not true or false"),
        ({"colour": "red"}, "file: the field colour is unknown; known are name, class"),
    ],
)
def test_a_mistake_is_named(change: dict[str, Any], message: str) -> None:
    """With the place and what is wrong."""
    with pytest.raises(BadRecord) as info:
        record(Thing, {"name": "x", "class": "small"} | change, "file")
    assert str(info.value).startswith(message)


def test_a_file_that_is_not_toml(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("a = [")
    with pytest.raises(BadRecord, match=r"x\.toml is not TOML"):
        read_tables(tmp_path / "x.toml")
