"""Lines of a PDF page, and how the text of one is put together from what the library gives."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ragcli.parse.assemble import clean

_PRESENTATION = re.compile(
    "[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc\uf900-\ufaff\u2e80-\u2fdf\u0132\u0133\u01c4-\u01cc]"
)
_MARKER = re.compile("^(?:[•‣◦▪▫●○■□◆➢➤✓✔\ufffd\ue000-\uf8ff\xb7–-]{1,2}|\\(?\\d{1,3}[.)]|\\(?[a-zA-Z][.)])$")
_RTL = re.compile("[\u0590-\u08ff]")
_ALEFS = "\u0622\u0623\u0625\u0627"
_LAM_ALEF = re.compile(f"[{_ALEFS}]\u0644")
_INVISIBLE_SPACE = re.compile("[\u200b\u2060\ufeff]")


@dataclass(slots=True)
class Line:
    """A run of text on one baseline, in points from the upper left corner of the upright page.

    ``words`` are its words as lines of their own, empty where they were not asked for.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    bold: bool = False
    mono: bool = False
    group: int = -1
    words: tuple[Line, ...] = ()

    @property
    def height(self) -> float:
        return self.y1 - self.y0


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text are Hebrew or Arabic."""
    if text.isascii():
        return False
    return len(_RTL.findall(text)) > 0.5 * max(1, sum(1 for char in text if char.isalpha()))


def normal(text: str) -> str:
    """Presentation forms as plain letters, odd blanks as blanks; other compatibility characters stay."""
    if text.isascii() and text.isprintable():
        return text
    text = _PRESENTATION.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return clean(_INVISIBLE_SPACE.sub("", text.replace("\xa0", " ").replace("\t", " ")))


def join_markers(lines: list[Line]) -> list[Line]:
    """Bullets and item numbers that stand apart as one line with the text they belong to."""
    skip: set[int] = set()
    for line in [item for item in lines if _MARKER.match(item.text)]:
        right = [item for item in lines if item is not line and 0 <= item.x0 - line.x1 < 4 * line.size]
        level = [item for item in right if abs((item.y0 + item.y1) - (line.y0 + line.y1)) < line.size]
        text = min(level, key=lambda item: item.x0, default=None)
        if text is None or id(text) in skip:
            continue
        mark = line.text if line.text[0] not in "\ufffd" and not "\ue000" <= line.text[0] <= "\uf8ff" else "•"
        text.text, text.x0 = f"{mark} {text.text}", line.x0
        text.words = (*line.words, *text.words)
        skip.add(id(line))
    return [line for line in lines if id(line) not in skip]


def with_gaps(spans: list[dict[str, Any]]) -> list[str]:
    """Texts of the spans, a blank where there is a visible gap between two and none is written."""
    parts: list[str] = []
    for place, span in enumerate(spans):
        if place and parts[-1] and not parts[-1][-1].isspace() and not span["text"][:1].isspace():
            if span["bbox"][0] - spans[place - 1]["bbox"][2] > 0.2 * span["size"]:
                parts.append(" ")
        parts.append(span["text"])
    return parts


def has_lam_alef(text: str) -> bool:
    """Whether an Arabic ligature may have its two letters in the wrong order."""
    return _LAM_ALEF.search(text) is not None


def spans_of(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for block in content["blocks"]:
        for line in block.get("lines", ()):
            yield from line["spans"]


def in_writing_order(content: dict[str, Any]) -> dict[str, Any]:
    """Give spans their text from single characters, the two of an Arabic lam-alef ligature in their right order.

    Such a ligature is one glyph; turning the line around for reading turns its two letters as well, and the one
    without width then stands first.
    """
    for span in spans_of(content):
        for first, second in itertools.pairwise(span["chars"]):
            thin = first["bbox"][2] - first["bbox"][0] < 0.1
            if thin and second["c"] == "\u0644" and first["c"] in _ALEFS:
                first["c"], second["c"] = second["c"], first["c"]
        span["text"] = "".join(char["c"] for char in span["chars"])
    return content


def words_in(chars: list[dict[str, Any]]) -> Iterator[Line]:
    word: list[dict[str, Any]] = []
    for char in [*chars, {"c": " ", "bbox": (0, 0, 0, 0)}]:
        if word and (char["c"].isspace() or _apart(word[-1]["bbox"], char["bbox"])):
            boxes = [item["bbox"] for item in word]
            x0, y0 = min(box[0] for box in boxes), min(box[1] for box in boxes)
            x1, y1 = max(box[2] for box in boxes), max(box[3] for box in boxes)
            yield Line(x0, y0, x1, y1, normal("".join(item["c"] for item in word)), y1 - y0)
            word = []
        if not char["c"].isspace():
            word.append(char)


def _apart(first: Any, second: Any) -> bool:
    return bool(max(first[0], second[0]) - min(first[2], second[2]) > 0.15 * (first[3] - first[1]))
