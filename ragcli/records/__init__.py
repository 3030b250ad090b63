"""Every value that passes between stages: frozen, plain data, no IO.

Offsets are half-open character positions in ``Document.text``; pages, lines, ranks and ordinals count from 1.

A module is loaded when a name of it is asked for: making all these classes takes longer than many a question.
"""

# ruff: noqa: I001 (it would write each of the names below as an import of its own)

from __future__ import annotations

from typing import TYPE_CHECKING

from ragcli.late_names import late_names

if TYPE_CHECKING:
    from ragcli.records.answers import (
        NO_DIFFERENCES as NO_DIFFERENCES,
        Answer as Answer,
        AskResult as AskResult,
        Citation as Citation,
        Differences as Differences,
        Queried as Queried,
        Sentence as Sentence,
        SentenceStatus as SentenceStatus,
        Step as Step,
        Trace as Trace,
        Verdict as Verdict,
    )
    from ragcli.records.chunks import Chunk as Chunk
    from ragcli.records.completions import (
        Claim as Claim,
        Completion as Completion,
        ModelRequest as ModelRequest,
        NotFoundReason as NotFoundReason,
        Passage as Passage,
        Underlying as Underlying,
        Usage as Usage,
    )
    from ragcli.records.documents import (
        Alias as Alias,
        Block as Block,
        BlockKind as BlockKind,
        Coverage as Coverage,
        Document as Document,
        FileReport as FileReport,
        Metadata as Metadata,
        Section as Section,
        Span as Span,
        is_open as is_open,
        stricter_default as stricter_default,
    )
    from ragcli.records.golden import (
        GoldenCase as GoldenCase,
        Judgment as Judgment,
    )
    from ragcli.records.index import (
        Allowed as Allowed,
        EmbedderInfo as EmbedderInfo,
        Forgotten as Forgotten,
        PublishResult as PublishResult,
        VersionDiff as VersionDiff,
        VersionInfo as VersionInfo,
    )
    from ragcli.records.retrieval import (
        DenseMethod as DenseMethod,
        Filter as Filter,
        Hit as Hit,
        Link as Link,
        Ranking as Ranking,
        Retrieval as Retrieval,
        RetrievedChunk as RetrievedChunk,
        Scope as Scope,
    )
    from ragcli.records.sessions import (
        SessionInfo as SessionInfo,
        Turn as Turn,
    )
    from ragcli.records.staged import (
        Entry as Entry,
        FileState as FileState,
        Given as Given,
        Look as Look,
        Root as Root,
        hidden_prefix as hidden_prefix,
    )
    from ragcli.records.tables import (
        RowPlace as RowPlace,
        TableColumn as TableColumn,
        TableInfo as TableInfo,
    )

__getattr__ = late_names(
    __name__,
    {
        "answers": "NO_DIFFERENCES Answer AskResult Citation Differences Queried Sentence SentenceStatus Step Trace "
        "Verdict",
        "chunks": "Chunk",
        "completions": "Claim Completion ModelRequest NotFoundReason Passage Underlying Usage",
        "documents": "Alias Block BlockKind Coverage Document FileReport Metadata Section Span is_open "
        "stricter_default",
        "golden": "GoldenCase Judgment",
        "index": "Allowed EmbedderInfo Forgotten PublishResult VersionDiff VersionInfo",
        "retrieval": "DenseMethod Filter Hit Link Ranking Retrieval RetrievedChunk Scope",
        "sessions": "SessionInfo Turn",
        "staged": "Entry FileState Given Look Root hidden_prefix",
        "tables": "RowPlace TableColumn TableInfo",
    },
)
