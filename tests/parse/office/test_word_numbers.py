"""Numbers of Word's lists, clauses and headings: each file says what a reader sees, and LibreOffice is asked too."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.parse.builders import parse_one
from tests.parse.office.word_files import level, number, pages_of, paragraph, style, word

LEGAL = (
    '<w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="multilevel"/>'
    + level(0, "decimal", "%1", more='<w:pStyle w:val="Heading1"/>')
    + level(1, "decimal", "%1.%2", more='<w:pStyle w:val="Heading2"/>')
    + level(2, "decimal", "%1.%2.%3")
    + level(3, "lowerRoman", "(%4)")
    + "</w:abstractNum>"
    + number("1", "1")
)
HEADINGS = style("Heading1", "heading 1", properties='<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>') + style(
    "Heading2",
    "heading 2",
    properties='<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>',
)


def abstract(name: str, *levels: str, more: str = "") -> str:
    kind = '<w:multiLevelType w:val="multilevel"/>'
    return f'<w:abstractNum w:abstractNumId="{name}">{kind}{more}{"".join(levels)}</w:abstractNum>'


def items(*places: tuple[str, int, str]) -> str:
    """Paragraphs of (number, level, words)."""
    return "".join(paragraph(text, number=name, level=place) for name, place, text in places)


def start(place: int, value: int) -> str:
    return f'<w:lvlOverride w:ilvl="{place}"><w:startOverride w:val="{value}"/></w:lvlOverride>'


SIMPLE = abstract("1", level(0, "decimal", "%1."), level(1, "lowerLetter", "%2)"), level(2, "lowerRoman", "(%3)"))

CASES: dict[str, tuple[bytes, list[str]]] = {
    "headings and clauses": (
        word(
            paragraph("Terms", style="Heading1")
            + paragraph("Words", style="Heading2")
            + items(("1", 2, "Goods"), ("1", 2, "Buyer"))
            + paragraph("Liability", style="Heading1")
            + paragraph("Scope", style="Heading2")
            + paragraph("Caps", style="Heading2")
            + items(("1", 2, "Capped"), ("1", 3, "order value"), ("1", 3, "interest")),
            styles=HEADINGS,
            numbering=LEGAL,
        ),
        [
            "1 Terms",
            "1.1 Words",
            "1.1.1 Goods",
            "1.1.2 Buyer",
            "2 Liability",
            "2.1 Scope",
            "2.2 Caps",
            "2.2.1 Capped",
            "(i) order value",
            "(ii) interest",
        ],
    ),
    "another instance goes on": (
        word(
            items(("1", 0, "one"), ("2", 0, "two"), ("1", 0, "three")),
            numbering=SIMPLE + number("1", "1") + number("2", "1"),
        ),
        ["1. one", "2. two", "3. three"],
    ),
    "an override restarts once": (
        word(
            items(("1", 0, "one"), ("1", 0, "two"), ("2", 0, "again"), ("2", 0, "on"), ("3", 0, "five")),
            numbering=SIMPLE + number("1", "1") + number("2", "1", start(0, 1)) + number("3", "1", start(0, 5)),
        ),
        ["1. one", "2. two", "1. again", "2. on", "5. five"],
    ),
    "an override of a deeper level": (
        word(
            items(("1", 0, "one"), ("1", 1, "a"), ("1", 1, "b"), ("2", 1, "again"), ("1", 0, "two"), ("1", 1, "x")),
            numbering=SIMPLE + number("1", "1") + number("2", "1", start(1, 4)),
        ),
        ["1. one", "a) a", "b) b", "d) again", "2. two", "a) x"],
    ),
    "a level of its own": (
        word(
            items(("2", 0, "first"), ("2", 0, "second")),
            numbering=SIMPLE
            + number("1", "1")
            + number("2", "1", f'<w:lvlOverride w:ilvl="0">{level(0, "upperLetter", "Part %1:")}</w:lvlOverride>'),
        ),
        ["Part A: first", "Part B: second"],
    ),
    "mixed and legal forms": (
        word(
            items(("1", 0, "General"), ("1", 0, "Duties"), ("1", 1, "Care"), ("1", 1, "Notice"), ("1", 2, "Form")),
            numbering=abstract(
                "1",
                level(0, "upperRoman", "Article %1"),
                level(1, "decimal", "§ %1.%2", more="<w:isLgl/>"),
                level(2, "decimalZero", "%3."),
            )
            + number("1", "1"),
        ),
        ["Article I General", "Article II Duties", "§ 2.1 Care", "§ 2.2 Notice", "01. Form"],
    ),
    "a level that never restarts": (
        word(
            items(("1", 0, "one"), ("1", 1, "a"), ("1", 0, "two"), ("1", 1, "b")),
            numbering=abstract(
                "1", level(0, "decimal", "%1."), level(1, "decimal", "Q%2", more='<w:lvlRestart w:val="0"/>')
            )
            + number("1", "1"),
        ),
        ["1. one", "Q1 a", "2. two", "Q2 b"],
    ),
    "a list style": (
        word(
            items(("1", 0, "one"), ("1", 1, "deep")),
            styles=style(
                "Clauses",
                "Clauses",
                kind="numbering",
                properties='<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>',
            ),
            numbering=abstract("1", more='<w:numStyleLink w:val="Clauses"/>')
            + abstract(
                "2",
                level(0, "decimal", "%1)"),
                level(1, "decimal", "%1.%2)"),
                more='<w:styleLink w:val="Clauses"/>',
            )
            + number("1", "1")
            + number("2", "2"),
        ),
        ["1) one", "1.1) deep"],
    ),
    "styles based on styles, and one that takes the number away": (
        word(
            paragraph("First", style="Clause")
            + paragraph("Aside", style="Plain")
            + paragraph("Second", style="SubClause")
            + paragraph("Third", style="Clause"),
            styles=style(
                "Clause",
                "Clause",
                properties='<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>',
            )
            + style("SubClause", "Sub clause", based_on="Clause")
            + style(
                "Plain",
                "Plain",
                based_on="Clause",
                properties='<w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>',
            ),
            numbering=abstract("1", level(0, "decimal", "%1.")) + number("1", "1"),
        ),
        ["1. First", "Aside", "2. Second", "3. Third"],
    ),
    "starts elsewhere, letters past z": (
        word(
            items(("1", 0, "one"), ("1", 0, "two"), ("1", 0, "three")),
            numbering=abstract("1", level(0, "lowerLetter", "%1)", start=25)) + number("1", "1"),
        ),
        ["y) one", "z) two", "aa) three"],
    ),
    "a deeper level without one above it": (
        word(
            items(("1", 1, "deep"), ("1", 1, "deeper"), ("1", 0, "top"), ("1", 1, "below")),
            numbering=abstract("1", level(0, "decimal", "%1"), level(1, "decimal", "%1.%2")) + number("1", "1"),
        ),
        ["1.1 deep", "1.2 deeper", "2 top", "2.1 below"],
    ),
}


NOT_IN_LIBREOFFICE = ("mixed and legal forms", "a level that never restarts")
"""What LibreOffice does not know of Word's lists: ``isLgl`` and ``lvlRestart``."""


def shown(name: str) -> list[str]:
    data, _ = CASES[name]
    return [line for line in parse_one(f"{name}.docx", data).text.split("\n") if line]


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_that_word_shows(name: str) -> None:
    assert shown(name) == CASES[name][1]


def test_the_section_of_a_numbered_heading_has_its_number() -> None:
    document = parse_one("contract.docx", CASES["headings and clauses"][0])
    assert [section.heading_path for section in document.sections][-1] == ("2 Liability", "2.2 Caps")
    assert document.title == "Terms"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not here")
def test_libreoffice_shows_the_same_numbers(tmp_path: Path) -> None:
    paths = []
    for place, (data, _) in enumerate(CASES.values()):
        paths.append(tmp_path / f"{place}.docx")
        paths[-1].write_bytes(data)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(tmp_path), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    differing = {}
    for path, (name, (_, wanted)) in zip(paths, CASES.items(), strict=True):
        seen = re.sub(r"\s+", " ", pages_of(path.with_suffix(".pdf").read_bytes())).strip()
        if seen != " ".join(wanted) and name not in NOT_IN_LIBREOFFICE:
            differing[name] = seen
    assert differing == {}
