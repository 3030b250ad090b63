"""The dense leg over all segments of a version, in the way that costs least.

- *exact*: every selected row is scored. What small selections get.
- *quantised*: a scan of bit codes names candidates, which are then scored exactly. What large ones get, filtered or
  not, in a process that asks few questions: nothing must be loaded first. Where the best of the candidates do not stand
  out by their codes there are more and more of them, in the end every row.
- *hnsw*: the graph. It answers in a fraction of a millisecond but must first be read whole. A process cannot know how
  many questions will come, so it scans until the scans have cost as much as loading the graph would have, and loads it
  then: never more than about twice the best choice. Under a filter more hits are taken than wanted and those that may
  not be seen dropped, which changes nothing in the order of the others; a filter that drops most of them is left to
  the scans.
"""

from __future__ import annotations

import threading
import time
import typing
from typing import TYPE_CHECKING

from ragcli.config import IndexConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.index.codes import Codes, candidate_count, nearest
from ragcli.index.dense import MAX_EF, Graph, exact_top
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

# Seconds on one core of a server processor with the files in memory, to compare ways with one another.
_SCAN_PER_VALUE = 1.6e-10
_GATHER_PER_VALUE = 4.0e-10
_CODE_PER_VALUE = 1.5e-11
_GRAPH_PER_CANDIDATE = 4.0e-6

_EXACT_IS_WORTH = 3.0
"""Scoring every row is preferred to codes though it costs so many times as much: it needs no second look."""

_GROWTH = 4
_SPARE, _SPARE_HITS = 1.25, 32
_LEAST_SHARE = 0.5
"""A filter that lets fewer through is not for the graph: the more must be dropped, the deeper must it be trusted."""


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
        """The best ``depth`` selected rows by the graph; None when it cannot be used or the filter leaves too few."""
        graph = self._graph(place)
        if graph is None:
            return None
        allowed = None if selection.masks[place] is None else selection.row_mask(place)
        import numpy as np

        taken = self._taken(place, depth, selection)
        while (width := self._width(place, taken)) <= MAX_EF:
            with self._lock:
                found = graph.search(query, taken, width)
            if found is None:
                return None
            rows, scores = found
            kept = slice(None) if allowed is None else np.flatnonzero(allowed[rows])
            if len(rows[kept]) >= depth:
                return rows[kept][:depth], scores[kept][:depth]
            taken *= _GROWTH
        return None

    def _by_codes(self, place: int, query: NDArray[np.float32], depth: int, selection: Selection) -> Found | None:
        """The best ``depth`` selected rows by the codes; None when there are none or they tell too little apart."""
        codes = self._codes(place)
        if codes is None:
            return None
        embeddings = self._view.segments[place].embeddings
        distances = codes.distances(query, selection.row_mask(place))
        wanted = candidate_count(depth, self._view.infos[place].candidates_per_hit)
        while self._gather_seconds(wanted) < self._exact_seconds(place, selection):
            near = nearest(distances, wanted)
            rows, scores = exact_top(embeddings, query, depth, near.rows)
            if near.hold(distances[rows]):
                return rows, scores
            wanted *= _GROWTH
        return None

    def _falls_back_to_codes(self, place: int, depth: int, selection: Selection, method: str) -> bool:
        """Whether, the graph having failed, codes are better than scoring everything."""
        return method != "exact" and self._cheapest_scan(place, depth, selection)[1] == "quantised"

    # ------------------------------------------------------------ choosing

    def _way(self, place: int, depth: int, selection: Selection, method: str) -> DenseMethod:
        if method == "exact":
            return "exact"
        if method == "quantised":
            return "quantised" if self._codes(place) is not None else "exact"
        scan, way = self._cheapest_scan(place, depth, selection)
        if self._share(place, selection) < _LEAST_SHARE:
            return way
        if method == "hnsw":
            return "hnsw"
        return "hnsw" if self._graph_pays(place, depth, scan, selection) else way

    def _cheapest_scan(self, place: int, depth: int, selection: Selection) -> tuple[float, DenseMethod]:
        """Seconds of the better way that loads nothing."""
        exact = self._exact_seconds(place, selection)
        per_hit = self._view.infos[place].candidates_per_hit
        if not per_hit:
            return exact, "exact"
        values = self._view.segments[place].chunk_count * self._manifest.embedder.dimension
        quantised = values * _CODE_PER_VALUE + self._gather_seconds(candidate_count(depth, per_hit))
        return (exact, "exact") if exact <= quantised * _EXACT_IS_WORTH else (quantised, "quantised")

    def _exact_seconds(self, place: int, selection: Selection) -> float:
        if selection.documents(place) is not None:
            return self._gather_seconds(selection.chunk_counts[place])
        return self._view.segments[place].chunk_count * self._manifest.embedder.dimension * _SCAN_PER_VALUE

    def _gather_seconds(self, rows: int) -> float:
        return rows * self._manifest.embedder.dimension * _GATHER_PER_VALUE

    def _graph_pays(self, place: int, depth: int, scan: float, selection: Selection) -> bool:
        """Whether the graph is cheaper from now on."""
        if self._view.infos[place].recall_at_10 is None:
            return False
        if scan <= _GRAPH_PER_CANDIDATE * self._width(place, self._taken(place, depth, selection)):
            return False
        if place in self._graphs:
            return self._graphs[place] is not None
        return self._spent[place] + scan > self._view.infos[place].graph_load_seconds

    def _share(self, place: int, selection: Selection) -> float:
        """The share of the segment's rows that is selected; 1 where only dead ones are not, which a graph knows of."""
        if selection.masks[place] is None:
            return 1.0
        return selection.chunk_counts[place] / self._view.segments[place].chunk_count

    def _taken(self, place: int, depth: int, selection: Selection) -> int:
        """Hits to take from the graph so that ``depth`` should be left when the filter has dropped the others."""
        share = self._share(place, selection)
        return depth if share == 1.0 else int(depth / share * _SPARE) + _SPARE_HITS

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
