"""What a chunk that begins in the middle of something must repeat: a table's header, a list's lead-in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.chunk.outline import Piece
from ragcli.chunk.tokens import TokenMap
from ragcli.chunk.units import lines
from ragcli.language.sentences import sentence_spans
from ragcli.records import Span

_RULE = re.compile(r"(?=[^-]*-)[\s|:+=-]+")
_INTRODUCES = (":", "：", "︰")
_TITLE_LINE = 100  # characters


def header_of(text: str, table: Span) -> Span | None:
    """The header row with the rule under it; None for a table that shows none."""
    rows = [line for line in list(lines(text, table))[:3] if line]
    for index, row in enumerate(rows[1:], 1):
        if _RULE.fullmatch(row.of(text)):
            return Span(rows[0].start, rows[index].end)
    return None


def lead_ins(text: str, pieces: Sequence[Piece], language: str | None) -> list[tuple[Span, ...]]:
    """For each piece, the stretches that introduce it: none for most.

    For a list item the sentence with a colon before its list, or the list's caption, and the first lines of the items
    that it is nested in; for everything else the sentence with a colon, or the caption, right before; for a table also
    a line without a full stop.
    """
    result: list[tuple[Span, ...]] = []
    base: tuple[Span, ...] = ()
    outer: list[tuple[int, Span]] = []
    for index, piece in enumerate(pieces):
        previous = pieces[index - 1] if index and pieces[index - 1].section == piece.section else None
        if piece.kind != "list_item":
            of_table = piece.kind == "table"
            introduced = previous if piece.kind != "heading" else None
            result.append(_introduction(text, introduced, language, of_table=of_table) if introduced else ())
            continue
        if previous is None or previous.kind != "list_item":
            base, outer = (_introduction(text, previous, language) if previous else ()), []
        level = piece.level or 1
        while outer and outer[-1][0] >= level:
            outer.pop()
        result.append((*base, *(span for _, span in outer)))
        outer.append((level, next(lines(text, piece.span))))
    return result


def _introduction(text: str, piece: Piece, language: str | None, *, of_table: bool = False) -> tuple[Span, ...]:
    if piece.kind == "caption":
        return (piece.span,)
    own = piece.span.of(text)
    if of_table and piece.kind in ("paragraph", "other") and _is_title_line(own):
        return (piece.span,)
    if piece.kind not in ("paragraph", "other") or not own.endswith(_INTRODUCES):
        return ()
    last = sentence_spans(own, language)[-1]
    return (Span(piece.span.start + last.start, piece.span.end),)


def _is_title_line(own: str) -> bool:
    """Whether a paragraph before a table is a line that names it rather than a sentence about something else."""
    return len(own) <= _TITLE_LINE and "\n" not in own and not own.rstrip("\"'”’)]").endswith((".", "!", "?", "。"))


def written(text: str, spans: Sequence[Span], tokens: TokenMap, budget: int) -> tuple[str, int]:
    """The stretches a line each and their tokens, cut (visibly) at the end where they would exceed ``budget``."""
    lead = "\n".join(span.of(text) for span in spans)
    size = sum(tokens.size(span.start, span.end) for span in spans)
    if size <= budget:
        return lead, size
    kept = lead[: len(lead) * max(0, budget - 1) // size]
    kept = kept[: max(kept.rfind(" "), kept.rfind("\n"))].rstrip() if " " in kept or "\n" in kept else kept
    return (f"{kept} …", budget) if kept else ("", 0)
