"""Every value that passes between stages: frozen, plain data, no IO.

Offsets are half-open character positions in ``Document.text``; pages, lines, ranks and ordinals count from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list_item", "table", "code", "quote", "caption", "other"]
SentenceStatus = Literal["supported", "paraphrase", "misattributed", "unsupported", "uncited"]
NotFoundReason = Literal["no_candidates", "low_evidence", "model_declined", "all_unsupported"]
SearchMode = Literal["hybrid", "bm25", "dense"]
DenseMethod = Literal["exact", "hnsw", "quantised"]
"""How vectors were searched; ``quantised``: bit codes first, then exact scores of the nearest (large corpora only)."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of characters ``text[start:end]``."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters of ``text`` inside this span."""
        return text[self.start : self.end]


# ---------------------------------------------------------------- documents


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document's structure, in reading order; blocks do not overlap.

    ``level`` is 1–6 for a heading and the nesting depth (from 1) for a list item, else None.
    ``page`` is None where the format has no pages.
    """

    kind: BlockKind
    span: Span
    page: int | None = None
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and everything under it, up to the next heading of its level or above.

    ``heading_path`` runs from the outermost heading to this section's own.
    """

    heading_path: tuple[str, ...]
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known about a document besides its text.

    Dates are ISO ``YYYY-MM-DD``. ``acl`` empty means public (unless ``index.default_acl`` says otherwise).
    ``supersedes`` names doc_ids or unique path suffixes. Keys without a field of their own are in ``extra``
    and are filtered as ``meta.<key>``.
    """

    language: str | None = None
    modified: str | None = None
    effective_date: str | None = None
    expires: str | None = None
    status: str | None = None
    supersedes: tuple[str, ...] = ()
    acl: tuple[str, ...] = ()
    type: str | None = None
    tags: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a source became text.

    ``pages`` is 1 for formats without pages; ``garbage_ratio`` is the share of replacement, private-use and
    ``(cid:`` characters in the text; ``stripped_lines`` lists running headers, footers and page numbers
    that were removed.
    """

    pages: int = 1
    pages_with_text: int = 1
    ocr_pages: int = 0
    image_only_pages: int = 0
    tables: int = 0
    garbage_ratio: float = 0.0
    stripped_lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A source as clean text with its structure.

    ``doc_id`` is the POSIX path under the ingested root (``outer.zip!inner.txt`` inside a container,
    ``rows.jsonl!ROW_ID`` for a row). ``text`` is NFC with ``\\n`` line ends. ``first_line`` is the line of the
    source file on which ``text`` starts, or None where lines of the text are not lines of the source
    (PDF, DOCX, HTML, …). ``sha256`` is of the source bytes. ``ocr`` marks text that a machine read from a picture.
    """

    doc_id: str
    source: str
    title: str
    text: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    metadata: Metadata
    media_type: str
    sha256: str
    parser: str
    coverage: Coverage
    encoding: str | None = None
    first_line: int | None = None
    also_in: tuple[str, ...] = ()
    ocr_pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file: the record of ``rag ingest --report``, every file met has one.

    ``path`` is the doc_id of the file (``outer.zip!inner.txt`` inside a container); ``skipped`` is the reason why
    nothing of it was read, None when it was read. ``documents`` counts the documents it gave.
    """

    path: str
    documents: int = 0
    pages: int = 0
    pages_with_text: int = 0
    ocr_pages: int = 0
    image_only_pages: int = 0
    tables: int = 0
    encoding: str | None = None
    language: str | None = None
    garbage_ratio: float = 0.0
    stripped_lines: tuple[str, ...] = ()
    duplicates_of: tuple[str, ...] = ()
    skipped: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def lost(self) -> bool:
        """Whether the file, or a page of it, was not read."""
        return self.skipped is not None or self.image_only_pages > 0


# ---------------------------------------------------------------- chunks


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit that is indexed and found.

    ``text`` is exactly ``document.text[span]`` and is what quotes are checked against. ``lead`` is text repeated
    from elsewhere in the same document so that the chunk can stand alone (a table's caption and header row, a list's
    lead-in); ``context`` is text that a model wrote about the chunk; ``questions`` are questions it answers. They
    are indexed and shown to the generator as context but never quoted. ``parent`` is the span handed to the generator
    instead of ``span`` under parent-child chunking, None otherwise. Lines are None where ``Document.first_line`` is.
    ``token_count`` is of ``text``, ``indexed_tokens`` of ``indexed_text``, both by the embedding model's tokenizer and
    without its special tokens.
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    span: Span
    text: str
    title: str
    heading_path: tuple[str, ...] = ()
    first_page: int | None = None
    last_page: int | None = None
    first_line: int | None = None
    last_line: int | None = None
    parent: Span | None = None
    lead: str = ""
    context: str = ""
    questions: tuple[str, ...] = ()
    token_count: int = 0
    indexed_tokens: int = 0
    ocr: bool = False

    @property
    def prefix(self) -> str:
        """Title and heading path on one line, the title not repeated when it is the first heading."""
        path = self.heading_path
        if path and path[0].casefold() == self.title.casefold():
            path = path[1:]
        return " > ".join(part for part in (self.title, *path) if part)

    @property
    def indexed_text(self) -> str:
        """What is embedded: prefix, context, lead and the chunk's own text, a line each."""
        parts = (self.prefix, self.context, *self.questions, self.lead, self.text)
        return "\n".join(part for part in parts if part)


# ---------------------------------------------------------------- retrieval


@dataclass(frozen=True, slots=True)
class Filter:
    """One parsed filter expression; ``key`` is a known key or ``meta.<name>``, ``value`` its text."""

    key: str
    operator: Literal["=", "!=", "<", "<=", ">", ">=", "~"]
    value: str

    def __str__(self) -> str:
        return f"{self.key}{self.operator}{self.value}"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question may see: every filter (AND), the asker's groups, the date it is asked as of.

    ``as_of`` is an ISO date, None means today as given by the caller who builds the scope; superseded, expired and
    not yet effective documents are left out unless ``include_superseded``.
    """

    filters: tuple[Filter, ...] = ()
    groups: tuple[str, ...] = ()
    as_of: str | None = None
    include_superseded: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved chunk; a higher score is better everywhere."""

    chunk_id: str
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits with ranks 1…n, scores that do not rise, ties broken by chunk id."""

    retriever: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk in its final place, with what each leg thought of it (None: the leg did not return it).

    ``score`` is the fused one. A ``dense_score`` without a ``dense_rank`` is the cosine of a candidate that only BM25
    proposed. ``also_in`` names the sources of copies that were left out.
    """

    rank: int
    chunk: Chunk
    score: float
    bm25_rank: int | None = None
    bm25_score: float | None = None
    dense_rank: int | None = None
    dense_score: float | None = None
    fused_rank: int | None = None
    rerank_score: float | None = None
    source: str = ""
    effective_date: str | None = None
    language: str | None = None
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The outcome of one search, with enough of each stage to say where a passage was lost.

    ``legs`` holds the candidate rankings (``bm25``, ``dense``), ``fused`` the fused one, ``reranked`` the reranked
    one (None: no reranker ran). ``dense_method`` is None when the dense leg did not run. Times are milliseconds.
    """

    query: str
    mode: SearchMode
    hits: tuple[RetrievedChunk, ...]
    legs: Mapping[str, Ranking]
    fused: Ranking
    reranked: Ranking | None
    dense_method: DenseMethod | None
    superseded_hidden: int
    reranker: str | None
    timings_ms: Mapping[str, float]


# ---------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as sent to the generator under a number from 1.

    ``text`` is what may be quoted: the chunk's own text or, under parent-child chunking, the wider span
    ``document.text[span]`` around it. ``page_starts`` holds (offset in the document, page) for each page that
    begins in or before the span; the scores are those of retrieval, None where that stage did not run.
    """

    number: int
    chunk: Chunk
    text: str
    span: Span
    source: str
    effective_date: str | None = None
    confidence: float = 0.0
    page_starts: tuple[tuple[int, int], ...] = ()
    dense_score: float | None = None
    bm25_score: float | None = None
    rerank_score: float | None = None


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
    """What a generator produced. ``cited`` in its claims are passage numbers as text, exactly as received."""

    found: bool
    claims: tuple[Claim, ...]
    provider: str
    model: str
    usage: Usage = Usage()
    confidence: float | None = None
    not_found_reason: NotFoundReason | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer after checking; ``citations`` are printed citation numbers."""

    text: str
    citations: tuple[int, ...]
    status: SentenceStatus


@dataclass(frozen=True, slots=True)
class Citation:
    """A printed source. ``span`` is where ``quote`` stands in the document, None when it was not found there."""

    number: int
    chunk_id: str
    source: str
    title: str
    heading_path: tuple[str, ...]
    quote: str
    span: Span | None
    page: int | None
    lines: tuple[int, int] | None
    effective_date: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A checked answer. ``passages`` are the chunk ids that were sent, in order."""

    question: str
    standalone_question: str
    found: bool
    not_found_reason: NotFoundReason | None
    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    invalid_citations: tuple[str, ...]
    passages: tuple[str, ...]
    provider: str
    model: str
    usage: Usage
    confidence: float | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One search on the way to an answer: what was asked of the retriever and the chunks it showed."""

    query: str
    chunk_ids: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AskResult:
    """An answer with how it came about. ``timings_ms`` has retrieve, generate, verify and total."""

    answer: Answer
    retrieval: Retrieval
    passages: tuple[Passage, ...]
    index_version: str
    trace_id: str
    timings_ms: Mapping[str, float]
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A past question as kept under the index folder: only what the asker could see.

    ``created`` is UTC, ISO with seconds. ``hits`` are (chunk id, score) in order, ``cited`` the chunk ids cited;
    ``feedback`` is ``good``, ``bad`` or None.
    """

    trace_id: str
    created: str
    question: str
    standalone_question: str
    index_version: str
    mode: str
    found: bool
    not_found_reason: str | None
    answer: str
    confidence: float | None
    hits: tuple[tuple[str, float], ...]
    passages: tuple[str, ...]
    cited: tuple[str, ...]
    statuses: tuple[str, ...]
    provider: str
    model: str
    usage: Usage = Usage()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    session: str | None = None
    steps: tuple[Step, ...] = ()
    feedback: str | None = None


# ---------------------------------------------------------------- the index


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """Which model made a vector; stored in the manifest and compared on opening.

    ``window`` is in tokens, special tokens included.
    """

    model: str
    revision: str
    dimension: int
    window: int
    query_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The set of chunks a scope may see, computed once per query; opaque outside the engine.

    ``count`` is how many chunks it holds, ``superseded_hidden`` how many documents that the asker may see were left
    out for their dates or status.
    """

    count: int
    superseded_hidden: int
    token: object = None


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What a publish did. ``version`` is None when nothing had changed and no version was made.

    Counts are documents and chunks; ``added``, ``changed`` and ``removed`` are documents against the version
    before. ``recall_at_10`` is that of the graph against exact search, None for an index without chunks.
    ``rebuilt`` says why nothing of the version before was used, empty when it was.
    """

    version: str | None
    documents: int
    chunks: int
    added: int
    changed: int
    removed: int
    new_chunks: int
    recall_at_10: float | None
    seconds: Mapping[str, float]
    rebuilt: str = ""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """One line of ``rag versions list``. ``created`` is an ISO time in UTC; ``bytes`` counts shared files too.

    ``damaged`` says why the version cannot be used, empty when its manifest is sound.
    """

    version: str
    created: str
    documents: int
    chunks: int
    current: bool
    bytes: int
    embedding_model: str
    recall_at_10: float | None
    damaged: str = ""


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """What differs between two versions: document ids, and chunks gained and lost in all."""

    before: str
    after: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    chunks_gained: int
    chunks_lost: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What ``rag forget`` removed, and where a text of it was still found afterwards (empty: nowhere)."""

    doc_ids: tuple[str, ...]
    versions: tuple[str, ...]
    files_searched: int
    still_found: tuple[str, ...] = ()


# ---------------------------------------------------------------- evaluation


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a golden case expects to be found: a document, or one place in it.

    ``source`` is a doc_id or a unique path suffix of one. Without ``chunk``, ``quote``, ``heading`` and ``page`` the
    whole document is meant. ``chunk`` is the ordinal of a chunk (from 1), ``page`` counts from 1. Grades of
    ``relevance`` rise with usefulness.
    """

    source: str
    chunk: int | None = None
    quote: str = ""
    heading: str = ""
    page: int | None = None
    relevance: int = 1

    @property
    def whole_document(self) -> bool:
        """Whether every place of the document counts."""
        return self.chunk is None and self.page is None and not self.quote and not self.heading

    def __str__(self) -> str:
        if self.chunk is not None:
            return f"{self.source}#{self.chunk}"
        if self.page is not None:
            return f"{self.source}#page={self.page}"
        if self.quote:
            return f"{self.source} “{self.quote}”"
        return f"{self.source}#{self.heading}" if self.heading else self.source


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One question with what is expected of retrieval and answer.

    ``judgments`` are the labels that ranking measures count. ``evidence`` are finer places inside the judged documents
    (the sentence or paragraph that answers), used to measure context and to follow a loss; empty when the judgments
    are all there is. ``answers`` are accepted answers, the main one first; every entry of ``contains`` must stand in
    the answer, an entry being a tuple of alternatives. ``made_by`` says where a label came from when no person did
    it. ``where`` is ``file:line``.
    """

    case_id: str
    question: str
    judgments: tuple[Judgment, ...] = ()
    evidence: tuple[Judgment, ...] = ()
    answerable: bool = True
    answers: tuple[str, ...] = ()
    contains: tuple[tuple[str, ...], ...] = ()
    filters: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    made_by: str = ""
    where: str = ""
