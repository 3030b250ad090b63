"""Builds what makes a written segment fast to search, the graph and the bit codes, and measures both."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import IndexConfig
from ragcli.index.codes import MIN_ROWS, Codes
from ragcli.index.dense import Graph, GraphSettings, exact_many, measure, probes, time_loading
from ragcli.index.manifest import SegmentInfo
from ragcli.index.segment import GRAPH, Segment
from ragcli.interfaces import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MEASURED_DEPTH = 100
_CODES_RECALL = 0.995


def build_graph(
    folder: Path, config: IndexConfig, clock: Callable[[str], AbstractContextManager[None]], progress: Progress
) -> SegmentInfo:
    """Build, save and measure the graph (and codes, when large) of the segment in ``folder``."""
    segment = Segment(folder)
    try:
        if not segment.chunk_count:
            return SegmentInfo(folder.name, segment.document_count, 0)
        embeddings = segment.embeddings
        settings = GraphSettings(config.hnsw_m, config.hnsw_ef_construction)
        with clock("graph"):
            graph = Graph.build(embeddings, settings, lambda done, total: progress("graph", done, total))
            graph.save(folder / GRAPH)
        with clock("measure"):
            queries = probes(embeddings)
            truth = exact_many(embeddings, queries, min(_MEASURED_DEPTH, len(embeddings)))
            recall, effort = measure(graph, queries, truth, config.hnsw_ef, config.min_recall)
            del graph
            factor = _build_codes(folder, embeddings, queries, truth) if len(embeddings) >= MIN_ROWS else 0
            seconds = time_loading(folder / GRAPH, embeddings, settings.m)
        return SegmentInfo(
            name=folder.name,
            documents=segment.document_count,
            chunks=segment.chunk_count,
            recall_at_10=round(recall, 6),
            ef=effort.ef,
            ef_per_hit=effort.per_hit,
            graph_load_seconds=round(seconds, 4),
            candidates_per_hit=factor,
        )
    finally:
        segment.close()


def _build_codes(
    folder: Path, embeddings: NDArray[np.float32], queries: NDArray[np.float32], truth: NDArray[np.int64]
) -> int:
    codes = Codes.build(embeddings)
    codes.save(folder)
    return codes.needed_factor(embeddings, queries, truth, _CODES_RECALL)
