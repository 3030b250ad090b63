"""The process that runs SQL: it gets tables and a query on standard input and gives the result on standard output.

It runs apart because a query can take any time and any memory, and because who writes it may be a model that has just
read a stranger's document. The engine is closed against files, network and extensions, the process besides that has no
environment to read, may not write a file and is ended by its parent. ``python -m ragcli.tables.process``.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import json
import os
import sys
from typing import Any

import duckdb

_MOST_BYTES = 64_000_000  # of a result
_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "threads": "1",
    "TimeZone": "UTC",
}


def main() -> None:
    """Answer jobs until standard input ends; the first line names the limits."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # a library that prints must not garble the answers
    jobs = sys.stdin
    limits = json.loads(jobs.readline())
    _limit(limits["memory_mb"])
    connection = _engine(limits["memory_mb"])
    for line in jobs:
        job = json.loads(line)
        answer = _parsed(connection, job["parse"]) if "parse" in job else _answered(connection, job)
        answers.write(json.dumps(answer, ensure_ascii=True) + "\n")
        answers.flush()


def _engine(memory_mb: int) -> Any:
    """A database in memory that reads nothing from outside; where it lacks a setting, it has not what it closes."""
    config: dict[str, Any] = {**_CLOSED, "memory_limit": f"{memory_mb}MB"}
    while True:
        try:
            connection = duckdb.connect(":memory:", config=config)
            break
        except duckdb.Error as error:
            unknown = next((name for name in ("TimeZone", "python_enable_replacements") if name in str(error)), None)
            if unknown is None or config.pop(unknown, None) is None:
                raise
    return connection


def _limit(memory_mb: int) -> None:
    """Let allocations fail well beyond the engine's own limit, and no file be written, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        most = (2 * memory_mb + 512) * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _parsed(connection: Any, query: str) -> dict[str, Any]:
    """The query as the parser's tree."""
    found = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchone()
    tree: dict[str, Any] = json.loads(found[0])
    return tree


def _answered(connection: Any, job: dict[str, Any]) -> dict[str, Any]:
    """Make the tables, lock the engine, and run the first of the queries that can be bound."""
    try:
        for table in job["tables"]:
            _create(connection, table)
        connection.execute("SET lock_configuration = true")
        queries = [_written(connection, tree) for tree in job["trees"]]
        number = next((n for n, query in enumerate(queries) if _binds(connection, query)), None)
        query = job["query"] if number is None else queries[number]
        return _run(connection, query, job["limit"]) | {"traced": number}
    except (duckdb.Error, ValueError, OverflowError, RuntimeError) as error:
        return {"error": str(error), "kind": type(error).__name__}
    except MemoryError:
        return {"error": "the query needs more memory than it may have", "kind": "OutOfMemoryException"}


def _create(connection: Any, table: dict[str, Any]) -> None:
    """A table from rows of texts, cast to the types of its columns; rows keep their order and so their ``rowid``."""
    names, types = zip(*table["columns"], strict=True)
    casts = [f"CAST(row[{place}] AS {kind})" for place, kind in enumerate(types, start=1)]
    cells = ", ".join(f"{cast} AS {_quoted(name)}" for cast, name in zip(casts, names, strict=True))
    where = _quoted(table["name"])
    if table["schema"]:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_quoted(table['schema'])}")
        where = f"{_quoted(table['schema'])}.{where}"
    rows = json.dumps(table["rows"])
    source = "SELECT unnest(from_json(?::VARCHAR, '[[\"VARCHAR\"]]')) AS row"
    connection.execute(f"CREATE TABLE {where} AS SELECT {cells} FROM ({source})", [rows])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _written(connection: Any, tree: dict[str, Any]) -> str:
    return str(connection.execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps(tree)]).fetchone()[0])


def _binds(connection: Any, query: str) -> bool:
    try:
        connection.execute(f"EXPLAIN {query}")
    except duckdb.Error:
        return False
    return True


def _run(connection: Any, query: str, limit: int) -> dict[str, Any]:
    result = connection.execute(query)
    columns = [(str(item[0]), str(item[1])) for item in result.description]
    rows: list[list[Any]] = []
    size, cut = 0, False
    while not cut and (batch := result.fetchmany(256)):
        for row in batch:
            if len(rows) == limit:
                cut = True
                break
            rows.append([_plain(cell) for cell in row])
            size += sum(len(cell) if isinstance(cell, str) else 16 for cell in rows[-1])
            if size > _MOST_BYTES:
                raise ValueError(f"the result is larger than {_MOST_BYTES // 1_000_000} MB: select less, or LIMIT it")
    return {"columns": columns, "rows": rows, "cut": cut}


def _plain(cell: Any) -> Any:
    """A cell for JSON; what it has no form for goes as text, or as an object with its kind."""
    if cell is None or isinstance(cell, bool | str):
        return cell
    if isinstance(cell, int):
        return cell if abs(cell) < 1 << 53 else {"integer": str(cell)}
    if isinstance(cell, float):
        return cell if cell == cell and abs(cell) != float("inf") else str(cell)
    if isinstance(cell, decimal.Decimal):
        return {"decimal": str(cell)}
    if isinstance(cell, datetime.datetime):
        return {"timestamp": cell.isoformat()}
    if isinstance(cell, datetime.date):
        return {"date": cell.isoformat()}
    if isinstance(cell, list | tuple):
        return {"list": [_plain(item) for item in cell]}
    if isinstance(cell, dict):
        return {"map": [[str(key), _plain(value)] for key, value in cell.items()]}
    return cell.hex() if isinstance(cell, bytes) else str(cell)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main()
