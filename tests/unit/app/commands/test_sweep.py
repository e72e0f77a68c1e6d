"""`capax train`, `sweep`, `results` and `report`: what is printed, written, kept and done again."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax as package
from capax.app.sweeps import work as lab_work
from capax.lab.engines.job import Done, Job
from capax.lab.sweep_spec import read_spec
from tests.support.forked import ended, fork
from tests.unit.app.outcome import Capax

SPEC = """
name = "tiny"
title = "Tiny"
question = "Is more training better?"
prediction = "Yes."
seeds = [0, 1]
[settings]
task = "language"
parameters = {name = "first"}
max_length = 4
width = 8
batch = 8
layers = 1
check_every = 5
check_words = 20
test_words = 40
rate = 0.01
[[arms]]
name = "some"
steps = 60
[[arms]]
name = "none"
steps = 0
[presets.quick]
[presets.slow]
settings = {check_every = 50}
seeds = [7]
arms = [{name = "long", steps = 600, stop_at = 2.0}]
[presets.middle]
settings = {check_every = 20}
seeds = [7]
arms = [{name = "long", steps = 120, stop_at = 2.0}]
[[plots]]
kind = "bars"
[[verdict.rules]]
measure = "token_accuracy"
of = {arm = "some"}
is = ">"
than = {arm = "none"}
"""
TINY = (
    "--max-length",
    "4",
    "--width",
    "8",
    "--steps",
    "30",
    "--check-words",
    "20",
    "--test-words",
    "20",
    "--batch",
    "8",
)


def test_train(capax: Capax) -> None:
    """Figures, a model that answers as it did in training, and the run in a file of results."""
    done = capax(
        "train", "histogram", "--marks", "bos", *TINY, "-o", "h.safetensors", "--results", "r.sqlite", "--json"
    )
    found = done.json
    assert found["settings"]["width"] == 8
    assert 0 <= found["result"]["token_accuracy"] <= 1
    model = package.load_model("h.safetensors")
    assert model.provenance.settings["task"] == "histogram"
    assert len(model("abca")) == 4
    assert capax("apply", "h.safetensors", "abca").code == 0
    (run,) = capax("results", "--results", "r.sqlite", "--json").json["runs"]
    assert (run["key"], run["engine"]) == (found["key"], "train")
    text = capax("train", "histogram", "--marks", "bos", *TINY)
    assert "token accuracy" in text.out
    assert "head `same token`" in text.out
    assert "bits in all" in text.out
    assert "value `rank`: a linear probe reads 0." in capax("train", "sort", *TINY).out


def test_parameters_are_options_too(capax: Capax) -> None:
    """Of the task beside those of the run, and a list of both."""
    found = capax("train", "match3", "--modulus", "5", "--attention", "triples", "--layers", "1", *TINY, "--json").json
    assert found["settings"]["parameters"]["modulus"] == 5
    names = [item["name"] for item in capax("train", "list", "--json").json]
    assert {"reverse", "histogram", "dyck", "next-token"} <= set(names)
    assert "--modulus" in capax("train", "list").out
    found = capax("train", "match2", "--rate", "0.25", "--setting-rate", "0.01", *TINY, "--json").json["settings"]
    assert (found["parameters"]["rate"], found["rate"]) == (0.25, 0.01)


def test_a_sweep(capax: Capax) -> None:
    """All runs, the verdict, nothing done twice, and the page."""
    Path("tiny.toml").write_text(SPEC)
    first = capax("sweep", "tiny.toml", "--limit", "1", "--json").json
    assert (first["done"], first["verdict"]["standing"]) == (1, "open")
    second = capax("sweep", "tiny.toml", "--json").json
    assert (second["before"], second["done"], second["runs"]) == (1, 3, 4)
    third = capax("sweep", "tiny.toml")
    assert "runs to do: 0, done before: 4" in third.err
    assert second["verdict"]["standing"] in third.out
    shown = capax("results")
    assert "4 of 4 runs" in shown.out
    one = capax("results", "tiny")
    assert one.out.startswith("tiny (")
    assert "predicted" in one.out
    assert len(capax("results", "tiny", "--json").json["runs"]) == 4
    rows = list(csv.DictReader(capax("results", "--csv").out.splitlines()))
    assert [row["sweep"] for row in rows] == ["tiny"] * 4
    assert all(0 <= float(row["result.token_accuracy"]) <= 1 for row in rows)
    assert "bad-option" in capax("results", "--csv", "--json").err
    assert "did you mean tiny?" in capax("results", "tine").err
    assert capax("report", "-o", "report.html").code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Is more training better?" in page
    assert not Path("lab.sqlite-checkpoints").exists()


def test_two_sweeps_share_the_runs(capax: Capax, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that another sweep has under way is waited for, and is not done again."""
    Path("tiny.toml").write_text(SPEC)
    from capax.app.sweeps import engine
    from capax.app.sweeps.results_store import Store
    from capax.app.sweeps.run_locks import Claims

    members = read_spec(SPEC, "tiny.toml").members("quick")
    store = Store(Path("lab.sqlite"))
    other = Claims(Path("lab.sqlite-checkpoints"), store)
    mine = [Job(member.settings.key(), member.settings.to_json()) for member in members[:2]]
    assert all(map(other.take, mine))
    waited: list[float] = []

    def ends(seconds: float) -> None:
        """The other sweep finishes one run, and then dies."""
        waited.append(seconds)
        job = mine[len(waited) - 1]
        if len(waited) == 1:
            store.add(Done(job.key, {"token_accuracy": 1.0, "steps": 0}, None, 0.0, 0.0), job.settings, "other")
        other.give_back(job.key)

    monkeypatch.setattr(engine.time, "sleep", ends)
    done = capax("sweep", "tiny.toml", "--json")
    assert (done.json["done"], done.json["before"], done.json["verdict"]["standing"]) == (3, 0, "as predicted")
    assert "another sweep" in done.err
    assert sorted(run["engine"] for run in store.runs_json()) == ["other", "serial", "serial", "serial"]
    assert not Path("lab.sqlite-checkpoints").exists()


def test_claims(tmp_path: Path) -> None:
    """One sweep has a run until it gives it back; nobody gets a finished one; what a kill leaves does no harm."""
    from capax.app.sweeps.results_store import Store
    from capax.app.sweeps.run_locks import Claims

    store, folder = Store(tmp_path / "lab.sqlite"), tmp_path / "claims"
    one, two = Claims(folder, store), Claims(folder, store)
    job = Job("a", {})
    assert (one.take(job), one.take(job), two.take(job)) == (True, True, False)
    two.close()
    assert folder.is_dir(), "the other one needs it"
    one.give_back("a")
    assert (two.take(job), one.take(job)) == (True, False)
    store.add(Done("a", {"x": 1}, None, 0.0, 0.0), {}, "test")
    two.give_back("a")
    assert not one.take(job)
    (folder / "killed.lock").touch()
    one.close()
    assert not folder.exists()


def test_a_run_that_fails_is_done_again(capax: Capax, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 and its error; the next sweep does it anew."""
    Path("tiny.toml").write_text(SPEC)
    import capax.lab.training_run as module
    from capax.errors import CapaxError

    whole = module.run

    def failing(settings: object, **more: object) -> object:
        if getattr(settings, "seed", 0) == 1:
            raise CapaxError("too-large", "no memory")
        return whole(settings, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run", failing)
    done = capax("sweep", "tiny.toml", "--json")
    assert done.code == 1
    assert [item["error"] for item in done.json["failed"]] == ["no memory", "no memory"]
    monkeypatch.setattr(module, "run", whole)
    again = capax("sweep", "tiny.toml", "--json")
    assert (again.code, again.json["done"], again.json["before"]) == (0, 2, 2)


def test_a_damaged_checkpoint_only_costs_time(capax: Capax) -> None:
    """The run begins anew."""
    Path("tiny.toml").write_text(SPEC)
    keys = [m.settings.key() for m in read_spec(SPEC, "tiny.toml").members("quick")]
    folder = Path("lab.sqlite-checkpoints")
    folder.mkdir()
    for key in keys:
        (folder / f"{key}.pt").write_bytes(b"damaged")
    assert capax("sweep", "tiny.toml", "--json").json["failed"] == []
    assert not folder.exists()


def sweep_and_die(*command: str) -> None:
    """Runs a sweep that saves after each step, and is killed when it has saved for the third time."""
    import capax.app.sweeps.work as work
    from capax.app.cli import main

    saved, write = [], work.write_bytes

    def write_and_die(path: Path, state: bytes) -> None:
        write(path, state)
        saved.append(path)
        if len(saved) == 3:
            os.kill(os.getpid(), signal.SIGKILL)

    vars(work).update(SAVE_EVERY=0.0, write_bytes=write_and_die)
    sys.argv = ["capax", *command]
    main()


def test_a_driver_that_is_killed(capax: Capax, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in the middle of a run: the next sweep goes on from its checkpoint and gives what one sweep would have."""
    Path("tiny.toml").write_text(SPEC)
    command = ("sweep", "tiny.toml", "--preset", "middle", "--json")
    assert ended(fork(lambda: sweep_and_die(*command))) == -signal.SIGKILL
    folder = Path("lab.sqlite-checkpoints")
    assert list(folder.glob("*.pt")), "it was killed in the middle"
    import capax.lab.training_run as module

    resumed: list[bool] = []
    whole = module.run

    def noted(*settings: Any, resume: bytes | None, **more: Any) -> Any:
        resumed.append(resume is not None)
        return whole(*settings, resume=resume, **more)

    monkeypatch.setattr(module, "run", noted)
    assert capax(*command).json["done"] == 1
    assert capax(*command, "--results", "once.sqlite").json["done"] == 1
    assert resumed == [True, False]
    from capax.app.sweeps.results_store import Store

    one, two = (Store(Path(name)).runs_json()[0]["result"] for name in ("lab.sqlite", "once.sqlite"))
    assert one == two
    assert not folder.exists()


@pytest.mark.deep
def test_a_pool_whose_driver_is_killed_leaves_no_process(tmp_path: Path) -> None:
    """Its processes end soon after it, and the next sweep does what is missing."""
    (tmp_path / "tiny.toml").write_text(SPEC)
    command = [sys.executable, "-c", "from capax.app.cli import main; main()", "sweep", "tiny.toml", "--json"]
    command += ["--engine", "pool", "--workers", "2"]
    slow = [*command, "--preset", "slow"]
    process = subprocess.Popen(
        slow, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    time.sleep(8)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    limit = time.monotonic() + 20
    while _group(process.pid) and time.monotonic() < limit:
        time.sleep(0.2)
    assert _group(process.pid) == []
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout)["done"] == 4


def _group(leader: int) -> list[int]:
    """The processes of a session that are still there."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(entry.name))
    return found


@pytest.mark.parametrize(
    "args",
    [
        ("train", "reverse", "-o", "model.txt"),
        ("train", "reverse", "--layers"),
        ("train", "reverse", "two"),
        ("sweep", "tiny.toml", "--engine", "magic"),
        ("sweep", "tiny.toml", "--preset", "huge"),
        ("sweep", "tiny.toml", "--workers", "2"),
        ("sweep", "tiny.toml", "--address", "here"),
        ("sweep", "nowhere.toml"),
        ("sweep", "tiny.toml", "--limit", "-1"),
        ("train", "reverse", "-o", "nowhere/model.safetensors"),
        ("train", "reverse", "--checkpoint", "nowhere/state.pt"),
        ("train", "reverse", "--checkpoint", "."),
        ("train", "match2", "--setting-rates", "0.1"),
        ("results",),
        ("results", "--results", "tiny.toml"),
        ("report", "-o", "report.pdf"),
        ("report", "-o", "report.html"),
    ],
)
def test_wrong_input(capax: Capax, args: tuple[str, ...]) -> None:
    """Exit code 2, a message with a code, and no file."""
    Path("tiny.toml").write_text(SPEC)
    done = capax(*args)
    assert done.code == 2
    assert "error[" in done.err
    assert not Path("report.html").exists()


def test_progress() -> None:
    """A line with the share, the rate, the loss, the accuracy and the time that is left."""
    from capax.app.sweeps.progress import describe
    from capax.lab.training_run import Progress

    line = describe(Progress(1000, 4000, 0.5, 0.25), 500, 10.0)
    assert line == "[#####...............] 1000/4000  50 steps/s  loss 0.5000  accuracy 0.2500  1:00 left"
    assert "left" not in describe(Progress(20, 4000, 0.5, None), 0, 0.0)
    assert lab_work.SAVE_EVERY > 1


@given(title=st.text("ab ", max_size=60), told=st.text("#.", max_size=90), columns=st.integers(1, 160))
def test_progress_fits_the_terminal(title: str, told: str, columns: int) -> None:
    """A line that wraps would leave its first part behind. The title gives way first."""
    from capax.app.sweeps.progress import fitted

    line = fitted(title, told, columns)
    assert len(line) < columns or not line
    assert told in line or len(told) >= columns
    assert line == f"{title}  {told}" or len(title) + len(told) + 3 > columns or not title
