"""The index stage: staged chunks → vectors (each text embedded once) → a published version."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragcli.config import Config
from ragcli.interfaces import Embedder, Progress, StoreWriter, VectorCache
from ragcli.pipelines.cache_keys import document_key, vector_key
from ragcli.records import Chunk, EmbedderInfo, PublishResult

_SAVE_EVERY = 256
"""Texts embedded before their vectors are kept: what an interruption can cost."""


@dataclass(frozen=True, slots=True)
class IndexResult:
    """A publish, and how many chunk texts were embedded for it or found already embedded."""

    published: PublishResult
    embedded: int
    reused: int


def build_index(
    *,
    config: Config,
    writer: StoreWriter,
    embedder: Embedder,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> IndexResult:
    """Publish what is staged. Vectors come from the cache where the text was embedded before, unless ``rebuild``.

    Raises StoreError when documents have no chunks yet, ModelError when the model cannot be loaded.
    """
    source = CachedVectors(embedder, writer.caches.vectors, ignore_cache=rebuild, progress=progress)
    published = writer.publish(
        embedder=embedder.info, vectors=source, config=config, rebuild=rebuild, progress=progress
    )
    if published.version is not None and config.index.cache_days:
        trim_caches(writer, embedder.info, config.index.cache_days, datetime.date.today())
    return IndexResult(published, source.embedded, source.reused)


def trim_caches(writer: StoreWriter, info: EmbedderInfo, days: int, today: datetime.date) -> int:
    """Drop cached files and vectors that nothing staged has used for ``days`` days; how many entries went.

    Everything staged is kept, so that a build under other settings finds it. Killed in between, it drops the rest
    another time.
    """
    staging = writer.staging

    def files() -> Iterator[str]:
        for root in staging.roots():
            for state in staging.files(root.root_id):
                yield document_key(state.sha256, state.parse_key.rpartition("-")[0], state.relative)

    def vectors() -> Iterator[bytes]:
        for doc_id in staging.chunk_keys():
            for chunk in staging.chunks(doc_id):
                yield vector_key(info, chunk.indexed_text)

    return writer.caches.documents.trim(days, today, files) + writer.caches.vectors.trim(days, today, vectors)


class CachedVectors:
    """Vectors of chunks, through the cache; new ones are kept every few hundred texts, so that a killed run resumes."""

    def __init__(
        self, embedder: Embedder, cache: VectorCache, *, ignore_cache: bool = False, progress: Progress | None = None
    ) -> None:
        self.embedded = 0
        self.reused = 0
        self._embedder = embedder
        self._cache = cache
        self._ignore_cache = ignore_cache
        self._progress = progress

    def __call__(self, chunks: Sequence[Chunk]) -> NDArray[np.float32]:
        """One row per chunk, in order."""
        return self.of_texts([chunk.indexed_text for chunk in chunks])

    def of_texts(self, passages: Sequence[str]) -> NDArray[np.float32]:
        """One row per text, in order."""
        info = self._embedder.info
        keys = [vector_key(info, text) for text in passages]
        texts = dict(zip(keys, passages, strict=True))
        found = {} if self._ignore_cache else self._cache.get_many(list(texts))
        found = {key: row for key, row in found.items() if len(row) == info.dimension}
        missing = [key for key in texts if key not in found]
        for start in range(0, len(missing), _SAVE_EVERY):
            part = missing[start : start + _SAVE_EVERY]
            rows = self._embedder.passages([texts[key] for key in part])
            self._cache.put_many(part, rows)
            found.update(zip(part, np.asarray(rows, dtype=np.float32), strict=True))
            self.embedded += len(part)
            self._report()
        self.reused += len(keys) - len(missing)
        self._report()
        return np.stack([found[key] for key in keys]) if keys else np.zeros((0, info.dimension), dtype=np.float32)

    def _report(self) -> None:
        if self._progress is not None:
            self._progress("embed", self.embedded + self.reused, 0)
