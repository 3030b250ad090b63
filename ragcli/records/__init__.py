"""Every value that passes between stages: frozen, plain data, no IO.

Offsets are half-open character positions in ``Document.text``; pages, lines, ranks and ordinals count from 1.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragcli.records.answers import (
        NO_DIFFERENCES,
        Answer,
        AskResult,
        Citation,
        Differences,
        Queried,
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
    from ragcli.records.retrieval import DenseMethod, Filter, Hit, Ranking, Retrieval, RetrievedChunk, Scope
    from ragcli.records.sessions import SessionInfo, Turn
    from ragcli.records.staged import Entry, FileState, Given, Look, Root, hidden_prefix
    from ragcli.records.tables import RowPlace, TableColumn, TableInfo

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
    "Queried",
    "Ranking",
    "Retrieval",
    "RetrievedChunk",
    "Root",
    "RowPlace",
    "Scope",
    "Section",
    "Sentence",
    "SentenceStatus",
    "SessionInfo",
    "Span",
    "Step",
    "TableColumn",
    "TableInfo",
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

_MODULES = {
    **dict.fromkeys(
        (
            "NO_DIFFERENCES",
            "Answer",
            "AskResult",
            "Citation",
            "Differences",
            "Queried",
            "Sentence",
            "SentenceStatus",
            "Step",
            "Trace",
            "Verdict",
        ),
        "answers",
    ),
    **dict.fromkeys(("Chunk",), "chunks"),
    **dict.fromkeys(("Claim", "Completion", "ModelRequest", "NotFoundReason", "Passage", "Usage"), "completions"),
    **dict.fromkeys(
        (
            "Alias",
            "Block",
            "BlockKind",
            "Coverage",
            "Document",
            "FileReport",
            "Metadata",
            "Section",
            "Span",
            "is_open",
            "stricter_default",
        ),
        "documents",
    ),
    **dict.fromkeys(("GoldenCase", "Judgment"), "golden"),
    **dict.fromkeys(("Allowed", "EmbedderInfo", "Forgotten", "PublishResult", "VersionDiff", "VersionInfo"), "index"),
    **dict.fromkeys(("DenseMethod", "Filter", "Hit", "Ranking", "Retrieval", "RetrievedChunk", "Scope"), "retrieval"),
    **dict.fromkeys(("SessionInfo", "Turn"), "sessions"),
    **dict.fromkeys(("Entry", "FileState", "Given", "Look", "Root", "hidden_prefix"), "staged"),
    **dict.fromkeys(("RowPlace", "TableColumn", "TableInfo"), "tables"),
}
"""The module of each name, read when it is used: making all these classes takes longer than many a question."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
