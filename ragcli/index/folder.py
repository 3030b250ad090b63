"""The index folder: one writer, many readers, immutable versions."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import IndexConfig
from ragcli.errors import DiskError, StoreError
from ragcli.index.compatibility import check_embedder
from ragcli.index.durable import DISK_HINT, replace_text
from ragcli.index.engine import FolderEngine
from ragcli.index.manifest import read_manifest
from ragcli.index.scopes import Current
from ragcli.index.versions import (
    Pin,
    current_or_error,
    describe,
    prune,
    read_current,
    set_current,
    version_names,
    version_path,
)
from ragcli.records import EmbedderInfo, Scope, VersionDiff, VersionInfo
from ragcli.regular_files import make_folder, read_regular

if TYPE_CHECKING:
    from ragcli.index.publishing.writer import Writer
    from ragcli.index.sessions import Sessions
    from ragcli.index.traces import Traces

_OPEN_ATTEMPTS = 20
_MOST_NOTE_BYTES = 16 << 20


class IndexFolder:
    """An index folder, which need not exist yet: the ``Store`` that ships with ragcli.

    ``config`` holds the settings of search time (access default, boosts, ef); without it a version is searched under
    the settings it was built with.
    """

    def __init__(self, path: Path, config: IndexConfig | None = None, *, caches: Path | None = None) -> None:
        self.path = path
        self._config = config
        self._caches = caches

    @property
    def location(self) -> str:
        """The folder."""
        return str(self.path)

    @property
    def exists(self) -> bool:
        """Whether the folder is there. Raises StoreError when a file stands in its place."""
        if self.path.exists() and not self.path.is_dir():
            hint = "name a folder, with --index or index.path"
            raise StoreError(f"{self.path} is a file, no index folder", hint=hint, category="index_missing")
        return self.path.is_dir()

    def writer(self, wait_seconds: float = 0) -> contextlib.AbstractContextManager[Writer]:
        """The writer, holding the lock for the length of the block; the folder is made when it is missing.

        Raises IndexLocked, naming the holder, when another process writes for longer than ``wait_seconds``.
        """
        from ragcli.index.publishing.writer import open_writer

        return open_writer(self.path, wait_seconds, self._caches)

    def open(self, version: str | None = None, embedder: EmbedderInfo | None = None) -> FolderEngine:
        """A version, the current one by default, held until the engine is closed whatever is published meanwhile.

        Raises StoreError when there is none, when it is damaged, or when ``embedder`` is not the model that made it.
        """
        engine = self._open(version)
        if embedder is not None:
            try:
                check_embedder(engine.embedder, embedder)
            except StoreError:
                engine.close()
                raise
        return engine

    def _open(self, version: str | None) -> FolderEngine:
        name = version or current_or_error(self.path)
        for _ in range(_OPEN_ATTEMPTS):
            older = version is not None and version != self.current()
            current = Current(self.current, self._current_engine) if older else None
            try:
                return FolderEngine(version_path(self.path, name), self._config, current)
            except (FileNotFoundError, StoreError):
                # Pruned between reading its name and opening it, if the pointer has moved on.
                if version is not None or (latest := current_or_error(self.path)) == name:
                    read_manifest(version_path(self.path, name))
                    raise
                name = latest
        raise StoreError(f"no version in {self.path} stays long enough to be opened", hint="rag versions list")

    def _current_engine(self) -> FolderEngine:
        return self._open(None)

    def current(self) -> str | None:
        """Name of the current version, None when nothing has been published."""
        return read_current(self.path)

    def versions(self) -> list[VersionInfo]:
        """Every version, oldest first."""
        try:
            current = self.current()
        except StoreError:
            current = None
        return [describe(self.path, name, current) for name in version_names(self.path)]

    def verify(self, version: str | None = None) -> list[str]:
        """Everything wrong with a version (the current one by default), a line each; empty when it is sound."""
        from ragcli.index.verify import faults

        path = version_path(self.path, version or current_or_error(self.path))
        try:
            pin = Pin(path)
        except FileNotFoundError:
            return faults(path)
        with contextlib.closing(pin):
            return faults(path)

    def diff(self, before: str, after: str, groups: tuple[str, ...] = ()) -> VersionDiff:
        """What differs from one version to another, among the documents that ``groups`` may see in each and today."""
        scope = Scope(groups=groups, include_superseded=True)
        with self._open(before) as old, self._open(after) as new:
            return difference(old, new, scope)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[IndexFolder]:
        """An empty index for a trial, removed afterwards: in ``staging/``, on the same disk, where there is a folder.

        It has this folder's caches, so that a text that was embedded before is not embedded again.
        """
        from ragcli.index.publishing.writer import TRIAL

        aside = self.path / "staging" if self.path.is_dir() else None
        if aside is not None:
            make_folder(aside)
        folder = Path(tempfile.mkdtemp(prefix=TRIAL, dir=aside))
        try:
            yield IndexFolder(folder, self._config, caches=None if aside is None else self.path / "cache")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def traces(self) -> Traces:
        """Past questions."""
        from ragcli.index.traces import Traces

        return Traces(self.path / "traces")

    @property
    def sessions(self) -> Sessions:
        """Conversations."""
        from ragcli.index.sessions import Sessions

        return Sessions(self.path / "sessions")

    def note(self, name: str) -> str:
        """A small text kept in ``runs/``; empty when there is none."""
        try:
            return read_regular(self.path / "runs" / name, _MOST_NOTE_BYTES).decode()
        except (OSError, UnicodeDecodeError, StoreError):
            return ""

    def put_note(self, name: str, text: str) -> None:
        """Keep a small text in ``runs/``. Raises StoreError when it cannot be written."""
        path = self.path / "runs" / name
        try:
            make_folder(path.parent)
            replace_text(path, text)
        except OSError as error:
            raise DiskError(f"cannot write {path}: {error.strerror}", hint=DISK_HINT) from error

    def use(self, version: str, wait_seconds: float = 0) -> None:
        """Make a kept version the current one. Raises StoreError when it is not there or damaged."""
        with self.writer(wait_seconds):
            FolderEngine(version_path(self.path, version)).close()
            set_current(self.path, version)

    def prune(self, keep: int, wait_seconds: float = 0) -> list[str]:
        """Remove all but the newest ``keep`` versions and the current one; those that are being read stay for now."""
        with self.writer(wait_seconds):
            return prune(self.path, keep)


# What differs between two versions: documents, and the chunks they gained and lost.

DocumentPlaces = dict[str, tuple[int, int, str]]
"""Segment, row and entry key of documents, by id."""


def difference(old: FolderEngine, new: FolderEngine, scope: Scope) -> VersionDiff:
    """Documents added, changed and removed from ``old`` to ``new``; chunks are compared by their indexed text.

    Only what ``scope`` may see counts, in each version by the rules of that version: a document that was closed to it
    in between is one that is gone.
    """
    was, now = _places(old, scope), _places(new, scope)
    added, removed = sorted(set(now) - set(was)), sorted(set(was) - set(now))
    changed = sorted(doc_id for doc_id in set(was) & set(now) if was[doc_id][2] != now[doc_id][2])
    gained = lost = 0
    for doc_id in (*added, *removed, *changed):
        texts_before = _texts(old, was.get(doc_id))
        texts_after = _texts(new, now.get(doc_id))
        gained += (texts_after - texts_before).total()
        lost += (texts_before - texts_after).total()
    return VersionDiff(old.version, new.version, tuple(added), tuple(changed), tuple(removed), gained, lost)


def _places(engine: FolderEngine, scope: Scope) -> DocumentPlaces:
    seen = frozenset(engine.doc_ids(engine.allowed(scope)))
    return {doc_id: (segment, row, key) for segment, row, doc_id, key in engine.view.documents() if doc_id in seen}


def _texts(engine: FolderEngine, place: tuple[int, int, str] | None) -> Counter[str]:
    if place is None:
        return Counter()
    return Counter(chunk.indexed_text for chunk in engine.view.segments[place[0]].chunks(place[1]))
