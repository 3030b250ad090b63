"""What of a PDF page a reader sees: text that is not painted, pictures, rules and drawings."""

from __future__ import annotations

import functools
from typing import Any

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
