"""Builds what makes a written segment fast to search, the graph and the bit codes, and measures both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config, IndexConfig
from ragcli.index.codes import MIN_ROWS, Codes
from ragcli.index.dense import Graph, GraphSettings, time_loading
from ragcli.index.graph_probe import graph_works
from ragcli.index.manifest import Manifest, SegmentInfo
from ragcli.index.recall import exact_many, measure, probes
from ragcli.index.segment import GRAPH, Segment
from ragcli.interfaces import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MEASURED_DEPTH = 100


def build_graph(
    folder: Path,
    config: IndexConfig,
    clock: Callable[[str], AbstractContextManager[None]],
    progress: Progress,
    *,
    marker: Path,
) -> SegmentInfo:
    """Build, save and measure the graph (and codes, when large) of the segment in ``folder``.

    ``marker`` remembers whether graphs work on this machine; where they do not, there is none and its recall is None.
    """
    segment = Segment(folder)
    try:
        plain = SegmentInfo(folder.name, segment.document_count, segment.chunk_count)
        if not segment.chunk_count:
            return plain
        with clock("measure"):
            queries = probes(segment.embeddings)
            truth = exact_many(segment.embeddings, queries, min(_MEASURED_DEPTH, segment.chunk_count))
            if segment.chunk_count >= MIN_ROWS:
                factor = _build_codes(folder, segment.embeddings, queries[::4], truth[::4], config.min_recall)
                plain = replace(plain, candidates_per_hit=factor)
        if not graph_works(marker):
            return plain
        return _with_graph(plain, segment, config, clock, progress, queries, truth)
    finally:
        segment.close()


def _with_graph(
    plain: SegmentInfo,
    segment: Segment,
    config: IndexConfig,
    clock: Callable[[str], AbstractContextManager[None]],
    progress: Progress,
    queries: NDArray[np.float32],
    truth: NDArray[np.int64],
) -> SegmentInfo:
    settings = GraphSettings(config.hnsw_m, config.hnsw_ef_construction)
    path = segment.folder / GRAPH
    with clock("graph"):
        graph = Graph.build(segment.embeddings, settings, lambda done, total: progress("graph", done, total))
        graph.save(path)
    with clock("measure"):
        recall, effort = measure(graph, queries, truth, config.hnsw_ef, config.min_recall)
        del graph
        seconds = time_loading(path, segment.embeddings, settings.m)
    return replace(
        plain,
        recall_at_10=round(recall, 6),
        ef=effort.ef,
        ef_per_hit=effort.per_hit,
        graph_load_seconds=round(seconds, 4),
    )


def _build_codes(
    folder: Path,
    embeddings: NDArray[np.float32],
    queries: NDArray[np.float32],
    truth: NDArray[np.int64],
    min_recall: float,
) -> int:
    codes = Codes.build(embeddings)
    codes.save(folder)
    return codes.needed_factor(embeddings, queries, truth, min_recall)


def overall_recall(infos: Sequence[SegmentInfo]) -> float | None:
    """Recall@10 over all segments, each weighing as many chunks as live in it."""
    measured = [(info.recall_at_10, info.live_chunks) for info in infos if info.recall_at_10 is not None]
    total = sum(count for _, count in measured)
    return round(sum(recall * count for recall, count in measured) / total, 6) if total else None


def graph_notices(manifest: Manifest, config: Config) -> tuple[str, ...]:
    """What the user should know about the graphs of a version: one that is missing, one that is searched wider."""
    found = []
    for info in manifest.segments:
        if info.recall_at_10 is None and info.live_chunks:
            found.append(
                f"segment {info.name} has no graph, because hnswlib does not run on this machine; vectors are scanned. "
                "HNSWLIB_NO_NATIVE=1 pip install --force-reinstall --no-deps --no-binary hnswlib hnswlib mends that"
            )
        if info.ef > config.index.hnsw_ef:
            found.append(
                f"segment {info.name}: ef raised from {config.index.hnsw_ef} to {info.ef} "
                f"to reach recall@10 {info.recall_at_10:.3f} (index.min_recall {config.index.min_recall})"
            )
    return tuple(found)
