"""Right values out of one small file of each kind."""

from __future__ import annotations

import json

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import make_docx, make_pdf, parse_bytes, parse_one, shape

PAGE = b"""<!doctype html><html><head><title>Parking | Acme</title><style>p{}</style></head><body>
<nav><a href=/>Home</a> <a href=/x>Products</a></nav>
<main><h1>Parking</h1><p>Each employee may park <b>one</b> car in the north garage, from six in the morning until ten at
night, on every day of the week, and should put the badge behind the windscreen.</p>
<ul><li>Level 1: visitors</li><li>Level 2: staff<ul><li>Row A: bikes</li></ul></li></ul>
<table><tr><th>Garage</th><th>Places</th></tr><tr><td>North</td><td>120</td></tr></table>
<p>Ask the front desk for a second card when the first one is lost; the fee for it is ten euros and is paid in cash.</p>
<pre>call 4711
ask for Kim</pre></main>
<footer>Imprint - all rights reserved</footer><script>alert(1)</script></body></html>"""


def test_html_keeps_the_content_and_its_structure() -> None:
    document = parse_one("parking.html", PAGE)
    blocks = shape(document)
    assert document.title == "Parking"
    assert ("heading", 1, "Parking") in blocks
    assert ("list_item", 1, "- Level 1: visitors") in blocks
    assert ("list_item", 2, "- Row A: bikes") in blocks
    assert ("table", None, "| Garage | Places |\n| --- | --- |\n| North | 120 |") in blocks
    assert "alert" not in document.text and "Imprint" not in document.text and "Products" not in document.text


def test_html_whole_when_boilerplate_is_wanted() -> None:
    document = parse_one("parking.html", PAGE, IngestConfig(strip_boilerplate=False))
    assert "Imprint" in document.text and "Products" in document.text
    assert ("code", None, "call 4711\nask for Kim") in shape(document)


def test_html_believes_its_own_charset() -> None:
    page = "<html><head><meta charset='windows-1252'></head><body><p>Größe – fünf</p></body></html>"
    document = parse_one("x.html", page.encode("cp1252"))
    assert (document.text, document.encoding) == ("Größe – fünf", "windows-1252")


def test_pdf_keeps_pages() -> None:
    document = parse_one("a.pdf", make_pdf([[(72, 100, 11, "First page text")], [(72, 100, 11, "Second page text")]]))
    assert [(block.page, block.span.of(document.text)) for block in document.blocks] == [
        (1, "First page text"),
        (2, "Second page text"),
    ]
    assert (document.coverage.pages, document.coverage.pages_with_text) == (2, 2)


def test_docx_structure() -> None:
    document = parse_one("travel.docx", make_docx())
    assert document.title == "Travel policy"
    assert shape(document) == [
        ("heading", 1, "Travel policy"),
        ("heading", 1, "Hotels"),
        ("paragraph", None, "A night may cost up to 140 euros."),
        ("list_item", 1, "- Book early"),
        ("list_item", 1, "- Keep the receipt"),
        ("table", None, "| City | Limit |\n| --- | --- |\n| Graz | 140 |"),
    ]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_csv_by_whatever_delimiter(mark: str) -> None:
    data = f'code{mark}meaning\nE-4012{mark}"no {mark} paper"\n'.encode()
    document = parse_one("codes.csv", data)
    assert document.text == "| code | meaning |\n| --- | --- |\n| E-4012 | no {} paper |".format(
        {"|": "\\|", "\t": ""}.get(mark, mark) or ""
    ).replace("no  paper", "no paper")
    assert document.coverage.tables == 1


def test_json_lines_rows_are_documents() -> None:
    rows = [
        {"_id": "7", "title": "On tea", "text": "Tea is hot.", "metadata": {"year": 1999}, "lang": "en"},
        {"id": 8, "text": "Coffee is hot."},
        {"name": "no text", "size": 3},
    ]
    data = "\n".join([*(json.dumps(row) for row in rows), "{broken", '{"_id": "7", "text": "again"}']).encode()
    documents, reports = parse_bytes("corpus.jsonl", data)
    assert [(d.doc_id, d.source, d.title, d.text) for d in documents] == [
        ("corpus.jsonl!7", "corpus.jsonl", "On tea", "Tea is hot."),
        ("corpus.jsonl!8", "corpus.jsonl", "Corpus", "Coffee is hot."),
        ("corpus.jsonl!3", "corpus.jsonl", "Corpus", "name: no text\nsize: 3"),
    ]
    assert documents[0].metadata.extra == {"year": "1999"}
    assert documents[0].metadata.language == "en"
    skipped = [(report.path, report.skipped) for report in reports if report.skipped]
    assert skipped[0][0] == "corpus.jsonl!4" and "line 4 is not valid JSON" in str(skipped[0][1])
    assert skipped[1] == ("corpus.jsonl!5", "line 5: the id '7' was used before")
    assert reports[-1].documents == 3


def test_a_row_id_is_valid_text() -> None:
    documents, _ = parse_bytes("r.jsonl", b'{"id": "\\ud800x", "text": "The dock is closed."}')
    assert [d.doc_id for d in documents] == ["r.jsonl!?x"]


def test_rst_headings_by_their_order() -> None:
    text = "=====\nGuide\n=====\n\nIntro.\n\nUsing :class:`~a.Tool`\n----------------------\n\n* one\n* two\n"
    document = parse_one("guide.rst", text.encode())
    assert [section.heading_path for section in document.sections] == [("Guide",), ("Guide", "Using a.Tool")]
    assert document.text == text
    assert ("list_item", 1, "* one") in shape(document)


@pytest.mark.parametrize(
    ("name", "text", "titles"),
    [
        ("a.adoc", "= Book\n\ntext\n\n== Part one\n\nmore\n", ["Book", "Part one"]),
        ("a.org", "* Top :tag:\ntext\n** TODO Deep\n", ["Top", "Deep"]),
        ("a.tex", "\\section{On \\emph{tea}}\nHot.\n\\subsection{Green}\n", ["On tea", "Green"]),
        ("a.txt", "Title\n=====\n\ntext\n\nSecond\n------\nmore\n", ["Title", "Second"]),
    ],
)
def test_headings_of_other_markup(name: str, text: str, titles: list[str]) -> None:
    assert [section.heading_path[-1] for section in parse_one(name, text.encode()).sections] == titles


def test_content_decides_before_the_extension() -> None:
    assert parse_one("really.txt", make_pdf([[(72, 100, 11, "I am a PDF")]])).text == "I am a PDF"
    assert parse_one("really.pdf", make_docx()).media_type.endswith("wordprocessingml.document")
    assert "parser" not in parse_one("really.md", PAGE).text and parse_one("x", PAGE).media_type == "text/html"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.md", b"", "empty"),
        ("a.md", b" \n", "white space"),
        ("a.pdf", b"", "empty"),
        ("a.pdf", b"%PDF-1.4 nothing", "PDF"),
        ("a.docx", make_docx()[:3000], "DOCX"),
        ("a.bin", bytes(range(256)) * 4, "binary"),
    ],
)
def test_what_cannot_be_read_is_skipped_with_a_reason(name: str, data: bytes, reason: str) -> None:
    documents, reports = parse_bytes(name, data)
    assert documents == []
    assert reason in str(reports[-1].skipped)
    assert reports[-1].lost


def test_language_is_detected() -> None:
    assert parse_one("a.txt", b"The office opens at nine and closes at five.").metadata.language == "en"
    assert parse_one("b.txt", "Das Büro öffnet um neun und schließt um fünf Uhr.".encode()).metadata.language == "de"
    assert parse_one("c.txt", "オフィスは九時に開きます。".encode()).metadata.language == "ja"


def test_a_csv_field_of_any_length_is_read() -> None:
    document = parse_one("notes.csv", b'id,note\n1,"' + b"long note " * 20_000 + b'"\n')
    assert document.text.count("long note") == 20_000


def test_a_line_of_blanks_without_end_costs_no_hours() -> None:
    blanks = " " * 300_000
    document = parse_one("wide.txt", f"first\n{blanks}\n{blanks}second\n".encode())
    assert [text.strip() for _, _, text in shape(document)] == ["first", "second"]
