"""Running headers, footers and page numbers: found by their repetition, and only at page edges. Pure."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from ragcli.parse.pdf.lines import Line
from ragcli.parse.pdf.page import Page
from ragcli.parse.pdf.tables import visual_rows

_EDGE = 0.13
_ROWS = 3
_NUMBER = re.compile(
    r"^\W*(?:(?:page|seite|p\.|página|стр\.|s\.)\s*|[a-z]{1,2}-)?(\d{1,4}|[ivxlc]{1,7})\W*(?:(?:of|von|de|/)\s*\d+\W*)?$",
    re.I,
)


def strip_edges(pages: Sequence[Page]) -> list[str]:
    """Take running lines off the pages, in place; returns the texts taken, each once, in order.

    A line is taken when the same words (digits aside) stand at the same edge of at least three pages and a quarter of
    those that have text, or of both pages of two; a lone number when it counts with the pages.
    """
    edges = {page.number: _edge_rows(page) for page in pages}
    with_text = sum(1 for page in pages if page.lines)
    counts: Counter[tuple[str, str]] = Counter()
    for rows in edges.values():
        counts.update({(side, _pattern(row)) for side, row in rows})
    needed = max(3, with_text * 0.25) if with_text > 2 else 2
    offsets = _offsets(edges)
    numbered = _numbered_rows(edges)
    taken: list[str] = []
    for page in pages:
        gone: list[list[Line]] = []
        for side, row in edges[page.number]:
            pattern = _pattern(row)
            running = with_text > 1 and counts[side, pattern] >= needed and any(char.isalpha() for char in pattern)
            if running or id(row) in numbered or _counts_pages(row, page.number, offsets, with_text):
                gone.append(row)
        kept = [line for line in page.lines if not any(line is item for row in gone for item in row)]
        # What frames nothing is no frame: a page of one line that others resemble is a page with that line.
        if kept or all(_number(row) is not None for row in gone):
            taken += [" ".join(line.text for line in row) for row in gone]
            page.lines = kept
    return list(dict.fromkeys(taken))


def _edge_rows(page: Page) -> list[tuple[str, list[Line]]]:
    """The outermost rows at the top and the bottom, as long as they stand in the edge zone."""
    rows = visual_rows(page.lines)
    found: list[tuple[str, list[Line]]] = []
    for row in rows[:_ROWS]:
        if max(line.y1 for line in row) > _EDGE * page.height:
            break
        found.append(("top", row))
    for place, row in enumerate(rows[::-1][:_ROWS]):
        if place == 0 and _number(row) is not None and len(rows) > 3:  # wherever the page's text ends
            found.append(("bottom", row))
            continue
        if min(line.y0 for line in row) < (1 - _EDGE) * page.height or ("top", row) in found:
            break
        found.append(("bottom", row))
    return found


def _pattern(row: Sequence[Line]) -> str:
    return re.sub(r"\d+", "#", " ".join(line.text for line in row).lower()).strip()


def _number(row: Sequence[Line]) -> int | None:
    match = _NUMBER.match(" ".join(line.text for line in row))
    return int(match[1]) if match and match[1].isdigit() else None


def _offsets(edges: dict[int, list[tuple[str, list[Line]]]]) -> Counter[int]:
    """How often a lone number at an edge differs from the page's place by the same amount."""
    counts: Counter[int] = Counter()
    for place, rows in edges.items():
        counts.update({number - place for _, row in rows if (number := _number(row)) is not None})
    return counts


def _numbered_rows(edges: dict[int, list[tuple[str, list[Line]]]]) -> set[int]:
    """Rows at one height whose first or last number rises from page to page: a chapter's name with the page number."""
    places: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for rows in edges.values():
        for side, row in rows:
            match = re.match(r"^(\d{1,4})\s+\D|.*[^\d.]\s(\d{1,4})$", " ".join(line.text for line in row))
            if match:
                places.setdefault((side, round(row[0].y0 / 4)), []).append((int(match[1] or match[2]), id(row)))
    found: set[int] = set()
    for numbers in places.values():
        rising = all(first[0] < second[0] for first, second in itertools.pairwise(numbers))
        if rising and len(numbers) >= max(3, 0.4 * len(edges)):
            found |= {row for _, row in numbers}
    return found


def _counts_pages(row: Sequence[Line], place: int, offsets: Counter[int], with_text: int) -> bool:
    text = " ".join(line.text for line in row)
    number = _number(row)
    if number is not None:
        enough = offsets[number - place] >= (3 if with_text > 3 else 2)
        return enough or bool(re.match(r"\W*(?:page|seite)\s*\d+", text, re.I))
    return bool(_NUMBER.match(text)) and with_text > 3
