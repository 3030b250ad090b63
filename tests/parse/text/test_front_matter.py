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


@pytest.mark.parametrize("name", ["a.html", "a.csv", "a.eml"])
def test_where_none_is_read_one_that_says_who_may_see_it_closes_the_document(name: str) -> None:
    data = {
        "a.html": f"<html><body><pre>{RESTRICTED}</pre></body></html>",
        "a.csv": RESTRICTED,
        "a.eml": f"From: a@example.org\nSubject: Pay\n\n{RESTRICTED}",
    }[name]
    documents, reports = parse_bytes(name, data.encode())
    assert documents == []
    assert reports[-1].withheld
    assert "begins like front matter" in str(reports[-1].skipped)


@pytest.mark.parametrize("kind", ["raw", "markdown"])
def test_the_first_cell_of_a_notebook_may_be_front_matter(kind: str) -> None:
    cells = [{"cell_type": kind, "source": RESTRICTED}, "not a cell", 7, {"cell_type": "markdown", "source": "Four."}]
    document = parse_one("a.ipynb", json.dumps({"cells": cells}).encode())
    assert (document.metadata.acl, document.title) == (("hr",), "Pay")
    assert "acl" not in document.text and "Four." in document.text


def test_the_page_of_a_site_generator_has_front_matter_above_its_markup() -> None:
    page = f"{RESTRICTED}<html><body><p>Four five six.</p></body></html>"
    assert parse_one("a.html", page.encode()).metadata.acl == ("hr",)


def test_toml_between_plus_signs() -> None:
    text = '+++\ntitle = "Pay"\nacl = ["hr"]\ndate = 2026-03-01\n\n[params]\nteam = "x"\n+++\n\n# Heading\n\nOne two.\n'
    document = parse_one("a.md", text.encode())
    assert (document.metadata.acl, document.title, document.first_line) == (("hr",), "Pay", 10)
    assert document.text.startswith("# Heading")
    assert document.blocks[0].span.of(document.text) == "# Heading"
    documents, reports = parse_bytes("a.md", b"+++\nacl = [hr]\n+++\ntext\n")
    assert documents == [] and reports[-1].withheld
    plain = parse_bytes("a.md", b"+++\ntitle = [x]\n+++\ntext\n")
    assert "not valid TOML" in plain[1][-1].warnings[0] and plain[0][0].metadata.acl == ()


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nThe access to the roof is closed.\n\n---\n\nMore.\n",
        "# Access\n\nacl: see the page on access control lists\n",
        "ACL: access control list\nAPI: application programming interface\n",
        "----\nWarning: hot\n----\n",
        "A text about `acl: [hr]`.\n\n```yaml\nacl: [hr]\n```\n",
        "---\ntitle: x\n# acl: [hr]\n---\ntext\n",
    ],
)
def test_words_about_access_are_no_statement_of_it(text: str) -> None:
    document = parse_one("a.md", text.encode())
    assert document.metadata.acl == ()


def test_a_row_for_nobody_is_named_and_the_others_are_read() -> None:
    rows = [{"_id": "1", "text": "one"}, {"_id": "2", "text": "two", "acl": []}, {"_id": "3", "text": "three"}]
    documents, reports = parse_bytes("a.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert [document.doc_id for document in documents] == ["a.jsonl!1", "a.jsonl!3"]
    assert [(report.path, report.withheld) for report in reports] == [("a.jsonl!2", True), ("a.jsonl", False)]


FACTS = """---
type: person
# a remark
Phone: +44 20 7946
created: 2025-01-04
aliases: [Tom]
nicknames:
  - Tommy
  - T.
reachable: true
team: {lead: Ann}
groups: [hr]
acl: [hr, staff]
---

# Tomas

Sound engineer.
"""


def test_what_a_reader_may_ask_for_stays_in_the_text_on_its_own_lines() -> None:
    document = parse_one("a.md", FACTS.encode())
    facts = "Phone: +44 20 7946\n\n\nnicknames:\n  - Tommy\n  - T.\n\n\n\n\n\n\n"
    assert document.text == f"{facts}# Tomas\n\nSound engineer.\n"
    assert (document.first_line, document.title, document.metadata.acl) == (4, "Tomas", ("hr",))
    assert [document.text.split("\n").index(line) + 4 for line in ("nicknames:", "# Tomas")] == [7, 16]
    assert [block.span.of(document.text).split("\n")[0] for block in document.blocks] == [
        "Phone: +44 20 7946",
        "# Tomas",
        "Sound engineer.",
    ]


def test_front_matter_without_a_fact_leaves_nothing() -> None:
    document = parse_one("a.md", b"---\ntitle: T\ntags: [a]\npermalink: /a\ndraft: true\nempty:\n---\nText.\n")
    assert (document.text, document.first_line) == ("Text.\n", 8)
