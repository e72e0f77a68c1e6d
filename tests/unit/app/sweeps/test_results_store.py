"""The file of results: whole after a kill, with several writers, and the first result of a run stays."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from capax import CapaxError
from capax.app.sweeps.results_store import Store
from capax.app.sweeps.summary import figures
from capax.lab.engines.job import Done
from capax.lab.stored import StoredRun

WRITER = """
import sys
from pathlib import Path
from capax.app.sweeps.results_store import Store
from capax.lab.engines.job import Done

store = Store(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    result = {"writer": sys.argv[2], "filling": "x" * 3000}
    store.add(Done(f"run{number}", result, None, 1.0, 1.0), {"seed": number}, "test")
    print(number, flush=True)
"""


def writer(file: Path, name: str, count: int) -> "subprocess.Popen[bytes]":
    """A process that writes runs to a file."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file), name, str(count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def done(key: str, result: dict[str, object] | None, error: str | None = None) -> Done:
    """A run that has ended."""
    return Done(key, result, error, 1.0, 2.0)


def test_the_first_result_stays_and_errors_give_way(tmp_path: Path) -> None:
    """A failed run is no finished one; what comes after it takes its place, once."""
    store = Store(tmp_path / "lab.sqlite")
    store.add(done("a", None, "lost"), {"seed": 0}, "serial")
    assert store.finished() == set()
    assert [run["error"] for run in store.runs_json()] == ["lost"]
    store.add(done("a", {"x": 1}), {"seed": 0}, "serial")
    store.add(done("a", {"x": 2}), {"seed": 0}, "pool")
    store.add(done("a", None, "lost"), {"seed": 0}, "pool")
    assert store.finished() == {"a"}
    assert [run["result"] for run in Store(tmp_path / "lab.sqlite").runs_json()] == [{"x": 1}]


def test_several_writers(tmp_path: Path) -> None:
    """Three processes write the same forty runs at once: each run is there once, from one of them, whole."""
    file = tmp_path / "lab.sqlite"
    writers = [writer(file, name, 40) for name in "abc"]
    for process in writers:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    runs = Store(file).runs_json()
    assert sorted(run["key"] for run in runs) == sorted(f"run{k}" for k in range(40))
    assert all(run["result"]["writer"] in "abc" and len(run["result"]["filling"]) == 3000 for run in runs)


def test_a_writer_that_is_killed(tmp_path: Path) -> None:
    """What it had said to be written is there, and another can write at once."""
    file = tmp_path / "lab.sqlite"
    process = writer(file, "a", 100_000)
    assert process.stdout is not None
    said = [int(process.stdout.readline()) for _ in range(20)]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    began = time.monotonic()
    store = Store(file)
    store.add(done("last", {"x": 1}), {"seed": 0}, "serial")
    assert time.monotonic() - began < 10
    keys = store.finished()
    assert {f"run{number}" for number in said} | {"last"} <= keys
    assert all(run["result"] is not None for run in store.runs_json())


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A text, a folder, a file that is not there, and one of a later format."""
    text, later = tmp_path / "text.sqlite", tmp_path / "later.sqlite"
    text.write_text("not a file of results, but long enough to be looked at as one" * 20)
    db = sqlite3.connect(later)
    db.execute("PRAGMA user_version=99")
    db.close()
    for path in (text, later, tmp_path, tmp_path / "nowhere" / "lab.sqlite"):
        with pytest.raises(CapaxError) as raised:
            Store(path)
        assert raised.value.code == "file-unreadable"
    with pytest.raises(CapaxError) as raised:
        Store(tmp_path / "none.sqlite", only_read=True)
    assert raised.value.code == "file-not-found"


@pytest.mark.parametrize("text", ["{broken", "[1]", "7", ""])
def test_a_damaged_result_is_an_error(text: str, tmp_path: Path) -> None:
    """Not a traceback; an empty text is a run without a result."""
    file = tmp_path / "lab.sqlite"
    Store(file).add(done("a", {"x": 1}), {"seed": 0}, "serial")
    db = sqlite3.connect(file)
    db.execute("UPDATE runs SET result = ?", (text,))
    db.commit()
    db.close()
    if not text:
        assert Store(file).runs_json()[0]["result"] is None
        return
    with pytest.raises(CapaxError) as raised:
        Store(file).runs_json()
    assert raised.value.code == "file-unreadable"


def test_a_result_without_figures(tmp_path: Path) -> None:
    """It is told in the summary, and no traceback."""
    run = StoredRun("arm", "key", {"seed": 0, "parameters": {}}, {})
    assert figures([run]) == "no run has token accuracy"


@pytest.mark.parametrize("column", ["seconds", "cpu_seconds", "finished_at", "engine", "key"])
def test_text_in_a_number_is_an_error(column: str, tmp_path: Path) -> None:
    """SQLite keeps any value in any column; bytes are neither a number nor a text."""
    file = tmp_path / "lab.sqlite"
    Store(file).add(done("a", {"x": 1}), {"seed": 0}, "serial")
    db = sqlite3.connect(file)
    db.execute(f"UPDATE runs SET {column} = ?", (b"many",))
    db.commit()
    db.close()
    with pytest.raises(CapaxError, match="stands where") as raised:
        Store(file, only_read=True).runs_json()
    assert raised.value.code == "file-unreadable"


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A file of results with one run, alone in a folder."""
    file = tmp_path / "kept" / "lab.sqlite"
    file.parent.mkdir()
    Store(file).add(done("a", {"x": 1}), {"seed": 0}, "serial")
    return file


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_reading_changes_no_byte(filled: Path) -> None:
    """Nor does it leave files beside; also where the folder cannot be written, and in the old mode of SQLite."""
    before = contents(filled.parent)
    filled.parent.chmod(0o555)
    try:
        assert len(Store(filled, only_read=True).runs_json()) == 1
    finally:
        filled.parent.chmod(0o755)
    assert contents(filled.parent) == before
    db = sqlite3.connect(filled)
    db.execute("PRAGMA journal_mode=DELETE")
    db.close()
    before = contents(filled.parent)
    assert len(Store(filled, only_read=True).runs_json()) == 1
    assert contents(filled.parent) == before


@pytest.mark.parametrize("locks", [True, False])
def test_what_waits_in_the_log_is_read(filled: Path, locks: bool) -> None:
    """A writer that was killed leaves its last runs in the log alone; the file stays as it is, none is added."""
    db = sqlite3.connect(filled)
    db.execute("UPDATE runs SET key = 'b'")
    db.commit()
    left = contents(filled.parent)
    db.close()
    for name, data in left.items():
        if locks or not name.endswith("-shm"):
            (filled.parent / name).write_bytes(data)
    before = contents(filled.parent)
    assert [run["key"] for run in Store(filled, only_read=True).runs_json()] == ["b"]
    after = contents(filled.parent)
    assert sorted(after) == sorted(before)
    assert after[filled.name] == before[filled.name]
    assert after[f"{filled.name}-wal"] == before[f"{filled.name}-wal"]


def test_a_file_that_is_written_to_is_read_again(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read may be half old and half new."""
    connect, seen = sqlite3.connect, []

    def connected(*args: object, **settings: object) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*args, **settings)  # type: ignore[call-overload]
        if "immutable" in str(args[0]) and len(seen) < 2:
            seen.append(1)
            os.utime(filled, (len(seen), len(seen)))
        return db

    store = Store(filled, only_read=True)
    monkeypatch.setattr(sqlite3, "connect", connected)
    assert len(store.runs_json()) == 1
    assert len(seen) == 2


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    """It gets no tables of ours."""
    file = tmp_path / "books.sqlite"
    db = sqlite3.connect(file)
    db.execute("CREATE TABLE books (title TEXT)")
    db.close()
    before = file.read_bytes()
    for only_read in (False, True):
        with pytest.raises(CapaxError, match="of format 0"):
            Store(file, only_read=only_read)
    assert file.read_bytes() == before
