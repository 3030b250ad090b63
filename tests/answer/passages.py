"""Passages for the tests of this stage."""

from __future__ import annotations

from ragcli.records import Chunk, Claim, Completion, Passage, Span


def passage(
    number: int,
    text: str,
    source: str = "hr/policy.md",
    *,
    title: str = "Policy",
    start: int = 0,
    date: str | None = None,
    ocr: bool = False,
    lead: str = "",
    dense: float | None = None,
    first_line: int | None = 1,
) -> Passage:
    """A passage whose chunk is the whole text."""
    span = Span(start, start + len(text))
    chunk = Chunk(
        chunk_id=f"{source}#{number}",
        doc_id=source,
        ordinal=number,
        span=span,
        text=text,
        title=title,
        first_line=first_line,
        last_line=None if first_line is None else first_line + text.count("\n"),
        ocr=ocr,
        lead=lead,
    )
    return Passage(number, chunk, text, span, source, effective_date=date, dense_score=dense)


def completion(*claims: Claim, found: bool = True) -> Completion:
    """What a generator might have said."""
    return Completion(found, claims, "test", "test-model")
