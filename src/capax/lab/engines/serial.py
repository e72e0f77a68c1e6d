"""Runs one after the other, in this process."""

from collections.abc import Iterator, Sequence

from capax.lab.engines.job import Done, Job, Work


def serial(jobs: Sequence[Job], work: Work) -> Iterator[Done]:
    """What came of each job, in their order."""
    for job in jobs:
        yield work(job)
