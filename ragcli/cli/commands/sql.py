"""``rag sql``: one SELECT over the tables of the documents."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ragcli.cli.commands.ask import read_question
from ragcli.cli.invocation import Invocation, epilog, invocation
from ragcli.cli.output import Output, clean, to_json
from ragcli.cli.retrieval_options import AsOf, At, Filters, Groups, IncludeSuperseded, RetrievalOptions
from ragcli.cli.views.places import table_places
from ragcli.display import spreadsheet_cell
from ragcli.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from ragcli.records.tables import QueryResult

Format = Literal["table", "csv", "json"]
_SHOWN_PLACES = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = (
        'rag sql "SELECT country, sum(amount) FROM expenses GROUP BY country ORDER BY 2 DESC"',
        "rag sql \"SELECT title, effective_date FROM documents WHERE language = 'de'\" --format csv",
    )
    codes = (ExitCode.NOT_FOUND, ExitCode.INDEX)
    app.command("sql", epilog=epilog(*examples, codes=codes))(sql)


def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SELECT; - reads standard input.")],
    format_: Annotated[Format, typer.Option("--format", help="How rows are printed; csv and json have all.")] = "table",
    strict: Annotated[bool, typer.Option("--strict", help="Exit 4 when there is no row.")] = False,
    filters: Filters = None,
    groups: Groups = None,
    as_of: AsOf = None,
    include_superseded: IncludeSuperseded = False,
    at: At = None,
) -> None:
    """Run SQL that reads the tables of the documents (rag tables lists them), each row with where it comes from."""
    options = RetrievalOptions(None, filters, groups, as_of, include_superseded, at=at)
    run = invocation(context)
    index = run.index_with(options.overrides(), at=at)
    found = index.sql(read_question(query) if query == "-" else clean(query), **options.scope())
    _print(run, found, format_)
    for notice in found.notices:
        run.output.notice(notice)
    if not found.rows:
        run.output.notice("no rows")
        if strict:
            raise typer.Exit(ExitCode.NOT_FOUND)


def _print(run: Invocation, found: QueryResult, form: Format) -> None:
    if form == "csv" and run.output.json:
        raise ConfigError("--json and --format csv exclude each other")
    if form == "json" and not run.output.json:
        run.output.result({}, to_json(found.to_json()))
    elif form == "csv":
        run.output.result({}, _csv(found))
    else:
        run.output.result(found.to_json(), lambda: _table(found, run.output))


def _table(found: QueryResult, output: Output) -> str:
    kinds = zip(found.columns, found.types, strict=True)
    names = [f"{name}>" if _is_number(kind) else name for name, kind in kinds]
    rows = [
        [*map(_cell, row), table_places(places, _SHOWN_PLACES, more=more)]
        for row, places, more in zip(found.rows, found.places, found.more_places, strict=True)
    ]
    return output.table([*names, "from"], rows)


def _csv(found: QueryResult) -> str:
    """Rows for a spreadsheet: a text that begins as a formula does gets a ``'`` before it."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*map(spreadsheet_cell, found.columns), "from"])
    for row, places, more in zip(found.rows, found.places, found.more_places, strict=True):
        cells = (*map(_cell, row), table_places(places, len(places), more=more))  # a file may be named =1+1.csv
        writer.writerow(map(spreadsheet_cell, cells))
    return written.getvalue()


def _cell(cell: Any) -> str:
    if isinstance(cell, tuple):
        return ", ".join(map(_cell, cell))
    return "" if cell is None else str(cell)


def _is_number(kind: str) -> bool:
    return kind.startswith(("DECIMAL", "BIGINT", "HUGEINT", "INTEGER", "DOUBLE", "FLOAT", "SMALLINT", "TINYINT", "U"))
