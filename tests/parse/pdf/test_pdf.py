from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from ragcli.config import IngestConfig
from ragcli.parse.pdf.lines import Line, normal
from ragcli.parse.pdf.ocr import Recognised
from ragcli.parse.pdf.page import Page
from tests.parse.builders import make_pdf, parse_bytes, parse_one, shape

LEFT = "The left column tells of pumps and how they are kept clean by those who use them every day of the week"
RIGHT = "The right column speaks about valves which must never be opened while the water still runs through it"
BODY = "Ordinary sentence of the body that is long enough to be taken for running text here."


def column(text: str, x: float, y: float = 200) -> list[tuple[float, float, float, str]]:
    words = text.split()
    rows = [" ".join(words[start : start + 4]) for start in range(0, len(words), 4)]
    return [(x, y + 14 * place, 10, row) for place, row in enumerate(rows)]


def test_two_columns_are_read_one_after_the_other() -> None:
    title = [(72.0, 120.0, 20.0, "A heading that goes across the whole page")]
    document = parse_one("a.pdf", make_pdf([[*title, *column(LEFT, 72), *column(RIGHT, 320)]]))
    assert shape(document) == [
        ("heading", 1, "A heading that goes across the whole page"),
        ("paragraph", None, LEFT),
        ("paragraph", None, RIGHT),
    ]
    assert document.title == "A heading that goes across the whole page"


def test_headings_from_type_sizes_have_levels() -> None:
    lines = [(72, 80, 22, "Handbook"), (72, 120, 15, "Cleaning")]
    lines += [(72, 140 + 14 * n, 10, f"{BODY} {n}") for n in range(4)]
    lines += [(72, 220, 15, "Storing")] + [(72, 240 + 14 * n, 10, f"{BODY} again {n}") for n in range(4)]
    document = parse_one("a.pdf", make_pdf([lines]))
    assert [section.heading_path for section in document.sections] == [
        ("Handbook",),
        ("Handbook", "Cleaning"),
        ("Handbook", "Storing"),
    ]


def test_headings_from_the_outline() -> None:
    document = pymupdf.open(stream=make_pdf([[(72, 100, 10, "Small print"), (72, 140, 10, BODY)]]))
    document.set_toc([[1, "Small print", 1]])
    parsed = parse_one("a.pdf", document.tobytes())
    assert shape(parsed)[0] == ("heading", 1, "Small print")


def test_words_are_made_whole_over_line_ends() -> None:
    rows = ["The trans-", "former of the well-known kind, a well-", "known one, costs 20 euros."]
    document = parse_one("a.pdf", make_pdf([[(72, 100 + 13 * n, 10, row) for n, row in enumerate(rows)]]))
    assert document.text == "The transformer of the well-known kind, a well-known one, costs 20 euros."


def test_running_lines_go_and_are_listed() -> None:
    pages = []
    for number in range(1, 6):
        body = [(72.0, 200.0 + 14 * n, 10.0, f"Page text {number} line {n}.") for n in range(5)]
        pages.append([(72.0, 40.0, 9.0, "ACME Manual"), *body, (290.0, 815.0, 9.0, f"{number + 10}")])
    document = parse_one("a.pdf", make_pdf(pages))
    assert "ACME" not in document.text and "\n11" not in document.text
    assert document.coverage.stripped_lines == ("ACME Manual", "11", "12", "13", "14", "15")
    whole = parse_one("a.pdf", make_pdf(pages), IngestConfig(strip_boilerplate=False))
    assert whole.text.count("ACME Manual") == 5


def test_a_repeated_line_in_the_middle_of_pages_stays() -> None:
    pages = [[(72.0, 400.0, 10.0, "Same words"), (72.0, 440.0, 10.0, f"Other words {n}")] for n in range(5)]
    assert parse_one("a.pdf", make_pdf(pages)).text.count("Same words") == 5


def test_lines_that_frame_nothing_stay() -> None:
    pages = [[(72.0, 40.0, 10.0, f"Page {n} of the book mentions item {n}.")] for n in range(1, 4)]
    document = parse_one("a.pdf", make_pdf(pages))
    assert document.text.count("of the book mentions item") == 3
    assert document.coverage.stripped_lines == ()


def ruled_page() -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    xs, ys = [72, 172, 272, 372], [100, 130, 160, 190]
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))
    cells = ["Part", "Price", "Stock", "X200-A", "19.5", "3", "X200-B", "two words here", ""]
    for place, text in enumerate(cells):
        if text:
            page.insert_text((xs[place % 3] + 4, ys[place // 3] + 18), text, fontsize=10)
    page.insert_text((72, 240), BODY, fontsize=10)
    return bytes(document.tobytes())


def test_a_ruled_table() -> None:
    document = parse_one("a.pdf", ruled_page())
    table = "| Part | Price | Stock |\n| --- | --- | --- |\n| X200-A | 19.5 | 3 |\n| X200-B | two words here |  |"
    assert shape(document) == [("table", None, table), ("paragraph", None, BODY)]
    assert document.coverage.tables == 1


def test_a_table_without_rules() -> None:
    rows = ["Code|Meaning|Action", "E-1|no paper|refill", "E-2|no ink|replace", "E-3|jam|open"]
    lines = [
        (72.0 + 130 * column, 100.0 + 16 * place, 10.0, cell)
        for place, row in enumerate(rows)
        for column, cell in enumerate(row.split("|"))
    ]
    document = parse_one("a.pdf", make_pdf([lines]))
    assert shape(document)[0][2].splitlines()[0] == "| Code | Meaning | Action |"
    assert "| E-2 | no ink | replace |" in document.text


def test_labels_and_values_stay_together() -> None:
    lines: list[tuple[float, float, float, str]] = []
    pairs = [("Name:", "Dana Example of the north office"), ("City:", "Graz, where the river runs slow")]
    for place, (label, value) in enumerate(pairs * 3):
        lines += [(72.0, 100.0 + 16 * place, 10.0, label), (200.0, 100.0 + 16 * place, 10.0, value)]
    text = parse_one("a.pdf", make_pdf([lines])).text
    assert text.index("Name:") < text.index("Dana") < text.index("City:") < text.index("Graz")


def test_hidden_text_is_left_out_and_reported() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "What a reader sees.", fontsize=11)
    page.insert_text((72, 130), "white on white", fontsize=11, color=(1, 1, 1))
    page.insert_text((72, 160), "one point", fontsize=1)
    page.insert_text((72, 190), "never painted", fontsize=11, render_mode=3)
    page.insert_text((-500, 220), "off the page", fontsize=11)
    page.draw_rect((60, 240, 300, 270), fill=(0, 0, 0.5))
    page.insert_text((72, 260), "White on blue", fontsize=11, color=(1, 1, 1))
    documents, reports = parse_bytes("a.pdf", document.tobytes())
    assert documents[0].text == "What a reader sees.\n\nWhite on blue"
    assert "hidden text left out (page 1)" in reports[-1].warnings[0]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotated_pages_read_as_they_are_seen(rotation: int) -> None:
    document = pymupdf.open(stream=make_pdf([column(LEFT, 72)]))
    document[0].set_rotation(rotation)
    assert parse_one("a.pdf", document.tobytes()).text == LEFT


def test_text_written_upwards_is_turned() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for place, row in enumerate(["first row of the text", "second row of the text", "third row of the text."]):
        page.insert_text((100 + 14 * place, 500), row, fontsize=10, rotate=90)
    assert parse_one("a.pdf", document.tobytes()).text == (
        "first row of the text second row of the text third row of the text."
    )


def test_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "tea", "owner_pw": "owner"}
    data = make_pdf([[(72, 100, 11, "secret text")]], **options)
    _, reports = parse_bytes("a.pdf", data)
    assert "encrypted" in str(reports[-1].skipped) and "RAG_PDF_PASSWORDS" in str(reports[-1].skipped)
    assert parse_one("a.pdf", data, IngestConfig(passwords=("no", "tea"))).text == "secret text"
    monkeypatch.setenv("RAG_PDF_PASSWORDS", "no,tea")
    assert parse_one("a.pdf", data).text == "secret text"


def picture_page() -> pymupdf.Document:
    """A page that is nothing but a picture of text."""
    source = pymupdf.open(stream=make_pdf([[(72, 100, 18, "Scanned words")]]))
    picture = source[0].get_pixmap(dpi=72).tobytes("png")
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_image(page.rect, stream=picture)
    return document


def test_pages_of_pictures_are_named_without_ocr() -> None:
    document = picture_page()
    documents, reports = parse_bytes("scan.pdf", document.tobytes(), IngestConfig(ocr="off"))
    assert documents == []
    assert reports[-1].skipped == "no text in it: 1 of 1 pages are only images or unreadable"
    document.new_page().insert_text((72, 100), "Typed text")
    documents, reports = parse_bytes("scan.pdf", document.tobytes(), IngestConfig(ocr="off"))
    assert documents[0].text == "Typed text"
    assert (reports[-1].image_only_pages, reports[-1].skipped, reports[-1].lost) == (1, None, True)


def test_an_empty_page_is_not_a_loss() -> None:
    document = pymupdf.open(stream=make_pdf([[(72, 100, 11, "text")], []]))
    _, reports = parse_bytes("a.pdf", document.tobytes())
    assert (reports[-1].pages, reports[-1].pages_with_text, reports[-1].lost) == (2, 1, False)


def test_ocr_text_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Recognised("Scanned words", (200, 240, 600, 290))]
    monkeypatch.setattr("ragcli.parse.pdf.document.engine_for", lambda languages: lambda png: found)
    document = parse_one("scan.pdf", picture_page().tobytes())
    assert (document.text, document.ocr_pages, document.coverage.ocr_pages) == ("Scanned words", (1,), 1)
    assert document.coverage.image_only_pages == 0


def test_ligatures_and_soft_hyphens() -> None:
    assert normal("e\ufb03cient o\ufb00ice \u00b2 \u2122") == "efficient office ² ™"
    assert normal("\ufefb") == "لا"


def test_attachments_and_notes() -> None:
    document = pymupdf.open(stream=make_pdf([[(72, 100, 11, "Body text")]]))
    document.embfile_add("facts.txt", b"attached facts")
    document[0].add_text_annot((300, 300), "A note in the margin")
    documents, _ = parse_bytes("a.pdf", document.tobytes())
    assert {item.doc_id: item.text for item in documents} == {
        "a.pdf": "Body text\n\nA note in the margin",
        "a.pdf!facts.txt": "attached facts",
    }


def test_filled_in_fields_are_read() -> None:
    document = pymupdf.open(stream=make_pdf([[(72, 100, 11, "Application form")]]))
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type = "city", pymupdf.PDF_WIDGET_TYPE_TEXT
    widget.rect, widget.field_value = pymupdf.Rect(72, 150, 300, 170), "Graz"
    document[0].add_widget(widget)
    assert "Graz" in parse_one("a.pdf", document.tobytes()).text


def test_damage_is_named() -> None:
    data = make_pdf([[(72, 100, 11, "text")]])
    _, reports = parse_bytes("a.pdf", data[: len(data) // 3])
    assert "PDF" in str(reports[-1].skipped)


def test_a_text_layer_that_stands_for_nothing_is_not_indexed(monkeypatch: pytest.MonkeyPatch) -> None:
    garbage = Page(1, 595, 842, [Line(72, 100, 300, 112, "\ufffd" * 30, 10)])
    monkeypatch.setattr("ragcli.parse.pdf.document.read_page", lambda raw, number: garbage)
    documents, reports = parse_bytes("a.pdf", make_pdf([[(72, 100, 11, "text")]]), IngestConfig(ocr="off"))
    assert documents == []
    assert "only images" in str(reports[-1].skipped) and "page 1: its fonts" in reports[-1].warnings[0]


def test_the_layout_model_is_not_loaded(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(make_pdf([[(72, 100, 11, "Refunds take five days.")]]))
    code = """if True:
        import sys
        from pathlib import Path
        from ragcli.config import IngestConfig
        from ragcli.parse.reading import context_for, read
        from ragcli.parse.source import Source
        found, _ = read(Source("a.pdf", Path(sys.argv[1]).read_bytes()), context_for(IngestConfig()))
        assert "Refunds take five days." in found.text
        assert "pymupdf" in sys.modules
        print(sorted({"pymupdf.layout", "pymupdf4llm", "onnxruntime"} & set(sys.modules)))
    """
    ran = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
