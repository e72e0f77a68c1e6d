"""A limit: a lower bound about transformers, evaluated at given sizes, where it may be vacuous."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from capax.display import parts
from capax.limits.base.large_numbers import exact, is_short, log2, shown
from capax.tasks.base.docstring import entry_of, paragraphs
from capax.tasks.base.parameter import Parameter, Value, parameters_json, settle

if TYPE_CHECKING:
    from capax.model.model import Model


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points (x, y); an axis that is logarithmic has the logarithms to base 10 of its values."""

    name: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over an axis. From `binds_from` on the bound is not vacuous, for the given sizes; `binds` is the label.

    `here` is the x that was asked for. `notes` stand below the picture.
    """

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    log_x: bool = True
    log_y: bool = False
    binds_from: float | None = None
    binds: str = "the bound is not vacuous"
    here: float | None = None
    notes: tuple[str, ...] = ()


def spread(low: float, high: float, count: int = 120) -> list[float]:
    """`count` numbers from one to another, evenly."""
    assert count > 1
    return [low + (high - low) * k / (count - 1) for k in range(count)]


Source: TypeAlias = Literal["given", "stated", "derived", "cited", "measured", "unproved"]
"""Where a number comes from: stated (compared with the statement as published or reproduced), derived (worked out in
the file), cited (a constant from a paper, not checked here), measured (on a model), unproved (a sketch)."""

Kind: TypeAlias = Literal["impossible", "exact", "up-to-a-constant", "measured", "no-statement"]
NO_STATEMENT = "no statement at this size"
NONE = "-"
"""What stands where a number would, if there is none."""
Form: TypeAlias = Literal["integer", "digits", "number", "text", "log2", "none"]
"""How a value is written in JSON.

`integer`: a whole number up to 2^53, exactly. `digits`: a longer one, as a text of all its decimal digits. `number`: a
float. `text`: words. `log2`: no value, as the number is known by its logarithm, or has too many digits to write down.
`none`: neither value nor logarithm, as there is no such number, which the note explains.
"""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A line of a calculator: a name, a value, its unit, where it comes from, and a remark.

    A number that is known by its logarithm to base 2 alone has no `value`; a whole number beyond 2^53 has both. Both
    are None where there is no such number, which `note` then explains.
    """

    name: str
    value: int | float | str | None
    unit: str = ""
    source: Source = "derived"
    note: str = ""
    log2: float | None = None

    @property
    def text(self) -> str:
        """The value as people read it."""
        match self.value:
            case None:
                return NONE if self.log2 is None else _power(self.log2)
            case int():
                return shown(self.value)
            case float():
                return f"{self.value:,.0f}" if 1e4 <= abs(self.value) < 1e15 else f"{self.value:,.4g}"
            case _:
                return self.value

    @property
    def measure(self) -> str:
        """The value with its unit, which stands beside values alone."""
        return self.text if self.text == NONE else f"{self.text} {self.unit}".rstrip()

    @property
    def form(self) -> Form:
        """How the value is written in JSON."""
        match self.value:
            case None:
                return "none" if self.log2 is None else "log2"
            case int():
                return "integer" if abs(self.value) <= 2**53 else "digits" if is_short(self.value) else "log2"
            case float():
                return "number"
            case _:
                return "text"

    def to_json(self) -> dict[str, Any]:
        """The line as plain data."""
        value = None if self.form == "log2" else str(self.value) if self.form == "digits" else self.value
        return {"name": self.name, "value": value} | parts(self, "form", "log2", "unit", "source", "note")


def _power(log: float) -> str:
    """The number of a logarithm to base 2, as people read it."""
    return f"2^{log:.0f}" if log.is_integer() else f"about 2^{log:.1f}".removesuffix(".0")


def quantity(
    name: str,
    value: int | float | str | Decimal | None,
    unit: str = "",
    source: Source = "derived",
    note: str = "",
) -> Quantity:
    """A line for a number of any size; one beyond 2^53 has its logarithm too, or that alone if it is rounded."""
    match value:
        case int() if abs(value) > 2**53:
            assert value > 0
            return Quantity(name, value, unit, source, note, float(log2(value)))
        case Decimal() if abs(value) > Decimal(2) ** 53:
            assert value > 0
            return Quantity(name, None, unit, source, note, float(log2(value)))
        case Decimal():
            return Quantity(name, float(value), unit, source, note)
        case float() if not math.isfinite(value):
            return Quantity(name, None, unit, source, note)
    return Quantity(name, value, unit, source, note)


@dataclass(frozen=True, slots=True)
class BoundVerdict:
    """What a limit proves at given sizes.

    `no-statement`: it is vacuous there, which never means that something is possible.
    """

    kind: Kind
    text: str


def no_statement(why: str) -> BoundVerdict:
    """The verdict where a bound is vacuous, with the reason."""
    return BoundVerdict("no-statement", f"{NO_STATEMENT}: {why}")


Finding: TypeAlias = tuple[tuple[Quantity, ...], BoundVerdict]


@dataclass(frozen=True, slots=True)
class Limit:
    """A negative result.

    `statement` has the quantifiers and `assumptions` say for which models. `unchecked` says what of it is cited and not
    checked here. `escapes` says what it does not forbid. `compute(**parameters)` is the calculator; a limit that
    `measures` also gets `model`, which may be None. `chart(**parameters)` is a picture of it, or None. `task` and
    `theorems` name the task and the positive results beside it. `small` are further parameters that tests compute.
    """

    name: str
    title: str
    statement: str
    assumptions: tuple[str, ...]
    citation: str
    unchecked: str
    escapes: str
    parameters: tuple[Parameter, ...]
    compute: Callable[..., Finding]
    chart: Callable[..., Chart | None] | None = None
    measures: bool = False
    task: str | None = None
    theorems: tuple[str, ...] = ()
    small: tuple[Mapping[str, Any], ...] = ()

    def settle(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """Every parameter with its value, the given one or the default."""
        return settle(self.parameters, given)

    def run(self, model: "Model | None" = None, **given: Any) -> "LimitResult":
        """The limit at these parameters, or of a model."""
        settled = self.settle(given)
        assert model is None or self.measures, "a limit of sizes alone"
        rows, verdict = self.compute(model=model, **settled) if self.measures else self.compute(**settled)
        return LimitResult(self, settled, rows, verdict)

    def picture(self, model: "Model | None" = None, **given: Any) -> Chart | None:
        """The chart at these parameters, if there is one."""
        if self.chart is None:
            return None
        settled = self.settle(given)
        return self.chart(model=model, **settled) if self.measures else self.chart(**settled)

    def to_json(self) -> dict[str, Any]:
        """The statement as plain data."""
        return (
            parts(self, "name", "title", "statement", "assumptions", "citation", "unchecked")
            | parts(self, "escapes", "measures", "task", "theorems")
            | {"parameters": parameters_json(self.parameters)}
        )


LABELS: Final = ("Statement: ", "Idea: ", "Cite: ", "Unchecked: ", "Escapes: ", "Scope: ")
"""The paragraphs of the docstring of a limit's file, after its title. `Scope` says more of what the code covers."""


def limit_in(module: str, parameters: tuple[Parameter, ...], **facts: Any) -> Limit:
    """The limit of a file, by the name of its module: `limit_in(__name__, ...)` is the last statement of the file.

    Its name is that of the file, its texts are in the docstring, `compute` and `chart` are the file's functions of
    these names. `facts` are the other fields of `Limit`.
    """
    file, name = entry_of(module)
    title, statement, _, citation, unchecked, escapes, _ = paragraphs(file.__doc__, LABELS)
    return Limit(
        name=name,
        title=title,
        statement=statement,
        citation=citation.removesuffix("."),
        unchecked=unchecked,
        escapes=escapes,
        parameters=parameters,
        compute=file.compute,
        chart=getattr(file, "chart", None),
        **facts,
    )


@dataclass(frozen=True, slots=True)
class LimitResult:
    """A limit at given sizes: its quantities and its verdict."""

    limit: Limit
    inputs: Mapping[str, Any]
    quantities: tuple[Quantity, ...]
    verdict: BoundVerdict

    @property
    def vacuous(self) -> bool:
        """Whether the limit proves nothing at these sizes."""
        return self.verdict.kind == "no-statement"

    @property
    def at(self) -> dict[str, str]:
        """The parameters as people read them."""
        return {k: shown(v) if type(v) is int else str(v) for k, v in self.inputs.items()}

    def __getitem__(self, name: str) -> Quantity:
        return next(row for row in self.quantities if row.name == name)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data; whole numbers beyond 2^53 are texts that stand for them exactly."""
        large = {k: exact(v) for k, v in self.inputs.items() if type(v) is int and abs(v) > 2**53}
        return (
            self.limit.to_json()
            | {"at": {**self.inputs, **large}}
            | parts(self, "quantities", "verdict")
            | {"vacuous": self.vacuous}
            | {"cited_quantities": [row.name for row in self.quantities if row.source == "cited"]}
        )
