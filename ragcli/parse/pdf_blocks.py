"""Rows of text in reading order to headings, paragraphs, list items and tables. Pure."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragcli.parse.assemble import one_line, table_text
from ragcli.parse.pdf_page import Line
from ragcli.parse.pdf_tables import Table
from ragcli.records import BlockKind

_ITEM = re.compile(r"^(?:[•‣◦▪●○■□–*\uf0b7\uf0a7➢✓-]\s+|\(?\d{1,2}[.)]\s+|\(?[a-z][.)]\s+)\S")
_BULLET = re.compile(r"^[•‣◦▪●○■□\uf0b7\uf0a7➢✓]$")
_CAPITALS = re.compile(r"^(?:[IVX]+|\d{1,2}(?:\.\d{1,2})*)\.? [A-Z][A-Z ,:()&/-]{3,90}$")
_END = re.compile(r"[.!?:;。！？؟।\"'”’)\]]$")
_HYPHEN = re.compile(r"(\w+)[-\u2010\u00ad]$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A block before it has a place in the document's text."""

    kind: BlockKind
    text: str
    page: int
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """What is ordinary in a document: the body's type size, heading levels by (size, bold), and its words.

    ``outline`` maps a page to the titles its bookmarks point at, with their levels.
    """

    body: float
    levels: Mapping[tuple[float, bool], int]
    words: frozenset[str]
    outline: Mapping[int, Mapping[str, int]]


def style_of(lines: Sequence[Line], outline: Mapping[int, Mapping[str, int]]) -> Style:
    """The ordinary sizes of a document's lines; larger ones and lone bold ones are headings, ranked by size."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.size * 2) / 2] += len(line.text)
    body = max(sorted(weights), key=lambda size: weights[size]) if weights else 10.0
    total = sum(weights.values())
    large = sorted((size for size in weights if size > 1.1 * body and weights[size] < 0.3 * total), reverse=True)
    levels: dict[tuple[float, bool], int] = {}
    for place, size in enumerate(large):
        levels[size, False] = levels[size, True] = min(5, place + 1)
    bold = sum(len(line.text) for line in lines if line.bold)
    if bold < 0.3 * total:
        levels[body, True] = min(6, len(large) + 1)
    words = frozenset(word.lower() for line in lines for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", line.text))
    return Style(body, levels, words, outline)


def page_blocks(parts: Sequence[list[Line] | Table], page: int, style: Style) -> list[TextBlock]:
    """The page's blocks, in order."""
    blocks: list[TextBlock] = []
    paragraph: list[list[Line]] = []
    leading = _leading([part for part in parts if isinstance(part, list)])
    for part in parts:
        if isinstance(part, Table):
            blocks += _finished(paragraph, page, style)
            paragraph = []
            blocks.append(TextBlock("table", table_text(part.rows), page))
        elif paragraph and _starts_new(paragraph, part, leading, style):
            blocks += _finished(paragraph, page, style)
            paragraph = [part]
        else:
            paragraph.append(part)
    return blocks + _finished(paragraph, page, style)


def _leading(rows: Sequence[list[Line]]) -> float:
    gaps = [after[0].y0 - before[0].y0 for before, after in itertools.pairwise(rows)]
    usual = [gap for gap in gaps if 0 < gap < 40]
    return statistics.median(usual) if usual else 14.0


def _starts_new(paragraph: list[list[Line]], row: list[Line], leading: float, style: Style) -> bool:
    """Whether a row opens another block than the row before it belongs to."""
    before, line = paragraph[-1], row[0]
    last = before[0]
    step = line.y0 - last.y0
    if step <= 0:  # the next column
        return not _runs_on(paragraph, line, style)
    if step > max(1.35 * leading, leading + 0.35 * line.size) and step > 1.35 * max(last.height, last.size):
        return True
    text = _row_text(row)
    if _rank(row, style) != _rank(before, style) or abs(line.size - last.size) > 0.12 * last.size:
        return True
    if _ITEM.match(text) or _BULLET.match(line.text):
        return True
    if line.mono and last.mono:
        return False
    return _indented(paragraph, row)


def _indented(paragraph: list[list[Line]], row: list[Line]) -> bool:
    """A first line set in, or a row after one that ended early with a full stop."""
    before, line = paragraph[-1], row[0]
    left = min(item[0].x0 for item in paragraph)
    is_item = bool(_ITEM.match(_row_text(paragraph[0])))
    if (
        len(paragraph) > 1
        and not is_item
        and line.x0 > left + 0.8 * line.size
        and before[0].x0 < left + 0.5 * line.size
    ):
        return bool(_END.search(before[-1].text))
    if len(paragraph) == 1 and before[0].x0 > line.x0 + 0.8 * line.size:
        return False
    right = max(item[-1].x1 for item in (*paragraph, row))
    short = before[-1].x1 < right - 0.25 * (right - left)
    return short and bool(re.search(r"[.!?:。！？।]$", before[-1].text)) and abs(line.x0 - left) < 0.5 * line.size


def _runs_on(paragraph: list[list[Line]], line: Line, style: Style) -> bool:
    """Whether a paragraph goes on at the top of the next column."""
    text = paragraph[-1][-1].text
    same = abs(paragraph[-1][0].size - line.size) < 0.06 * line.size
    return same and not _END.search(text) and line.text[:1].islower() and _rank([line], style) is None


def _rank(row: Sequence[Line], style: Style) -> int | None:
    """The heading level of a row, None for text."""
    size = round(max(line.size for line in row) * 2) / 2
    bold = all(line.bold for line in row)
    level = style.levels.get((size, bold))
    text = _row_text(row)
    if level is None or not any(char.isalpha() for char in text) or (_ITEM.match(text) and size <= style.body):
        return None
    return level


def _finished(rows: list[list[Line]], page: int, style: Style) -> list[TextBlock]:
    """The block that a group of rows makes."""
    if not rows:
        return []
    if all(line.mono for row in rows for line in row) and len(rows) > 1:
        return [TextBlock("code", _code(rows), page)]
    text = join_rows([_row_text(row) for row in rows], style.words)
    if not text:
        return []
    stated = style.outline.get(page, {}).get(_key(text))
    if stated is not None:
        return [TextBlock("heading", text, page, stated)]
    rank = _rank(rows[0], style)
    ended = re.search(r"[.,;:]$", text.rstrip("0123456789 ")) or re.search(r": \S*\d", text)
    if rank is not None and len(rows) <= 4 and len(text) < 200 and not ended:
        return [TextBlock("heading", text, page, rank)]
    if len(rows) <= 2 and _CAPITALS.match(text):
        return [TextBlock("heading", text, page, 2)]
    item = _ITEM.match(text)
    return [TextBlock("list_item" if item else "paragraph", text, page, 1 if item else None)]


def _code(rows: list[list[Line]]) -> str:
    left = min(row[0].x0 for row in rows)
    width = statistics.median((row[0].x1 - row[0].x0) / max(1, len(row[0].text)) for row in rows) or 6.0
    return "\n".join(" " * round((row[0].x0 - left) / width) + " ".join(line.text for line in row) for row in rows)


def _row_text(row: Sequence[Line]) -> str:
    return one_line(" ".join(line.text for line in row))


def _key(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text).lower()


def join_rows(rows: Sequence[str], words: frozenset[str]) -> str:
    """Rows as running text: a word broken by a hyphen at a line's end is made whole.

    A compound that the document writes with its hyphen elsewhere keeps it. No blank goes between CJK characters.
    """
    text = ""
    for row in filter(None, rows):
        broken = _HYPHEN.search(text)
        following = re.match(r"[^\W\d_]+", row)
        if broken and following and following[0][:1].islower():
            joined, compound = broken[1] + following[0], f"{broken[1]}-{following[0]}"
            keep = compound.lower() in words and joined.lower() not in words
            text = (text if keep else text[:-1]) + row
        elif text and _CJK.match(text[-1]) and _CJK.match(row[0]):
            text += row
        else:
            text = f"{text} {row}" if text else row
    return text


def outline_titles(entries: Sequence[tuple[int, str, int]]) -> dict[int, dict[str, int]]:
    """Bookmarks as page → normalised title → level from 1; ``entries`` are (level, title, page)."""
    found: dict[int, dict[str, int]] = {}
    for level, title, page in entries:
        if _key(title):
            found.setdefault(page, {})[_key(title)] = max(1, min(6, level))
    return found
