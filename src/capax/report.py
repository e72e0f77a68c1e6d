"""What a check found, and what kind of evidence that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Evidence: TypeAlias = Literal["exact", "exhaustive", "sampled", "cited"]
"""How a statement is known.

`exact`: it follows from the construction, by an argument that the code carries out. `exhaustive`: every input up to a
size was tried. `sampled`: some inputs were tried; the report has the seed and the count. `cited`: it is taken from
the literature.
"""


@dataclass(frozen=True, slots=True)
class Report:
    """Evidence for a statement, or a counterexample to it.

    >>> report = Report("all words up to length 3", "exhaustive", holds=True, count=39)
    >>> print(report)
    yes (exhaustive, 39 inputs): all words up to length 3
    """

    statement: str
    evidence: Evidence
    holds: bool
    count: int | None = None
    seed: int | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Any = None
    assumptions: tuple[str, ...] = ()
    source: str | None = None
    parts: tuple["Report", ...] = ()

    def __post_init__(self) -> None:
        assert self.evidence != "sampled" or (self.seed is not None and self.count is not None), "a sample has a seed"
        assert self.evidence != "cited" or self.source, "a citation has a source"
        assert self.counterexample is None or not self.holds, "a counterexample refutes"

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _lines(self, indent: str) -> list[str]:
        facts: list[str] = [self.evidence]
        if self.count is not None:
            facts.append(f"{self.count:,} input{'' if self.count == 1 else 's'}")
        if self.seed is not None:
            facts.append(f"seed {self.seed}")
        if self.source:
            facts.append(self.source)
        lines = [f"{indent}{'yes' if self.holds else 'no'} ({', '.join(facts)}): {self.statement}"]
        lines += [f"{indent}  {name}: {value}" for name, value in self.figures.items()]
        if self.counterexample is not None:
            lines.append(f"{indent}  counterexample: {self.counterexample}")
        lines += [f"{indent}  assuming {a}" for a in self.assumptions]
        for part in self.parts:
            lines += part._lines(indent + "  ")
        return lines

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "statement": self.statement,
            "evidence": self.evidence,
            "holds": self.holds,
            "count": self.count,
            "seed": self.seed,
            "figures": dict(self.figures),
            "counterexample": self.counterexample,
            "assumptions": list(self.assumptions),
            "source": self.source,
            "parts": [part.to_json() for part in self.parts],
        }


def joined(statement: str, parts: tuple[Report, ...]) -> Report:
    """One report of several: it holds if all do, and its evidence is the weakest of theirs."""
    assert parts, "nothing was checked"
    weakest = max(parts, key=lambda p: _STRENGTH.index(p.evidence))
    counts = [p.count for p in parts if p.count is not None]
    failed = next((p for p in parts if not p.holds), None)
    return Report(
        statement,
        weakest.evidence,
        holds=failed is None,
        count=sum(counts) if counts else None,
        seed=next((p.seed for p in parts if p.seed is not None), None),
        counterexample=failed.counterexample if failed is not None else None,
        assumptions=tuple(dict.fromkeys(a for p in parts for a in p.assumptions)),
        source=weakest.source,
        parts=parts,
    )


_STRENGTH: tuple[Evidence, ...] = ("exact", "exhaustive", "sampled", "cited")
