"""A golden set beside the documents is passed over; rows that only look alike stay documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragcli.parse.questions import count_questions
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
    assert (report.path, report.documents, report.skipped, report.lost) == ("sets/golden.jsonl", 0, None, False)
    assert report.warnings == ("a golden set of 2 question(s), not documents: passed over",)


def test_questions_with_answers_are_documents_as_before() -> None:
    data = rows({"question": "Q?", "answer": "A."}, {"question": "R?", "answer": "B."}).encode()
    documents, (report,) = parse_bytes("faq.jsonl", data)
    assert [document.text for document in documents] == ["question: Q?\nanswer: A.", "question: R?\nanswer: B."]
    assert report.documents == 2
