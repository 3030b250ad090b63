"""What is sent to a generator and what it gives back, before any check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragcli.records.chunks import Chunk
from ragcli.records.documents import Span

NotFoundReason = Literal["no_candidates", "low_evidence", "model_declined", "all_unsupported"]


@dataclass(frozen=True, slots=True)
class Underlying:
    """What the stretch ``at`` of a query's result rests on: a row, at ``span`` of a chunk's text.

    ``span`` is None where the whole document is meant.
    """

    at: Span
    chunk: Chunk
    source: str
    span: Span | None
    effective_date: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as sent to the generator under a number from 1.

    ``text`` is what may be quoted: the chunk's own text or, under parent-child chunking, the wider span
    ``document.text[span]`` around it, in a document of ``media_type``. ``page_starts`` holds (offset in the document,
    page) for each page that begins in or before the span; the scores are those of retrieval, None where that stage did
    not run.

    The result of a ``query`` is a passage too: ``text`` is the result, and ``rows`` are what it was made of, which is
    cited in its place; its own chunk is a name and no more.
    """

    number: int
    chunk: Chunk
    text: str
    span: Span
    source: str
    effective_date: str | None = None
    media_type: str = ""
    page_starts: tuple[tuple[int, int], ...] = ()
    dense_score: float | None = None
    bm25_score: float | None = None
    rerank_score: float | None = None
    query: str = ""
    rows: tuple[Underlying, ...] = ()

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The chunks that its text comes from."""
        if not self.query:
            return (self.chunk.chunk_id,)
        return tuple(dict.fromkeys(row.chunk.chunk_id for row in self.rows))


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence as a generator gave it, before any check: what it cites and the quote for each citation."""

    text: str
    cited: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens billed by a model; cached input tokens are counted apart."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a language model: a long text that many requests share, and what is asked about it."""

    shared: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a generator produced. ``cited`` in its claims are passage numbers as text, exactly as received.

    ``unanswered`` are the parts of a question of several parts that nothing answers, where others are answered.
    ``notices`` are what a reader should know of how it came about, such as that it was cut off.
    """

    found: bool
    claims: tuple[Claim, ...]
    provider: str
    model: str
    usage: Usage = Usage()
    confidence: float | None = None
    not_found_reason: NotFoundReason | None = None
    unanswered: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
