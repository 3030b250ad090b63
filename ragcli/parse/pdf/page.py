"""One PDF page as plain lines: what is visible, upright, with sizes; and what was hidden, drawn or only a picture."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragcli.parse.pdf.lines import (
    Line,
    has_lam_alef,
    in_writing_order,
    join_markers,
    normal,
    spans_of,
    with_gaps,
    words_in,
)
from ragcli.parse.pdf.tables import may_hold_table

_UNKNOWN_BULLET = re.compile("^[\ufffd\ue000-\uf8ff]{1,2}(?=\\s)")
_BOLD, _MONO = 16, 8
_BLANKS = "\xa0\u2007\u202f\u2028\u2029"
"""What parts words besides the blank."""
_SCAN_TEXT = 60


@dataclass(slots=True)
class Page:
    """A page's lines; ``aside`` are those that run in another direction. ``hidden`` counts characters left out.

    ``needs_ocr`` says that most of what a reader sees is a picture; ``ocr`` that the lines were read from one.
    """

    number: int
    width: float
    height: float
    lines: list[Line] = field(default_factory=list)
    aside: list[Line] = field(default_factory=list)
    hidden: int = 0
    needs_ocr: bool = False
    ocr: bool = False
    image_only: bool = False


def read_page(page: Any, number: int) -> Page:
    """The page's visible text; ``page`` is a pymupdf page."""
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    text = page.get_textpage(flags=flags)
    content = page.get_text("dict", textpage=text)
    if any(has_lam_alef(span["text"]) for span in spans_of(content)):
        content = in_writing_order(page.get_text("rawdict", textpage=text))
    result = Page(number, float(content["width"]), float(content["height"]))
    judge = Visibility(page)
    found: list[tuple[tuple[int, int], Line]] = []
    places: dict[tuple[int, int], Line] = {}
    for group, block in enumerate(content["blocks"]):
        for place, raw in enumerate(block.get("lines", ())):
            line = _line(raw, group, judge)
            if line is not None and not _outside(line, result.width, result.height):
                found.append((_direction(raw["dir"]), line))
                places[block["number"], place] = line
    result.hidden, result.ocr = judge.hidden, judge.scanned_layer
    if may_hold_table([line for _, line in found]):
        _give_words(page.get_text("words", textpage=text, delimiters=_BLANKS), places)
    _turn_upright(result, found)
    visible = sum(len(line.text) for line in (*result.lines, *result.aside))
    if visible < _SCAN_TEXT and not judge.scanned_layer:
        result.needs_ocr = judge.is_scan() or (not visible and (bool(judge.pictures) or draws(page)))
    return result


def _give_words(words: Iterable[tuple[Any, ...]], places: Mapping[tuple[int, int], Line]) -> None:
    """Each line its words; ``words`` are (x0, y0, x1, y1, text, block, line, …), ``places`` lines by block and line.

    A line that is not all seen, or whose letters were put in another order, has none.
    """
    found: dict[tuple[int, int], list[Line]] = {}
    for x0, y0, x1, y1, text, block, place, *_ in words:
        if (block, place) in places:
            size = places[block, place].size
            found.setdefault((block, place), []).append(Line(x0, y0, x1, y1, normal(text), size))
    for key, own in found.items():
        if "".join(word.text for word in own) == "".join(places[key].text.split()):
            places[key].words = tuple(own)


def words_of(page: Any) -> list[Line]:
    """The single words of a page, each as a line of its own: what falls into the cells of a ruled table."""
    import pymupdf

    found = [Line(x0, y0, x1, y1, normal(text), y1 - y0) for x0, y0, x1, y1, text, *_ in page.get_text("words")]
    if any(has_lam_alef(word.text) for word in found):
        flags = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE
        spans = spans_of(in_writing_order(page.get_text("rawdict", flags=flags)))
        found = [word for span in spans for word in words_in(span["chars"])]
    return [word for word in found if word.text.strip()]


def _line(raw: dict[str, Any], group: int, judge: Visibility) -> Line | None:
    spans = [span for span in raw["spans"] if judge.keeps(span)]
    text = normal(spans[0]["text"] if len(spans) == 1 else "".join(with_gaps(spans))).strip() if spans else ""
    if not text:
        return None
    main = max(spans, key=lambda span: len(span["text"])) if len(spans) > 1 else spans[0]
    x0, y0, x1, y1 = raw["bbox"]
    bold, mono = bool(main["flags"] & _BOLD), bool(main["flags"] & _MONO)
    return Line(x0, y0, x1, y1, _UNKNOWN_BULLET.sub("•", text), round(main["size"], 1), bold, mono, group)


def _direction(vector: tuple[float, float]) -> tuple[int, int]:
    return round(vector[0]), round(vector[1])


def _turn_upright(page: Page, found: list[tuple[tuple[int, int], Line]]) -> None:
    """Keep the lines of the main direction, turned so that it runs to the right; the others stand aside."""
    weights: Counter[tuple[int, int]] = Counter()
    for direction, line in found:
        weights[direction] += len(line.text)
    if not weights:
        return
    main = max(sorted(weights), key=lambda key: weights[key])
    if main in ((0, -1), (0, 1)):
        page.width, page.height = page.height, page.width
    for direction, line in found:
        if direction == main:
            page.lines.append(_turned(line, main, page.width, page.height))
        else:
            page.aside.append(line)
    _drop_doubles(page)
    page.lines = join_markers(page.lines)


def _turned(line: Line, direction: tuple[int, int], width: float, height: float) -> Line:
    for word in line.words:
        _turned(word, direction, width, height)
    x0, y0, x1, y1 = line.x0, line.y0, line.x1, line.y1
    if direction == (0, -1):  # read from bottom to top
        line.x0, line.x1, line.y0, line.y1 = width - y1, width - y0, x0, x1
    elif direction == (0, 1):  # read from top to bottom
        line.x0, line.x1, line.y0, line.y1 = y0, y1, height - x1, height - x0
    elif direction == (-1, 0):
        line.x0, line.x1, line.y0, line.y1 = width - x1, width - x0, height - y1, height - y0
    return line


def _drop_doubles(page: Page) -> None:
    """Glyphs printed twice for a bold look or a shadow come as two lines in nearly one place."""
    seen: dict[str, list[Line]] = {}
    kept: list[Line] = []
    for line in page.lines:
        others = seen.setdefault(line.text, [])
        if not any(abs(other.x0 - line.x0) < 4 and abs(other.y0 - line.y0) < 4 for other in others):
            others.append(line)
            kept.append(line)
    page.lines = kept


def _outside(line: Line, width: float, height: float) -> bool:
    return line.x1 <= 0 or line.y1 <= 0 or line.x0 >= width or line.y0 >= height


# What of a PDF page a reader sees: text that is not painted, pictures, rules and drawings.

_FILLED, _STROKED = 16, 32
_TINY = 1.5
_SCAN_SHARE = 0.6


class Visibility:
    """Decides span by span whether a reader sees it, and counts what is left out."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self.hidden = 0
        self.scanned_layer = False

    @functools.cached_property
    def pictures(self) -> list[Any]:
        """Boxes of the page's pictures."""
        return [info["bbox"] for info in self._page.get_image_info()]

    @functools.cached_property
    def _fills(self) -> list[Any]:
        """Boxes of what is painted in a colour other than white."""
        drawings = self._page.get_cdrawings()
        return [drawing["rect"] for drawing in drawings if drawing.get("fill") and min(drawing["fill"]) < 0.9]

    def is_scan(self) -> bool:
        """Whether one picture covers most of the page."""
        width, height = self._page.rect.width, self._page.rect.height
        return any(_area(box, width, height) > _SCAN_SHARE for box in self.pictures)

    def keeps(self, span: dict[str, Any]) -> bool:
        """Whether the span is seen; the invisible text over a scan is what a machine read and is kept."""
        text = span["text"].strip()
        if not text:
            return True
        painted = span.get("char_flags", _FILLED) & (_FILLED | _STROKED)
        if not painted or span.get("alpha", 255) == 0:
            if self.is_scan():
                self.scanned_layer = True
                return True
        elif span["size"] >= _TINY and not (_whitish(span["color"]) and not self._on_color(span["bbox"])):
            return True
        self.hidden += len(text)
        return False

    def _on_color(self, box: Any) -> bool:
        """Whether something that is not white lies under a box."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return any(r[0] <= x <= r[2] and r[1] <= y <= r[3] for r in (*self._fills, *self.pictures))


def _whitish(color: int) -> bool:
    return color >= 0xFA0000 and min(color >> 16 & 255, color >> 8 & 255, color & 255) >= 250


def _area(box: Any, width: float, height: float) -> float:
    across = min(box[2], width) - max(box[0], 0)
    down = min(box[3], height) - max(box[1], 0)
    return float(max(0.0, across) * max(0.0, down) / max(1.0, width * height))


def draws(page: Any) -> bool:
    """Whether a page without text shows enough drawing to be letters turned into outlines."""
    return len(page.get_cdrawings()) > 20


def rules_of(page: Any) -> list[tuple[float, float, float, float]]:
    """Straight horizontal and vertical strokes of a page as thin boxes; empty for a page that is a drawing."""
    drawings = page.get_cdrawings()
    if len(drawings) > 3000:
        return []
    return [box for drawing in drawings for item in drawing["items"] for box in _strokes(item)]


def _strokes(item: Any) -> list[tuple[float, float, float, float]]:
    if item[0] == "l":
        (ax, ay), (bx, by) = item[1], item[2]
        return [(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))] if abs(ax - bx) < 2 or abs(ay - by) < 2 else []
    if item[0] == "re":
        x0, y0, x1, y1 = item[1]
        if x1 - x0 < 4 or y1 - y0 < 4:
            return [(x0, y0, x1, y1)]
        return [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]
    return []
