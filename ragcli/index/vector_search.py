"""The dense leg over all segments of a version, in the way that costs least.

- *exact*: every selected row is scored. What small selections get.
- *quantised*: a scan of bit codes names candidates, which are then scored exactly. What large ones get, filtered or
  not, in a process that asks few questions: nothing must be loaded first.
- *hnsw*: the graph. It answers in a fraction of a millisecond but must first be read whole. A process cannot know how
  many questions will come, so it scans until the scans have cost as much as loading the graph would have, and loads it
  then: never more than about twice the best choice.
"""

from __future__ import annotations

import threading
import time
import typing
from typing import TYPE_CHECKING

from ragcli.config import IndexConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.index.codes import Codes, candidate_count
from ragcli.index.dense import Graph, exact_top
from ragcli.index.graph_file import GraphFileError
from ragcli.index.graph_probe import graph_marker, graph_works
from ragcli.index.manifest import Manifest
from ragcli.index.recall import Effort
from ragcli.index.segment import GRAPH
from ragcli.index.selection import Selection
from ragcli.index.view import View
from ragcli.records import DenseMethod

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Found = tuple[NDArray[np.int64], NDArray[np.float32]]

# Seconds on one core of a server processor, to compare ways with one another.
_SCAN_PER_VALUE = 1.0e-9
_GATHER_PER_VALUE = 5.0e-9
_CODE_PER_VALUE = 6.5e-11
_GRAPH_QUERY = 5.0e-4


class VectorSearch:
    """Searches the vectors of one version. Safe to use from several threads."""

    def __init__(self, view: View, manifest: Manifest, config: IndexConfig) -> None:
        self.notices: list[str] = []
        self._view = view
        self._manifest = manifest
        self._config = config
        self._graphs: dict[int, Graph | None] = {}
        self._opened_codes: dict[int, Codes | None] = {}
        self._spent = [0.0] * len(view.segments)
        self._lock = threading.Lock()

    def search(
        self, vector: NDArray[np.float32], depth: int, selection: Selection, method: str
    ) -> tuple[list[tuple[int, float]], DenseMethod]:
        """The best ``min(depth, selected)`` chunks as (number, score), best first, and how most of them were sought."""
        query = self._checked(vector)
        if method not in ("auto", *typing.get_args(DenseMethod)):
            raise ConfigError(f"dense method {method!r}, expected auto, exact, quantised or hnsw")
        hits: list[tuple[int, float]] = []
        searched: dict[DenseMethod, int] = {}
        for place, count in enumerate(selection.chunk_counts):
            if not count or depth < 1:
                continue
            found, used = self._search_segment(place, query, min(depth, count), selection, method)
            searched[used] = searched.get(used, 0) + count
            hits += found
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
        return hits[:depth], max(sorted(searched), key=lambda used: searched[used], default="exact")

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
        self, place: int, query: NDArray[np.float32], depth: int, selection: Selection, method: str
    ) -> tuple[list[tuple[int, float]], DenseMethod]:
        way = self._way(place, depth, selection, method)
        found = None
        if way == "hnsw":
            found = self._by_graph(place, query, depth, selection)
        started = time.perf_counter()
        if found is None and (way == "quantised" or self._falls_back_to_codes(place, depth, selection, method)):
            found, way = self._by_codes(place, query, depth, selection), "quantised"
        if found is None:
            found, way = exact_top(self._view.segments[place].embeddings, query, depth, selection.rows(place)), "exact"
        if way != "hnsw":
            self._spent[place] += time.perf_counter() - started
        rows, scores = found
        numbers = self._view.segments[place].numbers_of_rows(rows)
        return list(zip(numbers.tolist(), scores.tolist(), strict=True)), way

    def _by_graph(self, place: int, query: NDArray[np.float32], depth: int, selection: Selection) -> Found | None:
        graph = self._graph(place)
        if graph is None:
            return None
        allowed = None if selection.masks[place] is None else selection.flags(place).__getitem__
        with self._lock:
            return graph.search(query, depth, self._width(place, depth), allowed)

    def _by_codes(self, place: int, query: NDArray[np.float32], depth: int, selection: Selection) -> Found | None:
        codes = self._codes(place)
        if codes is None:
            return None
        wanted = candidate_count(depth, self._view.infos[place].candidates_per_hit)
        rows = codes.candidates(query, wanted, selection.row_mask(place))
        return exact_top(self._view.segments[place].embeddings, query, depth, rows)

    def _falls_back_to_codes(self, place: int, depth: int, selection: Selection, method: str) -> bool:
        """Whether, the graph having failed, codes are better than scoring everything."""
        return method != "exact" and self._cheapest_scan(place, depth, selection)[1] == "quantised"

    # ------------------------------------------------------------ choosing

    def _way(self, place: int, depth: int, selection: Selection, method: str) -> DenseMethod:
        if method in ("exact", "hnsw"):
            return typing.cast(DenseMethod, method)
        if method == "quantised":
            return "quantised" if self._codes(place) is not None else "exact"
        scan, way = self._cheapest_scan(place, depth, selection)
        return "hnsw" if self._graph_pays(place, depth, scan, selection) else way

    def _cheapest_scan(self, place: int, depth: int, selection: Selection) -> tuple[float, DenseMethod]:
        """Seconds of the cheaper way that loads nothing."""
        dimension = self._manifest.embedder.dimension
        total, info = self._view.segments[place].chunk_count, self._view.infos[place]
        selected = selection.chunk_counts[place]
        whole = selection.documents(place) is None
        exact = dimension * (total * _SCAN_PER_VALUE if whole else selected * _GATHER_PER_VALUE)
        if not info.candidates_per_hit:
            return exact, "exact"
        wanted = candidate_count(depth, info.candidates_per_hit)
        quantised = dimension * (total * _CODE_PER_VALUE + wanted * _GATHER_PER_VALUE)
        return (exact, "exact") if exact <= quantised else (quantised, "quantised")

    def _graph_pays(self, place: int, depth: int, scan: float, selection: Selection) -> bool:
        """Whether the graph is cheaper from now on. Under a filter it is not: it calls back for every row it meets."""
        if selection.masks[place] is not None or self._view.infos[place].recall_at_10 is None:
            return False
        if scan <= _GRAPH_QUERY * self._width(place, depth) / 64:
            return False
        if place in self._graphs:
            return self._graphs[place] is not None
        return self._spent[place] + scan > self._view.infos[place].graph_load_seconds

    def _width(self, place: int, depth: int) -> int:
        info = self._view.infos[place]
        return max(self._config.hnsw_ef, Effort(info.ef, info.ef_per_hit).width(depth))

    # ------------------------------------------------------------ loading

    def _codes(self, place: int) -> Codes | None:
        """The codes of a segment, mapped; None when it has none that are good enough or they cannot be read."""
        if not self._view.infos[place].candidates_per_hit:
            return None
        segment = self._view.segments[place]
        with self._lock:
            if place not in self._opened_codes:
                try:
                    self._opened_codes[place] = Codes.open(segment.folder, segment.embeddings)
                except StoreError as error:
                    self.notices.append(f"{error.message}; every vector is scored instead")
                    self._opened_codes[place] = None
            return self._opened_codes[place]

    def _graph(self, place: int) -> Graph | None:
        with self._lock:
            if place not in self._graphs:
                self._graphs[place] = self._load(place)
            return self._graphs[place]

    def _load(self, place: int) -> Graph | None:
        info, segment = self._view.infos[place], self._view.segments[place]
        if info.recall_at_10 is None:
            return None
        try:
            if not graph_works(graph_marker(self._view.folder.parents[1])):
                raise GraphFileError("hnswlib does not run on this machine")
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
