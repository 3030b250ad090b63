"""Erases documents from every kept version, as if they had never been in it.

A version is immutable to its readers, so it is not changed: a copy without the documents is built aside and takes its
place. Segments that neither hold nor name any of them are linked as ever; the others, and the BM25 index, are written
anew, because deleted entries would leave their terms behind. The copy of the current version gets a new name first, so
that at no moment ``CURRENT`` names something that is not there.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import IndexConfig
from ragcli.index.dense.graph_build import build_graph
from ragcli.index.dense.graph_probe import graph_marker
from ragcli.index.durable import link_tree, sync_folder
from ragcli.index.engine import LEXICAL
from ragcli.index.lexical.bm25 import has_deletions
from ragcli.index.lexical.writing import LexicalWriter
from ragcli.index.manifest import Manifest, SegmentInfo, read_manifest
from ragcli.index.publishing.build import SegmentWriter, copy_documents, lexical_chunks
from ragcli.index.publishing.publish import Clock
from ragcli.index.segments.segment import Segment
from ragcli.index.segments.supersedes import NAME as SUPERSEDES
from ragcli.index.segments.supersedes import write_references
from ragcli.index.segments.view import SEGMENTS, View, write_dead
from ragcli.index.staged.database import store_errors
from ragcli.index.staged.staging import fingerprint
from ragcli.index.versions import TRASH, VERSIONS, number, read_current, seal, set_current, version_names
from ragcli.interfaces import IsMeant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A segment without the forgotten documents, kept aside while versions that share it are rewritten."""

    folder: Path
    info: SegmentInfo


class Eraser:
    """Rewrites the versions of one index folder. Only the holder of the lock makes one."""

    def __init__(self, folder: Path, config: IndexConfig, wanted: IsMeant, roots: frozenset[str] = frozenset()) -> None:
        """``wanted`` tells the documents, also by their names as copies of others, ``roots`` are labels to drop."""
        self._folder = folder
        self._config = config
        self._wanted = wanted
        self._roots = roots
        self._aside = folder / "staging" / "forget"
        self._build = folder / "staging" / "build"
        self._rewritten: dict[tuple[int, int], Rewritten | None] = {}

    def run(self) -> list[str]:
        """Erase from every version; returns the names of those that were rewritten, as they are called now."""
        for leftover in (self._aside, self._build, self._folder / TRASH):
            shutil.rmtree(leftover, ignore_errors=True)
        changed = []
        try:
            with store_errors(self._folder):
                for version in version_names(self._folder):
                    name = self._version(version)
                    changed += [name] if name else []
        finally:
            shutil.rmtree(self._aside, ignore_errors=True)
            shutil.rmtree(self._build, ignore_errors=True)
        return changed

    def _version(self, version: str) -> str | None:
        folder = self._folder / VERSIONS / version
        manifest = read_manifest(folder)
        view = View.of(folder, manifest)
        try:
            changes = [_change(segment, self._wanted) for segment in view.segments]
            if not any(changes) and not self._roots & manifest.roots.keys() and not has_deletions(folder / LEXICAL):
                return None
            rewritten = self._rewrite(view, manifest, changes)
        finally:
            view.close()
        return self._replace(version, rewritten)

    # ------------------------------------------------------------ writing the copy

    def _rewrite(self, view: View, manifest: Manifest, changes: Sequence[_SegmentChange]) -> Manifest:
        (self._build / SEGMENTS).mkdir(parents=True)
        infos = [info for place in range(len(view.segments)) if (info := self._segment(view, place, changes[place]))]
        copy = View(self._build, infos)
        try:
            self._write_lexical(copy, sum(info.chunks for info in infos))
            write_references(self._build / SUPERSEDES, copy.find_references())
            entries = sorted((doc_id, key) for _, _, doc_id, key in copy.documents())
        finally:
            copy.close()
        return replace(
            manifest,
            fingerprint=fingerprint(entries),
            documents=len(entries),
            chunks=sum(info.live_chunks for info in infos),
            segments=tuple(infos),
            files={},
            roots={label: path for label, path in manifest.roots.items() if label not in self._roots},
            root_places={label: path for label, path in manifest.root_places.items() if label not in self._roots},
        )

    def _segment(self, view: View, place: int, change: _SegmentChange) -> SegmentInfo | None:
        """Link the segment, or its changed copy, into the build; None when nothing is left of it."""
        import numpy as np

        info, segment, doomed = view.infos[place], view.segments[place], change.doomed
        source, written = segment.folder, info
        if change:
            made = self._changed(view, place, change)
            if made is None:
                return None
            source, written = made.folder, made.info
        living = view.living[place]
        dead = np.zeros(0, dtype=np.int64) if living is None else np.setdiff1d(np.flatnonzero(~living), doomed)
        dead_chunks = int(segment.sizes[dead].sum())
        dead = dead - np.searchsorted(doomed, dead)
        link_tree(source, self._build / SEGMENTS / info.name)
        write_dead(self._build, info.name, dead)
        return replace(written, name=info.name, dead_documents=len(dead), dead_chunks=dead_chunks)

    def _changed(self, view: View, place: int, change: _SegmentChange) -> Rewritten | None:
        """The segment as changed, written once for all versions that share it; None when nothing is left of it."""
        segment = view.segments[place]
        status = (segment.folder / "records.sqlite").stat()
        key = (status.st_dev, status.st_ino)
        if key not in self._rewritten:
            gone = set(change.doomed.tolist())
            rows = [row for row in range(segment.document_count) if row not in gone]
            self._rewritten[key] = self._write_segment(view, place, rows, change) if rows else None
        return self._rewritten[key]

    def _write_segment(self, view: View, place: int, rows: Sequence[int], change: _SegmentChange) -> Rewritten:
        segment = view.segments[place]
        folder = self._aside / f"{len(self._rewritten):06d}"
        total = sum(len(segment.chunk_rows(row)) for row in rows)
        writer = SegmentWriter(folder, total, segment.embeddings.shape[1])
        try:
            copy_documents(segment, rows, writer, change.copies)
            writer.finish()
        except BaseException:
            writer.abandon()
            raise
        info = build_graph(folder, self._config, Clock().stage, _silent, marker=graph_marker(self._folder))
        return Rewritten(folder, info)

    def _write_lexical(self, copy: View, expected: int) -> None:
        lexical = LexicalWriter(self._build / LEXICAL, expected)
        for place, row, _, _ in copy.documents():
            segment = copy.segments[place]
            metadata = segment.head(row).metadata
            for chunk in lexical_chunks(int(segment.numbers[row]), segment.chunks(row), metadata):
                lexical.add(chunk)
        lexical.finish()

    # ------------------------------------------------------------ taking the place

    def _replace(self, version: str, manifest: Manifest) -> str:
        trash = self._folder / TRASH
        trash.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(trash / version, ignore_errors=True)
        old = self._folder / VERSIONS / version
        if version == read_current(self._folder):
            name = f"v{number(version_names(self._folder)[-1]) + 1:06d}"
            created = datetime.now(UTC).isoformat(timespec="seconds")
            seal(self._build, self._folder, replace(manifest, version=name, created=created), None)
            set_current(self._folder, name)
            old.rename(trash / version)
        else:
            name = version
            old.rename(trash / version)
            seal(self._build, self._folder, manifest, None)
        sync_folder(self._folder / VERSIONS)
        shutil.rmtree(trash / version, ignore_errors=True)
        return name


def _silent(stage: str, done: int, total: int) -> None:
    """No progress."""


@dataclass(frozen=True, slots=True)
class _SegmentChange:
    """What becomes of a segment: rows of documents that go, and at others the copies that are named from now on."""

    doomed: NDArray[np.int64]
    copies: Mapping[int, tuple[str, ...]]

    def __bool__(self) -> bool:
        return bool(len(self.doomed) or self.copies)


def _change(segment: Segment, wanted: IsMeant) -> _SegmentChange:
    import numpy as np

    doomed: list[int] = []
    copies: dict[int, tuple[str, ...]] = {}
    for row, doc_id, source, names in segment.names():
        if wanted(doc_id, source):
            doomed.append(row)
        elif any(wanted(name, name) for name in names):
            copies[row] = tuple(name for name in names if not wanted(name, name))
    return _SegmentChange(np.asarray(doomed, dtype=np.int64), copies)


def matching(folder: Path, wanted: IsMeant) -> Iterable[tuple[View, int, int]]:
    """Every (view, segment, row) of a wanted document in any version, dead or alive; the view is closed afterwards."""
    for version in version_names(folder):
        path = folder / VERSIONS / version
        view = View.of(path, read_manifest(path))
        try:
            for place, segment in enumerate(view.segments):
                for row in _change(segment, wanted).doomed.tolist():
                    yield view, place, row
        finally:
            view.close()
