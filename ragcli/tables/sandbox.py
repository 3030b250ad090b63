"""One query, run in a process of its own that is ended when its time is over."""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import ragcli
from ragcli.config import TablesConfig
from ragcli.errors import ConfigError
from ragcli.records.tables import CellValue, TableColumn
from ragcli.tables.statement import Tree

_PASSED_ON = ("PATH", "SYSTEMROOT", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""All of the environment that a query's process has: no key, no address of a database, no home."""
_SQL_TYPES = {"text": "VARCHAR", "integer": "BIGINT", "date": "DATE", "timestamp": "TIMESTAMP", "list": "VARCHAR[]"}
_HINTS = {
    "timeout": "raise tables.timeout_seconds, or ask for less",
    "OutOfMemoryException": "raise tables.memory_mb, or ask for less",
    "ParserException": "names with blanks or of words of SQL stand in double quotes",
}


@dataclass(frozen=True, slots=True)
class TableContent:
    """A table as the query sees it: schema (``""`` or ``raw``), name as the query writes it, columns, rows."""

    schema: str
    name: str
    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[CellValue]]


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """Names and types of the columns, the rows, whether there were more, and which traced form ran (None: none)."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool
    traced: int | None


def is_installed() -> bool:
    """Whether the engine that runs SQL is there."""
    return importlib.util.find_spec("duckdb") is not None


class Sandbox:
    """A process for one query; use it as a context manager.

    Every method raises ConfigError for SQL that cannot be run, with the engine's message, and for a limit that is met.
    """

    def __init__(self, config: TablesConfig) -> None:
        if not is_installed():
            raise ConfigError("SQL needs DuckDB, which is not installed", hint="pip install 'ragcli[sql]'")
        self._config = config
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._timed_out = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ragcli.tables.process"],  # -P: no module of the working folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            encoding="ascii",
            env=_environment(),
            start_new_session=True,
        )
        self._timer = threading.Timer(config.timeout_seconds, self._end)
        self._timer.daemon = True
        self._timer.start()
        self._send({"memory_mb": config.memory_mb})

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._complaints):
            _close(stream)

    def parse(self, query: str) -> Tree:
        """The query as the engine's parser reads it."""
        return self._ask({"parse": query})

    def expressions(self, *written: str) -> list[Tree]:
        """Expressions over a table ``T`` as trees."""
        tree = self.parse(f"SELECT {', '.join(written)} FROM T")
        return list(tree["statements"][0]["node"]["select_list"])

    def run(self, query: str, tables: Sequence[TableContent], trees: Sequence[Tree], limit: int) -> QueryOutcome:
        """The result of the first of ``trees`` that can be bound, else of ``query``; at most ``limit`` rows."""
        answer = self._ask(
            {"tables": [_content(table) for table in tables], "trees": list(trees), "query": query, "limit": limit}
        )
        if "error" in answer:
            raise _failed(answer["error"], answer["kind"])
        columns = [(str(name), str(kind)) for name, kind in answer["columns"]]
        return QueryOutcome(
            tuple(name for name, _ in columns),
            tuple(kind for _, kind in columns),
            tuple(tuple(_cell(cell) for cell in row) for row in answer["rows"]),
            bool(answer["cut"]),
            answer["traced"],
        )

    def _ask(self, job: dict[str, Any]) -> dict[str, Any]:
        line = self._read() if self._send(job) else ""
        if not line.endswith("\n"):
            raise self._died()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _send(self, job: dict[str, Any]) -> bool:
        try:
            if self._process.stdin is not None:
                self._process.stdin.write(json.dumps(job, ensure_ascii=True) + "\n")
                self._process.stdin.flush()
                return True
        except OSError:
            pass
        return False

    def _read(self) -> str:
        try:
            return self._process.stdout.readline() if self._process.stdout is not None else ""
        except (OSError, ValueError):
            return ""

    def _end(self) -> None:
        self._timed_out = True
        self._process.kill()

    def _died(self) -> ConfigError:
        code = self._process.wait()
        if self._timed_out:
            allowed = f"tables.timeout_seconds = {self._config.timeout_seconds:g}"
            return _failed(f"the query took longer than {allowed}, stopped", "timeout")
        self._complaints.seek(0)
        said = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        told = f"; its last words: {said[-1][:300]}" if said else ""
        return _failed(
            f"the process of the query died (code {code}), probably for want of memory: it may have about "
            f"tables.memory_mb = {self._config.memory_mb}{told}",
            "OutOfMemoryException",
        )


def _failed(message: str, kind: str) -> ConfigError:
    hint = _HINTS.get(kind, "rag tables lists the tables with their columns")
    return ConfigError(message.strip(), hint=hint, category="sql")


def _environment() -> dict[str, str]:
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    folder = str(Path(ragcli.__file__).resolve().parent.parent)
    return {**passed, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}


def _content(table: TableContent) -> dict[str, Any]:
    columns = [(one.name, _sql_type(one)) for one in table.columns]
    rows = [[_text(cell) for cell in row] for row in table.rows]
    return {"schema": table.schema, "name": table.name, "columns": columns, "rows": rows}


def _sql_type(column: TableColumn) -> str:
    return f"DECIMAL(38, {column.decimals})" if column.type == "number" else _SQL_TYPES[column.type]


def _text(cell: CellValue) -> str | None:
    """A cell as the text that the engine casts to the type of its column."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, tuple):
        return json.dumps(cell)
    return cell.isoformat() if isinstance(cell, datetime.date) else str(cell)


def _cell(cell: Any) -> Any:
    """A cell of the answer as a value."""
    if not isinstance(cell, dict):
        return cell
    ((kind, content),) = cell.items()
    if kind == "decimal":
        return decimal.Decimal(content)
    if kind == "integer":
        return int(content)
    if kind == "timestamp":
        return datetime.datetime.fromisoformat(content)
    if kind == "date":
        return datetime.date.fromisoformat(content)
    if kind == "map":
        return {name: _cell(value) for name, value in content}
    return tuple(_cell(item) for item in content)


def _close(stream: IO[Any] | None) -> None:
    try:
        if stream is not None:
            stream.close()
    except OSError:
        pass
