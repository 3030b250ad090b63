from __future__ import annotations

import pytest
from lxml import html

from ragcli.parse.web.html_blocks import pieces_of


def pieces(page: str) -> list[tuple[str, int | None, str]]:
    return [(piece.kind, piece.level, piece.text) for piece in pieces_of(html.document_fromstring(page))]


def test_a_term_stands_with_its_description() -> None:
    page = """<dl><dt>Fee</dt><dd>5 euros<p>a day</p></dd>
      <div><dt><a href="#b">Bail</a></dt> <dt>Deposit<br>(cash)</dt><dd><p>none</p></dd></div>
      <dt>Empty</dt><dd></dd><dt>Last</dt><dd>end</dd></dl>"""
    assert pieces(page) == [
        ("paragraph", None, "Fee\n5 euros"),
        ("paragraph", None, "a day"),
        ("paragraph", None, "Bail\nDeposit\n(cash)\nnone"),
        ("paragraph", None, "Empty"),
        ("paragraph", None, "Last\nend"),
    ]
    linked = pieces_of(html.document_fromstring(page))[2].linked
    assert linked == len("Bail") / len("Bail\nDeposit\n(cash)\nnone")


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        ("<dd><pre>x = 1</pre></dd>", ("code", None, "x = 1")),
        ("<dd><ul><li>one</li></ul></dd>", ("list_item", 1, "- one")),
        ("<dd><blockquote>said</blockquote></dd>", ("quote", None, "said")),
        ("<dd><h4>More</h4></dd>", ("heading", 4, "More")),
    ],
)
def test_a_term_does_not_become_part_of_what_is_no_text(described: str, expected: tuple[str, int | None, str]) -> None:
    assert pieces(f"<dl><dt>Term</dt>{described}</dl>") == [("paragraph", None, "Term"), expected]


def test_a_term_that_is_a_heading_or_stands_alone_is_kept() -> None:
    assert pieces("<dl><dt><h3>Fee</h3></dt><dd>5 euros</dd></dl>") == [
        ("heading", 3, "Fee"),
        ("paragraph", None, "5 euros"),
    ]
    assert pieces("<p>before</p><dt>alone</dt>") == [("paragraph", None, "before"), ("paragraph", None, "alone")]


def test_a_heading_over_two_lines_keeps_its_words_apart() -> None:
    assert pieces("<h1>Two<br>lines</h1>") == [("heading", 1, "Two lines")]
