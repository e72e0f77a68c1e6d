"""The records of a source: its statements in order, each with the commands that run it and its kind of evidence."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from capax.display import parts

StatementKind: TypeAlias = Literal[
    "definition", "theorem", "lemma", "claim", "example", "figure", "table", "experiment", "question", "remark"
]
StatementEvidence: TypeAlias = Literal[
    "exact", "exhaustive", "sampled", "measured", "cited", "unconfirmed", "illustration", "partial", "open"
]
MEANINGS: Final[Mapping[StatementEvidence, str]] = {
    "exact": "computed or proved for every input at the sizes of the command",
    "exhaustive": "checked on every input up to a size that the output names",
    "sampled": "checked on random inputs from a seed, mostly beside all short ones",
    "measured": "seen in trained models or in timings: says what was learned, not what is possible",
    "cited": "inferred from published results that are cited, or computed from a formula that is taken on trust",
    "unconfirmed": "measured, not confirmed: what was seen does not show the statement, or speaks against a part of it",
    "illustration": "a picture, a reference or a question that states nothing to check",
    "partial": "a part of it runs; the note says what is missing",
    "open": "nothing runs it; the note says what is missing",
}
"""The kinds of evidence, strongest first, and what each means."""
UNSETTLED: Final[tuple[StatementEvidence, ...]] = ("unconfirmed", "partial", "open")


@dataclass(frozen=True, slots=True)
class SourceStatement:
    """A statement of a source in our words, and what runs it.

    `commands` are run in order in one empty folder, in which `files` (name and text) stand and `needs` (files of the
    project) are found at their paths. Each ends with exit code 0, or, written `! capax ...`, with 1: the answer is no.
    Their output has every text of `expect`. `also` are commands at other sizes, run after them in the same folder, with
    `also_expect`.
    """

    number: str
    says: str
    kind: StatementKind
    evidence: StatementEvidence
    commands: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    also_expect: tuple[str, ...] = ()
    note: str = ""
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    needs: tuple[str, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether it runs whole and is confirmed, or has nothing to run."""
        return self.evidence not in UNSETTLED

    def to_json(self) -> dict[str, Any]:
        """All fields as plain data."""
        return parts(self)


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that capax is held against: its number, title, authors, what kind of text it is, and what it states."""

    id: str
    title: str
    authors: str
    text: str
    about: str
    statements: tuple[SourceStatement, ...]

    def counts(self) -> dict[StatementEvidence, int]:
        """How many statements have each kind of evidence."""
        return {kind: sum(one.evidence == kind for one in self.statements) for kind in MEANINGS}

    def to_json(self) -> dict[str, Any]:
        """The source without its statements, and how many it has of each kind of evidence."""
        evidence = {kind: count for kind, count in self.counts().items() if count}
        told = parts(self, "id", "title", "authors", "text", "about")
        return told | {"statements": len(self.statements), "evidence": evidence}


def unmet(expected: Sequence[str], output: str) -> tuple[str, ...]:
    """The texts that an output lacks.

    Runs of blanks and line ends count as one blank; `...` stands for up to 400 characters.
    """
    plain = " ".join(output.split())
    return tuple(text for text in expected if not re.search(_pattern(text), plain))


def _pattern(text: str) -> str:
    parts = [" ".join(part.split()) for part in text.split("...")]
    return ".{0,400}?".join(re.escape(part) for part in parts)
