"""Rows of text in reading order to headings, paragraphs, list items and tables. Pure."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragcli.language.scripts import is_unspaced
from ragcli.parse.language import detect_language
from ragcli.parse.pdf.hyphens import Vocabulary, ends_in_hyphen, joint, vocabulary_of
from ragcli.parse.pdf.lines import Line
from ragcli.parse.pdf.numbering import division_of
from ragcli.parse.pdf.tables import Table
from ragcli.parse.tables import table_text
from ragcli.records import BlockKind

_ITEM = re.compile(r"^(?:[•‣◦▪●○■□–*\uf0b7\uf0a7➢✓-]\s+|\(?\d{1,2}[.)]\s+|\(?[a-z][.)]\s+)\S")
_BULLET = re.compile(r"^[•‣◦▪●○■□\uf0b7\uf0a7➢✓]$")
_FULL_STOP = re.compile(r"[.!?:。！？।]$")
_VALUE = re.compile(r"[.,;:][\d ]*$|: \S*\d")
"""What a heading does not end in or hold."""
_LEADER = re.compile(r"(?:\s?[.\u2026]){5,}")
_ENTRY = re.compile(r"\S.*\.\.\. ?[\divxlc]+$")
_CAPITALS = re.compile(r"^(?:[IVX]+|\d{1,2}(?:\.\d{1,2})*)\.? [A-Z][A-Z ,:()&/-]{3,90}$")
_LONGEST_CAPTION = 160  # characters
_LONGEST_NUMBER = 12  # characters of "Item 10A." or "Chapter 12" before a title
_END = re.compile(r"[.!?:;。！？؟।\"'”’)\]]$")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A block before it has a place in the document's text; ``aliases`` are other forms of words in it."""

    kind: BlockKind
    text: str
    page: int
    level: int | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """What is ordinary in a document: the body's type size, heading levels by (size, bold), and its vocabulary.

    ``outline`` maps a page to the titles its bookmarks point at, with their levels.
    """

    body: float
    levels: Mapping[tuple[float, bool], int]
    vocabulary: Vocabulary
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
    texts = [line.text for line in lines]
    language = detect_language("\n".join(texts)) if any(map(ends_in_hyphen, texts)) else None
    return Style(body, levels, vocabulary_of(texts, language), outline)


@dataclass(frozen=True, slots=True)
class _LineRow:
    """A row of lines with what is asked of it more than once."""

    lines: Sequence[Line]
    text: str
    rank: int | None
    opens: bool

    @property
    def first(self) -> Line:
        return self.lines[0]

    @property
    def end(self) -> Line:
        return self.lines[-1]


def _row(lines: Sequence[Line], style: Style) -> _LineRow:
    text = _row_text(lines)
    opens = bool(_ITEM.match(text)) or bool(_BULLET.match(lines[0].text))
    return _LineRow(lines, text, _rank(lines, text, style), opens)


def page_blocks(parts: Sequence[list[Line] | Table], page: int, style: Style) -> list[TextBlock]:
    """The page's blocks, in order."""
    blocks: list[TextBlock] = []
    paragraph: list[_LineRow] = []
    rows = [part if isinstance(part, Table) else _row(part, style) for part in parts]
    leading = _leading([row for row in rows if isinstance(row, _LineRow)])
    for row in rows:
        if isinstance(row, Table):
            blocks += _finished(paragraph, page, style)
            paragraph = []
            if row.header_rows and blocks:
                blocks[-1] = _caption(blocks[-1])
            text = table_text(row.rows, header_rows=row.header_rows, label_rows=row.label_rows)
            blocks.append(TextBlock("table", text, page))
        elif paragraph and _starts_new(paragraph, row, leading):
            blocks += _finished(paragraph, page, style)
            paragraph = [row]
        else:
            paragraph.append(row)
    return blocks + _finished(paragraph, page, style)


def _caption(block: TextBlock) -> TextBlock:
    """The block right before a table as its caption, where it is a name (with its units) and no sentence."""
    is_name = block.kind == "paragraph" and len(block.text) <= _LONGEST_CAPTION and not _FULL_STOP.search(block.text)
    return replace(block, kind="caption") if is_name else block


def _leading(rows: Sequence[_LineRow]) -> float:
    gaps = [after.first.y0 - before.first.y0 for before, after in itertools.pairwise(rows)]
    usual = [gap for gap in gaps if 0 < gap < 40]
    return statistics.median(usual) if usual else 14.0


def _starts_new(paragraph: Sequence[_LineRow], row: _LineRow, leading: float) -> bool:
    """Whether a row opens another block than the row before it belongs to."""
    before, line = paragraph[-1], row.first
    last = before.first
    step = line.y0 - last.y0
    if step <= 0:  # the next column
        return not _runs_on(before, row)
    if step > max(1.35 * leading, leading + 0.35 * line.size) and step > 1.35 * max(last.height, last.size):
        return True
    if row.rank != before.rank or abs(line.size - last.size) > 0.12 * last.size:
        return True
    if row.opens or _ENTRY.match(before.text) or (row.rank is not None and division_of(row.text)):
        return True
    return not (line.mono and last.mono) and _indented(paragraph, row)


def _indented(paragraph: Sequence[_LineRow], row: _LineRow) -> bool:
    """A first line set in, or a row after one that ended early with a full stop."""
    before, line = paragraph[-1], row.first
    left = min(item.first.x0 for item in paragraph)
    set_in = line.x0 > left + 0.8 * line.size and before.first.x0 < left + 0.5 * line.size
    if len(paragraph) > 1 and set_in and not paragraph[0].opens:
        return bool(_END.search(before.end.text))
    if len(paragraph) == 1 and before.first.x0 > line.x0 + 0.8 * line.size:
        return False
    right = max(item.end.x1 for item in (*paragraph, row))
    short = before.end.x1 < right - 0.25 * (right - left)
    return short and bool(_FULL_STOP.search(before.end.text)) and abs(line.x0 - left) < 0.5 * line.size


def _runs_on(before: _LineRow, row: _LineRow) -> bool:
    """Whether a paragraph goes on at the top of the next column."""
    same = abs(before.first.size - row.first.size) < 0.06 * row.first.size
    return same and not _END.search(before.text) and row.text[:1].islower() and row.rank is None


def _rank(lines: Sequence[Line], text: str, style: Style) -> int | None:
    """The heading level of a row, None for text."""
    size = round(max(line.size for line in lines) * 2) / 2
    level = style.levels.get((size, all(line.bold for line in lines)))
    if level is None or not any(char.isalpha() for char in text) or (size <= style.body and _ITEM.match(text)):
        return None
    if _scattered(lines, size):
        return None
    return level


def _scattered(lines: Sequence[Line], size: float) -> bool:
    """Whether a row's parts stand far apart, as the cells of a table do; a number may stand before its title."""
    parts = lines[1:] if len(lines[0].text) <= _LONGEST_NUMBER else lines
    return any(after.x0 - before.x1 > 2.5 * size for before, after in itertools.pairwise(parts))


def _finished(rows: Sequence[_LineRow], page: int, style: Style) -> list[TextBlock]:
    """The block that a group of rows makes."""
    if not rows:
        return []
    if len(rows) > 1 and all(line.mono for row in rows for line in row.lines):
        return [TextBlock("code", _code(rows), page)]
    text, aliases = join_rows([row.text for row in rows], style.vocabulary)
    if not text:
        return []
    stated = style.outline[page].get(key_of(text)) if page in style.outline and len(text) < 200 else None
    if stated is not None:
        return [TextBlock("heading", text, page, stated)]
    if (
        rows[0].rank is not None
        and len(rows) <= 4
        and len(text) < 200
        and (division_of(text) or not _VALUE.search(text))
    ):
        return [TextBlock("heading", text, page, rows[0].rank)]
    if len(rows) <= 2 and _CAPITALS.match(text):
        return [TextBlock("heading", text, page, 2)]
    item = _ITEM.match(text) or _ENTRY.match(text)
    return [TextBlock("list_item" if item else "paragraph", text, page, 1 if item else None, aliases)]


def _code(rows: Sequence[_LineRow]) -> str:
    left = min(row.first.x0 for row in rows)
    width = statistics.median((row.first.x1 - row.first.x0) / max(1, len(row.first.text)) for row in rows) or 6.0
    return "\n".join(" " * round((row.first.x0 - left) / width) + row.text for row in rows)


def _row_text(lines: Sequence[Line]) -> str:
    """A row's words; the dots that lead to a page number are cut to three."""
    text = lines[0].text if len(lines) == 1 else " ".join(line.text for line in lines)
    if ".." in text or ". ." in text or "\u2026" in text:
        text = _LEADER.sub(" ...", text)
    return " ".join(text.split())


def key_of(text: str) -> str:
    """The letters of a text, in lower case: titles that differ in blanks, signs and numbers alone are one."""
    return re.sub(r"[\W\d_]+", "", text).lower()


def join_rows(rows: Sequence[str], vocabulary: Vocabulary) -> tuple[str, tuple[str, ...]]:
    """Rows as running text, and other forms of words where it is in doubt whether a hyphen is the line's or theirs.

    No blank goes between CJK characters.
    """
    text = ""
    aliases: list[str] = []
    for row in filter(None, rows):
        if not text:
            text = row
        elif is_unspaced(text[-1]) and is_unspaced(row[0]):
            text += row
        else:
            joined = joint(text, row, vocabulary)
            text = f"{joined.text} {row}" if joined.blank else joined.text + row
            aliases += [joined.alias] if joined.alias else []
    return text.replace("\u00ad", ""), tuple(aliases)


def outline_titles(entries: Sequence[tuple[int, str, int]]) -> dict[int, dict[str, int]]:
    """Bookmarks as page → normalised title → level from 1; ``entries`` are (level, title, page)."""
    found: dict[int, dict[str, int]] = {}
    for level, title, page in entries:
        if key_of(title):
            found.setdefault(page, {})[key_of(title)] = max(1, min(6, level))
    return found
