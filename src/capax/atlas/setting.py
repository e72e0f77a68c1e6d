"""A setting: what kind of transformers a result is about, every assumption a field; and the settings with a name.

The fields with their values, and the named settings, are in `setting.toml`.
"""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from capax.errors import CapaxError, nearest

ANY: Final = "any"
"""In a question: the field is left open."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a setting: what it says, its values with what each means, and what a question assumes."""

    what: str
    values: dict[str, str]
    default: str


_DATA: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FIELDS: Final = {
    name: Field(table["what"], table["values"], table.get("default", ANY)) for name, table in _DATA["fields"].items()
}
"""The fields of a setting, in order."""
UNCLEAR: Final = {"strict": ("mask", "strict-past", "strict-future")}
"""Words that people use for one of two values of a field."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of transformers: a value for each field. A bound holds up to it, a construction from it upwards.

    Where nothing else is said layer norm is allowed: the general reading of a bound, the weak one of a construction.
    """

    attention: str
    mask: str
    positions: str
    precision: str
    steps: str = "none"
    acceptance: str = "exact"
    norm: str = "plain"
    uniformity: str = "one"
    width: str = "constant"
    depth: str = "constant"
    padding: str = "none"
    read: str = "last"

    def to_json(self) -> dict[str, str]:
        """The fields as plain data."""
        return {name: value_of(self, name) for name in FIELDS}

    def __str__(self) -> str:
        return self.described((self.read,))

    def described(self, reads: tuple[str, ...]) -> str:
        """The setting in a line, with the positions at which the answer may be read."""
        parts = [
            self.attention,
            f"mask {self.mask}",
            f"positions {self.positions}",
            f"precision {self.precision}",
        ]
        rest = [name for name in FIELDS if FIELDS[name].default not in (ANY, value_of(self, name))]
        rest += ["norm"] if self.norm != "plain" else []
        return "; ".join([*parts, *(f"{name} {value_of(self, name)}" for name in rest), f"read {' or '.join(reads)}"])


def value_of(setting: Setting, name: str) -> str:
    """The value of a field."""
    value: str = getattr(setting, name)
    return value


def check_value(name: str, value: str) -> str:
    """The value, if a field may have it."""
    field = FIELDS[name]
    if value in field.values or value == ANY:
        return value
    refuse_unclear(value)
    near = nearest(value, list(field.values))
    hint = f"did you mean {near}?" if near else f"values are {', '.join(field.values)}, any"
    raise CapaxError("bad-question", f"the atlas has no {name} {value!r:.60}", hint=hint)


def refuse_unclear(value: str) -> None:
    """Raises an error if a word may mean one of two values."""
    if value in UNCLEAR:
        name, *both = UNCLEAR[value]
        what = f"the {name} {value!r} may be {' or '.join(both)}, and the two differ in power"
        raise CapaxError("bad-question", what, hint=f"write {' or '.join(both)}")


assert tuple(f.name for f in fields(Setting)) == tuple(FIELDS)


MODELS: Final = {name: Setting(**table) for name, table in _DATA["models"].items()}
"""The settings with a name."""
