"""A query to its result: what it may read is looked up, loaded and run; each row is given the places it came from."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.config import TablesConfig
from ragcli.errors import ConfigError
from ragcli.pipelines.querying.library import Library, Loaded
from ragcli.records import RowPlace, TableColumn
from ragcli.records.tables import QueryResult
from ragcli.tables.naming import RAW
from ragcli.tables.sandbox import QueryOutcome, Sandbox, TableContent
from ragcli.tables.statement import ReadQuery, TableReference

_MOST_PLACES = 20
"""Rows that are named as the source of one row of a result."""


def run_query(query: str, library: Library, *, config: TablesConfig, index_version: str) -> QueryResult:
    """The result of one SELECT over the tables of a library.

    Raises ConfigError for SQL that cannot be run, for a table that is not there, and for a limit that is met.
    """
    if not query.strip():
        raise ConfigError("the query is empty", hint='rag sql "SELECT * FROM documents"')
    with Sandbox(config) as sandbox:
        statement = ReadQuery(sandbox.parse(query))
        loaded = {reference: library.load(library.names.meant(reference.name)) for reference in statement.tables}
        row_of, rows_of = sandbox.expressions("T.rowid", f"min(T.rowid, {_MOST_PLACES + 1})")
        traced = statement.tracing(row_of, rows_of)
        contents = [_content(reference, table) for reference, table in loaded.items()]
        found = sandbox.run(query, contents, [tree for tree, _ in traced], config.max_rows)
    sources = traced[found.traced][1] if found.traced is not None else []
    rows, places, more = _told_apart(found, [loaded[source] for source in sources], list(loaded.values()))
    kept = len(found.columns) - len(sources)
    infos = {table.info.name: table.info for table in loaded.values()}
    notices = [warning for info in infos.values() for warning in info.warnings]
    if found.cut:
        notices.append(f"there are more than {config.max_rows} rows: these are the first (tables.max_rows)")
    return QueryResult(
        query.strip(),
        index_version,
        found.columns[:kept],
        found.types[:kept],
        rows,
        places,
        more,
        tuple(infos.values()),
        found.cut,
        tuple(notices),
    )


def _content(reference: TableReference, table: Loaded) -> TableContent:
    if reference.schema.casefold() != RAW:
        return TableContent(reference.schema, reference.name, table.info.columns, table.rows)
    columns = [TableColumn(column.name, column.header) for column in table.info.columns]
    return TableContent(reference.schema, reference.name, columns, table.raw)


def _told_apart(
    found: QueryOutcome, sources: Sequence[Loaded], read: Sequence[Loaded]
) -> tuple[tuple[tuple[object, ...], ...], tuple[tuple[RowPlace, ...], ...], tuple[bool, ...]]:
    """Rows, the places of each, and of which there are more: from the columns that were added, one a source.

    Where none could be added, a row comes from all tables that were read.
    """
    if not sources:
        whole = tuple(_whole(table) for table in read)
        return found.rows, tuple(whole for _ in found.rows), tuple(False for _ in found.rows)
    rows, places, more = [], [], []
    for row in found.rows:
        rows.append(row[: len(row) - len(sources)])
        used = [_numbers(cell) for cell in row[len(row) - len(sources) :]]
        pairs = [(source, numbers[:_MOST_PLACES]) for source, numbers in zip(sources, used, strict=True)]
        places.append(tuple(dict.fromkeys(source.place(number) for source, numbers in pairs for number in numbers)))
        more.append(any(len(numbers) > _MOST_PLACES for numbers in used))
    return tuple(rows), tuple(places), tuple(more)


def _numbers(cell: object) -> list[int]:
    """The rows of a table in an added cell: one, several, or none, as an outer join gives."""
    several = cell if isinstance(cell, tuple) else (cell,)
    return [number for number in several if isinstance(number, int)]


def _whole(table: Loaded) -> RowPlace:
    info = table.info
    return RowPlace(info.name, info.doc_id, info.source, page=info.page, lines=info.lines)
