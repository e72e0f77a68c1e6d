"""Tests against mutants in forked processes: tests are collected once, and each mutant gets a copy of that state.

A fork takes milliseconds, where a new process would load everything again for seconds. A mutant is judged by the tests
that call its function, its own first, until one fails; processor time, time and memory are bounded, and a mutant
that exceeds them is killed. What cannot be put in place in a fork (a change outside of functions) is loaded anew in a
process of its own.
"""

import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest

from tests.mutation.mutants import Mutant
from tests.mutation.swap import note_calls, swap

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "capax"
KILLED, SURVIVED, UNREACHED, ANEW = "killed", "survived", "survived, no test calls it", "to be loaded anew"
EXIT = {0: SURVIVED, 3: ANEW}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a mutant may take: seconds of tests as they are without it, bytes, and processes at once."""

    seconds: float = 20.0
    memory: int = 6 << 30
    jobs: int = 2


@dataclass(slots=True)
class Cover:
    """For each test its name, its processor time, and the functions that it calls, by module."""

    names: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    calls: list[dict[str, list[str]]] = field(default_factory=list)

    def tests(self, mutant: Mutant, limit: float) -> list[int]:
        """The tests that call the function of a mutant, as many as fit the limit.

        First those of files of tests with the module's name, then the others, in the order of parts.toml. A change
        outside of functions is seen by those that call any function of the module, or that only read its constants.
        """
        named, own = mutant.function, f"test_{Path(mutant.module).stem}"
        if named:
            callers = [n for n, calls in enumerate(self.calls) if named in calls.get(mutant.module, ())]
        else:
            callers = [n for n, calls in enumerate(self.calls) if mutant.module in calls or own in self.names[n]]
        callers.sort(key=lambda n: (own not in self.names[n], n))
        chosen: list[int] = []
        for n in callers:
            limit -= self.seconds[n]
            if limit < 0 and chosen:
                break
            chosen.append(n)
        return chosen


class Judge:
    """A plugin of pytest that runs no tests itself, but forks for each mutant and runs its tests there."""

    def __init__(self, mutants: list[Mutant], originals: dict[str, str], limits: Limits) -> None:
        self.mutants, self.originals, self.limits = mutants, originals, limits
        self.outcomes: dict[Mutant, str] = {}
        self.cover = Cover()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Judge all mutants."""
        items = list(session.items)
        self.cover = _in_child(lambda failed: _covered(items, self.originals, failed))
        anew: list[Mutant] = []
        for mutant, outcome in self._each(self.mutants, lambda m, tests: _forked(m, tests, items, self.originals)):
            if outcome == ANEW:
                anew.append(mutant)
            self.outcomes[mutant] = outcome
        self.outcomes |= dict(self._each(anew, lambda m, tests: _anew(m, [items[n].nodeid for n in tests])))
        return True

    def _each(
        self, mutants: list[Mutant], run: Callable[[Mutant, list[int]], NoReturn]
    ) -> Iterator[tuple[Mutant, str]]:
        """Each mutant with its outcome, some of them at once."""
        at_work: dict[int, Mutant] = {}
        for mutant in mutants:
            tests = self.cover.tests(mutant, self.limits.seconds)
            if not tests:
                yield mutant, UNREACHED
                continue
            usual = sum(self.cover.seconds[n] for n in tests)
            if len(at_work) == self.limits.jobs:
                yield _ended(at_work)
            at_work[_child(lambda m=mutant, t=tests: run(m, t), self.limits, 3 * usual + 20)] = mutant
        while at_work:
            yield _ended(at_work)


def _ended(at_work: dict[int, Mutant]) -> tuple[Mutant, str]:
    while True:
        pid, status = os.wait()
        if pid in at_work:
            mutant = at_work.pop(pid)
            outcome = EXIT.get(os.waitstatus_to_exitcode(status), KILLED)
            print(f"\n{mutant}" if outcome == SURVIVED else ".", end="", flush=True)
            return mutant, outcome


def _child(work: Callable[[], object], limits: Limits, seconds: float) -> int:
    """The process in which work is done, within limits; it never returns here."""
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(int(20 * seconds))  # waiting takes no processor time
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        work()
        os._exit(0)
    except BaseException:
        os._exit(1)


def _forked(mutant: Mutant, tests: list[int], items: list[pytest.Item], originals: dict[str, str]) -> NoReturn:
    """Run the tests with the mutant in place, to the first failure."""
    module = importlib.import_module(module_name(mutant.module))
    if not swap(module, originals[mutant.module], mutant.source):
        os._exit(3)
    items[0].config.pluginmanager.register(_FirstFailure())
    run_items([items[n] for n in tests])
    os._exit(0)


@dataclass(frozen=True, slots=True)
class _FirstFailure:
    """A plugin that ends the process with the first failure, and can write down which test it was."""

    file: Path | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Look at a report."""
        if report.failed:
            if self.file is not None:
                self.file.write_text(report.nodeid)
            os._exit(1)


def run_items(items: list[pytest.Item], before: Callable[[int], None] = lambda n: None) -> None:
    """Run tests one after the other, as pytest does."""
    for n, item in enumerate(items):
        before(n)
        following = items[n + 1] if n + 1 < len(items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _anew(mutant: Mutant, tests: list[str]) -> NoReturn:
    """Run the tests in a new process, in which the module is loaded with the change."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({"module": mutant.module, "source": mutant.source, "tests": tests}, file)
    os.execv(sys.executable, [sys.executable, "-m", "tests.mutation.anew", file.name])


def source_of(path: str) -> Path:
    """The file of a module of the package, or of the outside checker, which stands beside it."""
    return (ROOT if path.startswith("checker/") else PACKAGE) / path


def module_name(path: str) -> str:
    """The dotted name of a module of the package, from its path in it."""
    if path.startswith("checker/"):
        return path.removesuffix(".py").replace("/", ".")
    return "capax." + path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _in_child(work: Callable[[Path], Cover]) -> Cover:
    """The result of work that is done in a child, so that nothing of it stays here; it may write why it failed."""
    with tempfile.TemporaryDirectory() as folder:
        file, failed = Path(folder) / "cover.json", Path(folder) / "failed"

        def write() -> None:
            cover = work(failed)
            file.write_text(json.dumps([cover.names, cover.seconds, cover.calls]))

        pid = _child(write, Limits(), 3600)
        os.waitpid(pid, 0)
        if not file.exists():
            why = f"{failed.read_text()} fails" if failed.exists() else "the tests end early, or took an hour,"
            raise pytest.UsageError(f"{why} without any mutant")
        return Cover(*json.loads(file.read_text()))


def _covered(items: list[pytest.Item], originals: dict[str, str], failed: Path) -> Cover:
    """The cover of some modules by tests, which must all pass; the name of one that does not is written to a file."""
    calls: list[dict[str, set[str]]] = []
    starts: list[float] = []
    for path, source in originals.items():
        note_calls(
            importlib.import_module(module_name(path)),
            source,
            lambda name, path=path: calls and calls[-1].setdefault(path, set()).add(name),
        )

    def before(n: int) -> None:
        starts.append(time.process_time())
        calls.append({})

    items[0].config.pluginmanager.register(_FirstFailure(failed))
    run_items(items, before)
    ends = [*starts[1:], time.process_time()]
    return Cover(
        [item.nodeid for item in items],
        [b - a for a, b in zip(starts, ends, strict=True)],
        [{path: sorted(names) for path, names in each.items()} for each in calls],
    )
