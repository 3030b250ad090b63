"""The dense leg over all segments of a version, in the way that costs least.

- *exact*: every selected row is scored: all rows in one scan, or the selected ones picked when they are few. What up to
  100,000 chunks get in a process that asks few questions, and every small selection.
- *hnsw*: the graph. It answers in a millisecond but must first be read whole. A process cannot know how many questions
  will come, so it scans until the scans have cost as much as loading the graph would have, and loads it then: never
  more than about twice the best choice. Under a filter more hits are taken than wanted and those that may not be seen
  dropped, which changes nothing in the order of the others.
- *quantised*: a scan of bit codes names candidates, which are then scored exactly. What larger segments get while no
  graph is loaded: it reads a thirtieth of the bytes. Where the best candidates do not stand out by their codes every
  row is scored, and codes that failed so are not asked again.
"""

from __future__ import annotations

import math
import threading
import time
import typing
from typing import TYPE_CHECKING

from ragcli.config import IndexConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.index.dense.codes import Codes, candidate_count, nearest
from ragcli.index.dense.costs import Costs
from ragcli.index.dense.graph_file import GraphFileError
from ragcli.index.dense.graph_probe import graph_marker, graph_works
from ragcli.index.dense.vectors import Graph, exact_top
from ragcli.index.manifest import Manifest
from ragcli.index.segments.segment import GRAPH
from ragcli.index.segments.selection import Selection
from ragcli.index.segments.view import View
from ragcli.records import DenseMethod

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Found = tuple[NDArray[np.int64], NDArray[np.float32]]


_PATIENCE = 2
"""Codes that so often told too little apart are not asked again: it is these vectors that they do not serve."""


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
        self._failures = [0] * len(view.segments)
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
        costs = Costs(
            info=self._view.infos[place],
            depth=depth,
            selected=selection.chunk_counts[place],
            filtered=selection.masks[place] is not None,
            ef=self._config.hnsw_ef,
        )
        (rows, scores), way = self._found(place, query, selection, costs, method)
        numbers = self._view.segments[place].numbers_of_rows(rows)
        return list(zip(numbers.tolist(), scores.tolist(), strict=True)), way

    def _found(
        self, place: int, query: NDArray[np.float32], selection: Selection, costs: Costs, method: str
    ) -> tuple[Found, DenseMethod]:
        if method == "hnsw" or (method == "auto" and self._graph_pays(place, costs)):
            most = math.inf if method == "hnsw" else costs.exact
            found = self._by_graph(place, query, selection, costs, most)
            if found is not None:
                return found, "hnsw"
        started = time.perf_counter()
        try:
            if method == "quantised" or (method == "auto" and self._codes_pay(place, costs)):
                found = self._by_codes(place, query, selection, costs)
                if found is not None:
                    return found, "quantised"
            embeddings = self._view.segments[place].embeddings
            return exact_top(embeddings, query, costs.depth, selection.rows(place)), "exact"
        finally:
            self._spent[place] += time.perf_counter() - started

    def _graph_pays(self, place: int, costs: Costs) -> bool:
        """Whether the graph is cheaper from now on."""
        graph = costs.graph
        if graph is None or costs.exact <= graph:
            return False
        if place in self._graphs:
            return self._graphs[place] is not None
        return self._spent[place] >= self._view.infos[place].graph_load_seconds

    def _codes_pay(self, place: int, costs: Costs) -> bool:
        codes = costs.codes
        return codes is not None and codes < costs.exact and self._failures[place] < _PATIENCE

    def _by_graph(
        self, place: int, query: NDArray[np.float32], selection: Selection, costs: Costs, most: float
    ) -> Found | None:
        """The best selected rows by the graph; None when it cannot be used or the filter leaves too few.

        No search of it that costs more than ``most`` is tried.
        """
        if costs.graph is None or (graph := self._graph(place)) is None:
            return None
        allowed = selection.row_mask(place) if costs.filtered else None
        for taken, width in costs.attempts(most):
            with self._lock:
                found = graph.search(query, taken, width)
            if found is None:
                return None
            rows, scores = found
            kept = slice(None) if allowed is None else allowed[rows]
            if len(rows[kept]) >= costs.depth:
                return rows[kept][: costs.depth], scores[kept][: costs.depth]
        return None

    def _by_codes(self, place: int, query: NDArray[np.float32], selection: Selection, costs: Costs) -> Found | None:
        """The best selected rows by the codes; None when there are none or they tell too little apart."""
        codes = self._codes(place)
        if codes is None:
            return None
        distances = codes.distances(query, selection.row_mask(place))
        near = nearest(distances, candidate_count(costs.depth, costs.info.candidates_per_hit))
        rows, scores = exact_top(self._view.segments[place].embeddings, query, costs.depth, near.rows)
        if near.hold(distances[rows]):
            return rows, scores
        self._failures[place] += 1
        return None

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
