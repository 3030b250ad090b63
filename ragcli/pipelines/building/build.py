"""Staged documents to a published version: what changed is cut, embedded once, and published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragcli.config import Config
from ragcli.interfaces import Embedder, Progress, StoreWriter, TextModel
from ragcli.pipelines.building.chunk import chunk
from ragcli.pipelines.building.index import build_index


@dataclass(frozen=True)
class Built:
    """What chunking and publishing did; ``index_version`` is None when nothing had changed."""

    index_version: str | None
    documents: int
    chunks: int
    truncated_chunks: int
    recall_at_10: float | None
    seconds: Mapping[str, float]
    notices: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """What ``rag index --json`` prints."""
        return {
            "schema": "rag.index/1",
            "index_version": self.index_version,
            "documents": self.documents,
            "chunks": self.chunks,
            "truncated_chunks": self.truncated_chunks,
            "recall_at_10": self.recall_at_10,
            "seconds": dict(self.seconds),
        }


def build(
    *,
    config: Config,
    writer: StoreWriter,
    embedder: Embedder,
    model: TextModel | None = None,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Built:
    """Cut what changed, embed it, and publish a version; ``model`` writes the texts of ``chunk.context``."""
    cut = chunk(config=config, writer=writer, embedder=embedder, model=model, force=rebuild, progress=progress)
    made = build_index(config=config, writer=writer, embedder=embedder, rebuild=rebuild, progress=progress)
    published = made.published
    return Built(
        index_version=published.version,
        documents=published.documents,
        chunks=published.chunks,
        truncated_chunks=cut.truncated,
        recall_at_10=published.recall_at_10,
        seconds={"chunk": cut.seconds, **published.seconds},
        notices=published.notices,
    )
