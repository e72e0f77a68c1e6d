"""Making a suite: programs, their models on every level, the truth of each, and the files."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from capax.errors import CapaxError
from capax.lab.engines.job import Done, Job, serial
from capax.model.io.atomic import unwritable, write_bytes
from capax.suite.case_files import case_files, has_level, inputs_for, level_outcome
from capax.suite.files import FORMAT, LICENCE, digest, json_bytes, no_clock
from capax.suite.levels.level_model import LEVELS, UnfitLevelError
from capax.suite.programs.random_programs import random_programs
from capax.suite.programs.suite_program import LENGTH, SuiteProgram, compiled_case, written_programs
from capax.suite.unfinished import CaseRecord, Unfinished, begun

SHARES: Final = (0.2, 0.3)
"""The shares of programs of the library and of families; the others are random."""
ENGINES: Final = ("serial", "pool")
Say = Callable[[str], None]
Clock = Callable[[], float]


@dataclass(slots=True)
class Made:
    """What was made: the suite, how long each level took, which models were refused and why, and what has no model."""

    folder: Path
    cases: int = 0
    models: int = 0
    size: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    """Models that were not right enough."""
    unfit: list[str] = field(default_factory=list)
    """Levels that a program cannot have."""

    def add(self, record: CaseRecord) -> None:
        """Counts a case."""
        self.cases += 1
        self.models += len(record.entry["levels"])
        self.size += record.size
        self.refused += record.refused
        self.unfit += record.unfit
        for name, value in record.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value

    def to_json(self) -> dict[str, Any]:
        """The figures as plain data."""
        seconds = {name: round(value, 1) for name, value in self.seconds.items()}
        figures = {"programs": self.cases, "models": self.models, "bytes": self.size, "cpu_seconds": seconds}
        return {"folder": str(self.folder), **figures, "refused": self.refused, "unfit": self.unfit}

    def render(self) -> str:
        """The figures as text."""
        total = sum(self.seconds.values())
        lines = [f"{self.models} models of {self.cases} programs in {self.folder}: {self.size / 1e6:.1f} MB"]
        lines.append(f"{total:.0f} CPU s: " + ", ".join(f"{n} {s:.0f}" for n, s in self.seconds.items()))
        lines += [f"refused: {reason}" for reason in self.refused]
        if self.unfit:
            lines.append(f"{len(self.unfit)} levels that their programs cannot have; --json says which, and why")
        return "\n".join(lines)


def suite_programs(count: int, seed: int) -> Iterator[SuiteProgram]:
    """So many programs: a fifth of the library, three tenths of families, the others random."""
    library, family = (round(share * count) for share in SHARES)
    written = [*written_programs("library")[:library], *written_programs("family")[:family]]
    yield from written[:count]
    yield from random_programs(count - len(written), seed)


def make(
    folder: Path | str,
    *,
    programs: int | Sequence[str] = 120,
    levels: Iterable[str] = LEVELS,
    seed: int = 0,
    engine: str = "serial",
    say: Say | None = None,
    clock: Clock = no_clock,
) -> Made:
    """Makes a suite in a folder that is empty or new; the same arguments give the same bytes.

    `programs` is how many, or the ids of some of the library and of families. A model that is not right on all words
    is refused, and the result says so. In a folder where a make with the same arguments was cut short, the programs
    that are whole are kept. `engine` is `serial`, or `pool` for a process on each core. `clock`, such as
    `time.process_time`, is for the times in the result.
    """
    root, made, chosen = Path(folder), Made(Path(folder)), _levels(levels)
    _check_engine(engine)
    _check_programs(programs)
    asked = programs if isinstance(programs, int) else list(dict.fromkeys(programs))
    settings = {"format": FORMAT, "version": version("capax"), "programs": asked, "levels": list(chosen), "seed": seed}
    unfinished = begun(root, settings)
    started = clock()
    listed = _programs(unfinished, asked, seed, say)
    made.seconds["search"] = clock() - started
    records = {program.id: unfinished.record(program.id) for program in listed}
    done = sum(record is not None for record in records.values())
    if done and say is not None:
        say(f"{done} of {len(listed)} programs are there already")
    for outcome in _outcomes(root, listed, records, chosen, seed, engine, clock):
        if outcome.result is None:
            raise CapaxError("bad-suite", f"{outcome.key}: {outcome.error}", hint="the same command goes on from here")
        record = records[outcome.key] = CaseRecord.from_json(outcome.result)
        unfinished.put_record(outcome.key, record)
        done += 1
        if say is not None:
            count = f"{len(record.entry['levels'])} levels, {record.entry['edges']} edges"
            say(f"{done} of {len(listed)}  {outcome.key}: {count}")
    whole = [record for record in records.values() if record is not None]
    for record in whole:
        made.add(record)
    _finish(root, whole, seed)
    unfinished.end()
    return made


def _check_engine(engine: str) -> None:
    if engine not in ENGINES:
        raise CapaxError("bad-option", f"there is no engine {engine!r:.40}", hint=f"one of {', '.join(ENGINES)}")


def _levels(levels: Iterable[str]) -> tuple[str, ...]:
    chosen = tuple(levels)
    for level in chosen:
        if level not in LEVELS:
            raise CapaxError("bad-suite", f"there is no level {level!r:.40}", hint=f"levels are {', '.join(LEVELS)}")
    if not chosen:
        raise CapaxError("bad-option", "a suite has at least one level", hint=f"levels are {', '.join(LEVELS)}")
    return tuple(level for level in LEVELS if level in chosen)


def _known() -> dict[str, SuiteProgram]:
    return {p.id: p for kind in ("library", "family") for p in written_programs(kind)}


def _check_programs(programs: int | Sequence[str]) -> None:
    if isinstance(programs, int):
        if programs < 1:
            raise CapaxError("bad-option", f"a suite has at least one program, not {programs}")
        return
    if not programs:
        raise CapaxError("bad-option", "a suite has at least one program")
    known = _known()
    for name in programs:
        if name not in known:
            raise CapaxError("bad-suite", f"there is no program {name!r:.40}", hint="`capax suite list` names them")


def _programs(unfinished: Unfinished, asked: int | Sequence[str], seed: int, say: Say | None) -> list[SuiteProgram]:
    """The programs: those of an unfinished suite, or chosen now; random ones take a while to find."""
    before = unfinished.programs()
    if before is not None:
        return before
    listed: list[SuiteProgram] = []
    for program in suite_programs(asked, seed) if isinstance(asked, int) else [_known()[name] for name in asked]:
        listed.append(program)
        if say is not None and program.kind == "random" and len(listed) % 10 == 0:
            say(f"{len(listed)} of {asked} programs found")
    unfinished.put_programs(listed)
    return listed


def _outcomes(
    root: Path,
    programs: Sequence[SuiteProgram],
    records: Mapping[str, CaseRecord | None],
    levels: Sequence[str],
    seed: int,
    engine: str,
    clock: Clock,
) -> Iterator[Done]:
    """What came of each case that is not there yet."""
    jobs = [
        Job(program.id, {"program": program.to_json(), "levels": list(levels), "seed": seed * 10_000 + number})
        for number, program in enumerate(programs)
        if records[program.id] is None
    ]
    work = partial(made_case, root, clock)
    if engine == "serial":
        return serial(jobs, work)
    from capax.lab.engines.pool import pool

    return pool(jobs, work, workers=os.cpu_count() or 1)


def made_case(root: Path, clock: Clock, job: Job) -> Done:
    """Makes a case in its folder; what stood there is of a make that was cut short."""
    started = clock()
    settings = job.settings
    try:
        record = _case(root, SuiteProgram.from_json(settings["program"]), settings["levels"], settings["seed"], clock)
    except CapaxError as error:
        return Done(job.key, None, error.what, 0.0, clock() - started)
    return Done(job.key, record.to_json(), None, 0.0, clock() - started)


def _case(root: Path, program: SuiteProgram, levels: Sequence[str], seed: int, clock: Clock) -> CaseRecord:
    folder = root / program.id
    shutil.rmtree(folder, ignore_errors=True)
    started = clock()
    case = compiled_case(program)
    contents = {f"{program.id}/{name}": data for name, data in case_files(case, seed).items()}
    given = inputs_for(case, seed)
    seconds = {"compile": clock() - started}
    refused, unfit, done = list[str](), list[str](), list[str]()
    for level in levels:
        if not has_level(case, level):
            continue
        started = clock()
        outcome = level_outcome(given, level)
        if isinstance(outcome, CapaxError):
            (unfit if isinstance(outcome, UnfitLevelError) else refused).append(f"{program.id} {level}: {outcome.what}")
        else:
            contents |= {f"{program.id}/{level}/{name}": data for name, data in outcome.items()}
            done.append(level)
        seconds[level] = clock() - started
    files = _put(root, contents)
    entry = {**program.to_json(), "levels": done, "edges": len(case.edges), "label": case.compiled.label}
    return CaseRecord(entry, files, sum(map(len, contents.values())), seconds, refused, unfit)


def _put(root: Path, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Writes files; gives their digests."""
    try:
        for name, data in contents.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
    except OSError as error:
        raise unwritable(root, error) from None
    return {name: digest(data) for name, data in contents.items()}


def _finish(root: Path, records: Sequence[CaseRecord], seed: int) -> None:
    """Writes the list of cases, with a digest of all files."""
    files = {name: value for record in records for name, value in record.files.items()}
    whole = digest("".join(f"{name} {files[name]}\n" for name in sorted(files)).encode())
    about = {"format": FORMAT, "version": version("capax"), "seed": seed, "licence": LICENCE, "max_length": LENGTH}
    data = {**about, "digest": whole, "cases": [r.entry for r in records], "files": dict(sorted(files.items()))}
    write_bytes(root / "suite.json", json_bytes(data, indent=1))
