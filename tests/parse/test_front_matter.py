"""Front matter is read where it belongs, and nowhere else in silence."""

from __future__ import annotations

import json

import pytest

from tests.parse.builders import parse_bytes, parse_one

RESTRICTED = "---\nacl: [hr]\ntitle: Pay\n---\n\nOne two three.\n"


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.adoc", "a.org", "a.tex", "README"])
def test_front_matter_of_markdown_text_and_markup(name: str) -> None:
    document = parse_one(name, RESTRICTED.encode())
    assert (document.metadata.acl, document.title, document.text.strip()) == (("hr",), "Pay", "One two three.")
    assert document.first_line == 6


def test_a_text_that_does_not_close_it_is_skipped() -> None:
    documents, reports = parse_bytes("a.txt", b"---\nacl: [hr]\n\nPay")
    assert documents == []
    assert reports[0].withheld
    assert "front matter without an end" in str(reports[0].skipped)


@pytest.mark.parametrize("name", ["a.ipynb", "a.html", "a.csv"])
def test_other_formats_have_none_and_say_so(name: str) -> None:
    cell = {"cell_type": "markdown", "source": RESTRICTED}
    data = {
        "a.ipynb": json.dumps({"cells": [cell, "not a cell", 7]}),
        "a.html": f"<html><body><pre>{RESTRICTED}</pre></body></html>",
        "a.csv": RESTRICTED,
    }[name]
    documents, reports = parse_bytes(name, data.encode())
    assert len(documents) == 1
    assert "One two three." in documents[0].text
    assert documents[0].metadata.acl == ()
    if name != "a.csv":
        assert any("begins like front matter" in warning for warning in reports[-1].warnings)


def test_a_row_for_nobody_is_named_and_the_others_are_read() -> None:
    rows = [{"_id": "1", "text": "one"}, {"_id": "2", "text": "two", "acl": []}, {"_id": "3", "text": "three"}]
    documents, reports = parse_bytes("a.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert [document.doc_id for document in documents] == ["a.jsonl!1", "a.jsonl!3"]
    assert [(report.path, report.withheld) for report in reports] == [("a.jsonl!2", True), ("a.jsonl", False)]
