"""What a viewer of slides sees: merged cells, charts, diagrams, numbers, links; hidden slides are named."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import make_zip, parse_bytes, parse_one, shape

pytest.importorskip("pptx")


def deck() -> Any:
    from pptx import Presentation

    return Presentation()


def saved(presentation: Any) -> bytes:
    stream = io.BytesIO()
    presentation.save(stream)
    return stream.getvalue()


def blank(presentation: Any, title: str = "") -> Any:
    slide = presentation.slides.add_slide(presentation.slide_layouts[5 if title else 6])
    if title:
        slide.shapes.title.text = title
    return slide


def box(slide: Any, *lines: str) -> Any:
    from pptx.util import Inches

    frame = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame
    frame.text = "\n".join(lines)
    return frame


def test_hidden_slides_and_shapes_are_named_and_read_on_wish() -> None:
    presentation = deck()
    box(blank(presentation), "Shown")
    slide = blank(presentation)
    box(slide, "Layoffs")
    slide._element.set("show", "0")
    third = blank(presentation)
    box(third, "Also shown")
    box(third, "Draft")
    third.shapes[1]._element.nvSpPr.cNvPr.set("hidden", "1")
    data = saved(presentation)
    documents, reports = parse_bytes("a.pptx", data)
    assert documents[0].text == "Shown\n\nAlso shown"
    assert reports[-1].warnings == (
        "hidden, left out (ingest.hidden_text: true reads it): slide 2; a shape of slide 3",
    )
    assert "Layoffs" in parse_one("a.pptx", data, IngestConfig(hidden_text=True)).text


def test_a_deck_that_says_nothing_of_itself_is_believed() -> None:
    presentation = deck()
    box(blank(presentation), "Shown")
    package = zipfile.ZipFile(io.BytesIO(saved(presentation)))
    files = {item.filename: package.read(item) for item in package.infolist() if "docProps" not in item.filename}
    relations = [
        line for line in files["_rels/.rels"].decode().replace("/>", "/>\n").split("\n") if "docProps" not in line
    ]
    files["_rels/.rels"] = "".join(relations).encode()
    document = parse_one("road-map.pptx", make_zip(files))
    assert (document.title, document.metadata.modified) == ("Road map", None)


def test_merged_cells_of_tables_stand_where_they_hold() -> None:
    from pptx.util import Inches

    presentation = deck()
    table = blank(presentation).shapes.add_table(4, 3, Inches(1), Inches(1), Inches(6), Inches(2)).table
    for row, texts in enumerate(
        [("Region", "Quota", ""), ("", "2025", "2026"), ("North", "40", "45"), ("", "55", "60")]
    ):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(2, 0).merge(table.cell(3, 0))
    assert parse_one("a.pptx", saved(presentation)).text.split("\n") == [
        "| Region | Quota > 2025 | Quota > 2026 |",
        "| --- | --- | --- |",
        "| North | 40 | 45 |",
        "| North | 55 | 60 |",
    ]


def test_charts_are_tables_under_their_title() -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    presentation = deck()
    data = CategoryChartData(number_format="0%")
    data.categories = ["Spring", "Autumn"]
    data.add_series("Share", (0.31, 0.44))
    size = (Inches(1), Inches(1), Inches(6), Inches(4))
    chart = blank(presentation, "Sales").shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *size, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Share by season"
    documents, reports = parse_bytes("a.pptx", saved(presentation))
    assert shape(documents[0])[1:] == [
        ("caption", None, "Share by season"),
        ("table", None, "|  | Share |\n| --- | --- |\n| Spring | 31% |\n| Autumn | 44% |"),
    ]
    assert reports[-1].warnings == ()


def test_numbers_links_and_descriptions() -> None:
    from pptx.oxml.ns import qn

    presentation = deck()
    slide = blank(presentation)
    frame = box(slide, "Lock the valve", "Call the desk", "See the form")
    for paragraph in frame.paragraphs[:2]:
        properties = paragraph._p.get_or_add_pPr()
        properties.append(properties.makeelement(qn("a:buAutoNum"), {"type": "alphaLcParenR", "startAt": "3"}))
    frame.paragraphs[2].runs[0].hyperlink.address = "https://example.org/form"
    slide.shapes[0]._element.nvSpPr.cNvPr.set("descr", "Steps beside a valve")
    assert shape(parse_one("a.pptx", saved(presentation))) == [
        ("list_item", 1, "c) Lock the valve"),
        ("list_item", 1, "d) Call the desk"),
        ("paragraph", None, "See the form"),
        ("other", None, "Picture: Steps beside a valve"),
        ("other", None, "See the form: https://example.org/form"),
    ]


def test_diagrams_are_lists() -> None:
    from tests.parse.office.test_word import DIAGRAM

    presentation = deck()
    slide = blank(presentation)
    box(slide, "x")
    package = zipfile.ZipFile(io.BytesIO(saved(presentation)))
    files = {item.filename: package.read(item) for item in package.infolist()}
    names = (
        'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    )
    frame = (
        f'<p:graphicFrame {names}><p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData '
        'uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds r:dm="rId77"/></a:graphicData>'
        "</a:graphic></p:graphicFrame></p:spTree>"
    )
    relation = (
        '<Relationship Id="rId77" Target="../diagrams/data1.xml" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"/></Relationships>'
    )
    files["ppt/slides/slide1.xml"] = files["ppt/slides/slide1.xml"].replace(b"</p:spTree>", frame.encode())
    rels = "ppt/slides/_rels/slide1.xml.rels"
    files[rels] = files[rels].replace(b"</Relationships>", relation.encode())
    files["ppt/diagrams/data1.xml"] = DIAGRAM.encode()
    found = shape(parse_one("a.pptx", make_zip(files)))
    assert [item for item in found if item[0] == "list_item"] == [
        ("list_item", 1, "- Lead"),
        ("list_item", 2, "- Manager"),
        ("list_item", 1, "- Board"),
    ]
