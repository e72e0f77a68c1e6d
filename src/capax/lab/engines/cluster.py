"""Runs on a cluster of Ray: the one file that imports it."""

from collections.abc import Iterator, Sequence
from typing import Any

from capax.errors import CapaxError
from capax.lab.engines.job import Claim, Done, Job, Work, always

TRIES = 5
"""How often a run is restarted whose node or process is lost."""
AHEAD = 4
"""Runs per processor that are submitted to the cluster at a time."""


def cluster(jobs: Sequence[Job], work: Work, *, address: str | None = None, claim: Claim = always) -> Iterator[Done]:
    """What came of each job as it ends, on an existing cluster, or on one that is started on this machine alone.

    Ray begins a run again on another node when its own is lost; a run that is lost as often as that is given up. capax
    and PyTorch have to be installed on every node. Jobs that cannot be claimed are left out.
    """
    import ray

    begun = not ray.is_initialized()
    if begun:
        _connect(ray, address)
    try:
        yield from _collected(ray, jobs, work, claim)
    finally:
        if begun:
            ray.shutdown()


def _connect(ray: Any, address: str | None) -> None:
    # "local" and not a search for a cluster: what a killed run has left behind is not one.
    own: dict[str, object] = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"} if address is None else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, **own)
    except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
        what = f"there is no cluster of Ray at {address or 'this machine'}: {error!s:.300}"
        hint = "`ray start --head` starts one; --address HOST:PORT names it, and RAY_AUTH_TOKEN_PATH its token"
        raise CapaxError("bad-option", what, hint=hint) from None


def _collected(ray: Any, jobs: Sequence[Job], work: Work, claim: Claim) -> Iterator[Done]:
    remote = ray.remote(num_cpus=1, max_retries=TRIES, retry_exceptions=False)(work)
    waiting, under_way = list(jobs), dict[Any, Job]()
    room = max(1, int(ray.cluster_resources().get("CPU", 1))) * AHEAD
    while waiting or under_way:
        while waiting and len(under_way) < room:
            job = waiting.pop(0)
            if claim(job):
                under_way[remote.remote(job)] = job
        if not under_way:
            return
        (ended,), _ = ray.wait(list(under_way), num_returns=1)
        job = under_way.pop(ended)
        try:
            done: Done = ray.get(ended)
        except ray.exceptions.RayTaskError as error:
            done = Done(job.key, None, f"the run ended with an error: {error.cause!s:.300}", 0.0, 0.0)
        except ray.exceptions.RayError as error:
            done = Done(job.key, None, f"the run was lost {TRIES + 1} times: {error!s:.300}", 0.0, 0.0)
        yield done
