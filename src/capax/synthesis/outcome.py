"""What a search gives: the programs, and what was exhausted."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from capax.model.vocabulary import Token
from capax.rasp.python.program import SOp
from capax.synthesis.check import WordEvidence
from capax.synthesis.grammar import Grammar, SearchLimits

Stop: TypeAlias = Literal["done", "size", "time", "memory"]
"""Why a search ended: the smallest program is known, the size limit was reached, or time or memory ran out."""


@dataclass(frozen=True, slots=True)
class FoundProgram:
    """A program that agrees with the specification, and what it costs."""

    program: SOp
    size: int
    layers: int
    heads: tuple[int, ...]
    order: str
    evidence: WordEvidence

    @property
    def text(self) -> str:
        """The program as RASP text."""
        return self.program.to_text().rstrip()

    def cost(self) -> tuple[int, int, int]:
        """Size, layers and heads in all, by which programs are ranked."""
        return self.size, self.layers, sum(self.heads)

    def to_json(self) -> dict[str, Any]:
        """The program as plain data."""
        return {
            "text": self.text,
            "size": self.size,
            "layers": self.layers,
            "heads": list(self.heads),
            "order": self.order,
            "evidence": self.evidence.to_json(),
        }


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Where a search stands."""

    size: int
    candidates: int
    kept: int
    goals: int
    rounds: int
    best: FoundProgram | None


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The programs of the least size that was found, and the size up to which every program was tried.

    `exhausted` is the largest n such that all programs of at most n nodes of the grammar within the limits were tried,
    up to behaviour, and none fits the sample. `longest` is the length of the longest word of the sample.
    """

    name: str
    programs: tuple[FoundProgram, ...]
    exhausted: int
    candidates: int
    kept: int
    goals: int
    rounds: int
    stop: Stop
    words: int
    longest: int
    examples: bool
    grammar: Grammar
    limits: SearchLimits
    kind: str
    """What the specification was read as: a program, a language, a task, examples and so on."""
    alphabet: tuple[Token, ...]
    constants: tuple[str | int, ...]
    """The strings and integers that programs could name."""

    @property
    def best(self) -> FoundProgram | None:
        """The best program: least size, then layers, then heads."""
        return self.programs[0] if self.programs else None

    @property
    def is_smallest(self) -> bool:
        """Whether no smaller program agrees, within the grammar and the limits."""
        return self.best is not None and self.best.size <= self.exhausted + 1

    def exhaustion(self) -> str:
        """What was exhausted, as a sentence."""
        within = self.limits.text()
        clause = f" with {within}" if within else ""
        last = self.exhausted
        if self.best is not None:
            last = min(last, self.best.size - 1)
        if last < 1:
            return "nothing was exhausted"
        nodes = f"{last} node{'' if last == 1 else 's'}"
        words = f"on all words of up to {self.longest} letters" if not self.examples else "with all examples"
        tried = f"{self.candidates:,} candidates on {self.words} words"
        return f"no program of at most {nodes} over this grammar{clause} agrees {words} ({tried})"

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "alphabet": list(self.alphabet),
            "constants": list(self.constants),
            "programs": [program.to_json() for program in self.programs],
            "smallest": self.is_smallest,
            "exhausted": self.exhausted,
            "exhaustion": self.exhaustion(),
            "candidates": self.candidates,
            "kept": self.kept,
            "goals": self.goals,
            "rounds": self.rounds,
            "stop": self.stop,
            "sample": {"words": self.words, "longest": self.longest},
            "grammar": self.grammar.to_json(),
            "limits": {
                "size": self.limits.size,
                "layers": self.limits.layers,
                "heads": self.limits.heads,
                "order": self.limits.order,
            },
        }
