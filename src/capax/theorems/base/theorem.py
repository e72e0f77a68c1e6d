"""A theorem: a statement that joins a task and a class of models, and the code that builds, checks and breaks it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from capax.auditor.model_proof import LEAST, ModelProof
from capax.display import parts, plain
from capax.model.model import Model
from capax.report import Report
from capax.tasks.base.docstring import entry_of, paragraphs
from capax.tasks.base.parameter import Parameter, Value, parameters_json, settle

Breaks: TypeAlias = Literal["assumption", "construction"]
"""What `break_it` gives up: an assumption or a size of the statement, or a part of the construction.

The second shows that the part is needed in this model, and implies nothing for other models.
"""
BREAKS: Final[dict[Breaks, str]] = {
    "assumption": "an assumption of the statement, or a size",
    "construction": ("a part of the construction is changed; no assumption is dropped, so other models may still work"),
}
"""The same in words."""


@dataclass(frozen=True, slots=True)
class SizeRow:
    """A line of a table of sizes: what is counted, what was built, and what the paper's bound says.

    `bound` is empty where the paper has none. `note` says what a comparison leaves out.
    """

    what: str
    built: int | float | str
    bound: int | float | str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TheoremText:
    """What the docstring of a theorem's file says.

    Its first line is the title. Then come four paragraphs, `Statement:` (with the quantifiers), `Idea:`, `Cite:` and
    `Scope:` (what the code takes on trust, and where it stops being right).
    """

    title: str
    statement: str
    idea: str
    citation: str
    scope: str


LABELS: Final = ("Statement: ", "Idea: ", "Cite: ", "Scope: ")


@cache
def stated(doc: str | None) -> TheoremText:
    """The statement in a docstring."""
    title, statement, idea, citation, scope = paragraphs(doc, LABELS)
    return TheoremText(title, _sentence(statement), idea, citation.removesuffix("."), _sentence(scope))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def parameter(
    default: Value, what: str, least: float | None = None, most: float | None = None, choices: tuple[Value, ...] = ()
) -> Any:
    """A field of a class of parameters: its default, what it means, and the values it may have."""
    return field(default=default, metadata={"values": (default, what, least, most, choices)})


def like(other: Parameter) -> Any:
    """A field that is a parameter of a task."""
    return parameter(other.default, other.what, other.least, other.most, other.choices)


def parameters_of(parameter_class: type[Any]) -> tuple[Parameter, ...]:
    """The parameters that the fields of a class are."""
    return tuple(Parameter(one.name, *one.metadata["values"]) for one in fields(parameter_class))


@dataclass(frozen=True, slots=True)
class Theorem:
    """A positive result.

    `doc` is the docstring of its file: title, statement, idea, citation and scope, as in `TheoremText`. `assumptions`,
    `attention` (the kinds of heads) and `precision` say for which models it holds. `parameter_class` is a dataclass
    whose fields are made by `parameter` or `like`. The four functions get an instance of it:

    - `construct(at)` is the model: weights that the ordinary runtime runs. A map that is an arbitrary function is an
      `OracleMap`, which every report then names.
    - `verify(model, at)` is the evidence that a model, this one or another, does what the statement says.
    - `size(at)` are the sizes beside the bounds of the paper.
    - `break_it(at)` drops an assumption or goes below a size, and is a report that does not hold, with a
      counterexample; its statement says what was dropped. Where it changes a part of the model instead, `breaks` is
      `construction`.

    A file may define a fifth, `prove(model, at, least)`: a proof for all inputs up to a size, at least so many or all
    that there are; None where these are too many. It takes longer than `verify`, and only commands call it.

    `computes` is what the model computes, as `capax audit --against` takes it, with names of parameters in braces. The
    model says so in its file. It is None where no specification says it.

    `small` and `large` are sets of parameters, besides the defaults, at which `make test` and `make deep` verify it.
    """

    name: str
    doc: str | None
    parameter_class: type[Any]
    assumptions: tuple[str, ...]
    attention: str
    precision: str
    construct: Callable[[Any], Model]
    verify: Callable[[Model, Any], Report]
    size: Callable[[Any], tuple[SizeRow, ...]]
    break_it: Callable[[Any], Report]
    prove: Callable[[Model, Any, int], ModelProof | None] | None = None
    breaks: Breaks = "assumption"
    task: str | None = None
    computes: str | None = None
    small: tuple[Mapping[str, Any], ...] = ()
    large: tuple[Mapping[str, Any], ...] = ()

    @property
    def title(self) -> str:
        """The result in a line."""
        return stated(self.doc).title

    @property
    def statement(self) -> str:
        """The result with its quantifiers."""
        return stated(self.doc).statement

    @property
    def citation(self) -> str:
        """Where the result is from."""
        return stated(self.doc).citation

    @property
    def scope(self) -> str:
        """What the code takes on trust, and where it stops being right."""
        return stated(self.doc).scope

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, with defaults and ranges."""
        return parameters_of(self.parameter_class)

    def settle(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """Every parameter with its value, the given one or the default."""
        return settle(self.parameters, given)

    def at(self, **given: Any) -> Any:
        """The instance of `parameter_class` with these values, checked, and else the defaults."""
        return self.parameter_class(**self.settle(given))

    def build(self, **given: Any) -> Model:
        """The model at these parameters, which says what it computes."""
        model = self.construct(self.at(**given))
        if self.computes is None:
            return model
        computes = self.computes.format_map(self.settle(given))
        return replace(model, provenance=replace(model.provenance, computes=computes))

    def run(self, **given: Any) -> "TheoremRun":
        """The model at these parameters, built and checked, with its sizes."""
        at, model = self.at(**given), self.build(**given)
        return TheoremRun(self, self.settle(given), model, self.verify(model, at), self.size(at))

    def proof(self, model: Model, *, least: int = LEAST, **given: Any) -> ModelProof | None:
        """On which inputs a model is proved right: at least so many, or all of the size that these parameters say."""
        return None if self.prove is None else self.prove(model, self.at(**given), least)

    def broken(self, **given: Any) -> Report:
        """The failure without one of the assumptions."""
        return self.break_it(self.at(**given))

    def to_json(self) -> dict[str, Any]:
        """The statement as plain data."""
        return (
            parts(self, "name", "title", "statement", "assumptions", "attention", "precision")
            | {"limits": self.scope}
            | parts(self, "citation", "task")
            | {"parameters": parameters_json(self.parameters)}
        )


def theorem_in(module: str, parameter_class: type[Any], **facts: Any) -> Theorem:
    """The theorem of a file, by the name of its module: `theorem_in(__name__, ...)` is the last statement of the file.

    Its name is that of the file, `doc` the docstring of the file, and the four functions are those that the file
    defines. `facts` are the other fields of `Theorem`, and a function that the file has from elsewhere.
    """
    file, name = entry_of(module)
    names = ("construct", "verify", "size", "break_it", *(("prove",) if hasattr(file, "prove") else ()))
    functions = {one: getattr(file, one) for one in names if one not in facts}
    return Theorem(name=name, doc=file.__doc__, parameter_class=parameter_class, **functions, **facts)


@dataclass(frozen=True, slots=True)
class TheoremRun:
    """A theorem at given parameters: the model, what the check of it found, and its sizes beside the bounds."""

    theorem: Theorem
    parameters: Mapping[str, Any]
    model: Model
    check: Report
    rows: tuple[SizeRow, ...]

    @property
    def oracles(self) -> int:
        """The number of maps of the model that are arbitrary functions."""
        return self.model.size.oracles

    def to_json(self) -> dict[str, Any]:
        """The outcome as plain data; the model is told by its size."""
        return self.theorem.to_json() | {
            "at": dict(self.parameters),
            "read": self.model.provenance.read,
            "holds": self.check.holds,
            "check": self.check.to_json(),
            "sizes": plain(self.rows),
            "model": self.model.size.to_json(),
            "oracles": self.oracles,
        }
