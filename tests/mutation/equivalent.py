"""Mutants that change nothing, each with the reason: the entries of equivalent.toml."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.forks import source_of
from tests.mutation.mutants import on_lines

FILE = Path(__file__).parent / "equivalent.toml"
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A mutant by its module, function and changed line, and why no test can tell it from the original."""

    module: str
    function: str
    line: str
    becomes: str
    reason: str

    @property
    def key(self) -> Key:
        """The key of the mutant."""
        return self.module, self.function, self.line, self.becomes

    def __str__(self) -> str:
        return f"{self.module} in {self.function or 'the module'}\n    - {self.line}\n    + {self.becomes}"


def read_equivalents(file: Path = FILE) -> dict[Key, Equivalent]:
    """The entries of the file, by the keys of their mutants."""
    found = [Equivalent(**entry) for entry in tomllib.loads(file.read_text())["equivalent"]]
    assert all(len(e.reason.split()) >= 5 for e in found), "an equivalent mutant wants a reason in words"
    assert len({e.key for e in found}) == len(found), "an equivalent mutant is listed twice"
    return {e.key: e for e in found}


def stale(entries: Iterable[Equivalent], package: Path | None = None) -> list[Equivalent]:
    """The entries that are no mutant of today's sources."""
    found = []
    for entry in sorted(entries, key=lambda e: e.module):
        path = package / entry.module if package else source_of(entry.module)
        source = path.read_text() if path.exists() else ""
        if all(m.key != entry.key for m in on_lines(entry.module, source, entry.line)):
            found.append(entry)
    return found
