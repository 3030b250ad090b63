"""Publishing: the staged documents become the next immutable version.

Everything is built aside in ``staging/build``; what did not change is linked from the version before. Then, in this
order: sync every file, write the manifest and sync it, rename the folder into ``versions/``, sync that, replace
``CURRENT``. A crash before the last step leaves the old version serving, one after it the new one.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.errors import StoreError
from ragcli.index import analysis
from ragcli.index.build import SegmentBuilder
from ragcli.index.compaction import Step, plan
from ragcli.index.database import store_errors
from ragcli.index.dense import GraphSettings
from ragcli.index.durable import link_tree, sync_file, sync_folder, sync_tree
from ragcli.index.engine import LEXICAL
from ragcli.index.lexical import LexicalWriter
from ragcli.index.manifest import (
    FORMAT,
    FileInfo,
    Manifest,
    SegmentInfo,
    hash_file,
    library_versions,
    package_version,
    write_manifest,
)
from ragcli.index.manifest import NAME as MANIFEST
from ragcli.index.staging import Entry, Staging
from ragcli.index.supersedes import NAME as SUPERSEDES
from ragcli.index.supersedes import write_references
from ragcli.index.versions import (
    VERSIONS,
    number,
    parent_manifest,
    prune,
    read_current,
    set_current,
    version_names,
)
from ragcli.index.view import SEGMENTS, View, write_dead
from ragcli.interfaces import Progress
from ragcli.records import Chunk, EmbedderInfo, PublishResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors = Callable[[list[Chunk]], "NDArray[np.float32]"]


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between the staged documents and the version before.

    ``gone`` are the (segment, row) of documents there that are removed or replaced, ``incoming`` those to write.
    """

    incoming: tuple[Entry, ...]
    gone: tuple[tuple[int, int], ...]
    added: int
    changed: int
    removed: int

    def __bool__(self) -> bool:
        return bool(self.incoming or self.gone)


@dataclass(slots=True)
class Clock:
    """Seconds by stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


class Publication:
    """One publish, from comparing to pointing at the new version. Only the holder of the lock makes one."""

    def __init__(
        self,
        folder: Path,
        staging: Staging,
        *,
        embedder: EmbedderInfo,
        vectors: Vectors,
        config: Config,
        rebuild: bool,
        progress: Progress | None,
    ) -> None:
        self._folder = folder
        self._staging = staging
        self._embedder = embedder
        self._vectors = vectors
        self._config = config
        self._progress = progress or (lambda stage, done, total: None)
        self._clock = Clock()
        self._build = folder / "staging" / "build"
        self._current = read_current(folder) if _readable(folder) else None
        parent = parent_manifest(folder, self._current)
        self._rebuilt = _why_rebuilt(parent, self._current, embedder, config, rebuild)
        self._parent = None if self._rebuilt else parent

    def run(self) -> PublishResult:
        """Publish. Raises StoreError when documents wait to be chunked, or when the disk is full."""
        waiting = self._staging.unchunked()
        if waiting:
            raise StoreError(
                f"{len(waiting)} documents have no chunks yet, the first is {waiting[0]}",
                hint="rag chunk",
                category="index_incompatible",
            )
        with store_errors(self._folder, "the last published version still serves"):
            view = self._parent_view()
            try:
                return self._publish(view)
            finally:
                if view is not None:
                    view.close()
                shutil.rmtree(self._build, ignore_errors=True)

    def _parent_view(self) -> View | None:
        if self._parent is None:
            return None
        try:
            return View.of(self._folder / VERSIONS / self._parent.version, self._parent)
        except StoreError as error:
            self._rebuilt, self._parent = f"{self._parent.version} is damaged: {error.message}", None
            return None

    def _publish(self, view: View | None) -> PublishResult:
        entries = self._staging.entries()
        with self._clock.stage("compare"):
            change = compare(entries, view)
        if self._parent is not None and not change:
            return self._unchanged(self._parent, len(entries))
        manifest = self._write(view, change, entries)
        with self._clock.stage("seal"):
            self._seal(manifest)
            prune(self._folder, self._config.index.keep_versions, self._folder / "staging" / "trash")
        return PublishResult(
            version=manifest.version,
            documents=manifest.documents,
            chunks=manifest.chunks,
            added=change.added,
            changed=change.changed,
            removed=change.removed,
            new_chunks=sum(entry.chunk_count for entry in change.incoming),
            recall_at_10=manifest.recall_at_10,
            seconds=self._clock.seconds,
            rebuilt=self._rebuilt if self._current is not None else "",
            notices=_notices(manifest, self._config),
        )

    def _unchanged(self, parent: Manifest, documents: int) -> PublishResult:
        return PublishResult(
            version=None,
            documents=documents,
            chunks=parent.chunks,
            added=0,
            changed=0,
            removed=0,
            new_chunks=0,
            recall_at_10=parent.recall_at_10,
            seconds=self._clock.seconds,
        )

    # ------------------------------------------------------------ building aside

    def _write(self, view: View | None, change: Change, entries: Mapping[str, Entry]) -> Manifest:
        shutil.rmtree(self._build, ignore_errors=True)
        (self._build / SEGMENTS).mkdir(parents=True)
        next_number = self._parent.next_number if self._parent else 1
        next_segment = self._parent.next_segment if self._parent else 1
        lexical = self._open_lexical(view, change)
        dead = _dead_rows(view, change)
        infos: list[SegmentInfo] = []
        for step in _steps(view, dead, change):
            if step.linked and view is not None:
                infos.append(self._link(view, step.sources[0], dead[step.sources[0]]))
                continue
            builder = SegmentBuilder(
                self._build / SEGMENTS / f"{next_segment:06d}",
                staging=self._staging,
                vectors=self._vectors,
                dimension=self._embedder.dimension,
                clock=self._clock.stage,
                progress=self._progress,
            )
            for source in step.sources:
                assert view is not None
                builder.plan_copy(view.segments[source], dead[source])
            incoming = change.incoming if step.new else ()
            next_number = builder.write(incoming, next_number, lexical)
            infos.append(builder.build_graph(self._graph_settings(), self._config.index))
            next_segment += 1
        with self._clock.stage("lexical"):
            lexical.finish()
        return self._manifest(view, infos, entries, next_number, next_segment)

    def _graph_settings(self) -> GraphSettings:
        return GraphSettings(self._config.index.hnsw_m, self._config.index.hnsw_ef_construction)

    def _open_lexical(self, view: View | None, change: Change) -> LexicalWriter:
        with self._clock.stage("lexical"):
            if view is not None:
                link_tree(view.folder / LEXICAL, self._build / LEXICAL)
            gone = (
                [
                    int(view.segments[segment].numbers[row]) + offset
                    for segment, row in change.gone
                    for offset in range(len(view.segments[segment].chunk_rows(row)))
                ]
                if view is not None
                else []
            )
            expected = len(gone) + sum(entry.chunk_count for entry in change.incoming)
            writer = LexicalWriter(self._build / LEXICAL, expected)
            writer.delete(gone)
        return writer

    def _link(self, view: View, place: int, dead: NDArray[np.int64]) -> SegmentInfo:
        info, segment = view.infos[place], view.segments[place]
        link_tree(segment.folder, self._build / SEGMENTS / info.name)
        write_dead(self._build, info.name, dead)
        dead_chunks = int(segment.sizes[dead].sum()) if len(dead) else 0
        return replace(info, dead_documents=len(dead), dead_chunks=dead_chunks)

    def _manifest(
        self, view: View | None, infos: Sequence[SegmentInfo], entries: Mapping[str, Entry], number_: int, segment: int
    ) -> Manifest:
        built = View(self._build, infos)
        try:
            write_references(self._build / SUPERSEDES, built.find_references())
            languages = sorted({value for part in built.segments for value in part.values("lang")} | {"en"})
        finally:
            built.close()
        index = self._config.index
        return Manifest(
            format=FORMAT,
            version=self._next_version(),
            parent=self._current,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            package=package_version(),
            libraries=library_versions(),
            config=self._config.to_mapping(),
            config_hash=self._config.hash(),
            settings_hash=settings_hash(self._embedder, self._config),
            fingerprint=self._staging.fingerprint(entries.values()),
            documents=len(entries),
            chunks=sum(info.live_chunks for info in infos),
            embedder=self._embedder,
            analyser=analysis.VERSION,
            languages=tuple(languages),
            hnsw_m=index.hnsw_m,
            hnsw_ef_construction=index.hnsw_ef_construction,
            recall_at_10=_overall_recall(infos),
            segments=tuple(infos),
            next_number=number_,
            next_segment=segment,
        )

    def _next_version(self) -> str:
        taken = [number(name) for name in (*version_names(self._folder), *filter(None, [self._current]))]
        return f"v{max(taken, default=0) + 1:06d}"

    # ------------------------------------------------------------ sealing

    def _seal(self, manifest: Manifest) -> None:
        known = self._parent.files if self._parent else {}
        parent = self._folder / VERSIONS / self._parent.version if self._parent else None
        files = hash_tree(self._build, known, parent)
        sync_tree(self._build)
        write_manifest(self._build, replace(manifest, files=files))
        sync_file(self._build / MANIFEST)
        sync_folder(self._build)
        target = self._folder / VERSIONS / manifest.version
        target.parent.mkdir(exist_ok=True)
        self._build.rename(target)
        sync_folder(target.parent)
        sync_folder(self._folder)
        set_current(self._folder, manifest.version)


def compare(entries: Mapping[str, Entry], view: View | None) -> Change:
    """The staged documents against those of a version: what is new, changed and gone."""
    gone: list[tuple[int, int]] = []
    same: set[str] = set()
    changed = removed = 0
    for segment, row, doc_id, entry_key in view.documents() if view is not None else ():
        entry = entries.get(doc_id)
        if entry is not None and entry.entry_key == entry_key:
            same.add(doc_id)
            continue
        gone.append((segment, row))
        changed += entry is not None
        removed += entry is None
    incoming = tuple(entry for doc_id, entry in entries.items() if doc_id not in same)
    return Change(incoming, tuple(gone), added=len(incoming) - changed, changed=changed, removed=removed)


def settings_hash(embedder: EmbedderInfo, config: Config) -> str:
    """Hash of what shapes the files of a version: under another one nothing of the version before can be used."""
    import hashlib
    import json

    index = config.index
    shaping = [
        FORMAT,
        analysis.VERSION,
        embedder.model,
        embedder.revision,
        embedder.dimension,
        embedder.window,
        embedder.passage_prefix,
        index.hnsw_m,
        index.hnsw_ef_construction,
    ]
    return hashlib.sha256(json.dumps(shaping).encode()).hexdigest()[:16]


def hash_tree(folder: Path, known: Mapping[str, FileInfo], parent: Path | None) -> dict[str, FileInfo]:
    """Hashes of all files below ``folder``; a file that is the parent's own (the same inode) keeps its known hash."""
    found: dict[str, FileInfo] = {}
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        name = path.relative_to(folder).as_posix()
        if parent is not None and name in known and _same_file(path, parent / name):
            found[name] = known[name]
        else:
            found[name] = hash_file(path)
    return found


def _same_file(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return False


def _readable(folder: Path) -> bool:
    """Whether ``CURRENT`` can be read; a publish mends one that cannot."""
    try:
        read_current(folder)
    except StoreError:
        return False
    return True


def _why_rebuilt(
    parent: Manifest | None, current: str | None, embedder: EmbedderInfo, config: Config, rebuild: bool
) -> str:
    """Why the version before is not built upon; empty when it is."""
    if rebuild:
        return "asked for"
    if current is None:
        return "first version"
    if parent is None:
        return f"{current} is missing, damaged or of another format"
    if parent.embedder.model != embedder.model or parent.embedder.dimension != embedder.dimension:
        return (
            f"embedding model was {parent.embedder.model} ({parent.embedder.dimension} dimensions), "
            f"is {embedder.model} ({embedder.dimension})"
        )
    return "" if parent.settings_hash == settings_hash(embedder, config) else "settings of the index changed"


def _dead_rows(view: View | None, change: Change) -> list[NDArray[np.int64]]:
    """Per segment of the version before: rows of documents that are not part of the next one."""
    import numpy as np

    if view is None:
        return []
    dead = []
    for place, living in enumerate(view.living):
        before = np.zeros(0, dtype=np.int64) if living is None else np.flatnonzero(~living)
        gone = np.asarray([row for segment, row in change.gone if segment == place], dtype=np.int64)
        dead.append(np.union1d(before, gone).astype(np.int64))
    return dead


def _steps(view: View | None, dead: Sequence[NDArray[np.int64]], change: Change) -> list[Step]:
    total = [segment.chunk_count for segment in view.segments] if view else []
    living = [
        segment.chunk_count - int(segment.sizes[rows].sum())
        for segment, rows in zip(view.segments if view else (), dead, strict=True)
    ]
    empty = [
        segment.document_count == len(rows) for segment, rows in zip(view.segments if view else (), dead, strict=True)
    ]
    # A document without chunks still counts: a segment goes only when no document of it lives.
    living = [count or (0 if gone else 1) for count, gone in zip(living, empty, strict=True)]
    new = sum(entry.chunk_count for entry in change.incoming)
    return plan(living, total, new or len(change.incoming))


def _overall_recall(infos: Sequence[SegmentInfo]) -> float | None:
    """Recall@10 over all segments, each weighing as many chunks as live in it."""
    measured = [(info.recall_at_10, info.live_chunks) for info in infos if info.recall_at_10 is not None]
    total = sum(count for _, count in measured)
    return round(sum(recall * count for recall, count in measured) / total, 6) if total else None


def _notices(manifest: Manifest, config: Config) -> tuple[str, ...]:
    found = []
    for info in manifest.segments:
        if info.ef > config.index.hnsw_ef:
            found.append(
                f"segment {info.name}: ef raised from {config.index.hnsw_ef} to {info.ef} "
                f"to reach recall@10 {info.recall_at_10:.3f} (index.min_recall {config.index.min_recall})"
            )
    return tuple(found)
