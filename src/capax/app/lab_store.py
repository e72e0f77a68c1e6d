"""The results of the lab in one SQLite file: safe with several writers, and with one that is killed."""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from capax.errors import CapaxError
from capax.lab.engines.job import Done
from capax.lab.spec import Member, Spec, read_spec
from capax.lab.stored import StoredRun

PATIENCE: Final = 60.0
"""Seconds that a writer waits for another one."""
FORMAT: Final = 1
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS runs (
  key TEXT PRIMARY KEY, settings TEXT NOT NULL, result TEXT, error TEXT,
  seconds REAL NOT NULL, cpu_seconds REAL NOT NULL, engine TEXT NOT NULL, finished_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS experiments (
  name TEXT NOT NULL, preset TEXT NOT NULL, spec TEXT NOT NULL, updated_at REAL NOT NULL, PRIMARY KEY (name, preset)
);
CREATE TABLE IF NOT EXISTS members (
  name TEXT NOT NULL, preset TEXT NOT NULL, number INTEGER NOT NULL, arm TEXT NOT NULL, key TEXT NOT NULL,
  settings TEXT NOT NULL, PRIMARY KEY (name, preset, number)
);
"""


class Store:
    """A file of results. A run is written whole, in one transaction; the first finished result of a key stays."""

    def __init__(self, path: Path, *, must_exist: bool = False) -> None:
        self.path = path
        if must_exist and not path.is_file():
            hint = "`capax sweep SPEC.toml` makes it; --results names another file"
            raise CapaxError("file-not-found", f"there is no file {path}", hint=hint, path=str(path))
        try:
            with self._open() as db:
                _write_ahead(db)
                (version,) = db.execute("PRAGMA user_version").fetchone()
                if version == 0:
                    db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version={FORMAT}; COMMIT;")
                elif version != FORMAT:
                    what = f"{path} is of format {version}, and this version of capax reads {FORMAT}"
                    raise CapaxError("file-unreadable", what, hint="use the version of capax that made it")
        except sqlite3.Error as error:
            what = f"{path} is not a file of results: {error}"
            raise CapaxError("file-unreadable", what, hint="--results FILE names another file") from None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            db.execute("PRAGMA synchronous=NORMAL")
            yield db
        finally:
            db.close()

    def _write(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """All statements in one transaction, or none."""
        try:
            with self._open() as db:
                db.execute("BEGIN IMMEDIATE")
                for text, values in statements:
                    db.execute(text, values)
                db.execute("COMMIT")
        except sqlite3.Error as error:
            raise CapaxError("file-unreadable", f"cannot write {self.path}: {error}", hint="is it writable?") from None

    def _read(self, text: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._open() as db:
                return db.execute(text, values).fetchall()
        except sqlite3.Error as error:
            raise CapaxError("file-unreadable", f"cannot read {self.path}: {error}") from None

    def plan(self, spec: Spec, preset: str, members: Sequence[Member]) -> None:
        """Writes down what a sweep is made of; what was there of this preset is replaced, its runs are not."""
        name = spec.name
        rows = [
            (
                "INSERT INTO members VALUES (?, ?, ?, ?, ?, ?)",
                (name, preset, number, m.arm, m.settings.key(), _json(m.settings.to_json())),
            )
            for number, m in enumerate(members)
        ]
        self._write(
            [
                ("INSERT OR REPLACE INTO experiments VALUES (?, ?, ?, ?)", (name, preset, spec.text, time.time())),
                ("DELETE FROM members WHERE name = ? AND preset = ?", (name, preset)),
                *rows,
            ]
        )

    def finished(self) -> set[str]:
        """The keys of the runs that have a result."""
        return {key for (key,) in self._read("SELECT key FROM runs WHERE result IS NOT NULL")}

    def has(self, key: str) -> bool:
        """Whether a run has a result."""
        return bool(self._read("SELECT 1 FROM runs WHERE key = ? AND result IS NOT NULL", (key,)))

    def add(self, done: Done, settings: dict[str, Any], engine: str) -> None:
        """Writes what came of a run. A result that is there stays; an error gives way to whatever comes later."""
        result = None if done.result is None else _json(done.result)
        row = (done.key, _json(settings), result, done.error, done.seconds, done.cpu_seconds, engine, time.time())
        self._write(
            [
                ("DELETE FROM runs WHERE key = ? AND result IS NULL", (done.key,)),
                ("INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row),
            ]
        )

    def experiments(self) -> list[tuple[Spec, str]]:
        """The sweeps of the file with their presets, by name."""
        found = self._read("SELECT name, preset, spec FROM experiments ORDER BY name, preset")
        return [(read_spec(text, f"the sweep {name} in {self.path}"), preset) for name, preset, text in found]

    def runs(self, name: str, preset: str) -> list[StoredRun]:
        """The runs of a sweep in its order, those that are not finished too."""
        found = self._read(
            "SELECT m.arm, m.key, m.settings, r.result, r.cpu_seconds, r.error FROM members m LEFT JOIN runs r "
            "ON r.key = m.key WHERE m.name = ? AND m.preset = ? ORDER BY m.number",
            (name, preset),
        )
        return [
            StoredRun(arm, key, self._table(settings), self._table(result) if result else None, seconds or 0.0, error)
            for arm, key, settings, result, seconds, error in found
        ]

    def all_runs(self) -> list[dict[str, Any]]:
        """Every run of the file as plain data, the last first; maps of heads and the history are left out."""
        found = self._read(
            "SELECT key, settings, result, error, seconds, cpu_seconds, engine, finished_at FROM runs "
            "ORDER BY finished_at DESC, key"
        )
        names = ("key", "settings", "result", "error", "seconds", "cpu_seconds", "engine", "finished_at")
        return [
            dict(zip(names, row, strict=True))
            | {"settings": self._table(row[1]), "result": self._table(row[2]) if row[2] else None}
            for row in found
        ]

    def _table(self, text: str) -> dict[str, Any]:
        """Settings or results, which are tables in JSON; other text is an error."""
        try:
            found = json.loads(text)
            if isinstance(found, dict):
                return found
        except (ValueError, TypeError, RecursionError):
            pass
        what = f"{self.path} is damaged: {text!r:.60} stands where settings or a result should"
        raise CapaxError("file-unreadable", what, hint="--results FILE names another file")


def _write_ahead(db: sqlite3.Connection) -> None:
    """Makes readers and writers not wait for each other. SQLite itself does not wait here when another begins too."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL").fetchone()  # a file system that has no such thing leaves it as it is
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
