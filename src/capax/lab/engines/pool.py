"""Runs in several processes of this machine."""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context

from capax.lab.engines.job import Claim, Done, Job, Work, always

TRIES = 3
"""How often a job is started whose process dies."""


def pool(jobs: Sequence[Job], work: Work, *, workers: int, claim: Claim = always) -> Iterator[Done]:
    """What came of each job as it ends. When a process dies, its pool is made anew and the jobs under way run again.

    A job whose process has died three times is given up: it may be what kills them, for want of memory. Jobs that
    cannot be claimed are left out.
    """
    left, tries = list(jobs), {job.key: 0 for job in jobs}
    while left:
        # Jobs that were under way when a process died run one by one, so that none is blamed for another.
        blamed = [job for job in left if tries[job.key]]
        size = 1 if blamed else min(workers, len(left))
        others = set(active_children())
        executor = ProcessPoolExecutor(size, mp_context=get_context("spawn"))
        try:
            yield from _until_broken(executor, size, left, blamed[:1] or list(left), tries, work, claim)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - others:  # a sweep that is stopped does not wait for them
                process.terminate()
        for job in [job for job in left if tries[job.key] >= TRIES]:
            left.remove(job)
            yield Done(job.key, None, f"its process died {TRIES} times", 0.0, 0.0)


def _until_broken(
    executor: ProcessPoolExecutor,
    size: int,
    left: list[Job],
    waiting: list[Job],
    tries: dict[str, int],
    work: Work,
    claim: Claim,
) -> Iterator[Done]:
    """Gives what ends; takes it out of `left`. Returns when a process has died, or nothing is waiting.

    At most as many jobs are submitted as there are processes, so that no other job is counted when one dies.
    """
    under_way: dict[Future[Done], Job] = {}
    while waiting or under_way:
        while waiting and len(under_way) < size:
            job = waiting.pop(0)
            if not claim(job):
                left.remove(job)
                continue
            tries[job.key] += 1
            try:
                under_way[executor.submit(work, job)] = job
            except BrokenProcessPool:
                tries[job.key] -= 1
                return
        ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in ended:
            job = under_way.pop(future)
            try:
                done = future.result()
            except BrokenProcessPool:
                return
            left.remove(job)
            tries[job.key] = 0
            yield done
