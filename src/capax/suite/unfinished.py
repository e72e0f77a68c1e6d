"""A suite that is being made: what is done of it, so that a make that was cut short goes on where it stopped.

The folder has a folder `unfinished` then, with the settings, the programs, and a record of each case that is whole. It
goes when the suite is complete.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capax.errors import CapaxError
from capax.model.io.atomic import unwritable, write_bytes
from capax.suite.files import UNFINISHED, json_bytes
from capax.suite.programs.suite_program import SuiteProgram


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """A case that is whole: its entry in the list, the digests of its files, what it cost, and what it does not have.

    `refused` are levels that were not right enough, `unfit` those that the program cannot have.
    """

    entry: Mapping[str, Any]
    files: Mapping[str, str]
    size: int
    seconds: Mapping[str, float]
    refused: Sequence[str] = ()
    unfit: Sequence[str] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """The record as plain data."""
        return {name: getattr(self, name) for name in ("entry", "files", "size", "seconds", "refused", "unfit")}

    @staticmethod
    def from_json(data: Any) -> "CaseRecord":
        """The record of plain data."""
        return CaseRecord(*(data[name] for name in ("entry", "files", "size", "seconds", "refused", "unfit")))


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The folder of a suite that is not complete, and what is known of it."""

    root: Path

    @property
    def folder(self) -> Path:
        """Where the records are."""
        return self.root / UNFINISHED

    def programs(self) -> list[SuiteProgram] | None:
        """The programs, if they were drawn already."""
        data = _data(self.folder / "programs.json")
        return None if data is None else [SuiteProgram.from_json(entry) for entry in data]

    def put_programs(self, programs: Sequence[SuiteProgram]) -> None:
        """Keeps the programs."""
        write_bytes(self.folder / "programs.json", json_bytes([program.to_json() for program in programs]))

    def record(self, program: str) -> CaseRecord | None:
        """The record of a case, if it is whole."""
        data = _data(self.folder / f"case-{program}.json")
        return None if data is None else CaseRecord.from_json(data)

    def put_record(self, program: str, record: CaseRecord) -> None:
        """Keeps the record of a case."""
        write_bytes(self.folder / f"case-{program}.json", json_bytes(record.to_json()))

    def end(self) -> None:
        """Takes the records away: the suite is complete."""
        shutil.rmtree(self.folder, ignore_errors=True)


def begun(root: Path, settings: Mapping[str, Any]) -> Unfinished:
    """The folder, new or with an unfinished suite of the same settings; anything else in it is left alone."""
    unfinished = Unfinished(root)
    file = unfinished.folder / "settings.json"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if file.is_file() and not (root / "suite.json").exists():
            if _data(file) != settings:
                what = f"the folder {root} has an unfinished suite of other settings"
                raise CapaxError("bad-option", what, hint="give the same options to go on, or a new folder")
            return unfinished
        if any(root.iterdir()):
            raise CapaxError("bad-option", f"the folder {root} is not empty", hint="give a new one")
        unfinished.folder.mkdir()
    except OSError as error:
        raise unwritable(root, error) from None
    write_bytes(file, json_bytes(settings))
    return unfinished


def _data(path: Path) -> Any:
    """The plain data of a file; None where it is not there, or not whole."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
