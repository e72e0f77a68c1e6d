"""A theorem: a statement that joins a task and a class of models, and the code that builds, checks and breaks it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from capax.model.model import Model
from capax.report import Report
from capax.tasks.base.parameter import Parameter, settle

Breaks: TypeAlias = Literal["assumption", "construction"]
"""What `break_it` gives up: an assumption or a size of the statement, or a part of the construction.

The second shows that the part is needed in this model, and says nothing about other models.
"""
BREAKS: Final[dict[Breaks, str]] = {
    "assumption": "an assumption of the statement, or a size",
    "construction": (
        "a part of the construction is changed; no assumption is dropped, so nothing is said about other models"
    ),
}
"""The same in words."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table of sizes: what is counted, what was built, and what the paper's bound says.

    `bound` is empty where the paper says nothing. `note` says what a comparison leaves out.
    """

    what: str
    built: int | float | str
    bound: int | float | str = ""
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The line as plain data."""
        return {"what": self.what, "built": self.built, "bound": self.bound, "note": self.note}


@dataclass(frozen=True, slots=True)
class Theorem:
    """A positive result.

    `statement` has the quantifiers; `assumptions`, `attention` (the kinds of heads) and `precision` say for which
    models. The four functions get every parameter by name:

    - `construct(**parameters)` is the model: weights that the ordinary runtime runs. A map that is an arbitrary
      function is an `OracleMap`, which every report then names.
    - `verify(model, **parameters)` is the evidence that a model, this one or another, does what the statement says.
    - `size(**parameters)` are the sizes beside the bounds of the paper.
    - `break_it(**parameters)` drops an assumption or goes below a size, and is a report that does not hold, with a
      counterexample; its statement says what was dropped. Where it changes a part of the model instead, `breaks` is
      `construction`.

    `limits` says what the code takes on trust and where it stops being right. `small` and `large` are sets of
    parameters, besides the defaults, at which `make test` and `make deep` verify it.
    """

    name: str
    title: str
    statement: str
    assumptions: tuple[str, ...]
    attention: str
    precision: str
    citation: str
    parameters: tuple[Parameter, ...]
    construct: Callable[..., Model]
    verify: Callable[..., Report]
    size: Callable[..., tuple[Row, ...]]
    break_it: Callable[..., Report]
    limits: str
    breaks: Breaks = "assumption"
    task: str | None = None
    small: tuple[Mapping[str, Any], ...] = ()
    large: tuple[Mapping[str, Any], ...] = ()

    def settle(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value, the given one or the default."""
        return settle(self.parameters, given)

    def run(self, **given: Any) -> "Outcome":
        """The model at these parameters, built and checked, with its sizes."""
        settled = self.settle(given)
        model = self.construct(**settled)
        return Outcome(self, settled, model, self.verify(model, **settled), self.size(**settled))

    def broken(self, **given: Any) -> Report:
        """The failure without one of the assumptions."""
        return self.break_it(**self.settle(given))

    def to_json(self) -> dict[str, Any]:
        """The statement as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "statement": self.statement,
            "assumptions": list(self.assumptions),
            "attention": self.attention,
            "precision": self.precision,
            "limits": self.limits,
            "citation": self.citation,
            "task": self.task,
            "parameters": {p.name: {"default": p.default, "what": p.what, "range": p.range} for p in self.parameters},
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """A theorem at given parameters: the model, what the check of it found, and its sizes beside the bounds."""

    theorem: Theorem
    parameters: Mapping[str, Any]
    model: Model
    check: Report
    rows: tuple[Row, ...]

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
            "sizes": [row.to_json() for row in self.rows],
            "model": self.model.size.to_json(),
            "oracles": self.oracles,
        }
