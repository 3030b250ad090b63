"""Chunks along the document's own structure: sections, then paragraphs, list items, table rows, code, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ragcli.chunk.cuts import Cut, Sizes
from ragcli.chunk.leads import header_of, lead_ins, written
from ragcli.chunk.outline import Piece, outline
from ragcli.chunk.packing import pack
from ragcli.chunk.sections import Group, common_path, grouped
from ragcli.chunk.tokens import TokenMap
from ragcli.chunk.units import GLUED, PROSE, Unit, cut_piece
from ragcli.language.references import points_back
from ragcli.records import Document, Span

# Prices of a cut before a unit, against one for every chunk.
SECTION = 0.0
PARAGRAPH = 0.05
ITEM = 0.1
ROW = 0.15
NESTED_ITEM = 0.25
SENTENCE = 0.3
LINE = 0.4
INTRODUCED = 0.6
REFERENCE = 0.25  # on top: the next words point back

LEAD_SHARE = 3
"""A lead takes at most one part in so many of the room."""

TABLE_LEAD_SHARE = 2
"""The same for the header of a table: its rows mean nothing without the whole of it."""


def structure_cuts(document: Document, tokens: TokenMap, sizes: Sizes) -> list[Cut]:
    """The document's chunks in order; together they hold every character that is not white space."""
    pieces = outline(document)
    introductions = lead_ins(document.text, pieces, document.metadata.language)
    result: list[Cut] = []
    for group in grouped(pieces, tokens, minimum=sizes.minimum):
        units = _units(document, pieces, group, introductions, tokens, sizes)
        result += _packed(document.text, pieces, group, units, tokens, sizes)
    return result


def _units(
    document: Document,
    pieces: Sequence[Piece],
    group: Group,
    introductions: Sequence[tuple[Span, ...]],
    tokens: TokenMap,
    sizes: Sizes,
) -> list[Unit]:
    text, language = document.text, document.metadata.language
    room = min(sizes.room(path) for path in group.paths)
    limit = min(sizes.wanted, room)
    headings = 0
    tail = _tail(pieces, group)
    tail_size = tokens.size(pieces[tail].span.start, pieces[group.last - 1].span.end) if tail < group.last else 0
    result: list[Unit] = []
    for index in range(group.first, group.last):
        piece = pieces[index]
        introduction = introductions[index]
        lead, lead_size = written(text, introduction, tokens, room // LEAD_SHARE)
        first_joint = _joint(pieces, index, group, bool(introduction)) + _reference(text, piece.span)
        if tail <= index and index > group.first:
            first_joint = GLUED
        around = headings + (tail_size if index == tail - 1 else 0)
        budget = max(limit // 4, min(limit, room - around - 2), 1)
        if piece.kind == "heading":
            headings += tokens.size(piece.span.start, piece.span.end)
            budget = limit
        else:
            headings = 0
        if tokens.size(piece.span.start, piece.span.end) <= budget:
            result.append(Unit(piece.span, piece.kind, index, first_joint, lead, lead_size))
            continue
        header = header_of(text, piece.span) if piece.kind == "table" else None
        inner_lead = introduction if piece.kind in ("list_item", "table", "code") else ()
        share = TABLE_LEAD_SHARE if header else LEAD_SHARE
        inner = written(text, (*inner_lead, header) if header else inner_lead, tokens, room // share)
        budget = max(budget - inner[1], budget // 2, 1)
        parts = cut_piece(text, piece.span, piece.kind, tokens, budget, language)
        result.append(Unit(parts[0], piece.kind, index, first_joint, lead, lead_size))
        for before, part in pairwise(parts):
            glued = header is not None and before.start < header.end
            joint = GLUED if glued else _inner_joint(text, piece, part) + _reference(text, part)
            result.append(Unit(part, piece.kind, index, joint, *inner))
    return result


def _tail(pieces: Sequence[Piece], group: Group) -> int:
    """Where the headings begin that end the group without a text of their own."""
    tail = group.last
    while tail > group.first and pieces[tail - 1].kind == "heading":
        tail -= 1
    return tail


def _reference(text: str, part: Span) -> float:
    """What a cut costs besides before words that point back to the text it parts them from."""
    return REFERENCE if points_back(text, part.start) else 0.0


def _joint(pieces: Sequence[Piece], index: int, group: Group, introduced: bool) -> float:
    """The price of a cut before a piece."""
    piece = pieces[index]
    before = pieces[index - 1] if index > group.first else None
    if before is None:
        return SECTION
    if before.kind == "heading":
        return GLUED
    if piece.kind == "heading":
        return SECTION
    if piece.kind == "list_item" and before.kind == "list_item":
        return ITEM if (piece.level or 1) == 1 else NESTED_ITEM
    if introduced or piece.kind == "caption" or before.kind == "caption":
        return INTRODUCED
    return PARAGRAPH


def _inner_joint(text: str, piece: Piece, part: Span) -> float:
    """The price of a cut inside a piece, before ``part``."""
    if piece.kind == "table":
        return ROW
    if piece.kind == "code":
        blank_line_before = "\n\n" in text[max(piece.span.start, part.start - 40) : part.start].replace(" ", "")
        return PARAGRAPH if blank_line_before else LINE
    return SENTENCE


def _packed(
    text: str, pieces: Sequence[Piece], group: Group, units: Sequence[Unit], tokens: TokenMap, sizes: Sizes
) -> list[Cut]:
    room = min(sizes.room(path) for path in group.paths)
    limit = max(1, min(sizes.wanted, room))
    begins = [tokens.before(unit.span.start) for unit in units]
    ends = [tokens.before(unit.span.end) for unit in units]
    bodies = _bodies(units)
    end_of_text = _end_of_text(units)

    def size(first: int, last: int) -> int:
        start, end = units[first].span.start, units[last - 1].span.end
        whole = max(ends[last - 1] - begins[first], tokens.least(start, end))
        if whole > room:
            return limit + whole
        body = min(bodies[first], last)
        text_size = whole - (begins[body] - begins[first] if body < last else 0)
        if first < end_of_text < last:
            text_size -= ends[last - 1] - begins[end_of_text]
        lead = units[first].lead_size
        return text_size if whole + lead <= room else max(text_size, limit + 1 - lead)

    leads = [unit.lead_size for unit in units]
    ranges = pack([unit.joint for unit in units], leads, size, limit=limit, minimum=sizes.minimum)
    return [_cut(pieces, units, first, last) for first, last in ranges]


def _bodies(units: Sequence[Unit]) -> list[int]:
    """For each unit the first one at or after it that is no heading."""
    result = [len(units)] * len(units)
    for index in range(len(units) - 1, -1, -1):
        if units[index].kind != "heading":
            result[index] = index
        elif index + 1 < len(units):
            result[index] = result[index + 1]
    return result


def _end_of_text(units: Sequence[Unit]) -> int:
    """Where the headings begin that end the units, their number when there are none."""
    end = len(units)
    while end and units[end - 1].kind == "heading":
        end -= 1
    return end if end else len(units)


def _cut(pieces: Sequence[Piece], units: Sequence[Unit], first: int, last: int) -> Cut:
    own = [pieces[unit.piece].path for unit in units[first:last] if unit.kind != "heading"]
    path = common_path(own) if own else pieces[units[last - 1].piece].path
    continues = first > 0 and units[first - 1].kind in PROSE and units[first].kind in PROSE
    return Cut(Span(units[first].span.start, units[last - 1].span.end), path, units[first].lead, continues)
