from __future__ import annotations

import io
import json
import sys
import zipfile

import pytest

from tests.parse.builders import (
    make_docx,
    make_epub,
    make_odt,
    make_pptx,
    make_xlsx,
    make_zip,
    parse_bytes,
    parse_one,
    shape,
)

pytest.importorskip("pptx")


def test_slides_have_pages_titles_bullets_tables_and_notes() -> None:
    document = parse_one("deck.pptx", make_pptx())
    found = [(block.page, block.kind, block.level, block.span.of(document.text)) for block in document.blocks]
    assert found == [
        (1, "heading", 1, "Safety first"),
        (1, "list_item", 1, "- Wear a helmet"),
        (1, "list_item", 1, "- Report every fall"),
        (1, "other", None, "Mention the new form"),
        (2, "heading", 1, "Numbers"),
        (2, "table", None, "| Year | Falls |\n| --- | --- |\n| 2025 | 3 |"),
    ]
    assert (document.coverage.pages, document.coverage.tables) == (2, 1)


def test_sheets_become_tables_under_their_names() -> None:
    document = parse_one("prices.xlsx", make_xlsx())
    assert shape(document) == [
        ("heading", 1, "Prices"),
        ("paragraph", None, "Price list 2026"),
        (
            "table",
            None,
            "| Group | Part | Price | From |\n| --- | --- | --- | --- |\n"
            "| Pumps | X200-A | 19.5 | 2026-03-01 |\n| Pumps | X200-B | 20 |  |",
        ),
        ("other", None, "Kim: net price"),
        ("heading", 1, "Notes"),
        ("paragraph", None, "Prices without tax"),
    ]


def test_open_document_text() -> None:
    body = (
        '<text:h text:outline-level="1">Pumps</text:h><text:p>Turn<text:s text:c="2"/>it <text:span>on</text:span>.'
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Slowly.</text:p></text:note-body>"
        "</text:note></text:p><text:list><text:list-item><text:p>one</text:p><text:list><text:list-item>"
        "<text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell>"
        "<text:p>b</text:p></table:table-cell></table:table-row></table:table>"
    )
    assert shape(parse_one("pumps.odt", make_odt(body))) == [
        ("heading", 1, "Pumps"),
        ("paragraph", None, "Turn it on.[1]"),
        ("list_item", 1, "- one"),
        ("list_item", 2, "- deep"),
        ("table", None, "| a | b |\n| --- | --- |"),
        ("other", None, "[1] Slowly."),
    ]


def test_rtf_with_a_code_page() -> None:
    document = parse_one("a.rtf", rb"{\rtf1\ansi\ansicpg1250 Gr\'fc\'dfe\par Zweiter Absatz\par}")
    assert document.text == "Grüße\n\nZweiter Absatz"


def test_a_book_in_the_order_of_its_spine() -> None:
    document = parse_one("book.epub", make_epub({"b": "<h1>First</h1><p>one</p>", "a": "<h1>Second</h1><p>two</p>"}))
    assert document.title == "The pump book"
    assert [text for _, _, text in shape(document)] == ["First", "one", "Second", "two"]


def test_a_notebook_keeps_its_cells_apart() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Load *data*\n", "\n", "From disk."]},
        {"cell_type": "code", "source": "x = 1", "outputs": [{"output_type": "stream", "text": ["done\n"]}]},
    ]
    document = parse_one("a.ipynb", json.dumps({"cells": cells, "metadata": {}}).encode())
    assert document.title == "Load data"
    assert [kind for kind, _, _ in shape(document)] == ["heading", "paragraph", "code", "other"]
    assert document.sections[0].heading_path == ("Load data",)


def test_xml_articles_are_prose_and_other_xml_its_values() -> None:
    article = b"<article><title>On tea</title><sec><title>Green</title><p>It is <b>hot</b>.</p></sec></article>"
    assert shape(parse_one("a.xml", article)) == [
        ("heading", 1, "On tea"),
        ("heading", 2, "Green"),
        ("paragraph", None, "It is hot."),
    ]
    parts = b'<parts><part id="X200"><name>Pump</name><price>20</price></part></parts>'
    assert parse_one("b.xml", parts).text == "id: X200\nname: Pump\nprice: 20"


def test_xml_entities_are_never_expanded() -> None:
    secret = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "boom">]><a><p>seen &x;&y;</p></a>'
    documents, reports = parse_bytes("a.xml", b'<?xml version="1.0"?>' + secret)
    assert documents[0].text == "seen &x; &y;"
    assert reports[-1].warnings == ("2 entity references were not expanded",)


def test_a_strict_docx_and_a_damaged_part() -> None:
    package = zipfile.ZipFile(io.BytesIO(make_docx()))
    files = {item.filename: package.read(item) for item in package.infolist()}
    names = {
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main": b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships": (
            b"http://purl.oclc.org/ooxml/officeDocument/relationships"
        ),
    }
    strict = {}
    for name, content in files.items():
        for old, new in names.items():
            content = content.replace(old, new) if name.endswith((".xml", ".rels")) else content
        strict[name] = content
    assert parse_one("strict.docx", make_zip(strict)).text == parse_one("plain.docx", make_docx()).text


def test_old_and_missing_formats_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 500 + "WordDocument".encode("utf-16-le")
    documents, reports = parse_bytes("letter.doc", old)
    assert documents == [] and "install LibreOffice" in str(reports[-1].skipped)


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = make_pptx()
    monkeypatch.setitem(sys.modules, "pptx", None)
    _, reports = parse_bytes("deck.pptx", deck)
    assert reports[-1].skipped == "needs pptx, which is not installed (pip install 'ragcli[office]')"
