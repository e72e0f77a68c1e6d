"""Engines: every job ends once, whatever dies on the way."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from capax import CapaxError
from capax.lab.engines.job import Job, serial
from capax.lab.engines.pool import TRIES, pool
from tests.support.dying_jobs import dies_once, slow


def jobs(folder: Path, *keys: str) -> list[Job]:
    """Jobs that leave their traces in a folder."""
    return [Job(key, {"folder": str(folder), "seconds": 0.0}) for key in keys]


def test_serial_runs_jobs_in_order(tmp_path: Path) -> None:
    """One after the other, in order."""
    assert [done.key for done in serial(jobs(tmp_path, "a", "b", "c"), slow)] == ["a", "b", "c"]


@pytest.mark.parametrize("engine", [serial, partial(pool, workers=2)])
def test_what_is_not_claimed_is_left_out(engine: Any, tmp_path: Path) -> None:
    """A job that another sweep has is not begun, and what is begun is asked for just before."""
    asked: list[str] = []

    def claim(job: Job) -> bool:
        asked.append(job.key)
        return job.key != "b"

    ended = [done.key for done in engine(jobs(tmp_path, "a", "b", "c"), slow, claim=claim)]
    assert (sorted(ended), asked) == (["a", "c"], ["a", "b", "c"])
    assert not list(tmp_path.glob("b-*"))


def test_a_process_that_dies_costs_no_run(tmp_path: Path) -> None:
    """A job whose process died runs again; one that always dies is given up; the others end once and without blame."""
    ended = list(pool(jobs(tmp_path, "a", "bad", "b", "worse", "c"), dies_once, workers=2))
    assert Counter(done.key for done in ended) == Counter(["a", "bad", "b", "worse", "c"])
    by_key = {done.key: done for done in ended}
    assert by_key["worse"].error is not None
    assert str(TRIES) in by_key["worse"].error
    assert all(by_key[key].result is not None for key in ("a", "bad", "b", "c"))
    assert len(list(tmp_path.glob("worse-*"))) == TRIES


def test_without_ray_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The engine for clusters names the extra that it needs."""
    import capax.model.export.target as registry
    from capax.app.commands.sweep import sweep

    found = registry.find_spec
    monkeypatch.setattr(registry, "find_spec", lambda name: None if name == "ray" else found(name))
    with pytest.raises(CapaxError) as raised:
        sweep("nowhere.toml", engine="ray", results=str(tmp_path / "lab.sqlite"))
    assert raised.value.code == "missing-extra"
    assert raised.value.data["extra"] == "ray"
