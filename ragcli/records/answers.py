"""A checked answer with its citations, how it came about, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ragcli.codec import encode
from ragcli.records.completions import NotFoundReason, Passage, Usage
from ragcli.records.documents import Span
from ragcli.records.retrieval import Retrieval

SentenceStatus = Literal["supported", "paraphrase", "misattributed", "unsupported", "uncited"]
Verdict = Literal["good", "bad"]
"""What a user said of an answer."""


@dataclass(frozen=True, slots=True)
class Differences:
    """Words by which a sentence differs from the sentences it rests on: those it adds, and those it leaves out."""

    added: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether there are some."""
        return bool(self.added or self.left_out)


NO_DIFFERENCES: Differences = Differences()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer after checking; ``citations`` are printed citation numbers.

    ``differs`` is filled for what is not ``supported`` but stands beside a source.
    """

    text: str
    citations: tuple[int, ...]
    status: SentenceStatus
    differs: Differences = NO_DIFFERENCES


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

    def to_json(self) -> dict[str, Any]:
        """The citation as ``rag ask --json`` prints it."""
        value: dict[str, Any] = encode(self)
        return value | {"span": None if self.span is None else [self.span.start, self.span.end]}


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
class Queried:
    """A query that an answer rests on: the SQL, the names of the tables it read, and its first rows as text."""

    sql: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AskResult:
    """An answer with how it came about. ``timings_ms`` has retrieve, generate, verify and total.

    ``queries`` are those over tables that the answer rests on.
    """

    answer: Answer
    retrieval: Retrieval
    passages: tuple[Passage, ...]
    index_version: str
    trace_id: str
    timings_ms: Mapping[str, float]
    steps: tuple[Step, ...] = ()
    queries: tuple[Queried, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What ``rag ask --json`` prints."""
        answer = self.answer
        return {
            "schema": "rag.answer/1",
            "question": answer.question,
            "standalone_question": answer.standalone_question,
            "found": answer.found,
            "not_found_reason": answer.not_found_reason,
            "answer": answer.text,
            "sentences": [encode(sentence) for sentence in answer.sentences],
            "citations": [citation.to_json() for citation in answer.citations],
            "invalid_citations": list(answer.invalid_citations),
            "passages": list(answer.passages),
            "confidence": answer.confidence,
            "notices": list(answer.notices),
            "provider": answer.provider,
            "model": answer.model,
            "index_version": self.index_version,
            "trace_id": self.trace_id,
            "usage": encode(answer.usage),
            "steps": [encode(step) for step in self.steps],
            "queries": [encode(query) for query in self.queries],
            "superseded_hidden": self.retrieval.superseded_hidden,
            "timings_ms": {name: round(value, 3) for name, value in self.timings_ms.items()},
        }


@dataclass(frozen=True, slots=True)
class Trace:
    """A past question as kept under the index folder: only what the asker could see.

    ``created`` is UTC, ISO with seconds. ``hits`` are (chunk id, score) in order, ``cited`` the chunk ids cited;
    ``feedback`` is ``good``, ``bad`` or None. ``failure`` is the category of the error by which a model left the
    question unanswered, None where there was none.
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
    usage: Usage = field(default_factory=Usage)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    session: str | None = None
    steps: tuple[Step, ...] = ()
    feedback: str | None = None
    failure: str | None = None
