"""Values as plain data."""

import json
from dataclasses import dataclass
from typing import Any

from capax.display import parts, plain


@dataclass(frozen=True, slots=True)
class _Point:
    x: int
    y: tuple[int, ...]

    @property
    def total(self) -> int:
        return self.x + sum(self.y)


@dataclass(frozen=True, slots=True)
class _Named:
    name: str

    def to_json(self) -> dict[str, Any]:
        return {"called": self.name}


def test_a_dataclass_is_its_fields_in_their_order() -> None:
    """Tuples inside become lists, which is what JSON reads back."""
    data = plain(_Point(1, (2, 3)))
    assert list(data.items()) == [("x", 1), ("y", [2, 3])]
    assert json.loads(json.dumps(data)) == data


def test_a_value_with_its_own_form_keeps_it() -> None:
    """Wherever it stands: alone, in a list, in a dictionary."""
    one = _Named("a")
    assert plain([one, {"k": (one,)}, None, "text"]) == [{"called": "a"}, {"k": [{"called": "a"}]}, None, "text"]


def test_parts_are_taken_by_name_in_the_order_asked() -> None:
    """Properties too."""
    assert list(parts(_Point(1, (2,)), "total", "x").items()) == [("total", 3), ("x", 1)]
