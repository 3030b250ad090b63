"""Questions of tables of every format, asked as a user asks them: right values, and none where a rule would guess."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragcli import Index
from ragcli.pipelines.querying import tabular
from ragcli.pipelines.querying.library import Library
from ragcli.records import AskResult
from tests.parse.builders import make_pdf

HERE = Path(__file__).parent
QUESTIONS = [json.loads(line) for line in (HERE / "table_questions.jsonl").read_text(encoding="utf-8").splitlines()]
ANSWERED = [one for one in QUESTIONS if one["answer"] is not None]
DECLINED = [one for one in QUESTIONS if one["answer"] is None]


def workbook() -> bytes:
    """A sheet with a merged cell and prices in a format of their own."""
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet, euros = book.add_worksheet("Parts"), book.add_format({"num_format": '0.00 "€"'})
        sheet.write_row(0, 0, ["Group", "Part", "Price", "Stock"])
        sheet.merge_range(1, 0, 2, 0, "Pumps")
        rows = [("Pumps", "P-10", 19.5, 12), ("Pumps", "P-11", 20.0, 7), ("Valves", "V-20", 31.0, 45)]
        for number, (group, part, price, stock) in enumerate([*rows, ("Valves", "V-21", 10.0, 120)], start=1):
            if group != "Pumps":
                sheet.write(number, 0, group)
            sheet.write(number, 1, part)
            sheet.write(number, 2, price, euros)
            sheet.write(number, 3, stock)
    return stream.getvalue()


def letter() -> bytes:
    """A Word document with a table under a heading."""
    import docx

    document = docx.Document()
    document.add_heading("Courses", 1)
    document.add_paragraph("What we offered this spring, with how many came.")
    rows = [("Course", "Trainer", "Place", "Participants"), ("First aid", "Huber", "Graz", "19")]
    rows += [("Forklift", "Egger", "Linz", "11"), ("Fire safety", "Egger", "Graz", "17")]
    table = document.add_table(rows=len(rows), cols=4)
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def sheet() -> bytes:
    """A page with a table of columns without rules."""
    rows = [
        ("Test", "Pressure", "Flow"),
        ("T-1", "8.0 bar", "20.5"),
        ("T-2", "9.5 bar", "24.1"),
        ("T-3", "7.2 bar", "20.8"),
    ]
    lines = [(60.0, 80.0, 16.0, "Tests of the pump"), (60.0, 110.0, 10.0, "Measured on the bench in March.")]
    for number, cells in enumerate(rows):
        lines += [(60.0 + 120 * place, 150.0 + 18 * number, 10.0, text) for place, text in enumerate(cells)]
    return make_pdf([lines])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("questions")
    docs = folder / "docs"
    docs.mkdir()
    for path in (HERE / "tables").iterdir():
        (docs / path.name).write_bytes(path.read_bytes())
    for name, data in (("parts.xlsx", workbook()), ("courses.docx", letter()), ("tests.pdf", sheet())):
        (docs / name).write_bytes(data)
    with Index.create(folder / "index") as made:
        made.ingest([docs], strict=True)
        yield made


def asked(index: Index, question: str) -> AskResult:
    return index.ask(question)


def names(case: dict[str, Any]) -> str:
    return str(case["question"])


@pytest.mark.parametrize("case", ANSWERED, ids=names)
def test_the_value_is_right_and_its_rows_are_cited(index: Index, case: dict[str, Any]) -> None:
    result = asked(index, case["question"])
    answer = result.answer
    assert answer.found, result.to_json()
    assert result.queries, answer.text
    said = answer.sentences[0].text
    assert any(f": {case['answer']}{end}" in f"{said}\n" for end in (".", " (", ", ", "\n")), said
    assert {citation.source for citation in answer.citations} == {case["source"]}
    for citation in answer.citations:
        document = index.reader.engine.document(citation.chunk_id.rpartition("#")[0])
        assert citation.span is not None
        assert citation.span.of(document.text) == citation.quote
    again = index.sql(result.queries[0].sql)
    assert [[str(cell) for cell in row] for row in again.rows[:3]] == [list(row) for row in result.queries[0].rows]


@pytest.mark.parametrize("case", DECLINED, ids=names)
def test_what_goes_beyond_one_simple_query_makes_none(index: Index, case: dict[str, Any]) -> None:
    assert not asked(index, case["question"]).queries


def test_a_question_that_is_declined_names_the_table(index: Index) -> None:
    answer = asked(index, "Which department had the largest travel increase of the total amount?").answer
    assert not answer.found
    assert any("rag sql" in notice for notice in answer.notices)


def test_there_are_thirty_of_them() -> None:
    assert len(ANSWERED) >= 30


def test_among_too_many_tables_none_is_read(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "_MOST_READ", 1)
    monkeypatch.setattr(tabular, "_MOST_TABLES", 1)
    monkeypatch.setattr(Library, "_read_document", lambda *_: pytest.fail("a document was read for its tables"))
    answered = asked(index, ANSWERED[0]["question"])
    assert not answered.queries
    declined = asked(index, "Which department had the largest travel increase of the total amount?").answer
    assert "rag sql reads tables: rag tables lists them" in declined.notices
