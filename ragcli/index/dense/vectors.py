"""Vectors: exact search over mapped rows, and the HNSW graph by hnswlib.

The rows are the truth. A graph only points at promising rows; their scores are computed from the rows again, so both
ways give the same score for the same chunk. Higher is better: the score is the cosine of unit vectors.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.errors import DiskError, StoreError
from ragcli.index.dense.graph_file import GraphFileError, check_graph_file
from ragcli.index.durable import DISK_HINT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 16_384
_GATHERED = 256
"""Rows copied at a time: as many as a processor's cache holds."""
_ADD_BATCH = 10_000
_SINGLE_THREADED_UNTIL = 5_000
SEED = 42
MAX_EF = 4_096
"""The widest search of a graph; wider ones cost more than scanning."""


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """How a graph is built: links per node and candidates considered for each."""

    m: int
    ef_construction: int


PICKED = 2.5
"""A row that is picked from its place takes so many times as long as one of a scan in order."""


def exact_rows(selected: int, count: int) -> float:
    """What scoring ``selected`` of ``count`` rows costs, in rows of a scan in order."""
    return min(count, selected * PICKED)


def exact_top(
    embeddings: NDArray[np.float32], query: NDArray[np.float32], depth: int, rows: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The ``depth`` best rows of all (or of ``rows``) with their scores, best first, equal scores by row.

    Many rows are found by scoring all, few by copying them, no more than a block at a time.
    """
    import numpy as np

    if rows is None or exact_rows(len(rows), len(embeddings)) == len(embeddings):
        scores = embeddings @ query if rows is None else (embeddings @ query)[rows]
    else:
        scores = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _GATHERED):
            block = rows[start : start + _GATHERED]
            np.matmul(embeddings[block], query, out=scores[start : start + len(block)])
    if not np.isfinite(scores.sum(dtype=np.float64)):  # one that is no number would stand before all that are
        raise _no_numbers()
    return ranked(embeddings, query, top(scores, depth, rows)[0])


def ranked(
    embeddings: NDArray[np.float32], query: NDArray[np.float32], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """``rows`` with their scores, best first, equal scores by row.

    Sums in double precision: the last bit of a single-precision product depends on how many rows are multiplied at
    once, and the same chunk must have the same score however it was found.
    """
    import numpy as np

    scores = (embeddings[rows].astype(np.float64) @ query.astype(np.float64)).astype(np.float32)
    if not np.isfinite(scores).all():
        raise _no_numbers()
    order = np.lexsort((rows, -scores))
    return rows[order], scores[order]


def _no_numbers() -> StoreError:
    hint = "rag versions verify; rag index --rebuild"
    return StoreError("a segment holds vectors whose values are no numbers", hint=hint)


def top(
    scores: NDArray[np.float32], depth: int, rows: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The ``depth`` highest scores and the rows they stand for, best first, equal scores by row."""
    import numpy as np

    places = np.arange(len(scores), dtype=np.int64)
    if depth < len(scores):
        border = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        places = np.flatnonzero(scores >= border)
    names = places if rows is None else rows[places]
    order = np.lexsort((names, -scores[places]))[:depth]
    return names[order], scores[places][order]


class Graph:
    """A loaded HNSW graph over the rows of one segment."""

    def __init__(self, index: Any, embeddings: NDArray[np.float32]) -> None:
        self._index = index
        self._embeddings = embeddings

    @classmethod
    def build(
        cls,
        embeddings: NDArray[np.float32],
        settings: GraphSettings,
        progress: Callable[[int, int], None] | None = None,
    ) -> Graph:
        """A graph over every row; the label of a row is its place. Small ones are built the same way every time."""
        import hnswlib
        import numpy as np

        count, dimension = embeddings.shape
        index = hnswlib.Index(space="ip", dim=dimension)
        index.init_index(count, M=settings.m, ef_construction=settings.ef_construction, random_seed=SEED)
        threads = 1 if count <= _SINGLE_THREADED_UNTIL else (os.cpu_count() or 1)
        for start in range(0, count, _ADD_BATCH):
            stop = min(start + _ADD_BATCH, count)
            index.add_items(embeddings[start:stop], np.arange(start, stop), num_threads=threads)
            if progress is not None:
                progress(stop, count)
        return cls(index, embeddings)

    def save(self, path: Path) -> None:
        """Write the graph. Raises StoreError when the bytes did not all arrive."""
        try:
            self._index.save_index(str(path))
        except RuntimeError as error:
            raise DiskError(f"{path}: {error}", hint=DISK_HINT) from error
        expected = int(self._index.index_file_size())
        if path.stat().st_size != expected:
            found = path.stat().st_size
            raise DiskError(f"{path} holds {found} of {expected} bytes: is the disk full?", hint=DISK_HINT)

    @classmethod
    def load(cls, path: Path, embeddings: NDArray[np.float32], m: int) -> Graph:
        """A graph from its file. Raises GraphFileError when the file is not sound or does not fit the rows."""
        import hnswlib

        count, dimension = embeddings.shape
        check_graph_file(path, count=count, dimension=dimension, m=m)
        index = hnswlib.Index(space="ip", dim=dimension)
        try:
            index.load_index(str(path), max_elements=count)
        except RuntimeError as error:
            raise GraphFileError(str(error)) from error
        return cls(index, embeddings)

    def holds(self, embeddings: NDArray[np.float32]) -> bool:
        """Whether the graph's own copy of a sample of rows equals these rows."""
        import numpy as np

        rows = np.unique(np.linspace(0, len(embeddings) - 1, num=min(1_000, len(embeddings)), dtype=np.int64))
        return bool(np.array_equal(np.asarray(self._index.get_items(rows)), embeddings[rows]))

    def mark_dead(self, rows: NDArray[np.int64]) -> None:
        """Leave these rows out of every later search."""
        for row in rows.tolist():
            self._index.mark_deleted(row)

    def search(
        self,
        query: NDArray[np.float32],
        depth: int,
        ef: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
        """The ``depth`` best rows found and their scores, best first; None when the graph gives fewer.

        ``ef`` grows until there are enough.
        """
        import numpy as np

        width = max(ef, depth)
        while width <= max(MAX_EF, depth):
            self._index.set_ef(width)
            try:
                labels, _ = self._index.knn_query(query[None, :], k=depth, num_threads=1)
            except RuntimeError:  # fewer than depth reachable at this width
                width *= 4
                continue
            return ranked(self._embeddings, query, labels[0].astype(np.int64))
        return None

    def scores(self, query: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Cosines of ``rows``, best first."""
        return ranked(self._embeddings, query, rows)[1]

    def search_many(self, queries: NDArray[np.float32], depth: int, ef: int) -> NDArray[np.int64]:
        """The rows of the ``depth`` best for each query, unordered; -1 everywhere where fewer were found."""
        import numpy as np

        self._index.set_ef(max(ef, depth))
        found = np.full((len(queries), depth), -1, dtype=np.int64)
        for place, query in enumerate(queries):
            try:
                found[place] = self._index.knn_query(query[None, :], k=depth, num_threads=1)[0][0]
            except RuntimeError:
                continue
        return found


def time_loading(path: Path, embeddings: NDArray[np.float32], m: int) -> float:
    """Seconds that loading the graph takes, checks included."""
    started = time.perf_counter()
    Graph.load(path, embeddings, m)
    return time.perf_counter() - started
