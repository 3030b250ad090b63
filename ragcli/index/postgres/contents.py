"""Writes documents as they are indexed: records, vectors, BM25 postings and filter attributes."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragcli.codec import encode
from ragcli.errors import ModelError
from ragcli.index.lexical import analysis
from ragcli.index.postgres.database import Database, as_key
from ragcli.index.postgres.records import bytes_of
from ragcli.index.postgres.schema import FIELDS, FORMAT
from ragcli.index.publishing.build import lexical_chunks
from ragcli.index.segments.attributes import entries as attributes_of
from ragcli.interfaces import EmbedChunks
from ragcli.names import valid
from ragcli.records import Chunk, Document, EmbedderInfo, Entry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BODY = ("text", "blocks", "sections")
"""Fields of a document that are kept apart from the rest, which is read more often."""

_BATCH = 512
_COUNTS = ("int4",) * len(FIELDS)


def build_key(embedder: EmbedderInfo) -> str:
    """Hash of what shapes the rows of a content besides the document: under another one none can be used."""
    shaping = [FORMAT, analysis.VERSION, embedder.model, embedder.revision, embedder.dimension]
    return hashlib.sha256(json.dumps([*shaping, embedder.window, embedder.passage_prefix]).encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=1 << 16)
def term_key(term: str) -> int:
    """The number that a term is stored under: the first 64 bits of its hash, signed."""
    return int.from_bytes(hashlib.blake2b(as_key(term), digest_size=8).digest(), "big", signed=True)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document ready to be written."""

    entry: Entry
    document: Document
    chunks: tuple[Chunk, ...]


def records(document: Document) -> tuple[bytes, bytes]:
    """Head and body of a document, as they are stored."""
    fields: Mapping[str, Any] = encode(document)
    head = {name: value for name, value in fields.items() if name not in BODY}
    return bytes_of(head), bytes_of({name: fields[name] for name in BODY})


def digest(head: bytes, body: bytes, chunks: Sequence[bytes]) -> str:
    """Hash of the stored records of a document and its chunks."""
    hashed = hashlib.sha256()
    for record in (head, body, *chunks):
        hashed.update(hashlib.sha256(record).digest())
    return hashed.hexdigest()


class ContentWriter:
    """Adds contents, a batch of chunks in one transaction. No reader sees them before they have a place."""

    def __init__(self, database: Database, build: str, dimension: int, vectors: EmbedChunks) -> None:
        self._database = database
        self._build = build
        self._dimension = dimension
        self._vectors = vectors

    def write(self, items: Iterator[Indexed], done: Callable[[int], None]) -> None:
        """Add the contents; ``done`` is told the chunks of each batch. Raises ModelError for vectors that are none."""
        batch: list[Indexed] = []
        for item in items:
            batch.append(item)
            if len(batch) >= _BATCH or sum(len(each.chunks) for each in batch) >= _BATCH:
                done(self._write(batch))
                batch = []
        if batch:
            done(self._write(batch))

    def _write(self, batch: Sequence[Indexed]) -> int:
        chunks = [chunk for item in batch for chunk in item.chunks]
        rows = self._embedded(chunks)
        with self._database.transaction():
            numbers = [self._add(item) for item in batch]
            owned = [(number, item) for number, item in zip(numbers, batch, strict=True)]
            lexical = [_lexical(item) for item in batch]
            lengths = (length for counts in lexical for length in (tuple(map(Counter.total, each)) for each in counts))
            keyed = ((number, chunk) for number, item in owned for chunk in item.chunks)
            self._database.copy(
                "chunks",
                f"content, ordinal, data, embedding, {', '.join(FIELDS)}",
                ("int8", "int4", "bytea", "vector", *_COUNTS),
                (
                    (number, chunk.ordinal, bytes_of(encode(chunk)), row, *length)
                    for (number, chunk), row, length in zip(keyed, rows, lengths, strict=True)
                ),
            )
            self._database.copy(
                "postings",
                f"term, content, ordinal, {', '.join(FIELDS)}",
                ("int8", "int8", "int4", *_COUNTS),
                _postings(numbers, lexical),
            )
            self._database.copy("attributes", "key, value, content", ("bytea", "bytea", "int8"), _attributes(owned))
        return len(chunks)

    def _add(self, item: Indexed) -> int:
        head, body = records(item.document)
        stored = [bytes_of(encode(chunk)) for chunk in item.chunks]
        ((number,),) = self._database.rows(
            "INSERT INTO contents (entry_key, build, doc_id, chunk_count, digest, head, body) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING content",
            (
                item.entry.entry_key,
                self._build,
                as_key(item.document.doc_id),
                len(item.chunks),
                digest(head, body, stored),
                head,
                body,
            ),
        )
        return int(number)

    def _embedded(self, chunks: list[Chunk]) -> NDArray[np.float32]:
        """Unit rows. Raises ModelError for another shape or for values that are no numbers."""
        import numpy as np

        if not chunks:
            return np.zeros((0, self._dimension), dtype=np.float32)
        parts = [self._vectors(chunks[start : start + _BATCH]) for start in range(0, len(chunks), _BATCH)]
        rows = np.concatenate([np.asarray(part, dtype=np.float32) for part in parts])
        if rows.shape != (len(chunks), self._dimension):
            raise ModelError(f"the model gave vectors of shape {rows.shape}, not {(len(chunks), self._dimension)}")
        if not np.isfinite(rows).all():
            raise ModelError("the model gave vectors that are not finite")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.where(np.abs(lengths - 1) < 1e-4, rows, rows / np.maximum(lengths, 1e-12))


def _lexical(item: Indexed) -> list[tuple[Counter[str], ...]]:
    """For each chunk how often it has each term, by field."""
    found = lexical_chunks(0, item.chunks, item.document.metadata)
    return [tuple(Counter(getattr(chunk, name).split(" ") if getattr(chunk, name) else ()) for name in FIELDS)
            for chunk in found]  # fmt: skip


def _postings(
    numbers: Sequence[int], lexical: Sequence[Sequence[tuple[Counter[str], ...]]]
) -> Iterator[tuple[int, ...]]:
    for number, chunks in zip(numbers, lexical, strict=True):
        for ordinal, fields in enumerate(chunks, start=1):
            for term in set().union(*fields):
                yield (term_key(term), number, ordinal, *(counts[term] for counts in fields))


def _attributes(owned: Sequence[tuple[int, Indexed]]) -> Iterator[tuple[bytes, bytes, int]]:
    for number, item in owned:
        for key, value in dict.fromkeys((key, valid(value)) for key, value in attributes_of(item.document)):
            yield as_key(key), as_key(value), number
