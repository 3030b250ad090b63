"""Staged documents to staged chunks: what is new or changed is cut, the rest is left as it is."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.chunk.chunker import VERSION, chunk_document
from ragcli.chunk.statistics import ChunkStatistics, statistics
from ragcli.chunk.tokens import SPECIAL_TOKENS
from ragcli.config import Config
from ragcli.interfaces import Embedder, Progress, Tokenizer
from ragcli.records import Chunk

if TYPE_CHECKING:
    from ragcli.index.staging import Staging
    from ragcli.index.writer import Writer

_BATCH_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What a chunking did.

    ``rechunked`` documents were cut now, of ``documents`` in all, which have ``chunks`` in all; ``empty`` names those
    that have no text to cut. ``truncated`` counts chunks that exceed the model's window: always 0, and counted to
    prove it. ``statistics`` is over every chunk when all were asked for, else over those made now.
    """

    documents: int
    chunks: int
    rechunked: int
    truncated: int
    empty: tuple[str, ...]
    statistics: ChunkStatistics
    seconds: float


def chunk(
    *,
    config: Config,
    writer: Writer,
    embedder: Embedder,
    tokenizer: Tokenizer | None = None,
    all_statistics: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> ChunkResult:
    """Cut every staged document whose content, settings or model changed since it was cut (``force``: every one).

    Sizes are those of the embedder's own tokenizer and window; its weights are loaded by the semantic strategy alone.
    """
    started = time.monotonic()
    run = _Run(config, writer.staging, embedder, tokenizer or embedder.tokenizer, progress)
    todo = run.waiting(force)
    measured = statistics(run.cut(todo))
    entries = writer.staging.entries()
    if all_statistics:
        measured = statistics(run.stored(sorted(entries)))
    return ChunkResult(
        documents=len(entries),
        chunks=sum(entry.chunk_count for entry in entries.values()),
        rechunked=len(todo),
        truncated=run.truncated,
        empty=tuple(doc_id for doc_id, entry in entries.items() if not entry.chunk_count),
        statistics=measured,
        seconds=time.monotonic() - started,
    )


class _Run:
    """One chunking: the settings and collaborators that every step needs."""

    def __init__(
        self, config: Config, staging: Staging, embedder: Embedder, tokenizer: Tokenizer, progress: Progress | None
    ) -> None:
        info = embedder.info
        self._config = config
        self._embedder = embedder
        self._staging = staging
        self._tokenizer = tokenizer
        self._progress = progress
        self._window = info.window - (tokenizer.count(info.passage_prefix) if info.passage_prefix else 0)
        parts = (VERSION, config.hash("chunk"), info.model, info.revision, str(info.window), info.passage_prefix)
        self.chunk_key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        self.truncated = 0

    def waiting(self, force: bool) -> list[tuple[str, str]]:
        """Id and key of every document to cut, sorted by id."""
        known = {} if force else self._staging.chunk_keys()
        keys = self._staging.document_keys()
        return [(doc_id, key) for doc_id, key in sorted(keys.items()) if known.get(doc_id) != (key, self.chunk_key)]

    def cut(self, todo: list[tuple[str, str]]) -> Iterator[Chunk]:
        """The chunks of the documents, staged in batches so that an interrupted run loses seconds, not hours."""
        done = 0
        while done < len(todo):
            started = time.monotonic()
            with self._staging.transaction():
                while done < len(todo) and time.monotonic() - started < _BATCH_SECONDS:
                    yield from self._cut_one(*todo[done])
                    done += 1
            if self._progress:
                self._progress("chunk", done, len(todo))

    def stored(self, doc_ids: list[str]) -> Iterator[Chunk]:
        """The staged chunks of the documents."""
        for doc_id in doc_ids:
            yield from self._staging.chunks(doc_id)

    def _similarity(self, texts: Sequence[str]) -> list[float]:
        """Cosine of each text with the next one."""
        vectors = self._embedder.passages(texts)
        return [float(value) for value in (vectors[:-1] * vectors[1:]).sum(axis=1)]

    def _cut_one(self, doc_id: str, document_key: str) -> tuple[Chunk, ...]:
        document = self._staging.document(doc_id)
        chunks = chunk_document(
            document,
            tokenizer=self._tokenizer,
            config=self._config.chunk,
            window=self._window,
            similarity=self._similarity,
        )
        lengths = self._tokenizer.count_many([item.indexed_text for item in chunks])
        self.truncated += sum(length > self._window - SPECIAL_TOKENS for length in lengths)
        self._staging.put_chunks(doc_id, document_key, self.chunk_key, chunks)
        return chunks
