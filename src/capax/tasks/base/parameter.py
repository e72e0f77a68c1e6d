"""The parameters of tasks and theorems: names with defaults and ranges."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from capax.display import parts
from capax.errors import CapaxError, nearest

Value: TypeAlias = int | float | str | bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name, its default (whose type is the parameter's), what it means, and the values it may have.

    One that was added `later`, when there were stored runs, is no part of a run's settings at its default.
    """

    name: str
    default: Value
    what: str
    least: float | None = None
    most: float | None = None
    choices: tuple[Value, ...] = ()
    later: bool = False

    def read(self, text: str) -> Value:
        """The value that a text stands for."""
        try:
            match self.default:
                case bool():
                    return self.check({"yes": True, "true": True, "no": False, "false": False}[text.lower()])
                case int():
                    return self.check(int(text))
                case float():
                    return self.check(float(text))
                case _:
                    return self.check(text)
        except (ValueError, KeyError):
            raise self._refused(text) from None

    def check(self, value: Any) -> Value:
        """The value itself; one of another type or outside the range is refused."""
        if isinstance(self.default, float) and type(value) is int:
            value = float(value)
        right = type(value) is type(self.default) and (not self.choices or value in self.choices)
        if right and isinstance(value, (int, float)):
            right = (self.least is None or value >= self.least) and (self.most is None or value <= self.most)
        if not right:
            raise self._refused(value)
        assert isinstance(value, (int, float, str))
        return value

    @property
    def range(self) -> str:
        """The values it may have, in words."""
        if self.choices:
            return " | ".join(map(str, self.choices))
        kind = {bool: "yes or no", int: "a whole number", float: "a number", str: "a text"}[type(self.default)]
        match self.least, self.most:
            case None, None:
                return kind
            case least, None:
                return f"{kind} from {least:g}"
            case None, most:
                return f"{kind} to {most:,g}"
            case least, most:
                return f"{kind} from {least:g} to {most:,.15g}"

    def _refused(self, value: Any) -> CapaxError:
        return CapaxError(
            "bad-option", f"the parameter {self.name} cannot be {value!r:.60}", hint=f"{self.what}: {self.range}"
        )


def parameters_json(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """Parameters as plain data, by name."""
    return {one.name: parts(one, "default", "what", "range") for one in parameters}


def settle(parameters: tuple[Parameter, ...], values: Mapping[str, Any]) -> dict[str, Value]:
    """Every parameter with its value: the given one, checked, or the default. Texts are read as its type."""
    known = {p.name: p for p in parameters}
    for name in values:
        if name not in known:
            near = nearest(name, list(known))
            hint = f"did you mean {near}?" if near else f"the parameters are {', '.join(known) or 'none'}"
            raise CapaxError(
                "bad-option", f"there is no parameter {name!r:.60}", hint=hint, parameter=name, parameters=list(known)
            )
    settled: dict[str, Value] = {}
    for name, parameter in known.items():
        value = values.get(name, parameter.default)
        settled[name] = parameter.read(value) if isinstance(value, str) else parameter.check(value)
    return settled
