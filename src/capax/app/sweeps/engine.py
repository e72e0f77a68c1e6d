"""The runs of a sweep, done by an engine: in this process, in several, or on a cluster."""

import os
import secrets
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from capax.app.sweeps.progress import Bar
from capax.app.sweeps.results_store import Store
from capax.app.sweeps.run_locks import Claims
from capax.app.sweeps.work import watched, work
from capax.errors import CapaxError
from capax.lab.engines.job import Claim, Done, Job
from capax.lab.sweep_spec import Member
from capax.model.export.target import need

ENGINES: Final = ("serial", "pool", "ray")
PAUSE: Final = 1.0
"""Seconds between two looks at runs that another sweep has under way."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What does the runs: `serial`, `pool` with a number of processes, or `ray` with the address of a cluster."""

    name: str
    workers: int | None = None
    address: str | None = None

    def check(self) -> None:
        """Refuses an engine that does not exist, and options that do not go with it."""
        if self.name not in ENGINES:
            raise CapaxError("bad-option", f"there is no engine {self.name!r:.60}", hint=f"one of {', '.join(ENGINES)}")
        if self.address is not None and self.name != "ray":
            raise CapaxError("bad-option", "--address goes with --engine ray")
        if self.workers is not None and (self.workers < 1 or self.name != "pool"):
            raise CapaxError("bad-option", "--workers is a positive number and goes with --engine pool")
        if self.name == "ray":
            need("ray", ("ray",))
            if self.address is not None:
                _check_reachable(self.address)

    def run(self, jobs: Sequence[Job], members: dict[str, Member], bar: Bar, claim: Claim) -> Iterator[Done]:
        """What came of each job that this sweep could claim."""
        if self.name == "serial":
            from capax.lab.engines.job import serial

            def tell(job: Job) -> Done:
                bar.begin(_title(members[job.key]))
                return watched(job, bar.show)

            return serial(jobs, tell, claim=claim)
        if self.name == "pool":
            from capax.lab.engines.pool import pool

            return pool(jobs, work, workers=self.workers or os.cpu_count() or 1, claim=claim)
        from capax.lab.engines.cluster import cluster

        return _with_token(cluster(jobs, work, address=self.address, claim=claim), self.address)


def check_limit(limit: int | None) -> None:
    """Refuses a negative number of runs."""
    if limit is not None and limit < 0:
        raise CapaxError("bad-option", f"--limit cannot be {limit}", hint="0 does nothing and gives the verdict")


def _check_reachable(address: str) -> None:
    """Refuses a HOST:PORT where nothing answers, as Ray itself would try for minutes; other forms are left to it."""
    host, colon, port = address.rpartition(":")
    if "//" in address or not colon:
        return
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except (OSError, ValueError, OverflowError) as error:
        hint = "`ray start --head` starts a cluster and says where"
        raise CapaxError("bad-option", f"there is no cluster of Ray at {address:.100}: {error}", hint=hint) from None


def unique(members: Sequence[Member]) -> list[Member]:
    """The members, each key once: arms may share a run."""
    return list({member.settings.key(): member for member in members}.values())


def done_runs(members: Sequence[Member], engine: Engine, store: Store, bar: Bar) -> Iterator[tuple[Member, Done]]:
    """Each run with what came of it, which has to be stored before the next is asked for."""
    by_key = {member.settings.key(): member for member in members}
    folder = Path(f"{store.path}-checkpoints")
    left = {
        key: Job(key, member.settings.to_json(), None if engine.name == "ray" else str(folder / f"{key}.pt"))
        for key, member in by_key.items()
    }
    claims, has_told = Claims(folder, store), False
    try:
        while left:
            if any(claims.take(job) for job in left.values()):
                for done in engine.run(list(left.values()), by_key, bar, claims.take):
                    del left[done.key]
                    yield by_key[done.key], done
                    claims.give_back(done.key)
            elif not has_told:
                bar.tell(f"waiting for runs that another sweep has under way: {len(left)}")
                has_told = True
            finished = store.finished()
            left = {key: job for key, job in left.items() if key not in finished}
            if left:
                time.sleep(PAUSE)
    finally:
        claims.close()


def _with_token(done: Iterator[Done], address: str | None) -> Iterator[Done]:
    """The runs of a cluster. One of this sweep's own asks for a token: the user's, or a fresh one."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None:
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    has_token = any(name in os.environ for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if address is not None or has_token:
        yield from done
        return
    with tempfile.NamedTemporaryFile("w", prefix="capax-ray-") as token:
        token.write(secrets.token_hex(32))
        token.flush()
        os.environ["RAY_AUTH_TOKEN_PATH"] = token.name
        try:
            yield from done
        finally:
            del os.environ["RAY_AUTH_TOKEN_PATH"]


def _title(member: Member) -> str:
    return f"{member.settings.task} {member.arm}".rstrip() + f" seed {member.settings.seed}"


def report_line(member: Member, done: Done) -> str:
    """A run that is done, in a line."""
    if done.result is None:
        return f"{_title(member)}: failed: {done.error}"
    result = done.result
    figure = f"accuracy {result['token_accuracy']:.4f}"
    if "kl" in result:
        figure = f"KL {result['kl']:.4f}"
    if "error" in result:
        figure = f"error {result['error']:.4f}"
    return f"{_title(member)}: {figure} after {result['steps']} steps, {done.cpu_seconds:.0f} CPU s"
