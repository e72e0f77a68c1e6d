"""A job: one run as plain data, and what came of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Job:
    """A run to be done: its key, its settings as plain data, and where its checkpoint stands, if it has one."""

    key: str
    settings: Mapping[str, Any]
    checkpoint: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a job: its result, or the error that ended it; the seconds of the clock and of the processor."""

    key: str
    result: Mapping[str, Any] | None
    error: str | None
    seconds: float
    cpu_seconds: float


Work: TypeAlias = Callable[[Job], Done]
"""Does a job. It can be sent to another process, and never raises an error of ours."""

Claim: TypeAlias = Callable[[Job], bool]
"""Whether a job may be begun now: asked just before, as another sweep may have it under way, or have done it."""


def always(job: Job) -> bool:
    """The claim of a sweep that is alone."""
    return True


Engine: TypeAlias = Callable[[Sequence[Job], Work], Iterator[Done]]
"""Does jobs and gives what came of each, in any order, each once; those that are not claimed are left out."""


def serial(jobs: Sequence[Job], work: Work, *, claim: Claim = always) -> Iterator[Done]:
    """What came of each job that could be claimed, in their order."""
    for job in jobs:
        if claim(job):
            yield work(job)
