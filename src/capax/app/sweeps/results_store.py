"""The results of the lab in one SQLite file: safe with several writers, and with one that is killed."""

import json
import math
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from capax.app.sweeps.read_only import Changed, readable
from capax.errors import CapaxError
from capax.lab.engines.job import Done
from capax.lab.stored import StoredRun
from capax.lab.sweep_spec import Member, Spec, read_spec
from capax.model.io.atomic import path_text

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
    """A file of results. A run is written whole, in one transaction; the first finished result of a key stays.

    One that is only read is left as it is, byte for byte, and may stand where nothing can be written.
    """

    def __init__(self, path: Path, *, only_read: bool = False) -> None:
        self.path = path
        self._only_read = only_read
        _refuse_other(path, must_exist=only_read)
        try:
            if not only_read:
                self._make()
            ((version,),) = self._read("PRAGMA user_version")
        except sqlite3.Error as error:
            what = f"{path_text(path)} is not a file of results: {error}"
            raise CapaxError("file-unreadable", what, hint="--results FILE names another file") from None
        if version != FORMAT:
            what = f"{path_text(self.path)} is of format {version}, and this version of capax reads {FORMAT}"
            hint = "use the version of capax that made it" if version else "is it one that `capax sweep` has written?"
            raise CapaxError("file-unreadable", what, hint=hint)

    def _make(self) -> None:
        """Makes the tables of a new file, and lets readers and writers not wait for each other."""
        with self._open() as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            (tables,) = db.execute("SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite%'").fetchone()
            if version not in (0, FORMAT) or (version == 0 and tables):
                return  # not ours: it is refused, and left as it is
            _write_ahead(db)
            if version == 0:
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version={FORMAT}; COMMIT;")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with ExitStack() as stack:
            if self._only_read:
                name = stack.enter_context(readable(self.path))
                db = sqlite3.connect(name, timeout=PATIENCE, isolation_level=None, uri=True)
            else:
                db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            stack.callback(db.close)
            if not self._only_read:
                db.execute("PRAGMA synchronous=NORMAL")
            yield db

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
            while True:
                with suppress(Changed), self._open() as db:
                    return db.execute(text, values).fetchall()
        except (sqlite3.Error, OSError, ValueError) as error:
            what = f"{path_text(self.path)} is not a file of results: {error}"
            raise CapaxError("file-unreadable", what, hint="--results FILE names another file") from None

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

    def add(self, done: Done, settings: Mapping[str, Any], engine: str) -> None:
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
        rows = self._read("SELECT name, preset, spec FROM experiments ORDER BY name, preset")
        return [
            (read_spec(self._text(text), f"the sweep {self._text(name)} in {self.path}"), self._text(preset))
            for name, preset, text in rows
        ]

    def runs(self, name: str, preset: str) -> list[StoredRun]:
        """The runs of a sweep in its order, those that are not finished too."""
        rows = self._read(
            "SELECT m.arm, m.key, m.settings, r.result, r.cpu_seconds, r.error, r.finished_at - r.seconds "
            "FROM members m LEFT JOIN runs r ON r.key = m.key WHERE m.name = ? AND m.preset = ? ORDER BY m.number",
            (name, preset),
        )
        return [
            StoredRun(
                self._text(arm),
                self._text(key),
                self._table_json(settings),
                self._table_json(result) if result else None,
                self._number(seconds),
                None if error is None else self._text(error),
                self._number(started),
            )
            for arm, key, settings, result, seconds, error, started in rows
        ]

    def runs_json(self) -> list[dict[str, Any]]:
        """Every run of the file as plain data, the last first; maps of heads and the history are left out."""
        rows = self._read(
            "SELECT key, settings, result, error, seconds, cpu_seconds, engine, finished_at FROM runs "
            "ORDER BY finished_at DESC, key"
        )
        return [
            {
                "key": self._text(key),
                "settings": self._table_json(settings),
                "result": self._table_json(result) if result else None,
                "error": None if error is None else self._text(error),
                "seconds": self._number(seconds),
                "cpu_seconds": self._number(cpu_seconds),
                "engine": self._text(engine),
                "finished_at": self._number(finished_at),
            }
            for key, settings, result, error, seconds, cpu_seconds, engine, finished_at in rows
        ]

    def _number(self, value: Any) -> float:
        """A number of seconds; nothing is 0, and text is an error. SQLite keeps text in columns of numbers."""
        if value is None:
            return 0.0
        if isinstance(value, (int, float)) and math.isfinite(value):
            return value
        raise self._damaged(value, "a number")

    def _text(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        raise self._damaged(value, "text")

    def _damaged(self, value: Any, kind: str) -> CapaxError:
        what = f"{path_text(self.path)} is damaged: {value!r:.60} stands where {kind} should be"
        return CapaxError("file-unreadable", what, hint="--results FILE names another file")

    def _table_json(self, text: str) -> dict[str, Any]:
        """Settings or results, which are tables in JSON; other text is an error."""
        try:
            table = json.loads(text)
            if isinstance(table, dict):
                return table
        except (ValueError, TypeError, RecursionError):
            pass
        raise self._damaged(text, "settings or a result")


def _refuse_other(path: Path, *, must_exist: bool) -> None:
    """Refuses a path that is not a file; and, where one must exist, a path where there is none."""
    try:
        if path.is_file() or not (must_exist or path.exists()):
            return
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise CapaxError("file-unreadable", f"cannot read {path_text(path)}: {why}") from None
    hint = "`capax sweep SPEC.toml` makes it; --results names another file"
    if path.exists():
        raise CapaxError("file-unreadable", f"{path_text(path)} is not a file", hint=hint)
    raise CapaxError("file-not-found", f"there is no file {path_text(path)}", hint=hint, path=str(path))


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
