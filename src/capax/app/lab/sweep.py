"""Sweeps: the runs of a spec that are not finished, done by an engine, and written down as they end."""

import os
import secrets
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from capax.app.files.read import read_text
from capax.app.lab.claims import Claims
from capax.app.lab.progress import Bar
from capax.app.lab.store import Store
from capax.app.lab.work import watched, work
from capax.errors import CapaxError
from capax.lab.engines.job import Claim, Done, Job
from capax.lab.experiment_verdict import judge
from capax.lab.spec import Member, read_spec
from capax.model.export.registry import need

ENGINES = ("serial", "pool", "ray")
RESULTS = "lab.sqlite"
PAUSE = 1.0
"""Seconds between two looks at runs that another sweep has under way."""


def sweep(
    file: str,
    *,
    preset: str = "quick",
    engine: str = "serial",
    results: str = RESULTS,
    workers: int | None = None,
    address: str | None = None,
    limit: int | None = None,
) -> dict[str, Any]:
    """What came of a sweep: runs done now, before and failed, and the verdict of all that is stored.

    `limit` is the most runs that are done now. A run that another sweep has under way is waited for, not done again.
    """
    need("torch", ("torch",))
    _check_options(engine, workers, address, limit)
    spec = read_spec(read_text(Path(file)), file)
    members = spec.members(preset)
    store = Store(Path(results))
    store.plan(spec, preset, members)
    finished = store.finished()
    waiting = _unique([member for member in members if member.settings.key() not in finished])
    before = len({m.settings.key() for m in members}) - len(waiting)
    failed, number = [], 0
    with Bar() as bar:
        bar.tell(f"{spec.name}, preset {preset}: runs to do: {len(waiting)}, done before: {before}")
        for number, (member, done) in enumerate(_done(waiting[:limit], engine, store, bar, workers, address), 1):
            store.add(done, member.settings.to_json(), engine)
            if done.error is not None:
                failed.append({"key": done.key, "error": done.error})
            bar.tell(f"[{number}/{len(waiting[:limit])}] {_line(member, done)}")
    runs = store.runs(spec.name, preset)
    verdict = judge(spec.rules, runs, spec.yes, spec.no)
    return {
        "name": spec.name,
        "preset": preset,
        "runs": len(runs),
        "before": before,
        "done": number - len(failed),
        "failed": failed,
        "cpu_seconds": sum(run.seconds for run in runs),
        "verdict": verdict.to_json(),
        "results": results,
    }


def _check_options(engine: str, workers: int | None, address: str | None, limit: int | None) -> None:
    if engine not in ENGINES:
        raise CapaxError("bad-option", f"there is no engine {engine!r:.60}", hint=f"one of {', '.join(ENGINES)}")
    if address is not None and engine != "ray":
        raise CapaxError("bad-option", "--address goes with --engine ray")
    if workers is not None and (workers < 1 or engine != "pool"):
        raise CapaxError("bad-option", "--workers is a positive number and goes with --engine pool")
    if limit is not None and limit < 0:
        raise CapaxError("bad-option", f"--limit cannot be {limit}", hint="0 does nothing and gives the verdict")
    if engine == "ray":
        need("ray", ("ray",))
        if address is not None:
            _check_reachable(address)


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


def _unique(members: Sequence[Member]) -> list[Member]:
    """The members, each key once: arms may share a run."""
    return list({member.settings.key(): member for member in members}.values())


def _done(
    members: Sequence[Member], engine: str, store: Store, bar: Bar, workers: int | None, address: str | None
) -> Iterator[tuple[Member, Done]]:
    """Each run with what came of it, which has to be stored before the next is asked for."""
    by_key = {member.settings.key(): member for member in members}
    folder = Path(f"{store.path}-checkpoints")
    left = {
        key: Job(key, member.settings.to_json(), None if engine == "ray" else str(folder / f"{key}.pt"))
        for key, member in by_key.items()
    }
    claims, told = Claims(folder, store), False
    try:
        while left:
            if any(claims.take(job) for job in left.values()):
                for done in _engine(list(left.values()), engine, by_key, bar, workers, address, claims.take):
                    del left[done.key]
                    yield by_key[done.key], done
                    claims.give_back(done.key)
            elif not told:
                bar.tell(f"waiting for runs that another sweep has under way: {len(left)}")
                told = True
            finished = store.finished()
            left = {key: job for key, job in left.items() if key not in finished}
            if left:
                time.sleep(PAUSE)
    finally:
        claims.close()


def _engine(
    jobs: Sequence[Job],
    engine: str,
    members: dict[str, Member],
    bar: Bar,
    workers: int | None,
    address: str | None,
    claim: Claim,
) -> Iterator[Done]:
    if engine == "serial":
        from capax.lab.engines.job import serial

        def tell(job: Job) -> Done:
            bar.begin(_title(members[job.key]))
            return watched(job, bar.show)

        return serial(jobs, tell, claim=claim)
    if engine == "pool":
        from capax.lab.engines.pool import pool

        return pool(jobs, work, workers=workers or os.cpu_count() or 1, claim=claim)
    from capax.lab.engines.cluster import cluster

    return _with_token(cluster(jobs, work, address=address, claim=claim), address)


def _with_token(done: Iterator[Done], address: str | None) -> Iterator[Done]:
    """The runs of a cluster. One of this sweep's own asks for a token: the user's, or a fresh one."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None:
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    given = any(name in os.environ for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if address is not None or given:
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


def _line(member: Member, done: Done) -> str:
    if done.result is None:
        return f"{_title(member)}: failed: {done.error}"
    result = done.result
    told = f"accuracy {result['token_accuracy']:.4f}"
    if "kl" in result:
        told = f"KL {result['kl']:.4f}"
    if "error" in result:
        told = f"error {result['error']:.4f}"
    return f"{_title(member)}: {told} after {result['steps']} steps, {done.cpu_seconds:.0f} CPU s"
