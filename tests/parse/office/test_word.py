"""What a reader of a Word file sees: signs, fields, tables, drawings, embedded texts, links; and what it hides."""

from __future__ import annotations

import pytest

from ragcli.config import IngestConfig
from ragcli.parse.office.drawings import alternative_text
from tests.parse.builders import parse_bytes, parse_one, shape
from tests.parse.office.word_files import named, paragraph, style, word


def run(content: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr>{content}</w:r>"


def text(words: str, properties: str = "") -> str:
    return run(f'<w:t xml:space="preserve">{words}</w:t>', properties)


def line(*runs: str, more: str = "") -> str:
    return f"<w:p>{more}{''.join(runs)}</w:p>"


def field(data: str, code: str, result: str = "") -> str:
    begin = f'<w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar>'
    return (
        run(begin)
        + run(f"<w:instrText> {code} </w:instrText>")
        + run('<w:fldChar w:fldCharType="separate"/>')
        + (text(result) if result else "")
        + run('<w:fldChar w:fldCharType="end"/>')
    )


def row(*cells: str, more: str = "") -> str:
    return f"<w:tr><w:trPr>{more}</w:trPr>{''.join(cells)}</w:tr>"


def cell(words: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(words)}</w:tc>"


def texts(body: str, **package: object) -> list[str]:
    return parse_one("a.docx", word(body, **package)).text.split("\n\n")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (text("2") + run("<w:noBreakHyphen/>") + text("36 hours"), "2-36 hours"),
        (text("co") + run("<w:softHyphen/>") + text("operate"), "cooperate"),
        (run('<w:sym w:font="Symbol" w:char="F0B1"/>') + text("0.4 mm"), "±0.4 mm"),
        (text("5 ") + run('<w:sym w:font="Symbol" w:char="6D"/>') + text("m"), "5 μm"),
        (run('<w:sym w:font="Wingdings" w:char="F0FE"/>') + text(" inspected"), "☑ inspected"),
        (text("\uf0b3 5", '<w:rFonts w:ascii="Symbol"/>'), "≥ 5"),
        (text("Shift: ") + field('<w:ddList><w:result w:val="1"/><w:listEntry w:val="Day"/><w:listEntry w:val="Night"/>'
          "</w:ddList>", "FORMDROPDOWN"), "Shift: Night"),
        (text("Licence: ") + field("<w:checkBox><w:checked/></w:checkBox>", "FORMCHECKBOX"), "Licence: ☒"),
        (text("Trained: ") + field('<w:checkBox><w:default w:val="0"/></w:checkBox>', "FORMCHECKBOX"), "Trained: ☐"),
        (text("Name: ") + field("<w:textInput/>", "FORMTEXT", "Rosa Lind"), "Name: Rosa Lind"),
        ("<w:del>" + run("<w:delText>gone</w:delText>") + "</w:del><w:ins>" + text("kept") + "</w:ins>", "kept"),
        (run("<w:ruby><w:rt><w:r><w:t>かんじ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r></w:rubyBase>"
          "</w:ruby>"), "漢字(かんじ)"),
    ],
)  # fmt: skip
def test_runs_read_as_they_are_shown(runs: str, expected: str) -> None:
    assert texts(line(runs)) == [expected]


def test_signs_that_are_not_known_are_counted() -> None:
    documents, reports = parse_bytes(
        "a.docx", word(line(text("x"), run('<w:sym w:font="Wingdings 3" w:char="F021"/>')))
    )
    assert documents[0].text == "x"
    assert reports[-1].warnings == ("1 signs of a font that is not known were left out",)


HIDDEN_STYLES = (
    style("Secret", "Secret", kind="character", properties="<w:rPr><w:vanish/></w:rPr>")
    + style("Deep", "Deep", kind="character", based_on="Secret")
    + style("Note", "Note", properties="<w:rPr><w:vanish/></w:rPr>")
)


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        (line(text("seen "), text("unseen", "<w:vanish/>")), "seen"),
        (line(text("seen "), text("unseen", '<w:rStyle w:val="Deep"/>')), "seen"),
        (line(text("seen", '<w:vanish w:val="0"/>'), more='<w:pPr><w:pStyle w:val="Note"/></w:pPr>')
         + line(text("unseen"), more='<w:pPr><w:pStyle w:val="Note"/></w:pPr>'), "seen"),
        (f"<w:tbl>{row(cell('seen'), cell('a'))}{row(cell('unseen'), cell('b'), more='<w:hidden/>')}</w:tbl>",
         "| seen | a |\n| --- | --- |"),
    ],
)  # fmt: skip
def test_what_is_hidden_by_run_or_style_is_named_and_read_on_wish(body: str, seen: str) -> None:
    data = word(body, styles=HIDDEN_STYLES)
    documents, reports = parse_bytes("a.docx", data)
    assert documents[0].text == seen
    assert "ingest.hidden_text" in reports[-1].warnings[0]
    assert "ingest.hidden_text=False" in reports[-1].conditions
    documents, reports = parse_bytes("a.docx", data, IngestConfig(hidden_text=True))
    assert "unseen" in documents[0].text and reports[-1].warnings == ()


def test_tables_with_merged_cells_captions_and_inner_tables() -> None:
    down, on, across = '<w:vMerge w:val="restart"/>', "<w:vMerge/>", '<w:gridSpan w:val="2"/>'
    rota = row(cell("Site", down), cell("2026", across)) + row(cell("", on), cell("Early"), cell("Late"))
    rota += row(cell("Mill", down), cell("Kim"), cell("Ann")) + row(cell("", on), cell("Ben"), cell("Eva"))
    inner = f"<w:tbl>{row(cell('Valve'), cell('Torque'))}{row(cell('V-12'), cell('34 Nm'))}</w:tbl>"
    outer = row(cell("Before"), f"<w:tc>{inner}{paragraph('after')}</w:tc>")
    body = f"<w:tbl>{rota}</w:tbl>{paragraph('Table 1: Rota', style='Caption')}<w:tbl>{outer}</w:tbl>"
    assert shape(parse_one("a.docx", word(body, styles=style("Caption", "caption")))) == [
        ("caption", None, "Table 1: Rota"),
        ("table", None, "| Site | 2026 > Early | 2026 > Late |\n| --- | --- | --- |\n| Mill | Kim | Ann |\n"
         "| Mill | Ben | Eva |"),
        ("table", None, "| Before | Valve; Torque V-12; 34 Nm after |\n| --- | --- |"),
    ]  # fmt: skip


DIAGRAM = named(
    "<dgm:ptLst>"
    + "".join(
        f'<dgm:pt modelId="{name}"{kind}><dgm:t><a:p><a:r><a:t>{words}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for name, kind, words in [("0", ' type="doc"', ""), ("2", "", "Manager"), ("1", "", "Lead"), ("3", "", "Board")]
    )
    + '</dgm:ptLst><dgm:cxnLst><dgm:cxn modelId="8" srcId="0" destId="1" srcOrd="0"/>'
    '<dgm:cxn modelId="9" srcId="1" destId="2" srcOrd="0"/></dgm:cxnLst>',
    "dgm:dataModel",
)


def points(*values: str) -> str:
    return "".join(f'<c:pt idx="{place}"><c:v>{value}</c:v></c:pt>' for place, value in enumerate(values))


CHART = named(
    "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Falls by plant</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    f"<c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>{points('2025')}</c:strCache></c:strRef></c:tx>"
    f"<c:cat><c:strRef><c:strCache>{points('Leeds', 'Turin')}</c:strCache></c:strRef></c:cat><c:val><c:numRef>"
    f"<c:numCache><c:formatCode>0.0%</c:formatCode>{points('0.375', '0.125')}</c:numCache></c:numRef></c:val></c:ser>"
    "</c:barChart></c:plotArea></c:chart>",
    "c:chartSpace",
)
PARTS = {
    "d": ("diagramData", "diagrams/data1.xml", DIAGRAM),
    "c": ("chart", "charts/chart1.xml", CHART),
    "h": ("aFChunk", "chunk.html", "<html><body><h2>Keys</h2><p>The concierge has them.</p></body></html>"),
    "o": ("package", "embeddings/costs.bin", "x"),
}


def drawing(inside: str, described: str = "") -> str:
    properties = f'<wp:docPr id="1" name="p" descr="{described}"/>' if described else ""
    data = f"<a:graphic><a:graphicData>{inside}</a:graphicData></a:graphic>"
    return line(run(f"<w:drawing><wp:inline>{properties}{data}</wp:inline></w:drawing>"))


def test_diagrams_charts_pictures_and_inner_texts_are_read_and_inner_files_named() -> None:
    body = drawing('<dgm:relIds r:dm="d"/>') + drawing('<c:chart r:id="c"/>') + '<w:altChunk r:id="h"/>'
    body += drawing("", "Plan of the depot&#10;Description automatically generated") + drawing("", "image1.png")
    documents, reports = parse_bytes("a.docx", word(body, parts=PARTS))
    assert shape(documents[0]) == [
        ("list_item", 1, "- Lead"),
        ("list_item", 2, "- Manager"),
        ("list_item", 1, "- Board"),
        ("caption", None, "Falls by plant"),
        ("table", None, "|  | 2025 |\n| --- | --- |\n| Leeds | 37.5% |\n| Turin | 12.5% |"),
        ("heading", 2, "Keys"),
        ("paragraph", None, "The concierge has them."),
        ("other", None, "Picture: Plan of the depot"),
    ]
    assert reports[-1].warnings == ("embedded file not read: word/embeddings/costs.bin",)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("A duck.\n\nAI-generated content may be incorrect.", "A duck."),
        ("图形用户界面\nAI 生成的内容可能不正确。", "图形用户界面"),
        ("Plan\n\nAutomatisch generierte Beschreibung", "Plan"),
        ("Plan\nDescription automatically generated with low confidence", "Plan"),
        ("photo 1.png", "photo 1.png"),
        ("scan.tiff", ""),
    ],
)
def test_descriptions_of_pictures_without_what_an_editor_adds(written: str, expected: str) -> None:
    assert alternative_text(written) == expected


def test_missing_and_unreadable_parts_are_named() -> None:
    body = drawing('<c:chart r:id="none"/>') + '<w:altChunk r:id="b"/><w:altChunk r:id="none"/>' + paragraph("kept")
    data = word(body, parts={"b": ("aFChunk", "chunk.bin", b"\x00\x01\x02\xff" * 50)})
    documents, reports = parse_bytes("a.docx", data)
    assert documents[0].text == "kept"
    assert len(reports[-1].warnings) == 3


def test_an_inner_document_counts_against_the_depth_of_containers() -> None:
    inner = word(paragraph("innermost"))
    for _ in range(6):
        inner = word('<w:altChunk r:id="i"/>', parts={"i": ("aFChunk", "inner.docx", inner)})
    documents, reports = parse_bytes("a.docx", inner)
    assert documents == []
    assert "archive_depth" in " ".join(reports[-1].warnings)


def test_links_are_kept_under_their_section() -> None:
    link = f'<w:hyperlink r:id="l">{text("return form")}</w:hyperlink>'
    code = field("", 'HYPERLINK "mailto:desk@example.org"', "the desk")
    body = paragraph("Returns", style="H") + line(text("Use the "), link, text(" or ask "), code, text("."))
    body += paragraph("Refunds", style="H") + paragraph("Within 14 days.")
    data = word(body, styles=style("H", "heading 1"), links={"l": "https://example.org/r.docx"})
    assert shape(parse_one("a.docx", data)) == [
        ("heading", 1, "Returns"),
        ("paragraph", None, "Use the return form or ask the desk."),
        ("other", None, "return form: https://example.org/r.docx\nthe desk: mailto:desk@example.org"),
        ("heading", 1, "Refunds"),
        ("paragraph", None, "Within 14 days."),
    ]


def test_notes_are_numbered_as_they_are_met() -> None:
    notes = named(
        f'<w:footnote w:id="0" w:type="separator">{paragraph("-")}</w:footnote>'
        f'<w:footnote w:id="5">{paragraph("fifth")}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph("second")}</w:footnote>',
        "w:footnotes",
    )
    body = line(
        text("one"), run('<w:footnoteReference w:id="5"/>'), text(" two"), run('<w:footnoteReference w:id="2"/>')
    )
    data = word(body, parts={"n": ("footnotes", "footnotes.xml", notes)})
    assert parse_one("a.docx", data).text.split("\n\n") == ["one[1] two[2]", "[1] fifth", "[2] second"]


def test_headings_by_outline_level_and_clauses_in_the_style_of_headings() -> None:
    outlined = style("Part", "Part", properties='<w:pPr><w:outlineLvl w:val="1"/></w:pPr>')
    body = paragraph("Scope", style="Part") + paragraph("It applies to all.", style="Part")
    body += paragraph("clause " * 60, style="H")
    kinds = [
        (kind, level)
        for kind, level, _ in shape(parse_one("a.docx", word(body, styles=outlined + style("H", "heading 2"))))
    ]
    assert kinds == [("heading", 2), ("paragraph", None), ("paragraph", None)]


def test_a_package_that_says_nothing_of_itself_is_believed() -> None:
    document = parse_one("house-rules.docx", word(paragraph("Be kind.")))
    assert (document.title, document.metadata.modified) == ("House rules", None)
