"""Runs one after the other, in this process."""

from collections.abc import Iterator, Sequence

from capax.lab.engines.job import Claim, Done, Job, Work, always


def serial(jobs: Sequence[Job], work: Work, *, claim: Claim = always) -> Iterator[Done]:
    """What came of each job that could be claimed, in their order."""
    for job in jobs:
        if claim(job):
            yield work(job)
