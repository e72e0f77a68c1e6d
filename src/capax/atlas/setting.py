"""A setting: what kind of transformers a result is about, every assumption a field; and the settings with a name."""

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


FIELDS: Final = {
    name: Field(table["what"], table["values"], table.get("default", ANY))
    for name, table in tomllib.loads(Path(__file__).with_name("setting.toml").read_text("utf-8")).items()
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


MODELS: Final[dict[str, Setting]] = {
    "softmax, O(1) bits, no positions": Setting("softmax", "strict-past", "none", "constant"),
    "softmax, O(1) bits, no positions, end marker": Setting("softmax", "strict-past", "none", "constant", read="end"),
    "leftmost-hard, no positions": Setting("leftmost-hard", "strict-past", "none", "real"),
    "leftmost-hard, no positions, end marker": Setting("leftmost-hard", "strict-past", "none", "real", read="end"),
    "hard, causal, no positions": Setting("unique-hard", "causal", "none", "real"),
    "hard, masked, no positions": Setting("unique-hard", "strict-past", "none", "real"),
    "hard, masked, periodic positions": Setting("unique-hard", "strict-past", "periodic", "real"),
    "hard, masked, finite-image positions": Setting("unique-hard", "strict-past", "finite-image", "real"),
    "hard, any positions": Setting("unique-hard", "mixed", "arbitrary", "real"),
    "softmax, O(1) bits, any positions": Setting("softmax", "mixed", "arbitrary", "constant"),
    "softmax, rounded outside attention": Setting("softmax", "causal", "none", "rounded"),
    "softmax, rounded outside attention, end marker": Setting("softmax", "causal", "none", "rounded", read="end"),
    "softmax, by a margin": Setting("softmax", "mixed", "bounded", "real", acceptance="margin", norm="smoothed"),
    "softmax, O(log n) bits": Setting("softmax", "mixed", "computable", "log"),
    "softmax, real numbers": Setting("softmax", "mixed", "arbitrary", "real"),
    "average-hard, no mask, no positions": Setting("average-hard", "none", "none", "rational"),
    "average-hard": Setting("average-hard", "mixed", "computable", "rational"),
    "average-hard, any positions": Setting("average-hard", "mixed", "arbitrary", "real"),
    "padded": Setting("average-hard", "causal", "none", "log", padding="poly"),
    "depth log n": Setting("average-hard", "causal", "none", "log", depth="log"),
    "padded and looped": Setting("average-hard", "causal", "none", "log", depth="polylog", padding="poly"),
    "O(log n) steps": Setting("average-hard", "causal", "none", "log", steps="log"),
    "O(n) steps": Setting("average-hard", "causal", "none", "log", steps="linear"),
    "polynomially many steps": Setting("average-hard", "causal", "none", "log", steps="poly"),
    "softmax, unboundedly many steps": Setting("softmax", "causal", "relative", "real", steps="unbounded"),
    "unboundedly many steps": Setting("average-hard", "causal", "i,1/i,1/i^2", "rational", steps="unbounded"),
}
