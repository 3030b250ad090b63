"""Where an index lives: its versions, the one writer that makes them, and what is kept beside them.

The folder of ``ragcli.index.folder`` is one; a database is another. Nothing outside the store's own room knows which:
no method takes or gives a path, except those of source files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import TYPE_CHECKING, Protocol

from ragcli.interfaces.engine import Engine
from ragcli.interfaces.models import Progress
from ragcli.interfaces.staging import Caches, Staging
from ragcli.records import (
    Chunk,
    Document,
    EmbedderInfo,
    PublishResult,
    SessionInfo,
    Trace,
    Turn,
    Verdict,
    VersionDiff,
    VersionInfo,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragcli.config import Config, IndexConfig

EmbedChunks = Callable[[list[Chunk]], "NDArray[np.float32]"]
"""Unit vectors of chunks, a row each, in order."""
IsMeant = Callable[[str, str], bool]
"""Of a document's id and source: whether it is meant."""


class Store(Protocol):
    """The versions of one index, which need not exist yet. Versions are immutable, and whole to whoever opens one."""

    @property
    def location(self) -> str:
        """Where it is, as printed: a folder, or a database without its password."""

    @property
    def exists(self) -> bool:
        """Whether anything was ever ingested into it."""

    def current(self) -> str | None:
        """Name of the current version, None when nothing has been published."""

    def open(self, version: str | None = None, embedder: EmbedderInfo | None = None) -> Engine:
        """A version, the current one by default, held until the engine is closed whatever is published meanwhile.

        Raises StoreError when there is none, when it is damaged, or when ``embedder`` is not the model that made it.
        """

    def versions(self) -> list[VersionInfo]:
        """Every version, oldest first."""

    def use(self, version: str, wait_seconds: float = 0) -> None:
        """Make a kept version the current one. Raises StoreError when it is not there or damaged."""

    def prune(self, keep: int, wait_seconds: float = 0) -> list[str]:
        """Remove all but the newest ``keep`` versions and the current one; those that are being read stay for now."""

    def verify(self, version: str | None = None) -> list[str]:
        """Everything wrong with a version (the current one by default), a line each; empty when it is sound."""

    def diff(self, before: str, after: str, groups: tuple[str, ...] = ()) -> VersionDiff:
        """What differs from one version to another, among the documents that ``groups`` may see in each."""

    def writer(self, wait_seconds: float = 0) -> AbstractContextManager[StoreWriter]:
        """The one writer, for the length of the block; the store is made when it is missing.

        Raises IndexLocked, naming the holder, when another process writes for longer than ``wait_seconds``.
        """

    def scratch(self) -> AbstractContextManager[Store]:
        """An empty store for a trial, sharing the caches of this one where it can; nothing of it stays behind."""

    @property
    def traces(self) -> TraceLog:
        """Past questions."""

    @property
    def sessions(self) -> SessionLog:
        """Conversations."""

    def note(self, name: str) -> str:
        """A small text kept beside the versions, such as how a judge agreed with people; empty when there is none."""

    def put_note(self, name: str, text: str) -> None:
        """Keep a small text. Raises StoreError when it cannot be written."""


class StoreWriter(Protocol):
    """What the holder of the writer's lock may do; good inside the block of ``Store.writer`` alone."""

    @property
    def staging(self) -> Staging:
        """What the next version is built from."""

    @property
    def caches(self) -> Caches:
        """What is reusable by content hash."""

    def published_roots(self) -> Mapping[str, str]:
        """Label and path of every root that the current version was ingested from; empty when it cannot be read."""

    def publish(
        self,
        *,
        embedder: EmbedderInfo,
        vectors: EmbedChunks,
        config: Config,
        rebuild: bool = False,
        progress: Progress | None = None,
    ) -> PublishResult:
        """Make the staged documents the current version, or none when nothing has changed.

        Raises StoreError when documents wait to be chunked; then, and when it is killed, the last version still serves.
        """

    def published(self, wanted: IsMeant) -> Iterator[tuple[EmbedderInfo, Document, list[Chunk]]]:
        """Every wanted document of every kept version with its chunks, and the model of that version."""

    def erase(self, wanted: IsMeant, config: IndexConfig, roots: Collection[str] = ()) -> list[str]:
        """Take the wanted documents out of every kept version, also where others name them as copies, and the roots
        of these labels; names of the versions that changed, as they are called now.
        """

    def sweep(self, texts: Collection[str], besides: Collection[str] = ()) -> tuple[int, list[str]]:
        """Take what is left of the texts out of logs and notes, then search for them in everything that is stored.

        What stands in ``besides`` as well may stay.

        How many places were searched, and those in which something still stands. The writer's last act.
        """


class TraceLog(Protocol):
    """Past questions; each holds only what its asker was shown."""

    def append(self, trace: Trace) -> None:
        """Add one. Raises StoreError when it cannot be written."""

    def feedback(self, trace_id: str, verdict: Verdict) -> Trace:
        """Record a user's verdict. ``trace_id`` may be a unique beginning. Raises NotFound for an unknown one."""

    def get(self, trace_id: str) -> Trace:
        """The trace with this id, or the only one whose id starts so. Raises NotFound."""

    def __iter__(self) -> Iterator[Trace]:
        """Every trace, oldest first, with its feedback."""

    def remove_old(self, keep_days: int, today: date) -> int:
        """Remove what is more than ``keep_days`` older than ``today``; how many days or traces went."""

    def forget(self, doc_ids: Collection[str]) -> int:
        """Remove every trace that touched one of the documents; how many went."""


class SessionLog(Protocol):
    """Conversations, by name."""

    def turns(self, name: str) -> list[Turn]:
        """The turns of a session, oldest first, whoever may see them; empty for a new session."""

    def append(self, name: str, turn: Turn) -> None:
        """Add a turn. Raises ConfigError for a name that cannot be one, StoreError when it cannot be written."""

    def list(self) -> Sequence[SessionInfo]:
        """Every session, by name."""

    def drop(self, name: str, wanted: Callable[[Turn], bool]) -> None:
        """Remove the wanted turns of a session, and with the last one the session. Raises NotFound for none of them."""

    def forget(self, doc_ids: Collection[str]) -> int:
        """Remove every turn that used one of the documents; how many went."""
