"""Staged documents to staged chunks: what is new or changed is cut, the rest is left as it is."""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragcli.chunk.chunker import VERSION, chunk_document
from ragcli.chunk.context import PROMPT_VERSION, room_for
from ragcli.chunk.lint import LintReport, report
from ragcli.chunk.plan import ContextPlan
from ragcli.chunk.statistics import ChunkStatistics, statistics
from ragcli.chunk.tokens import SPECIAL_TOKENS
from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.interfaces import Embedder, Progress, StoreWriter, TextModel, Tokenizer
from ragcli.pipelines.building.contexts import Contexts, PlannedModel
from ragcli.pipelines.building.index import CachedVectors
from ragcli.records import Chunk, Document, Usage

_BATCH_SECONDS = 2.0
_BATCH_CHUNKS = 2000


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What a chunking did.

    ``rechunked`` documents were cut now, of ``documents`` in all, which have ``chunks`` in all; ``empty`` names those
    that have no text to cut. ``truncated`` counts chunks that exceed the model's window: always 0, and counted to
    prove it. With ``all_statistics``, ``statistics`` and ``lint`` are over every chunk; without, the statistics are of
    those made now and nothing is linted. ``usage`` is what a language model used for contexts.
    """

    documents: int
    chunks: int
    rechunked: int
    truncated: int
    empty: tuple[str, ...]
    statistics: ChunkStatistics
    seconds: float
    lint: LintReport
    usage: Usage


def chunk(
    *,
    config: Config,
    writer: StoreWriter,
    embedder: Embedder,
    tokenizer: Tokenizer | None = None,
    model: TextModel | None = None,
    all_statistics: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> ChunkResult:
    """Cut every staged document whose content, settings or models changed since it was cut (``force``: every one).

    Sizes are those of the embedder's own tokenizer and window; its weights are loaded by the semantic strategy alone.
    ``model`` writes the texts of ``chunk.context``; ConfigError when they are wanted and it is None. ModelError as it
    raises: documents finished before stay staged, and replies received are cached.
    """
    started = time.monotonic()
    run = _Chunking(config, writer, embedder, tokenizer or embedder.tokenizer, model, progress)
    todo = run.waiting(force)
    measured = statistics(run.cut(todo))
    linted = LintReport()
    entries = writer.staging.entries()
    if all_statistics:
        measured = statistics(run.stored(sorted(entries)))
        linted = report(run.stored(sorted(entries)))
    return ChunkResult(
        documents=len(entries),
        chunks=sum(entry.chunk_count for entry in entries.values()),
        rechunked=len(todo),
        truncated=run.truncated,
        empty=tuple(doc_id for doc_id, entry in entries.items() if not entry.chunk_count),
        statistics=measured,
        seconds=time.monotonic() - started,
        lint=linted,
        usage=run.contexts.usage if run.contexts else Usage(),
    )


def plan_contexts(
    *, config: Config, writer: StoreWriter, embedder: Embedder, model_name: str, force: bool = False
) -> ContextPlan | None:
    """What ``chunk`` would ask of the model of that name, without a connection; None when ``chunk.context`` is off."""
    run = _Chunking(config, writer, embedder, embedder.tokenizer, PlannedModel(model_name), None)
    if run.contexts is None:
        return None
    staged = (writer.staging.document(doc_id) for doc_id, _ in run.waiting(force))
    return run.contexts.plan((document, run.cut_document(document)) for document in staged)


def chunk_staged(document: Document, *, config: Config, embedder: Embedder) -> tuple[Chunk, ...]:
    """One document cut as ``chunk`` would cut it, contexts aside: for looking at it."""
    return _cut(document, config, embedder, embedder.tokenizer, embedder.passages)


class _Chunking:
    """One chunking: the settings and collaborators that every step needs."""

    def __init__(
        self,
        config: Config,
        writer: StoreWriter,
        embedder: Embedder,
        tokenizer: Tokenizer,
        model: TextModel | None,
        progress: Progress | None,
    ) -> None:
        self._config = config
        self._staging = writer.staging
        self._embedder = embedder
        self._vectors = CachedVectors(embedder, writer.caches.vectors).of_texts
        self._tokenizer = tokenizer
        self._progress = progress
        self.contexts = _contexts(config, writer, embedder, tokenizer, model)
        self.chunk_key = _chunk_key(config, embedder, model)
        self._inside = _window(embedder, tokenizer) - SPECIAL_TOKENS
        self.truncated = 0

    def waiting(self, force: bool) -> list[tuple[str, str]]:
        """Id and key of every document to cut, sorted by id."""
        known = {} if force else self._staging.chunk_keys()
        keys = self._staging.document_keys()
        return [(doc_id, key) for doc_id, key in sorted(keys.items()) if known.get(doc_id) != (key, self.chunk_key)]

    def cut(self, todo: Sequence[tuple[str, str]]) -> Iterator[Chunk]:
        """The chunks of the documents, staged in batches so that an interrupted run loses seconds, not hours."""
        done = 0
        while done < len(todo):
            batch = self._cut_batch(todo[done:])
            cut = [chunks for _, chunks in batch]
            if self.contexts is not None:
                cut = self.contexts.added(batch, self._progress)
            with self._staging.transaction():
                for (doc_id, document_key), chunks in zip(todo[done : done + len(batch)], cut, strict=True):
                    self._staging.put_chunks(doc_id, document_key, self.chunk_key, chunks)
                    self.truncated += sum(each.indexed_tokens > self._inside for each in chunks)
            done += len(batch)
            yield from (each for chunks in cut for each in chunks)
            if self._progress:
                self._progress("chunk", done, len(todo))

    def stored(self, doc_ids: Sequence[str]) -> Iterator[Chunk]:
        """The staged chunks of the documents."""
        for doc_id in doc_ids:
            yield from self._staging.chunks(doc_id)

    def cut_document(self, document: Document) -> tuple[Chunk, ...]:
        """The document's chunks, without contexts."""
        return _cut(document, self._config, self._embedder, self._tokenizer, self._vectors)

    def _cut_batch(self, todo: Sequence[tuple[str, str]]) -> list[tuple[Document, tuple[Chunk, ...]]]:
        started, made = time.monotonic(), 0
        batch: list[tuple[Document, tuple[Chunk, ...]]] = []
        for doc_id, _ in todo:
            document = self._staging.document(doc_id)
            batch.append((document, self.cut_document(document)))
            made += len(batch[-1][1])
            if made >= _BATCH_CHUNKS or (self.contexts is None and time.monotonic() - started > _BATCH_SECONDS):
                break
        return batch


def _cut(
    document: Document,
    config: Config,
    embedder: Embedder,
    tokenizer: Tokenizer,
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
) -> tuple[Chunk, ...]:
    def similarity(texts: Sequence[str]) -> list[float]:
        vectors = embed(texts)
        return [float(value) for value in (vectors[:-1] * vectors[1:]).sum(axis=1)]

    window = _window(embedder, tokenizer)
    return chunk_document(document, tokenizer=tokenizer, config=config.chunk, window=window, similarity=similarity)


def _window(embedder: Embedder, tokenizer: Tokenizer) -> int:
    """Tokens of the window that the model's own passage prefix leaves."""
    prefix = embedder.info.passage_prefix
    return embedder.info.window - (tokenizer.count(prefix) if prefix else 0)


def _contexts(
    config: Config, writer: StoreWriter, embedder: Embedder, tokenizer: Tokenizer, model: TextModel | None
) -> Contexts | None:
    kind = config.chunk.context
    if kind == "off":
        return None
    if model is None:
        raise ConfigError(
            f"chunk.context is {kind!r}, which needs a language model, and none is set up",
            hint="set ANTHROPIC_API_KEY, or chunk.context: off",
        )
    budget = room_for(kind, _window(embedder, tokenizer) - SPECIAL_TOKENS)
    return Contexts(model, kind, writer.caches.contexts, tokenizer=tokenizer, budget=budget)


def _chunk_key(config: Config, embedder: Embedder, model: TextModel | None) -> str:
    """Hash of everything besides the document that decides its chunks."""
    info = embedder.info
    chunk = dataclasses.replace(config.chunk, context_batch=False)  # how it is asked does not change what is asked
    settings = dataclasses.replace(config, chunk=chunk).hash("chunk")
    parts = [VERSION, settings, info.model, info.revision, str(info.window), info.passage_prefix]
    if config.chunk.context != "off" and model is not None:
        parts += [model.name, PROMPT_VERSION]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
