"""Citations: one number for each quoted place, with its page or lines."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.display import as_quoted
from ragcli.records import NO_DIFFERENCES, Citation, Differences, Passage, Sentence, SentenceStatus, Span


@dataclass(frozen=True, slots=True)
class Quoted:
    """One citation of a claim, looked up: the passage, the quote as it stands there, and its place in the passage."""

    passage: Passage
    quote: str
    span: Span | None
    elsewhere: int | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """One claim after its check: its status with the reason, the quotes it rests on, and the ids that were not sent.

    ``carried`` is whether it may be shown although its status is not a good one.
    """

    text: str
    status: SentenceStatus
    quoted: tuple[Quoted, ...]
    invalid: tuple[str, ...]
    reason: str
    carried: bool
    differs: Differences = NO_DIFFERENCES


def numbered(item: Checked, numbers: dict[tuple[str, str], int], citations: list[Citation]) -> Sentence:
    """The claim as a sentence with the numbers of its citations; new ones are added to both collections."""
    mine: list[int] = []
    for quoted in item.quoted:
        key = (quoted.passage.chunk.chunk_id, quoted.quote)
        if key not in numbers:
            numbers[key] = len(citations) + 1
            citations.append(_citation(numbers[key], quoted))
        if numbers[key] not in mine:
            mine.append(numbers[key])
    return Sentence(item.text, tuple(mine), item.status, item.differs)


def _citation(number: int, item: Quoted) -> Citation:
    passage, chunk = item.passage, item.passage.chunk
    span = None if item.span is None else Span(passage.span.start + item.span.start, passage.span.start + item.span.end)
    return Citation(
        number=number,
        chunk_id=chunk.chunk_id,
        source=passage.source,
        title=chunk.title,
        heading_path=chunk.heading_path,
        quote=item.quote,
        span=span,
        page=_page(passage, span),
        lines=_lines(passage, item.span),
        effective_date=passage.effective_date,
    )


def _page(passage: Passage, span: Span | None) -> int | None:
    """The page the quote starts on, where the passage knows its page starts; else the chunk's first page."""
    if span is None or not passage.page_starts:
        return passage.chunk.first_page
    return max((page for start, page in passage.page_starts if start <= span.start), default=passage.chunk.first_page)


def _lines(passage: Passage, span: Span | None) -> tuple[int, int] | None:
    """First and last line of the quote in the source file, counted from the chunk's own first line."""
    chunk = passage.chunk
    if chunk.first_line is None or chunk.last_line is None:
        return None
    if span is None:
        return chunk.first_line, chunk.last_line
    origin = chunk.span.start - passage.span.start
    first_of_passage = chunk.first_line - passage.text.count("\n", 0, max(0, origin))
    first = first_of_passage + passage.text.count("\n", 0, span.start)
    return first, first + passage.text.count("\n", span.start, span.end)


def marked(sentence: Sentence) -> str:
    """The sentence with its marks before the final stop, as printed; a ``[2]`` of its own stands there as ``\\[2]``."""
    marks = "".join(f"[{number}]" for number in sentence.citations)
    text = as_quoted(sentence.text.strip())
    if not marks:
        return text
    if text.endswith((".", "!", "?")):
        return f"{text[:-1]} {marks}{text[-1]}"
    return f"{text} {marks}"
