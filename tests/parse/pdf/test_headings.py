"""Headings and titles of PDFs: covers, forms, divisions, outlines, metadata."""

from __future__ import annotations

import pymupdf
import pytest

from ragcli.parse.pdf.blocks import TextBlock
from ragcli.parse.pdf.headings import settled
from ragcli.parse.pdf.titles import title_of
from tests.parse.builders import make_pdf, parse_one

BODY = "The quick brown fox jumps over the lazy dog and runs through the fields"
Page = list[tuple[float, float, float, str]]


def body(y: float) -> Page:
    return [(72, y + 14 * row, 10, f"{BODY} {row}.") for row in range(4)]


def form() -> bytes:
    cover: Page = [
        (150, 60, 16, "SECURITIES AND EXCHANGE COMMISSION"),
        (250, 90, 18, "FORM 10-K"),
        (72, 120, 14, "x ANNUAL REPORT PURSUANT TO SECTION 13"),
        (72, 140, 10, "For the fiscal year ended December 31, 2025"),
        (72, 165, 14, "o TRANSITION REPORT PURSUANT TO SECTION 13"),
        (250, 210, 10, "Osprey Boats, Inc."),
        (180, 240, 10, "(Exact name of registrant as specified in its charter)"),
        (200, 300, 14, "100 Winchester Circle"),
    ]
    pages = [
        [(72.0, 80.0, 12.0, f"Item {n}. {name}"), *body(110)]
        for n, name in enumerate(("Business", "Risks", "Legal"), 1)
    ]
    return make_pdf([cover, *pages])


def test_a_forms_cover_stands_over_nothing() -> None:
    document = parse_one("a.pdf", form())
    assert [section.heading_path for section in document.sections] == [
        ("Item 1. Business",),
        ("Item 2. Risks",),
        ("Item 3. Legal",),
    ]


def test_a_form_is_named_by_who_filed_it() -> None:
    assert parse_one("a.pdf", form()).title == "Osprey Boats, Inc., FORM 10-K, fiscal year ended December 31, 2025"


@pytest.mark.parametrize(
    "first",
    ["FOR IMMEDIATE RELEASE", "12 Harbour Road", "Form 8-K", "Securities and Exchange Commission", "March 9, 2023"],
)
def test_what_is_no_title(first: str) -> None:
    page: Page = [(72, 60, 20, first), (72, 100, 16, "Osprey opens a yard"), *body(130)]
    assert parse_one("a.pdf", make_pdf([page])).title == "Osprey opens a yard"


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("osprey opens a yard", "osprey opens a yard"),
        ("0001065280-16-000047", "Osprey opens a yard"),
        ("ADBE FY22", ""),
    ],
)
def test_metadata_count_when_the_first_page_bears_them_out(stated: str, title: str) -> None:
    heading = [] if not title else [TextBlock("heading", "Osprey opens a yard", 1, 1)]
    assert title_of(stated, [*heading, TextBlock("paragraph", BODY, 1)]) == title


def heading(text: str, page: int, level: int) -> TextBlock:
    return TextBlock("heading", text, page, level)


def levels(blocks: list[TextBlock]) -> list[tuple[str, int | None]]:
    return [(block.text, block.level) for block in settled(blocks, {}, cover=False) if block.kind == "heading"]


def test_divisions_decide_and_type_within_them() -> None:
    """All these are set alike but the last two, which are larger and smaller."""
    blocks = [heading("PART I", 2, 4), heading("Item 1. Business", 2, 4), heading("Item 2. Properties", 2, 4)]
    blocks += [heading("Overview", 3, 4), heading("Item 7. Discussion", 4, 4), heading("Results", 4, 3)]
    blocks += [heading("Sales", 4, 5)]
    assert levels(blocks) == [
        ("PART I", 1),
        ("Item 1. Business", 2),
        ("Item 2. Properties", 2),
        ("Overview", 3),
        ("Item 7. Discussion", 2),
        ("Results", 3),
        ("Sales", 4),
    ]


def test_annexes_are_not_under_the_last_division() -> None:
    blocks = [heading(f"Item {n}. Text", n, 3) for n in range(1, 5)]
    blocks += [TextBlock("paragraph", "None.", 4), heading("BALANCE SHEETS", 5, 3), heading("Assets", 5, 4)]
    assert levels(blocks)[-2:] == [("BALANCE SHEETS", 1), ("Assets", 2)]


def test_decimal_numbers_nest() -> None:
    blocks = [heading(text, 1, 2) for text in ("1 Scope", "2 Terms", "2.1 Words", "2.1.1 Old words", "3 Use")]
    assert [level for _, level in levels(blocks)] == [2, 2, 3, 4, 2]


def test_a_heading_that_pages_repeat_is_one() -> None:
    blocks = []
    for page in range(1, 5):
        name = "Notes" if page == 1 else f"Notes (continued) {page}"
        blocks += [heading(name, page, 1), heading(f"Topic {'abcd'[page - 1]}", page, 2)]
    assert [text for text, _ in levels(blocks)] == ["Notes", "Topic a", "Topic b", "Topic c", "Topic d"]


@pytest.mark.parametrize(
    "text", ["\u2610 Emerging growth company", "(Mark One)", "\u2022 A point set bold", "By: /s/ A. B."]
)
def test_what_is_no_heading(text: str) -> None:
    assert levels([heading(text, 1, 1)]) == []


def test_bookmarks_give_levels_and_others_stand_under_them() -> None:
    pages: list[Page] = [
        [(72, 80, 14, f"Chapter about {n}"), *body(110), (72, 190, 18, f"Large {n}"), *body(210)] for n in "abc"
    ]
    document = pymupdf.open(stream=make_pdf(pages))
    document.set_toc([[1, "Chapter about a", 1], [2, "Chapter about b", 2], [1, "Chapter about c", 3]])
    parsed = parse_one("a.pdf", document.tobytes())
    assert [section.level for section in parsed.sections] == [1, 2, 2, 3, 1, 2]
