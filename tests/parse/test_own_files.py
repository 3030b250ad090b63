"""What ragcli itself wrote beside the documents is passed over; what only looks alike stays a document."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from ragcli.codec import encode
from ragcli.config import example_yaml
from ragcli.evaluate.gate import judge_run
from ragcli.evaluate.reports.rendering import render
from ragcli.parse.own_files import count_questions, own_file
from ragcli.records import Trace, Turn
from tests.evaluate.runs import example
from tests.parse.builders import parse_bytes


def rows(*values: Any) -> str:
    return "\n".join(json.dumps(value) for value in values) + "\n"


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q?", "expected": [{"source": "a.md", "quote": "b"}]},
        {"question": "Q?", "expected_chunk": "a#1", "expected_answer_contains": "two"},
        {"id": "1", "question": "Q?", "expected_sources": ["a.md"], "answerable": True, "evidence": []},
        {"question": "Q?", "answerable": False},
    ],
)
def test_a_case_of_either_layout_is_counted(row: dict[str, Any]) -> None:
    assert count_questions(rows(row, row)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        rows({"question": "Q?", "answer": "A."}),
        rows({"question": "Q?", "expected_answer": "A.", "text": "A page."}),
        rows({"question": "Q?", "answerable": False}, {"_id": "1", "text": "A page."}),
        rows({"question": None, "answerable": False}),
        rows(["question", "answerable"]),
        '{"question": "Q?", "answerable": false}\n{',
    ],
)
def test_anything_else_is_not_a_golden_set(text: str) -> None:
    assert count_questions(text) == 0


def test_a_golden_set_gives_no_document_and_is_named_without_being_lost() -> None:
    data = rows({"question": "Q?", "answerable": False}, {"question": "R?", "expected_source": "a.md"}).encode()
    documents, (report,) = parse_bytes("sets/golden.jsonl", data)
    assert documents == []
    assert (report.path, report.documents, report.passed_over, report.lost) == ("sets/golden.jsonl", 0, True, False)
    assert report.skipped == "a golden set of 2 question(s), no document"


def test_questions_with_answers_are_documents_as_before() -> None:
    data = rows({"question": "Q?", "answer": "A."}, {"question": "R?", "answer": "B."}).encode()
    documents, (report,) = parse_bytes("faq.jsonl", data)
    assert [document.text for document in documents] == ["question: Q?\nanswer: A.", "question: R?\nanswer: B."]
    assert report.documents == 2


RUN, VERDICT = example(), judge_run(example(), fail_under={})
REPORTS = [f"report{ending}" for ending in (".html", ".md", ".xml", ".json", ".run", ".qrels")]
TRACE = Trace(
    "t1", "2026-01-01T00:00:00", "Q?", "Q?", "v000001", "bm25", True, None, "A.", 0.5, (), (), (), (), "extractive", ""
)


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_is_known_by_what_it_holds(name: str) -> None:
    assert own_file(name, render(RUN, VERDICT, name).encode()) is not None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rag.yaml", "answer:\n  provider: anthropic\n"),
        ("rag.yaml", "no: settings at all\n"),
        ("rag.prod.yaml", "answer:\n  provider: anthropic\n"),
        ("settings.yml", example_yaml()),
        ("matrix.yaml", "rows:\n  as configured: {}\n  bm25 alone: {retrieve.mode: bm25}\n"),
        ("axes.yaml", "measures: [R@5]\naxes:\n  chunk.max_tokens: [120, 200]\n"),
        ("coverage.json", '{"schema": "rag.ingest/1", "files": []}'),
        ("sorted.json", '{"a": 1, "schema": "rag.answer/1"}'),
        ("bom.json", '\ufeff {\n  "schema": "rag.eval/1"}'),
        ("answers.jsonl", '{"schema": "rag.answer/1", "answer": "A."}\n{"schema": "rag.answer/1", "answer": "B."}\n'),
        ("2026-01-01.jsonl", json.dumps(encode(TRACE)) + "\n"),
        ("feedback.jsonl", '{"trace_id": "t1", "feedback": "good"}\n'),
        ("talk.jsonl", json.dumps(encode(Turn("2026", "Q?", "Q?", "A.", True, "t1"))) + "\n"),
        ("main.md", "## Evaluation: passed\n\n4 questions of `golden.jsonl` over index `v000001`\n"),
    ],
)
def test_what_ragcli_is_run_with_and_leaves_behind_is_its_own(name: str, content: str) -> None:
    assert own_file(name, content.encode()) is not None
    documents, reports = parse_bytes(f"folder/{name}", content.encode())
    assert documents == []
    assert [(report.passed_over, report.lost) for report in reports] == [(True, False)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("values.yaml", "index:\n  path: /data\n"),
        ("values.yaml", "index:\n  path: /data\nservice:\n  port: 80\n"),
        ("rows.yaml", "rows:\n  kitchen: {colour: white}\n"),
        ("rag.md", "answer:\n  provider: anthropic\n"),
        ("data.json", '{"text": "see \\"schema\\": \\"rag.eval/1\\""}'),
        ("data.json", '{"inner": {"schema": "rag.eval/1"}, "text": "a page"}'),
        ("notes.md", 'The record is `{"schema": "rag.eval/1"}`.'),
        ("evaluation.md", "## Evaluation: passed\n\nWe asked 4 questions.\n"),
        (
            "page.html",
            "<html><head><title>Evaluation</title></head><body><h1>Evaluation</h1><p>Text.</p></body></html>",
        ),
        ("tests.xml", '<?xml version="1.0"?>\n<testsuites name="ours" tests="1"><testsuite name="a"/></testsuites>'),
        ("long.run", "We go for a run Q0 every day\n"),
        ("rows.jsonl", '{"trace_id": "t1", "text": "a page about tracing"}\n'),
    ],
)
def test_what_only_looks_alike_stays_a_document(name: str, content: str) -> None:
    assert own_file(name, content.encode()) is None


def test_a_file_of_its_own_is_not_read_out_of_an_archive_either() -> None:
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("run.json", '{"schema": "rag.eval/1"}')
        archive.writestr("page.txt", "a page")
    documents, reports = parse_bytes("all.zip", package.getvalue())
    assert [document.doc_id for document in documents] == ["all.zip!page.txt"]
    assert {report.path: report.passed_over for report in reports}["all.zip!run.json"]
