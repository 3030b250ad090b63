"""Past questions and conversations, a row each. A trace holds only what its asker was shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, timedelta

from ragcli.codec import encode
from ragcli.errors import ConfigError, NotFound
from ragcli.index.postgres.database import Database, as_key, as_name
from ragcli.index.postgres.records import bytes_of, record_of
from ragcli.index.sessions import SESSION_NAME
from ragcli.index.traces import touches
from ragcli.records import SessionInfo, Trace, Turn, Verdict

Opened = Callable[[bool], Database | None]
"""A connection; None when there is no schema yet and none is to be made."""


class Traces:
    """``interfaces.TraceLog`` in a database."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def append(self, trace: Trace) -> None:
        """Add one. Raises StoreError when it cannot be written."""
        database = self._opened(True)
        assert database is not None
        database.run(
            "INSERT INTO traces (trace_id, day, data) VALUES (%s, %s, %s)",
            (as_key(trace.trace_id), as_key(trace.created[:10]), bytes_of(encode(trace))),
        )

    def feedback(self, trace_id: str, verdict: Verdict) -> Trace:
        """Record a user's verdict. ``trace_id`` may be a unique beginning. Raises NotFound for an unknown one."""
        marked = dataclasses.replace(self.get(trace_id), feedback=verdict)
        database = self._opened(True)
        assert database is not None
        database.run(
            "UPDATE traces SET data = %s WHERE trace_id = %s", (bytes_of(encode(marked)), as_key(marked.trace_id))
        )
        return marked

    def get(self, trace_id: str) -> Trace:
        """The trace with this id, or the only one whose id starts so. Raises NotFound."""
        database = self._opened(False)
        start = as_key(trace_id)
        sql = "SELECT data FROM traces WHERE substring(trace_id FOR %s) = %s ORDER BY number"
        rows = database.rows(sql, (len(start), start)) if database is not None and trace_id else []
        found = [record_of(Trace, data) for (data,) in rows]
        exact = [trace for trace in found if trace.trace_id == trace_id] or found
        if len(exact) != 1:
            told = f"{len(found)} traces start with" if found else "no trace has the id"
            raise NotFound(f"{told} {trace_id!r}", hint="rag log lists them")
        return exact[0]

    def __iter__(self) -> Iterator[Trace]:
        """Every trace, oldest first, with its feedback."""
        database = self._opened(False)
        rows = database.rows("SELECT data FROM traces ORDER BY day, number") if database is not None else []
        return (record_of(Trace, data) for (data,) in rows)

    def remove_old(self, keep_days: int, today: date) -> int:
        """Remove what is more than ``keep_days`` older than ``today``; how many traces went."""
        database = self._opened(False)
        oldest = as_key((today - timedelta(days=keep_days)).isoformat())
        return database.run("DELETE FROM traces WHERE day < %s", (oldest,)) if database is not None else 0

    def forget(self, doc_ids: Collection[str]) -> int:
        """Remove every trace that touched one of the documents; how many went."""
        gone = [as_key(trace.trace_id) for trace in self if touches(trace, frozenset(doc_ids))]
        database = self._opened(False)
        if database is None or not gone:
            return 0
        removed = database.run("DELETE FROM traces WHERE trace_id = ANY(%s)", (gone,))
        database.run("VACUUM (FULL) traces")
        return removed


class Sessions:
    """``interfaces.SessionLog`` in a database."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def turns(self, name: str) -> list[Turn]:
        """The turns of a session, oldest first, whoever may see them; empty for a new session."""
        return [turn for _, turn in self._numbered(name)]

    def append(self, name: str, turn: Turn) -> None:
        """Add a turn. Raises ConfigError for a name that cannot be one, StoreError when it cannot be written."""
        key = _named(name)
        database = self._opened(True)
        assert database is not None
        database.run("INSERT INTO turns (name, data) VALUES (%s, %s)", (key, bytes_of(encode(turn))))

    def list(self) -> Sequence[SessionInfo]:
        """Every session, by name."""
        database = self._opened(False)
        rows = database.rows("SELECT name, data FROM turns ORDER BY name, number") if database is not None else []
        found: dict[str, SessionInfo] = {}
        for key, data in rows:
            name, turn = as_name(key), record_of(Turn, data)
            found[name] = SessionInfo(name, found[name].turns + 1 if name in found else 1, turn.created)
        return [found[name] for name in sorted(found)]

    def drop(self, name: str, wanted: Callable[[Turn], bool]) -> None:
        """Remove the wanted turns of a session, and with the last one the session. Raises NotFound for none of them."""
        gone = [number for number, turn in self._numbered(name) if wanted(turn)]
        database = self._opened(False)
        if database is None or not gone:
            raise NotFound(f"no session {name!r}", hint="rag session list")
        database.run("DELETE FROM turns WHERE number = ANY(%s)", (gone,))

    def forget(self, doc_ids: Collection[str]) -> int:
        """Remove every turn that used one of the documents; how many went."""
        database = self._opened(False)
        if database is None:
            return 0
        named, rows = set(doc_ids), database.rows("SELECT number, data FROM turns")
        gone = [number for number, data in rows if named.intersection(record_of(Turn, data).doc_ids)]
        if gone:
            database.run("DELETE FROM turns WHERE number = ANY(%s)", (gone,))
            database.run("VACUUM (FULL) turns")
        return len(gone)

    def _numbered(self, name: str) -> Sequence[tuple[int, Turn]]:
        key = _named(name)
        database = self._opened(False)
        if database is None:
            return []
        rows = database.rows("SELECT number, data FROM turns WHERE name = %s ORDER BY number", (key,))
        return [(int(number), record_of(Turn, data)) for number, data in rows]


def _named(name: str) -> bytes:
    if not SESSION_NAME.fullmatch(name):
        raise ConfigError(f"a session cannot be named {name!r}", hint="letters, digits, dots, dashes, underscores")
    return as_key(name)
