"""The dense leg over all segments of a version, exact or by graph, whichever costs less.

A graph answers in a fraction of a millisecond but must first be read whole; rows are mapped and cost nothing before
they are scanned. A process cannot know how many questions will come, so it scans until the scans have cost as much as
loading the graph would have, and loads it then: never more than about twice the best choice.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from ragcli.config import IndexConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.index.dense import Graph, exact_top
from ragcli.index.graph_file import GraphFileError
from ragcli.index.manifest import Manifest
from ragcli.index.segment import GRAPH
from ragcli.index.selection import Selection
from ragcli.index.view import View
from ragcli.records import DenseMethod

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Seconds, measured on one core of a server processor; scans correct their rate as they run.
_SCAN_PER_VALUE = 1.0e-9
_GATHER_PER_VALUE = 5.0e-9
_GRAPH_QUERY = 5.0e-4
_GRAPH_FILTER = 2.8e-4


class VectorSearch:
    """Searches the vectors of one version. Safe to use from several threads."""

    def __init__(self, view: View, manifest: Manifest, config: IndexConfig) -> None:
        self.notices: list[str] = []
        self._view = view
        self._manifest = manifest
        self._config = config
        self._graphs: dict[int, Graph | None] = {}
        self._spent = [0.0] * len(view.segments)
        self._lock = threading.Lock()

    def search(
        self, vector: NDArray[np.float32], depth: int, selection: Selection, method: str
    ) -> tuple[list[tuple[int, float]], DenseMethod]:
        """The best ``min(depth, selected)`` chunks as (number, score), best first, and how most of them were sought."""
        query = self._checked(vector)
        if method not in ("auto", "exact", "hnsw"):
            raise ConfigError(f"dense method {method!r}, expected auto, exact or hnsw")
        hits: list[tuple[int, float]] = []
        by_graph = 0
        for place, count in enumerate(selection.chunk_counts):
            if not count or depth < 1:
                continue
            graph = self._graph_for(place, count, selection, method)
            found, used = self._search_segment(place, query, min(depth, count), selection, graph)
            by_graph += count if used else -count
            hits += found
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
        return hits[:depth], "hnsw" if by_graph > 0 else "exact"

    def _checked(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        query = np.ascontiguousarray(vector, dtype=np.float32).ravel()
        wanted = self._manifest.embedder.dimension
        if len(query) != wanted:
            raise ConfigError(
                f"the question's vector has {len(query)} dimensions, the index has {wanted} "
                f"(model {self._manifest.embedder.model})",
                hint="set embed.model to that model, or build the index anew with rag index --rebuild",
            )
        return query

    def _search_segment(
        self, place: int, query: NDArray[np.float32], depth: int, selection: Selection, graph: Graph | None
    ) -> tuple[list[tuple[int, float]], bool]:
        segment = self._view.segments[place]
        found = None
        if graph is not None:
            allowed = None if selection.masks[place] is None else selection.flags(place).__getitem__
            with self._lock:
                found = graph.search(query, depth, self._ef(place), allowed)
        if found is None:
            started = time.perf_counter()
            rows, scores = exact_top(segment.embeddings, query, depth, selection.rows(place))
            self._spent[place] += time.perf_counter() - started
        else:
            rows, scores = found
        numbers = segment.numbers_of_rows(rows)
        return list(zip(numbers.tolist(), scores.tolist(), strict=True)), found is not None

    def _ef(self, place: int) -> int:
        return max(self._config.hnsw_ef, self._view.infos[place].ef)

    def _graph_for(self, place: int, count: int, selection: Selection, method: str) -> Graph | None:
        """The segment's graph when it is to be used for this question, loaded if need be."""
        if method == "exact" or (method == "auto" and not self._graph_pays(place, count, selection)):
            return None
        with self._lock:
            if place not in self._graphs:
                self._graphs[place] = self._load(place)
            return self._graphs[place]

    def _graph_pays(self, place: int, count: int, selection: Selection) -> bool:
        whole = selection.masks[place] is None
        values = count * self._manifest.embedder.dimension
        scan = values * (_SCAN_PER_VALUE if selection.rows(place) is None else _GATHER_PER_VALUE)
        share = count / max(1, self._view.infos[place].live_chunks)
        by_graph = (_GRAPH_QUERY if whole else _GRAPH_FILTER / share) * self._ef(place) / 64
        if scan <= by_graph or self._graphs.get(place, self) is None:
            return False
        return place in self._graphs or self._spent[place] + scan > self._view.infos[place].graph_load_seconds

    def _load(self, place: int) -> Graph | None:
        info, segment = self._view.infos[place], self._view.segments[place]
        try:
            graph = Graph.load(segment.folder / GRAPH, segment.embeddings, self._manifest.hnsw_m)
        except (GraphFileError, StoreError, ImportError) as error:
            self.notices.append(
                f"the graph of {self._manifest.version}/{info.name} cannot be used ({error}); "
                "exact search serves instead. rag index --rebuild makes a new one"
            )
            return None
        living = self._view.living[place]
        if living is not None:
            import numpy as np

            graph.mark_dead(np.flatnonzero(~np.repeat(living, segment.sizes)))
        return graph
