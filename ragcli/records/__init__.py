"""Every value that passes between stages: frozen, plain data, no IO.

Offsets are half-open character positions in ``Document.text``; pages, lines, ranks and ordinals count from 1.
"""

from ragcli.records.answers import (
    NO_DIFFERENCES,
    Answer,
    AskResult,
    Citation,
    Differences,
    Sentence,
    SentenceStatus,
    Step,
    Trace,
    Verdict,
)
from ragcli.records.chunks import Chunk
from ragcli.records.completions import Claim, Completion, ModelRequest, NotFoundReason, Passage, Usage
from ragcli.records.documents import (
    Alias,
    Block,
    BlockKind,
    Coverage,
    Document,
    FileReport,
    Metadata,
    Section,
    Span,
    is_open,
    stricter_default,
)
from ragcli.records.golden import GoldenCase, Judgment
from ragcli.records.index import Allowed, EmbedderInfo, Forgotten, PublishResult, VersionDiff, VersionInfo
from ragcli.records.retrieval import DenseMethod, Filter, Hit, Ranking, Retrieval, RetrievedChunk, Scope, SearchMode
from ragcli.records.sessions import SessionInfo, Turn
from ragcli.records.staged import Entry, FileState, Given, Look, Root, hidden_prefix

__all__ = [
    "NO_DIFFERENCES",
    "Alias",
    "Allowed",
    "Answer",
    "AskResult",
    "Block",
    "BlockKind",
    "Chunk",
    "Citation",
    "Claim",
    "Completion",
    "Coverage",
    "DenseMethod",
    "Differences",
    "Document",
    "EmbedderInfo",
    "Entry",
    "FileReport",
    "FileState",
    "Filter",
    "Forgotten",
    "Given",
    "GoldenCase",
    "Hit",
    "Judgment",
    "Look",
    "Metadata",
    "ModelRequest",
    "NotFoundReason",
    "Passage",
    "PublishResult",
    "Ranking",
    "Retrieval",
    "RetrievedChunk",
    "Root",
    "Scope",
    "SearchMode",
    "Section",
    "Sentence",
    "SentenceStatus",
    "SessionInfo",
    "Span",
    "Step",
    "Trace",
    "Turn",
    "Usage",
    "Verdict",
    "VersionDiff",
    "VersionInfo",
    "hidden_prefix",
    "is_open",
    "stricter_default",
]
