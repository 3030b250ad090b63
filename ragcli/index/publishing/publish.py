"""Publishing: the staged documents become the next immutable version.

Everything is built aside in ``staging/build``; what did not change is linked from the version before. Then, in this
order: sync every file, write the manifest and sync it, rename the folder into ``versions/``, sync that, replace
``CURRENT``. A crash before the last step leaves the old version serving, one after it the new one.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.errors import StoreError
from ragcli.index.compatibility import settings_hash, why_rebuilt
from ragcli.index.dense.graph_build import build_graph, graph_notices, overall_recall
from ragcli.index.dense.graph_probe import graph_marker
from ragcli.index.durable import link_tree
from ragcli.index.engine import LEXICAL
from ragcli.index.lexical import analysis
from ragcli.index.lexical.writing import LexicalWriter
from ragcli.index.manifest import FORMAT, Manifest, SegmentInfo, library_versions, package_version
from ragcli.index.publishing.build import SegmentBuilder
from ragcli.index.publishing.change import Change, compare, dead_rows, steps
from ragcli.index.segments.supersedes import NAME as SUPERSEDES
from ragcli.index.segments.supersedes import write_references
from ragcli.index.segments.view import SEGMENTS, View, write_dead
from ragcli.index.staged.database import store_errors
from ragcli.index.staged.staging import Staging, check_chunked, fingerprint
from ragcli.index.versions import (
    VERSIONS,
    number,
    parent_manifest,
    prune,
    read_current,
    seal,
    set_current,
    version_names,
)
from ragcli.interfaces import EmbedChunks, Progress
from ragcli.records import EmbedderInfo, Entry, PublishResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Publication:
    """One publish, from comparing to pointing at the new version. Only the holder of the lock makes one."""

    def __init__(
        self,
        folder: Path,
        staging: Staging,
        *,
        embedder: EmbedderInfo,
        vectors: EmbedChunks,
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
        same = parent is not None and parent.settings_hash == settings_hash(embedder, config)
        stored = None if parent is None else parent.embedder
        self._rebuilt = why_rebuilt(self._current, stored, embedder, same=same, rebuild=rebuild)
        self._parent = None if self._rebuilt else parent

    def run(self) -> PublishResult:
        """Publish. Raises StoreError when documents wait to be chunked, or when the disk is full."""
        check_chunked(self._staging.unchunked())
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
        if self._parent is not None and not change and not self._moved(self._parent):
            return self._unchanged(self._parent, len(entries))
        manifest = self._write(view, change, entries)
        with self._clock.stage("seal"):
            seal(self._build, self._folder, manifest, self._parent)
            set_current(self._folder, manifest.version)
            prune(self._folder, self._config.index.keep_versions)
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
            notices=graph_notices(manifest, self._config),
        )

    def _moved(self, parent: Manifest) -> bool:
        """Whether the version before looks for the roots where they are no longer."""
        roots = {root.label: str(root.path) for root in self._staging.roots()}
        return (dict(parent.roots), dict(parent.root_places)) != (roots, self._staging.places())

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
        dead = dead_rows(view, change)
        infos: list[SegmentInfo] = []
        for step in steps(view, dead, change):
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
            infos.append(
                build_graph(
                    builder.folder,
                    self._config.index,
                    self._clock.stage,
                    self._progress,
                    marker=graph_marker(self._folder),
                )
            )
            next_segment += 1
        with self._clock.stage("lexical"):
            lexical.finish()
        return self._manifest(view, infos, entries, next_number, next_segment)

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
            fingerprint=fingerprint((entry.doc_id, entry.entry_key) for entry in entries.values()),
            documents=len(entries),
            chunks=sum(info.live_chunks for info in infos),
            embedder=self._embedder,
            analyser=analysis.VERSION,
            languages=tuple(languages),
            hnsw_m=index.hnsw_m,
            hnsw_ef_construction=index.hnsw_ef_construction,
            recall_at_10=overall_recall(infos),
            segments=tuple(infos),
            next_number=number_,
            next_segment=segment,
            roots={root.label: str(root.path) for root in self._staging.roots()},
            root_places=self._staging.places(),
        )

    def _next_version(self) -> str:
        taken = [number(name) for name in (*version_names(self._folder), *filter(None, [self._current]))]
        return f"v{max(taken, default=0) + 1:06d}"


def _readable(folder: Path) -> bool:
    """Whether ``CURRENT`` can be read; a publish mends one that cannot."""
    try:
        read_current(folder)
    except StoreError:
        return False
    return True


# Seconds by stage of a publish.


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
