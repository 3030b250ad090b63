"""``rag tables``: the tables that SQL can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.output import Output, shortened
from ragcli.cli.retrieval_options import AsOf, At, Filters, Groups, IncludeSuperseded, RetrievalOptions
from ragcli.cli.views.places import place
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.records import TableColumn, TableInfo

_MOST_COLUMNS = 8
_TITLE = 40


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = ("rag tables", "rag tables -v --filter 'source~sales/**'", 'rag sql "SELECT * FROM documents"')
    app.command("tables", epilog=epilog(*examples, codes=(ExitCode.INDEX,)))(tables)


def tables(
    context: typer.Context,
    filters: Filters = None,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    at: At = None,
) -> None:
    """List the tables of the documents with their columns; -v shows every column and its type."""
    from ragcli.records.tables import table_json

    options = RetrievalOptions(None, filters, groups, as_of, include_superseded, at=at)
    run = invocation(context)
    index = run.index_with(options.overrides(), at=at)
    found = index.tables(**options.scope())
    value = {
        "schema": "rag.tables/1",
        "index_version": index.reader.engine.version,
        "tables": [table_json(table) for table in found],
    }
    run.output.result(value, lambda: _text(found, run.output))
    for table in found:
        for warning in table.warnings:
            run.output.detail(warning)


def _text(tables: list[TableInfo], output: Output) -> str:
    if output.verbosity:
        return "\n\n".join("\n".join(_described(table, output)) for table in tables)
    rows = [(table.name, table.row_count, _columns(table), _where(table)) for table in tables]
    return output.table(("table", "rows>", "columns", "from"), rows)


def _columns(table: TableInfo) -> str:
    names = [column.name for column in table.columns[:_MOST_COLUMNS]]
    more = len(table.columns) - len(names)
    return ", ".join(names) + (f", and {more} more" if more else "")


def _where(table: TableInfo) -> str:
    if not table.doc_id:
        return table.title
    where = place(table.source, table.page, table.lines)
    return f"{where} ({shortened(table.title, _TITLE)})" if table.title else where


def _described(table: TableInfo, output: Output) -> Iterator[str]:
    yield output.style(f"{table.name}  {table.row_count} rows  {_where(table)}", "1")
    for column in table.columns:
        yield f"  {column.name}  {_kind(column)}" + (f"  {shortened(column.header, 60)!r}" if column.header else "")


def _kind(column: TableColumn) -> str:
    return f"{column.type} ({shortened(column.unit, 20)})" if column.unit else column.type
