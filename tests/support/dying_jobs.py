"""Work for engines that dies in the middle, as a process or a node may."""

import os
import time
from pathlib import Path

from capax.lab.engines.job import Done, Job


def dies_once(job: Job) -> Done:
    """Ends the process at the first try of the job `bad`, and at every try of the job `worse`."""
    folder = Path(job.settings["folder"])
    tries = folder / f"{job.key}-{time.time_ns()}"
    tries.touch()
    count = len(list(folder.glob(f"{job.key}-*")))
    if job.key == "worse" or (job.key == "bad" and count == 1):
        time.sleep(0.3)
        os._exit(1)
    return Done(job.key, {"tries": count}, None, 0.0, 0.0)


def on_a_node(job: Job) -> Done:
    """Leaves a trace of each try that names the node of Ray it runs on, and takes a while."""
    import ray

    folder, node = Path(job.settings["folder"]), ray.get_runtime_context().get_node_id()
    (folder / f"{job.key}-{node}-{time.time_ns()}").touch()
    time.sleep(job.settings["seconds"])
    return Done(job.key, {"node": node}, None, 0.0, 0.0)


def slow(job: Job) -> Done:
    """Leaves a trace of each try, and takes a while."""
    folder = Path(job.settings["folder"])
    (folder / f"{job.key}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(job.settings["seconds"])
    return Done(job.key, {"process": os.getpid()}, None, 0.0, 0.0)
