"""SQL as a tool of a model: the tables it may ask, and results as passages that it can cite.

The tables are those of the asker's scope: a closed one has no name here, and a query that names it is told so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence

from ragcli.answer.model.prompt import visible
from ragcli.answer.model.searching import Tool
from ragcli.display import one_line
from ragcli.pipelines.asking.inquiry import Inquiry
from ragcli.pipelines.querying.library import Library
from ragcli.pipelines.querying.query import run_query
from ragcli.pipelines.querying.rows import RowPassages
from ragcli.records import Chunk, Passage, Queried, Span, TableInfo
from ragcli.records.tables import QueryResult, json_value
from ragcli.tables.sandbox import is_installed

_MOST_TABLES = 1_000
"""Above it no tool is offered: the name of one is known only when all were read, at a quarter of a millisecond each."""
_SHOWN_TABLES = 20
_SHOWN_ROWS = 30
_KEPT_ROWS = 3
_LONGEST_CELL = 200  # characters
_SAID = "Runs one SELECT of DuckDB over the tables of the documents the user may see, and returns its rows."


class QueryTool:
    """The tool for one question. ``queries`` are those it ran, by the number of the passage that holds the result."""

    def __init__(self, inquiry: Inquiry, library: Library) -> None:
        self.queries: dict[int, Queried] = {}
        self._inquiry = inquiry
        self._library = library
        self._rows = RowPassages(inquiry.engine)

    def tool(self) -> Tool:
        """The tool as a model is told of it."""
        return Tool("query", _SAID, "sql", "the SELECT", self._look)

    def tables(self, doc_ids: Collection[str]) -> str:
        """What can be asked, as data for a model: first the tables of these documents, in the order of the library."""
        library = self._library
        places = sorted(library.places(), key=lambda place: library.document_of(place) not in doc_ids)
        infos = [library.load(place).info for place in [*places[:_SHOWN_TABLES], None]]
        more = len(places) - _SHOWN_TABLES
        lines = [*map(_described, infos), *([f"and {more} more tables"] if more > 0 else [])]
        return "<tables>\n" + "\n".join(map(visible, lines)) + "\n</tables>"

    def _look(self, sql: str, number: int) -> tuple[Passage, ...]:
        settings = self._inquiry.config.tables
        limited = dataclasses.replace(settings, max_rows=min(settings.max_rows, _SHOWN_ROWS))
        result = run_query(sql, self._library, config=limited, index_version=self._inquiry.engine.version)
        text, lines = _as_table(result)
        chunk = Chunk(f"query#{number}", "query", number, Span(0, len(text)), text, title="")
        rows = tuple(
            one for at, places in zip(lines, result.places, strict=True) for one in self._rows.underlying(at, places)
        )
        self.queries[number] = Queried(
            result.query,
            tuple(table.name for table in result.tables),
            result.columns,
            tuple(_cells(result, _KEPT_ROWS)),
        )
        source = f"query: {one_line(result.query)}"
        return (Passage(number, chunk, text, chunk.span, source, query=result.query, rows=rows),)


def query_tool(inquiry: Inquiry, library: Library) -> QueryTool | None:
    """The tool; None where the engine is not installed, or where there are too many tables."""
    return QueryTool(inquiry, library) if is_installed() and library.count <= _MOST_TABLES else None


def _described(info: TableInfo) -> str:
    """``prices (item text, price number €), 3 rows, from prices.csv: Prices``."""
    columns = ", ".join(" ".join(filter(None, (f'"{one.name}"', one.type, one.unit))) for one in info.columns)
    told = ": ".join(part for part in (info.source, info.title) if part)
    return one_line(f'"{info.name}" ({columns}), {info.row_count} rows, from {told}')


def _cells(result: QueryResult, most: int) -> Iterator[tuple[str, ...]]:
    for row in result.rows[:most]:
        yield tuple("" if cell is None else str(json_value(cell)) for cell in row)


def _as_table(result: QueryResult) -> tuple[str, list[Span]]:
    """The result as it is shown, and where each of its rows stands in that."""
    text = f"{_line(result.columns)}\n{_line(['---'] * len(result.columns))}\n"
    lines: list[Span] = []
    for row in _cells(result, len(result.rows)):
        line = _line(row)
        lines.append(Span(len(text), len(text) + len(line)))
        text += f"{line}\n"
    if not lines:
        text += "(no rows)\n"
    return text + "".join(f"({notice})\n" for notice in result.notices), lines


def _line(cells: Sequence[str]) -> str:
    shown = (" ".join(cell.split())[:_LONGEST_CELL].replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(shown)} |"
