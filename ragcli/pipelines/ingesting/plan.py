"""What an ingest would take, before it is done: a sample of the files is parsed, cut and embedded, and scaled up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.chunk.context import requests_for
from ragcli.chunk.plan import plan as plan_requests
from ragcli.config import Config
from ragcli.interfaces import Embedder
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile
from ragcli.pipelines.building.chunk import chunk_staged
from ragcli.records import Chunk, Document

SAMPLE_FILES = 24
SAMPLE_BYTES = 20_000_000
_EMBEDDED = 16
_GRAPH_LINK_BYTES = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """Estimates for ``files`` of ``bytes`` in all, from the ``sampled`` ones; exact when all of them were sampled.

    ``seconds`` is for this machine, ``disk_bytes`` what a version and the caches add. ``calls`` and ``dollars`` are of
    the model behind the Messages API that ``chunk.context`` asks for; ``dollars`` is None when it has no list price.
    """

    files: int
    bytes: int
    sampled: int
    pages: int
    chunks: int
    tokens: int
    seconds: float
    disk_bytes: int
    calls: int = 0
    dollars: float | None = 0.0


def plan(files: Sequence[SourceFile], *, config: Config, embedder: Embedder) -> Plan:
    """The plan for parsing, cutting and embedding ``files``. Reads the sample; writes nothing."""
    chosen = sample(files)
    started = time.monotonic()
    parsed = [document for item in parse_files(chosen, config.ingest) for document in item.documents]
    cut = [(document, chunk_staged(document, config=config, embedder=embedder)) for document in parsed]
    parsing = time.monotonic() - started
    chunks = [chunk for _, own in cut for chunk in own]
    per_chunk = _embedding_seconds(chunks, embedder)
    size, read = sum(file.size for file in files), sum(file.size for file in chosen)
    scale = size / read if read else 1.0
    calls, dollars = _calls(cut, config, embedder)
    return Plan(
        files=len(files),
        bytes=size,
        sampled=len(chosen),
        pages=round(scale * sum(document.coverage.pages for document in parsed)),
        chunks=round(scale * len(chunks)),
        tokens=round(scale * sum(chunk.token_count for chunk in chunks)),
        seconds=scale * (parsing + per_chunk * len(chunks)),
        disk_bytes=round(scale * _disk(parsed, chunks, config, embedder)),
        calls=round(scale * calls),
        dollars=None if dollars is None else scale * dollars,
    )


def sample(files: Sequence[SourceFile]) -> list[SourceFile]:
    """At most ``SAMPLE_FILES`` files of every size, evenly from small to large, as far as ``SAMPLE_BYTES`` reach.

    The largest are left out first: one of them could cost more than the plan is worth.
    """
    ordered = sorted(files, key=lambda file: (file.size, file.relative))
    step = max(1, -(-len(ordered) // SAMPLE_FILES))
    chosen: list[SourceFile] = []
    total = 0
    for file in ordered[::step]:
        total += file.size
        if chosen and total > SAMPLE_BYTES:
            break
        chosen.append(file)
    return chosen


def _embedding_seconds(chunks: Sequence[Chunk], embedder: Embedder) -> float:
    """Seconds to embed one chunk here, model loaded."""
    texts = [chunk.indexed_text for chunk in chunks[:: max(1, len(chunks) // _EMBEDDED)][:_EMBEDDED]]
    if not texts:
        return 0.0
    embedder.passages(texts[:1])
    started = time.monotonic()
    embedder.passages(texts)
    return (time.monotonic() - started) / len(texts)


def _disk(documents: Sequence[Document], chunks: Sequence[Chunk], config: Config, embedder: Embedder) -> int:
    """Bytes: vectors three times (version, graph, cache), links, and texts with their index and cache."""
    vectors = 3 * 4 * embedder.info.dimension + 2 * config.index.hnsw_m * _GRAPH_LINK_BYTES
    texts = sum(len(document.text.encode("utf-8", "replace")) for document in documents)
    return vectors * len(chunks) + 2 * texts


def _calls(
    cut: Sequence[tuple[Document, tuple[Chunk, ...]]], config: Config, embedder: Embedder
) -> tuple[int, float | None]:
    kind = config.chunk.context
    if kind == "off":
        return 0, 0.0
    requests = (request for document, chunks in cut for request in requests_for(document, chunks, kind))
    asked = plan_requests(config.answer.model, ((request, False) for request in requests), embedder.tokenizer)
    return asked.calls, asked.dollars
