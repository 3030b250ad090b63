"""What the versioned index says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
    """What ``rag forget`` removed, and where a text of it was still found afterwards (empty: nowhere).

    ``copies`` had the same text and were not named: the next ingest reads them again. ``kept_by`` are documents that
    stay and say some of what was forgotten: a sentence that they share is not searched for.
    """

    doc_ids: tuple[str, ...]
    versions: tuple[str, ...]
    files_searched: int
    still_found: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    kept_by: tuple[str, ...] = ()
