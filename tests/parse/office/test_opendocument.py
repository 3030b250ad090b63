"""What a reader of OpenDocument texts, slides and sheets sees; and what they hide."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import make_zip, parse_bytes, parse_one, shape
from tests.parse.office.test_word_numbers import CASES, NOT_IN_LIBREOFFICE

_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in [
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"),
        ("presentation", "presentation"), ("form", "form"), ("chart", "chart"), ("svg", "svg-compatible"),
    ]
)  # fmt: skip
_NAMES += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def file(body: str, kind: str = "text", *, styles: str = "", outline: str = "", **objects: str) -> bytes:
    """An OpenDocument file: a ``text``, ``presentation`` or ``spreadsheet`` with automatic styles and objects."""
    content = (
        f"<office:document-content {_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    common = f"<office:document-styles {_NAMES}><office:styles>{outline}</office:styles></office:document-styles>"
    files = {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content, "styles.xml": common}
    for name, inside in objects.items():
        files[f"{name}/content.xml"] = f"<office:document-content {_NAMES}>{inside}</office:document-content>"
    return make_zip(files)


def level(place: int, form: str, *, more: str = "", suffix: str = ".", kind: str = "list") -> str:
    return (
        f'<text:{kind}-level-style{"-number" if kind == "list" else ""} text:level="{place}" style:num-format="{form}" '
        f'style:num-suffix="{suffix}" {more}/>'
    )


def items(*texts: str) -> str:
    return "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in texts)


CLAUSES = f'<text:list-style style:name="C">{level(1, "1")}{level(2, "a", suffix=")")}'
CLAUSES += level(3, "i", more='text:display-levels="3" style:num-prefix="("', suffix=")") + "</text:list-style>"


def test_lists_are_numbered_and_go_on_where_they_say() -> None:
    inner = f"<text:list><text:list-item><text:p>Care</text:p><text:list>{items('deep')}</text:list></text:list-item>"
    inner += "</text:list>"
    body = (
        '<text:list xml:id="one" text:style-name="C">'
        f"<text:list-item><text:p>Goods</text:p>{inner}<text:p>also on goods</text:p></text:list-item></text:list>"
        "<text:p>Between</text:p>"
        f'<text:list text:style-name="C" text:continue-numbering="true">{items("Price")}</text:list>'
        f'<text:list text:style-name="C">{items("Anew")}</text:list>'
        f'<text:list text:style-name="C" text:continue-list="one">{items("Last")}'
        '<text:list-item text:start-value="9"><text:p>Nine</text:p></text:list-item>'
        "<text:list-header><text:p>Without</text:p></text:list-header></text:list>"
    )
    seen = " ".join(parse_one("a.odt", file(body, styles=CLAUSES)).text.split())
    assert seen == "1. Goods a) Care (1.a.i) deep also on goods Between 2. Price 1. Anew 3. Last 9. Nine Without"


def test_headings_are_numbered_by_the_outline() -> None:
    outline = (
        f'<text:outline-style style:name="Outline">{level(1, "1", kind="outline", suffix="")}'
        f"{level(2, '1', kind='outline', suffix='', more='text:display-levels=' + chr(34) + '2' + chr(34))}"
        "</text:outline-style>"
    )
    heads = [(1, "Terms", ""), (2, "Words", ""), (1, "Annex", ' text:is-list-header="true"'), (2, "Caps", "")]
    body = "".join(f'<text:h text:outline-level="{depth}"{more}>{words}</text:h>' for depth, words, more in heads)
    document = parse_one("a.odt", file(body, outline=outline))
    assert document.text.split("\n\n") == ["1 Terms", "1.1 Words", "Annex", "1.2 Caps"]
    assert document.title == "Terms"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not here")
def test_numbers_survive_the_way_from_word(tmp_path: Path) -> None:
    names = [name for name in CASES if name not in NOT_IN_LIBREOFFICE]
    for place, name in enumerate(names):
        (tmp_path / f"{place}.docx").write_bytes(CASES[name][0])
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    paths = [str(tmp_path / f"{place}.docx") for place in range(len(names))]
    command = ["soffice", profile, "--headless", "--convert-to", "odt", "--outdir", str(tmp_path), *paths]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    differing = {}
    for place, name in enumerate(names):
        seen = " ".join(parse_one("a.odt", (tmp_path / f"{place}.odt").read_bytes()).text.split())
        if seen != " ".join(CASES[name][1]):
            differing[name] = seen
    assert differing == {}


HIDING = (
    '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="P" style:family="paragraph" style:parent-style-name="Q"/>'
    '<style:style style:name="Q" style:family="paragraph"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="S" style:family="drawing-page"><style:drawing-page-properties '
    'presentation:visibility="hidden"/></style:style>'
    '<style:style style:name="T" style:family="table"><style:table-properties table:display="false"/></style:style>'
)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.odt", file('<text:p>seen <text:span text:style-name="H">unseen</text:span></text:p>'
                       '<text:p text:style-name="P">unseen</text:p>', styles=HIDING)),
        ("a.odt", file('<text:p>seen</text:p><text:section text:name="N" text:display="none"><text:p>unseen</text:p>'
                       "</text:section>")),
        ("a.odp", file('<draw:page><draw:frame><draw:text-box><text:p>seen</text:p></draw:text-box></draw:frame>'
                       '</draw:page><draw:page draw:style-name="S"><draw:frame><draw:text-box><text:p>unseen</text:p>'
                       "</draw:text-box></draw:frame></draw:page>", "presentation", styles=HIDING)),
    ],
)  # fmt: skip
def test_what_is_hidden_is_named_and_read_on_wish(name: str, data: bytes) -> None:
    documents, reports = parse_bytes(name, data)
    assert documents[0].text == "seen"
    assert "ingest.hidden_text" in reports[-1].warnings[0]
    assert "unseen" in parse_one(name, data, IngestConfig(hidden_text=True)).text


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


COVERED = "<table:covered-table-cell/>"


def test_tables_with_merged_cells_headers_and_inner_tables() -> None:
    header = row(
        cell("Site", 'table:number-rows-spanned="2"'), cell("2026", 'table:number-columns-spanned="2"'), COVERED
    )
    header += row(COVERED, cell("Early"), cell("Late"))
    body = row(cell("Mill", 'table:number-rows-spanned="2"'), cell("Kim"), cell("Ann"))
    inner = f"<table:table-cell><table:table>{row(cell('V-12'), cell('34 Nm'))}</table:table></table:table-cell>"
    body += row(COVERED, cell("Ben"), inner)
    table = f"<table:table><table:table-header-rows>{header}</table:table-header-rows>{body}</table:table>"
    assert parse_one("a.odt", file(table)).text.split("\n") == [
        "| Site | 2026 > Early | 2026 > Late |",
        "| --- | --- | --- |",
        "| Mill | Kim | Ann |",
        "| Mill | Ben | V-12; 34 Nm |",
    ]


CHART = (
    "<office:body><office:chart><chart:chart><chart:title><text:p>Falls</text:p></chart:title><table:table>"
    f"<table:table-header-rows>{row(cell(''), cell('2025'))}</table:table-header-rows>"
    f"<table:table-rows>{row(cell('Leeds'), cell('37'))}</table:table-rows></table:table></chart:chart></office:chart>"
    "</office:body>"
)


def test_charts_pictures_controls_and_links() -> None:
    body = (
        '<office:forms><form:form><form:checkbox form:id="c1" form:label="Licence" form:current-state="checked"/>'
        '<form:listbox form:id="c2" form:label="Shift"><form:option form:label="Day"/>'
        '<form:option form:label="Night" form:current-selected="true"/></form:listbox></form:form></office:forms>'
        '<text:p>See <text:a xlink:href="https://example.org/f">the form</text:a>.'
        '<draw:frame><draw:object xlink:href="./Obj"/></draw:frame></text:p>'
        "<text:p><draw:frame><draw:image/><svg:desc>Plan of the depot</svg:desc></draw:frame></text:p>"
        '<text:p><draw:control draw:control="c1"/></text:p><text:p><draw:control draw:control="c2"/></text:p>'
        '<text:p><draw:frame><draw:object xlink:href="./Gone"/></draw:frame></text:p>'
    )
    documents, reports = parse_bytes("a.odt", file(body, Obj=CHART))
    assert shape(documents[0]) == [
        ("paragraph", None, "See the form."),
        ("caption", None, "Falls"),
        ("table", None, "|  | 2025 |\n| --- | --- |\n| Leeds | 37 |"),
        ("other", None, "Picture: Plan of the depot"),
        ("paragraph", None, "☒ Licence"),
        ("paragraph", None, "Shift: Night"),
        ("other", None, "the form: https://example.org/f"),
    ]
    assert reports[-1].warnings == ("embedded object not read: ./Gone",)


def number(value: str, text: str) -> str:
    return cell(text, f'office:value-type="float" office:value="{value}"')


SHEETS = (
    '<table:table table:name="Loans"><table:table-column/><table:table-column table:number-columns-repeated="2"/>'
    '<table:table-column table:visibility="collapse"/>'
    + row(cell("Loan"), cell("Rate"), cell("Opened"), cell("Cost"))
    + row(
        cell("Seaview", 'table:number-rows-spanned="2"'),
        number("0.0575", "5.75%"),
        cell("15.03.26", 'office:value-type="date" office:date-value="2026-03-15"'),
        number("7", "7"),
    )
    + row(COVERED, number("0.0425", "4.25%"), '<table:table-cell table:formula="of:=[.B2]"/>', number("8", "8"))
    + row(cell("Old"), number("9", "9"), more='table:visibility="filter"')
    + row('<table:table-cell table:number-columns-repeated="1024"/>', more='table:number-rows-repeated="1048570"')
    + '</table:table><table:table table:name="Margins" table:style-name="T">'
    + row(cell("secret"))
    + "</table:table>"
)


def test_sheets_as_they_are_shown() -> None:
    documents, reports = parse_bytes("a.ods", file(SHEETS, "spreadsheet", styles=HIDING))
    (document,) = documents
    assert document.text.split("\n") == [
        "Loans",
        "",
        "| Loan | Rate | Opened |",
        "| --- | --- | --- |",
        "| Seaview | 5.75% | 15.03.26 |",
        "| Seaview | 4.25% |  |",
    ]
    assert [alias.text for alias in document.aliases] == ["0.0575 2026-03-15", "0.0425"]
    assert reports[-1].warnings == (
        "hidden, left out (ingest.hidden_text: true reads it): 1 row of sheet 'Loans'; 1 column of sheet 'Loans'; "
        "sheet 'Margins' (hidden)",
        "sheet 'Loans': formulas without a stored value: C3 (save it in a spreadsheet program)",
    )
    everything = parse_one("a.ods", file(SHEETS, "spreadsheet", styles=HIDING), IngestConfig(hidden_text=True)).text
    assert "secret" in everything and "| Old | 9 |" in everything
