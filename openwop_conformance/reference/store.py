"""The durable log: runs, their events and kept answers in SQLite, appended whole or not at all.

What the events mean is not known here. One process owns a database; within it every use is under
one lock, so an application may be built in one thread and served in another.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ..errors import UsageError
from ..jsonvalue import JsonValue
from .events import Event, Major

_FORMAT: Final = 1
_TABLES: Final = """
CREATE TABLE runs (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, workflow TEXT NOT NULL, parent TEXT,
  options TEXT NOT NULL, created TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
  run TEXT NOT NULL REFERENCES runs(id), sequence INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (run, sequence));
CREATE TABLE answers (
  tenant TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
  status INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (tenant, operation, key)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of a run beside its log. ``options`` are its tags, metadata and the like."""

    id: str
    tenant: str
    workflow: str
    parent: str | None
    options: dict[str, JsonValue]
    created: str

    @property
    def major(self) -> Major:
        """The major it was created in: an id of major 2 names its tenant before a slash."""
        return 2 if "/" in self.id else 1


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The answer to a request that carried an idempotency key, and that request's digest."""

    digest: str
    status: int
    body: JsonValue


class Store:
    """One database. Raises ``UsageError`` for a file that is not one of ours."""

    def __init__(self, database: str) -> None:
        try:
            connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise UsageError(f"cannot open the database {database!r}: {error}") from None
        self._connection = connection
        self._lock = threading.RLock()
        self._depth = 0
        self._finalizer = weakref.finalize(self, connection.close)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            if database != ":memory:":
                connection.execute("PRAGMA journal_mode = WAL")
            self._prepare(database)
        except sqlite3.Error as error:
            self.close()
            raise UsageError(f"cannot use the database {database!r}: {error}") from None

    def _prepare(self, database: str) -> None:
        (found,) = self._connection.execute("PRAGMA user_version").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if found == 0 and tables == 0:
            self._connection.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_FORMAT}; COMMIT;"
            )
        elif found != _FORMAT:
            self.close()
            raise UsageError(f"{database!r} is a database of something else; name another file")

    def close(self) -> None:
        """Let go of the database; twice is once."""
        with self._lock:
            self._finalizer()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside, or none; one within another belongs to the outer one."""
        with self._lock:
            if self._depth:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            else:
                self._connection.execute("COMMIT")
            finally:
                self._depth = 0

    def add_run(self, run: Run) -> None:
        """Take note of a run, which has no events yet."""
        row = (run.id, run.tenant, run.workflow, run.parent, _text(run.options), run.created)
        with self.transaction():
            self._connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?)", row)

    def run(self, run_id: str) -> Run | None:
        """A run by its id."""
        with self._lock:
            row = self._connection.execute(
                "SELECT id, tenant, workflow, parent, options, created FROM runs WHERE id = ?",
                (run_id,),
            ).fetchone()
        return row and Run(row[0], row[1], row[2], row[3], json.loads(row[4]), row[5])

    def append(self, events: Iterable[Event]) -> None:
        """Append events to their runs, all or none; a sequence that is taken is an error."""
        rows = [(event["runId"], event["sequence"], _text(event)) for event in events]
        with self.transaction():
            self._connection.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)

    def events(self, run_id: str, *, after: int = -1, before: int | None = None) -> list[Event]:
        """The events of a run with ``after < sequence < before``, in order."""
        until = 2**63 - 1 if before is None else before
        with self._lock:
            rows = self._connection.execute(
                "SELECT body FROM events WHERE run = ? AND sequence > ? AND sequence < ?"
                " ORDER BY sequence",
                (run_id, after, until),
            ).fetchall()
        return [json.loads(body) for (body,) in rows]

    def keep_answer(self, tenant: str, operation: str, key: str, answer: KeptAnswer) -> None:
        """Keep an answer for the next request with the same key."""
        row = (tenant, operation, key, answer.digest, answer.status, _text(answer.body))
        with self.transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row
            )

    def kept_answer(self, tenant: str, operation: str, key: str) -> KeptAnswer | None:
        """The answer kept under a tenant's key for an operation."""
        with self._lock:
            row = self._connection.execute(
                "SELECT digest, status, body FROM answers"
                " WHERE tenant = ? AND operation = ? AND key = ?",
                (tenant, operation, key),
            ).fetchone()
        return row and KeptAnswer(row[0], row[1], json.loads(row[2]))


_text: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
