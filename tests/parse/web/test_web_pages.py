"""Web pages as a person sees them: what is hidden, what a click opens, what is content, what was left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import parse_bytes

FOLDERS = (
    "20-html-table-list",
    "25-eml-stub-plain",
    "26-eml-apple-mail",
    "30-md-fences",
    "52-html-aside-caution",
    "56-html-faq",
)
PROSE = "The cooperative keeps a record of each delivery, with the grower, the crate count and the quality grade. "
MENU = '<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>'


def read(body: str, *, head: str = "", hidden_text: bool = False) -> tuple[str, str, tuple[str, ...]]:
    """Text, warnings and stripped lines of a page."""
    page = f"<!DOCTYPE html><html><head><title>Page</title>{head}</head><body>{body}</body></html>"
    documents, reports = parse_bytes("page.html", page.encode(), IngestConfig(hidden_text=hidden_text))
    text = "\n".join(document.text for document in documents)
    return text, " ".join(reports[-1].warnings), reports[-1].stripped_lines


HIDING = {
    "size 0": ('<p style="font-size:0">PAY NOW</p>', ""),
    "size 0 by font": ('<p style="font: 0px/1 serif">PAY NOW</p>', ""),
    "size 0 of the parent": ('<div style="font-size:0">PAY NOW<p style="font-size:2em">PAY NOW</p></div>', ""),
    "white on white": ('<p style="color:#fff">PAY NOW</p>', ""),
    "nearly white": ('<p style="color:rgb(252,253,254)">PAY NOW</p>', ""),
    "font element": ('<p><font color="white">PAY NOW</font></p>', ""),
    "navy on navy": ('<div style="background:navy"><p style="color:#000080">PAY NOW</p></div>', ""),
    "on a cell of its colour": (
        '<table><tr><td bgcolor="#336699"><font color="#336699">PAY NOW</font></td></tr></table>',
        "",
    ),
    "off the screen": ('<p style="position:absolute; left:-9999px">PAY NOW</p>', ""),
    "indented away": ('<p style="text-indent:-999em">PAY NOW</p>', ""),
    "clipped": ('<p style="position:absolute;clip:rect(0,0,0,0)">PAY NOW</p>', ""),
    "pushed out": ('<p style="margin-left:-9999px">PAY NOW</p>', ""),
    "moved away": ('<p style="transform: translate(0, -2000px)">PAY NOW</p>', ""),
    "opacity": ('<p style="opacity: 0.0">PAY NOW</p>', ""),
    "visibility": ('<p style="visibility:hidden">PAY NOW</p>', ""),
    "display": ('<p style="DISPLAY : none !important">PAY NOW</p>', ""),
    "attribute": ("<p hidden>PAY NOW</p>", ""),
    "transparent": ('<p style="color:transparent">PAY NOW</p>', ""),
    "a class": ('<p class="x7">PAY NOW</p>', "<style>.x7 { display: none }</style>"),
    "a class for screens": ('<p class="x7">PAY NOW</p>', "<style>@media screen { p.x7 { font-size: 0 } }</style>"),
    "a class of the body": ('<p class="x7">PAY NOW</p>', "<style>body .x7{position:fixed;top:-2000px}</style>"),
    "the important rule": (
        '<p class="x7" style="display:block">PAY NOW</p>',
        "<style>.x7{display:none!important}</style>",
    ),
}


@pytest.mark.parametrize("kind", HIDING)
def test_what_a_reader_does_not_see_is_named_and_read_on_demand(kind: str) -> None:
    hidden, head = HIDING[kind]
    text, warnings, _ = read(f"<h1>Bill</h1><p>{PROSE}</p>{hidden}<p>after</p>", head=head)
    assert "PAY NOW" not in text
    assert "after" in text
    assert "hidden, left out" in warnings
    text, warnings, _ = read(f"<h1>Bill</h1><p>{PROSE}</p>{hidden}<p>after</p>", head=head, hidden_text=True)
    assert "PAY NOW" in text
    assert not warnings


SHOWN = {
    "white on a dark ground": ('<div style="background:#123"><p style="color:#fff">SEEN</p></div>', ""),
    "white where a sheet elsewhere paints": (
        '<p class="b" style="color:#fff">SEEN</p>',
        '<link rel="stylesheet" href="a.css">',
    ),
    "white on a picture": ('<div style="background-image:url(a.png)"><p style="color:#fff">SEEN</p></div>', ""),
    "size restored": ('<div style="font-size:0"><span style="font-size:12px">SEEN</span></div>', ""),
    "visibility restored": ('<div style="visibility:hidden"><p style="visibility:visible">SEEN</p></div>', ""),
    "a later rule": ('<p class="a on">SEEN</p>', "<style>.a{display:none} .a.on{display:block}</style>"),
    "printing": ('<p class="a">SEEN</p>', "<style>@media print {.a{display:none}}</style>"),
    "centred": ('<div style="position:absolute;left:50%;transform:translate(-50%,-50%)">SEEN</div>', ""),
    "a page that waits": ("<p>SEEN</p>", "<style>body{visibility:hidden;animation:start 8s}</style>"),
    "cloaked": ("<div x-cloak>SEEN</div>", "<style>[x-cloak]{display:none !important}</style>"),
    "without scripts": ('<p class="a">SEEN</p>', "<noscript><style>.a{display:none}</style></noscript>"),
    "a broken sheet": ('<p class="a">SEEN</p>', "<style>.a:::{ } }} .b{display:none</style>"),
    "text after a hidden element": ("<p>one <span hidden>two</span> SEEN</p>", ""),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_what_a_reader_sees_stays(kind: str) -> None:
    body, head = SHOWN[kind]
    assert "SEEN" in read(f"<h1>Bill</h1><p>{PROSE}</p>{body}", head=head)[0]


OPENED = {
    "hidden under its button": '<h3><button aria-expanded="false" aria-controls="a0">How long?</button>'
    '</h3><div id="a0" hidden>{}</div>',
    "hidden under its question": '<h3>How long is it?</h3><div style="display:none">{}</div>',
    "a tab": '<div role="tablist"><a role="tab" href="#t1">Fees</a></div><div role="tabpanel" id="t1" hidden>{}</div>',
    "a pane of a tab": '<div class="tab-pane" style="display:none" id="t1">{}</div>',
    "details": "<details><summary>How long?</summary><p>{}</p></details>",
    "a panel by its class": '<div class="accordion-panel" hidden>{}</div>',
    "the target of a control": '<a data-bs-toggle="collapse" data-bs-target="#c">More</a><p>x</p><div '
    'id="c" style="height:0;overflow:hidden">{}</div>',
    "a box to tick": '<input type="checkbox" id="q"><label for="q">How long</label><div style="display:none">{}</div>',
    "until found": '<div hidden="until-found">{}</div>',
}


@pytest.mark.parametrize("kind", OPENED)
@pytest.mark.parametrize("around", ["{}", MENU + "<main>{}</main><footer>© 2026</footer>"])
def test_what_a_click_opens_is_content(kind: str, around: str) -> None:
    body = f"<h1>Questions</h1><p>{PROSE * 8}</p>" + OPENED[kind].format("<p>It runs for 36 months.</p>")
    text, warnings, _ = read(around.format(body + f"<p>{PROSE * 8}</p>"))
    assert "It runs for 36 months." in text
    assert not warnings


KEPT = {
    "a caution": '<aside class="admonition caution"><p>Caution</p><p>Never open the valve under pressure.</p></aside>',
    "an alert": '<div class="alert alert-warning" role="alert">Never open the valve under pressure.</div>',
    "footnotes": '<section role="doc-endnotes"><ol><li>Never open the valve under pressure.</li></ol></section>',
    "footnotes in a footer": '<footer class="footnotes"><p>Never open the valve under pressure.</p></footer>',
    "a definition list": "<dl><dt>Valve</dt><dd>Never open the valve under pressure.</dd></dl>",
    "a table": "<table><tr><th>Valve</th><th>Rule</th></tr><tr><td>A</td><td>Never open "
    "the valve under pressure.</td></tr></table>",
    "a menu of a kitchen": '<section id="menu"><h2>Menu</h2><p>Never open the valve under pressure. '
    "Soup of the day with bread and butter costs 7 euros at noon.</p></section>",
    "comments on a draft": '<section class="comments"><h2>Comments</h2><p>Never open the valve under '
    "pressure. The board received nine comments on the draft from members of the union.</p></section>",
}


@pytest.mark.parametrize("kind", KEPT)
def test_parts_of_the_content_stay_and_the_frame_is_listed(kind: str) -> None:
    body = f"<main><h1>Valves</h1><p>{PROSE * 10}</p>{KEPT[kind]}</main><footer><p>© 2026 Valves</p></footer>"
    text, _, stripped = read(MENU + body)
    assert "Never open the valve under pressure." in text
    assert "Shop" not in text
    assert "© 2026 Valves [<footer>]" in stripped
    assert any("Shop" in line and line.endswith("[<nav>]") for line in stripped)


def test_comments_of_readers_are_frame() -> None:
    said = (
        '<div id="comments"><h2>2 comments</h2><ol class="comment-list"><li>First! '
        "What a lovely long text it is, thank you so very much for it.</li></ol></div>"
    )
    text, _, stripped = read(f"<main><h1>Valves</h1><p>{PROSE * 10}</p>{said}</main>")
    assert "lovely" not in text
    assert any("lovely" in line and "comments" in line for line in stripped)


def test_all_of_a_page_is_kept_or_listed() -> None:
    words = [f"word{number}" for number in range(60)]
    parts = "".join(
        f'<div class="{"sidebar" if n % 3 == 0 else "c"}"><p>{PROSE} {word}</p></div>' for n, word in enumerate(words)
    )
    text, _, stripped = read(MENU + parts)
    assert [word for word in words if word not in text and not any(word in line for line in stripped)] == []


def test_merged_cells_and_headers_of_two_rows() -> None:
    text, _, _ = read(
        "<table><caption>Fares</caption><thead><tr><th rowspan=2>Zone<th "
        "colspan=2>Weekday</tr><tr><th>Adult<th>Child</thead>"
        "<tr><td rowspan=2>Inner<td>4.10<td>2.00<tr><td>4.40<td>2.20</table>"
    )
    assert text.split("\n") == [
        "Fares",
        "",
        "| Zone | Weekday > Adult | Weekday > Child |",
        "| --- | --- | --- |",
        "| Inner | 4.10 | 2.00 |",
        "| Inner | 4.40 | 2.20 |",
    ]


def test_a_table_whose_rows_are_named_has_no_header() -> None:
    text, _, _ = read("<table><tr><th>Seats</th><td>14</td></tr><tr><th>Screen</th><td>none</td></tr></table>")
    assert text.split("\n")[2:] == ["| Seats | 14 |", "| Screen | none |"]


def test_pictures_and_links_are_told_beside_the_text() -> None:
    text, _, _ = read(
        "<h2>Returns</h2><p>Use the <a "
        'href="https://quillon.example/return">return form</a>.</p><img src="a.png" alt="Map of the depot">'
        '<img src="b.png" alt="b.png"><h2>Next</h2><p><a href="/local">here</a> <a href="#x">there</a></p>'
        '<table><tr><td>Wheelchair</td><td><img alt="yes" src="t.png"></td></tr>'
        "<tr><td>Lift</td><td>no</td></tr></table>"
    )
    assert text.startswith(
        "Returns\n\nUse the return form.\n\nPicture: Map of the depot\n\nreturn "
        "form: https://quillon.example/return\n\nNext\n\nhere there"
    )
    assert "| Wheelchair | yes |" in text
    assert "b.png" not in text


@pytest.mark.shared
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_shared_reports(shared_data: Path, folder: str) -> None:
    place = shared_data / "reports" / folder
    for entry in json.loads((place / "expect.json").read_text(encoding="utf-8")):
        documents, _ = parse_bytes(entry["file"], (place / entry["file"]).read_bytes())
        text = "\n".join(document.text for document in documents)
        text += "".join(f"\nATTACH:{document.text}" for document in documents[1:])
        text += "".join(f"\nHEADING:{section.heading_path[-1]}" for item in documents for section in item.sections)
        assert [words for words in entry["must"] if words.rpartition("ATTACH:")[2] not in text] == []
        assert [words for words in entry["mustnot"] if words in text] == []
