"""Builds real indexes for tests, with vectors that can be worked out by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.config import Config, IndexConfig
from ragcli.index.folder import IndexFolder
from ragcli.interfaces import Store, StoreWriter
from ragcli.records import Chunk, Document, EmbedderInfo, PublishResult
from tests.index.records import chunks

DIMENSION = 8
MODEL = EmbedderInfo(model="hash", revision="1", dimension=DIMENSION, window=256)


def vector(text: str, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    row = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return row / np.linalg.norm(row)


def vectors(items: Sequence[Chunk]) -> NDArray[np.float32]:
    """The vectors of chunks by their text."""
    return np.stack([vector(item.text) for item in items])


def stage(writer: StoreWriter, documents: Sequence[Document], size: int = 10_000) -> None:
    """Make these documents, and no others, the staged ones."""
    staging = writer.staging
    with staging.transaction():
        for doc_id in set(staging.document_keys()) - {item.doc_id for item in documents}:
            staging.remove_document(doc_id)
        for item in documents:
            key = staging.put_document(item, root_id=1, relative=item.doc_id)
            staging.put_chunks(item.doc_id, key, str(size), chunks(item, size))


def publish_to(
    store: Store, documents: Sequence[Document], *, size: int = 10_000, rebuild: bool = False, **index: object
) -> PublishResult:
    """Stage and publish; keyword arguments are settings of the index section."""
    config = Config(index=IndexConfig(**index))  # type: ignore[arg-type]
    with store.writer() as writer:
        stage(writer, documents, size)
        return writer.publish(embedder=MODEL, vectors=vectors, config=config, rebuild=rebuild)


def publish(
    path: Path, documents: Sequence[Document], *, size: int = 10_000, rebuild: bool = False, **index: object
) -> PublishResult:
    """``publish_to`` the index folder at ``path``."""
    return publish_to(IndexFolder(path), documents, size=size, rebuild=rebuild, **index)
