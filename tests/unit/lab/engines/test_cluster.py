"""Ray: a cluster of two nodes on this machine loses one in the middle, and every run ends exactly once."""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

DRIVER = """
import json, sys, threading, time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from capax.app.sweeps.results_store import Store
from capax.lab.engines.cluster import cluster
from capax.lab.engines.job import Job
from tests.support.dying_jobs import on_a_node

folder = Path(sys.argv[1])
nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = nodes.add_node(num_cpus=1)
nodes.wait_for_nodes()
ray.init(address=nodes.address, log_to_driver=False)
store = Store(folder / "lab.sqlite")
jobs = [Job(f"run{k}", {"folder": str(folder / "traces"), "seconds": 1.5}) for k in range(8)]
ended, lost = [], []


def kill():
    # as soon as the second node has a run under way
    while not lost:
        lost.extend(path.name for path in (folder / "traces").iterdir() if second.node_id in path.name)
        time.sleep(0.05)
    nodes.remove_node(second, allow_graceful=False)


killer = threading.Thread(target=kill, daemon=True)
killer.start()
for done in cluster(jobs, on_a_node):
    store.add(done, {"seed": 0}, "ray")
    ended.append(done.key)
runs = store.runs_json()
found = {"lost": lost, "ended": ended, "stored": [run["key"] for run in runs], "errors": [run["error"] for run in runs]}
(folder / "found.json").write_text(json.dumps(found))
ray.shutdown()
nodes.shutdown()
"""


@pytest.mark.deep
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra `ray` is not installed")
def test_a_node_that_is_lost_costs_no_run(tmp_path: Path) -> None:
    """The second node is killed after two runs: the runs that it had begin again, and each has one result."""
    (tmp_path / "traces").mkdir()
    token = tmp_path / "token"
    token.write_text(os.urandom(32).hex())
    token.chmod(0o600)
    environment = os.environ | {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_failure_threshold": "3",
        "PYTHONPATH": os.getcwd(),
    }
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(tmp_path)], env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / "found.json").read_text())
    wanted = Counter(f"run{k}" for k in range(8))
    assert Counter(found["ended"]) == wanted
    assert Counter(found["stored"]) == wanted
    assert found["errors"] == [None] * 8
    (lost,) = found["lost"]
    begun = Counter(path.name.split("-")[0] for path in (tmp_path / "traces").iterdir())
    assert set(begun) == set(wanted)
    assert begun[lost.split("-")[0]] > 1, "the run of the node that was killed was begun again"
