"""A question that one query over one table answers: made by rule, run, shown and cited; offline, without any model."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Iterator
from typing import Any

from ragcli.answer.check.citing import Checked, marked, numbered
from ragcli.answer.check.verify import verify
from ragcli.answer.extract.candidates import row_as_text
from ragcli.language.lexicon import listed
from ragcli.language.words import words
from ragcli.pipelines.asking.inquiry import Gathered, Inquiry
from ragcli.pipelines.querying.library import Library
from ragcli.pipelines.querying.query import run_query
from ragcli.pipelines.querying.rows import RowPassages
from ragcli.records import (
    Answer,
    AskResult,
    Citation,
    Claim,
    Completion,
    Queried,
    Sentence,
    Usage,
)
from ragcli.records.tables import QueryResult
from ragcli.tables.asked import asked
from ragcli.tables.naming import DOCUMENTS
from ragcli.tables.questions import AskedTable, Made, made_queries, nearest

_MOST_TABLES = 300
_MOST_READ = 3_000
"""Up to the first number all tables are asked, up to the second those of the documents that a search finds. Above it
none is, because the name of one is known only when all were read, at a quarter of a millisecond each."""
_MOST_SENTENCES = 3
_NAMES = {"count": "count", "sum": "sum", "mean": "average", "max": "highest", "min": "lowest"}


def ask_tables(inquiry: Inquiry, library: Library) -> AskResult | None:
    """The answer of a query made by rule; None when the question asks for none, or when it is not sure which."""
    if asked(inquiry.asked) is None or library.count > _MOST_READ:
        return None
    started = time.perf_counter()
    doc_ids = None
    if library.count > _MOST_TABLES:
        doc_ids = {hit.chunk.doc_id for hit in inquiry.search(inquiry.asked).hits}
    made = made_queries(inquiry.asked, _candidates(library, doc_ids))
    if len(made) != 1:
        return None
    retrieval = inquiry.search(inquiry.asked)
    config, version = inquiry.config.tables, inquiry.engine.version
    result = run_query(made[0].sql, library, config=config, index_version=version)
    passages = RowPassages(inquiry.engine)
    answer = _answer(inquiry, made[0], result, passages)
    if answer is None:
        return None
    cells = tuple(tuple("" if cell is None else str(cell) for cell in row) for row in result.rows[:_MOST_SENTENCES])
    queried = Queried(made[0].sql, tuple(table.name for table in result.tables), result.columns, cells)
    took = (time.perf_counter() - started) * 1000
    timings = {"retrieve": took, "generate": 0.0, "verify": 0.0, "total": took}
    return inquiry.conclude(answer, Gathered(retrieval, passages.all(), queries=(queried,)), timings)


def tables_named(inquiry: Inquiry, library: Library) -> str:
    """A notice of what can be asked instead where a count, a sum or an extreme was not answered from passages."""
    if {word.folded for word in words(inquiry.asked)} & listed("document_words"):
        return f'what is known of each document can be queried: rag sql "SELECT * FROM {DOCUMENTS}"'
    found = nearest(inquiry.asked, _candidates(library, None)) if library.count <= _MOST_TABLES else None
    if found is None:
        return "rag sql reads tables: rag tables lists them" if library.count else ""
    columns = ", ".join(column.name for column in found.columns[:8])
    return f'the table {found.name} ({columns}) is nearest: rag sql "SELECT * FROM {found.name}"'


def _candidates(library: Library, doc_ids: set[str] | None) -> Iterator[AskedTable]:
    for place in library.places(doc_ids):
        loaded = library.load(place)
        info = loaded.info
        file = re.sub(r"[_\W]+", " ", info.source.rpartition("/")[2].rpartition(".")[0])
        yield AskedTable(info.name, f"{info.title} {file}", info.columns, loaded.raw)


# ---------------------------------------------------------------- the answer


def _answer(inquiry: Inquiry, made: Made, result: QueryResult, passages: RowPassages) -> Answer | None:
    """The rows of an extreme as they stand, or what a count, a sum or a mean came to with the rows behind it."""
    if made.operation in ("max", "min"):
        return _rows(inquiry, result, passages) if result.rows else None
    value, count = result.rows[0][0], result.rows[0][-1]
    if value is None or not any(result.places):
        return None
    text = _computed(made, result, value, count)
    quoted = passages.quotes(result.places[0])
    numbers: dict[tuple[str, str], int] = {}
    citations: list[Citation] = []
    sentence = numbered(Checked(text, "paraphrase", quoted, (), "", True), numbers, citations)
    return _found(inquiry, (sentence,), tuple(citations), passages)


def _rows(inquiry: Inquiry, result: QueryResult, passages: RowPassages) -> Answer:
    """Each row that has the extreme, read under its header and checked as any sentence is."""
    claims = []
    for places in result.places[:_MOST_SENTENCES]:
        for item in passages.quotes(places):
            header = passages.header(places[0])
            text = row_as_text(header, item.quote, item.passage.media_type) if header else item.quote
            claims.append(Claim(text, (str(item.passage.number),), (item.quote,)))
    completion = Completion(True, tuple(claims), "extractive", "tables")
    checked = verify(completion, passages.all(), question=inquiry.question, standalone_question=inquiry.asked)
    more = len(result.rows) - _MOST_SENTENCES
    return dataclasses.replace(checked, notices=(f"{more} more row(s) have the same value",)) if more > 0 else checked


def _found(
    inquiry: Inquiry, sentences: tuple[Sentence, ...], citations: tuple[Citation, ...], passages: RowPassages
) -> Answer:
    return Answer(
        question=inquiry.question,
        standalone_question=inquiry.asked,
        found=True,
        not_found_reason=None,
        text=" ".join(map(marked, sentences)),
        sentences=sentences,
        citations=citations,
        invalid_citations=(),
        passages=tuple(passage.chunk.chunk_id for passage in passages.all()),
        provider="extractive",
        model="tables",
        usage=Usage(),
    )


def _computed(made: Made, result: QueryResult, value: Any, count: Any) -> str:
    """``sum of Price in prices, Category = Hardware: 1323.90 € (2 rows)``."""
    of = f" of {made.column.header or made.column.name}" if made.column is not None else " of rows"
    conditions = "".join(f", {one.column.header or one.column.name} = {one.value}" for one in made.conditions)
    unit = f" {made.column.unit}" if made.column is not None and made.column.unit and not made.distinct else ""
    rows = "" if made.operation == "count" else f" ({count} row{'' if count == 1 else 's'})"
    name = "count of different" if made.distinct else _NAMES[made.operation]
    of = of.removeprefix(" of") if made.distinct else of
    decimals = made.column.decimals if made.column is not None else 0
    return f"{name}{of} in {made.table}{conditions}: {_shown(value, decimals)}{unit}{rows}."


def _shown(value: Any, decimals: int) -> str:
    """A value with no more decimals than it can mean: two more than the column has."""
    if isinstance(value, float):
        text = f"{value:.{decimals + 2}f}"
        return text.rstrip("0").rstrip(".")
    return str(value)
