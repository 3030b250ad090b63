"""Publishes the staged documents as the next version.

What is new is written first, in batches that are kept whatever happens: no reader sees a content without a place, and a
publish that was killed finds them again. Then one transaction gives every document its place and points at the version.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ragcli.config import Config
from ragcli.errors import StoreError
from ragcli.index.compatibility import why_rebuilt
from ragcli.index.lexical import analysis
from ragcli.index.manifest import package_version
from ragcli.index.postgres import graph, versions
from ragcli.index.postgres.contents import ContentWriter, Indexed, build_key
from ragcli.index.postgres.database import Database, as_key, as_name
from ragcli.index.postgres.schema import ENDLESS
from ragcli.index.postgres.staging import Staging
from ragcli.index.postgres.versions import AT, Published, StoredManifest
from ragcli.index.staged.staging import check_chunked
from ragcli.interfaces import EmbedChunks, Progress
from ragcli.records import EmbedderInfo, Entry, PublishResult


@dataclass(frozen=True, slots=True)
class _Changes:
    """How the staged documents differ from a version."""

    added: int
    changed: int
    removed: int

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(slots=True)
class Publication:
    """One publish. Only the holder of the lock makes one."""

    database: Database
    staging: Staging
    embedder: EmbedderInfo
    vectors: EmbedChunks
    config: Config
    rebuild: bool = False
    progress: Progress | None = None
    _seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> PublishResult:
        """Publish. Raises StoreError when documents wait to be chunked."""
        check_chunked(self.staging.unchunked())
        parent = versions.current(self.database)
        name = None if parent is None else parent.name
        stored = None if parent is None else parent.manifest.embedder
        same = parent is not None and parent.manifest.build.startswith(build_key(self.embedder))
        rebuilt = why_rebuilt(name, stored, self.embedder, same=same, rebuild=self.rebuild)
        entries = self.staging.entries()
        with self._stage("compare"):
            change = self._compare(entries, parent)
        roots = {root.label: str(root.path) for root in self.staging.roots()}
        if parent is not None and not rebuilt and not change and parent.manifest.roots == roots:
            return self._result(parent, None, change, 0, "")
        number = max((version.number for version in versions.every(self.database)), default=0) + 1
        build = self._build(parent, rebuilt, number)
        new_chunks = self._write(entries, build)
        published = self._place(number, build, entries, roots)
        with self._stage("seal"):
            versions.prune(self.database, self.config.index.keep_versions)
        return self._result(published, published.name, change, new_chunks, rebuilt if parent is not None else "")

    def _build(self, parent: Published | None, rebuilt: str, number: int) -> str:
        """The key of this version's contents; one of its own when nothing may be used again."""
        if parent is not None and not rebuilt:
            return parent.manifest.build
        return f"{build_key(self.embedder)}.{number}" if self.rebuild else build_key(self.embedder)

    def _compare(self, entries: Mapping[str, Entry], parent: Published | None) -> _Changes:
        before: dict[str, str] = {}
        if parent is not None:
            rows = self.database.rows(
                f"SELECT p.doc_id, entry_key FROM places p JOIN contents USING (content) WHERE {AT}",
                {"version": parent.number},
            )
            before = {as_name(doc_id): str(key) for doc_id, key in rows}
        changed = sum(before.get(doc_id, entry.entry_key) != entry.entry_key for doc_id, entry in entries.items())
        return _Changes(len(entries.keys() - before.keys()), changed, len(before.keys() - entries.keys()))

    def _write(self, entries: Mapping[str, Entry], build: str) -> int:
        """Write the contents that are missing; how many chunks they have."""
        known = {str(key) for (key,) in self.database.rows("SELECT entry_key FROM contents WHERE build = %s", (build,))}
        missing = [entry for entry in entries.values() if entry.entry_key not in known]
        total = sum(entry.chunk_count for entry in missing)
        writer = ContentWriter(self.database, build, self.embedder.dimension, self.vectors)
        written = 0

        def done(chunks: int) -> None:
            nonlocal written
            written += chunks
            if self.progress is not None:
                self.progress("index", written, total)

        items = (
            Indexed(entry, self.staging.document(entry.doc_id), tuple(self.staging.chunks(entry.doc_id)))
            for entry in missing
        )
        with self._stage("write"):
            writer.write(items, done)
        return total

    def _place(self, number: int, build: str, entries: Mapping[str, Entry], roots: Mapping[str, str]) -> Published:
        keys = [entry.entry_key for entry in entries.values()]
        values = {"build": build, "keys": keys, "number": number, "endless": ENDLESS}
        ours = "SELECT content FROM contents WHERE build = %(build)s AND entry_key = ANY(%(keys)s)"
        with self._stage("graph"):
            graph.make(self.database, self.embedder.dimension, self.config.index)
        with self._stage("seal"), self.database.transaction():
            self.database.run(
                f"UPDATE places SET died = %(number)s WHERE died = %(endless)s AND content NOT IN ({ours})", values
            )
            self.database.run(
                "INSERT INTO places SELECT doc_id, content, %(number)s, %(endless)s FROM contents c "
                f"WHERE content IN ({ours}) AND NOT EXISTS "
                "(SELECT 1 FROM places p WHERE p.content = c.content AND died = %(endless)s)",
                values,
            )
            fingerprint, documents, chunks = versions.summary(self.database, number)
            if documents != len(entries):
                raise StoreError(
                    f"{self.database.location}: {documents} of {len(entries)} documents are in place",
                    hint="rag index --rebuild; the last published version still serves",
                )
            recall = graph.recall(self.database, number, chunks)
            published = Published(
                number,
                datetime.now(UTC).isoformat(timespec="seconds"),
                fingerprint,
                documents,
                chunks,
                recall,
                True,
                self._manifest(build, number, roots),
            )
            versions.add(self.database, published)
        return published

    def _manifest(self, build: str, number: int, roots: Mapping[str, str]) -> StoredManifest:
        rows = self.database.rows(
            f"SELECT DISTINCT value FROM attributes JOIN places USING (content) WHERE key = %(key)s AND {AT}",
            {"key": as_key("lang"), "version": number},
        )
        return StoredManifest(
            package_version(),
            self.embedder,
            analysis.VERSION,
            build,
            tuple(sorted({as_name(value) for (value,) in rows} | {"en"})),
            self.config.to_mapping(),
            self.config.hash(),
            roots,
        )

    def _result(
        self, at: Published, version: str | None, change: _Changes, new_chunks: int, rebuilt: str
    ) -> PublishResult:
        return PublishResult(
            version=version,
            documents=at.documents,
            chunks=at.chunks,
            added=change.added,
            changed=change.changed,
            removed=change.removed,
            new_chunks=new_chunks,
            recall_at_10=at.recall,
            seconds=self._seconds,
            rebuilt=rebuilt,
        )

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - started
