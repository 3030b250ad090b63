"""Builds what makes a written segment fast to search, the graph and the bit codes, and measures both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config, IndexConfig
from ragcli.index.dense.codes import MIN_ROWS, Codes
from ragcli.index.dense.graph_probe import graph_works
from ragcli.index.dense.vectors import BLOCK, MAX_EF, SEED, Graph, GraphSettings, time_loading
from ragcli.index.manifest import Manifest, SegmentInfo
from ragcli.index.segments.segment import GRAPH, Segment
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


# How well a graph finds the nearest rows, and how wide it must be searched for that.

_SPARSE = 4
"""A hundred hits are measured on every fourth question, which is still more hits than ten on all of them."""
_DEEP_RECALL = 0.98
_PER_HIT = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


@dataclass(frozen=True, slots=True)
class Effort:
    """How wide a graph must be searched: ``ef`` candidates, and at least ``per_hit`` for each hit wanted."""

    ef: int
    per_hit: int

    def width(self, depth: int) -> int:
        """Candidates for ``depth`` hits."""
        return max(self.ef, self.per_hit * depth)


def measure(
    graph: Graph, queries: NDArray[np.float32], truth: NDArray[np.int64], ef: int, min_recall: float
) -> tuple[float, Effort]:
    """Recall@10 of the graph, and the effort at which it reaches ``min_recall`` and that of a hundred hits .98.

    ``truth`` holds the rows of the best hits of each query by exact search, a hundred (or all) of them, best first.
    ``ef`` is doubled until recall@10 is enough, then the candidates per hit grow until recall@100 is: nearly all deep
    hits are wanted, because a filter may drop those before them.
    """
    recall = _recall(graph, queries, truth[:, :10], ef)
    while recall < min_recall and ef * 2 <= MAX_EF:
        ef *= 2
        recall = _recall(graph, queries, truth[:, :10], ef)
    queries, truth = queries[::_SPARSE], truth[::_SPARSE]
    efforts = [Effort(ef, per_hit) for per_hit in _PER_HIT if per_hit == 1 or per_hit * truth.shape[1] <= MAX_EF]
    deep = max(min_recall, _DEEP_RECALL)
    enough = (item for item in efforts if _recall(graph, queries, truth, item.width(truth.shape[1])) >= deep)
    return recall, next(enough, efforts[-1])


def _recall(graph: Graph, queries: NDArray[np.float32], truth: NDArray[np.int64], ef: int) -> float:
    """The share of hits found that are as near as the last true one: of equal texts any is as good as another."""
    found, right = graph.search_many(queries, truth.shape[1], ef), 0
    for query, best, rows in zip(queries, truth, found, strict=True):
        farthest = graph.scores(query, best).min()
        right += int((graph.scores(query, rows[rows >= 0]) >= farthest).sum())
    return right / truth.size


def probes(embeddings: NDArray[np.float32]) -> NDArray[np.float32]:
    """What recall is measured with: 200 stored rows, and 200 points near a row but not on one (cosine about .8)."""
    import numpy as np

    generator = np.random.default_rng(SEED)
    rows = np.sort(generator.choice(len(embeddings), size=min(200, len(embeddings)), replace=False))
    stored = np.asarray(embeddings[rows])
    noise = generator.normal(size=stored.shape)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True) + 1e-12
    near = stored + 0.75 * noise.astype(np.float32)
    near /= np.linalg.norm(near, axis=1, keepdims=True) + 1e-12
    return np.concatenate([stored, near]).astype(np.float32)


def exact_many(embeddings: NDArray[np.float32], queries: NDArray[np.float32], depth: int) -> NDArray[np.int64]:
    """The rows of the ``depth`` best of each query, best first, a row per query; reads the vectors once."""
    import numpy as np

    best = np.full((len(queries), depth), -np.inf, dtype=np.float32)
    rows = np.zeros((len(queries), depth), dtype=np.int64)
    for start in range(0, len(embeddings), BLOCK):
        scores = np.concatenate([best, queries @ embeddings[start : start + BLOCK].T], axis=1)
        names = np.concatenate(
            [
                rows,
                np.broadcast_to(
                    np.arange(start, start + scores.shape[1] - depth), (len(queries), scores.shape[1] - depth)
                ),
            ],
            axis=1,
        )
        order = np.argpartition(-scores, depth - 1, axis=1)[:, :depth]
        best, rows = np.take_along_axis(scores, order, 1), np.take_along_axis(names, order, 1)
    return np.take_along_axis(rows, np.argsort(-best, axis=1, kind="stable"), 1)
