"""What each way of searching the vectors of a segment costs, and how far it goes; pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragcli.index.dense.codes import candidate_count
from ragcli.index.dense.graph_build import Effort
from ragcli.index.dense.vectors import MAX_EF
from ragcli.index.manifest import SegmentInfo
from ragcli.records import DenseMethod

# Seconds on one core of a server processor with the files in memory, to compare ways with one another.
_SCAN_PER_VALUE = 1.6e-10
_GATHER_PER_VALUE = 4.0e-10
_CODE_PER_VALUE = 1.5e-11
_GRAPH_PER_CANDIDATE = 4.0e-6

_EXACT_IS_WORTH = 3.0
"""Scoring every row is preferred to codes though it costs so many times as much: it needs no second look."""

_LEAST_SHARE = 0.5
"""A filter that lets fewer through is not for the graph: the more must be dropped, the deeper must it be trusted."""

_SPARE, _SPARE_HITS = 1.25, 32
_GROWTH = 4


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of finding ``depth`` of ``selected`` chunks in the segment that ``info`` tells of.

    ``whole``: no row is left out, not even a dead one. ``filtered``: living rows are left out. ``ef`` is the least
    width at which the graph is searched.
    """

    info: SegmentInfo
    dimension: int
    depth: int
    selected: int
    whole: bool
    filtered: bool
    ef: int

    @property
    def exact(self) -> float:
        """Seconds to score every selected row."""
        return self.info.chunks * self.dimension * _SCAN_PER_VALUE if self.whole else self._gather(self.selected)

    def scan(self) -> tuple[float, DenseMethod]:
        """Seconds of the better way that loads nothing."""
        per_hit = self.info.candidates_per_hit
        if not per_hit:
            return self.exact, "exact"
        codes = self.info.chunks * self.dimension * _CODE_PER_VALUE
        quantised = codes + self._gather(candidate_count(self.depth, per_hit))
        return (self.exact, "exact") if self.exact <= quantised * _EXACT_IS_WORTH else (quantised, "quantised")

    def candidates(self) -> Iterator[int]:
        """How many rows the codes may name, more and more, while that costs less than scoring every selected one."""
        wanted = candidate_count(self.depth, self.info.candidates_per_hit)
        while self._gather(wanted) < self.exact:
            yield wanted
            wanted *= _GROWTH

    @property
    def graph(self) -> float | None:
        """Seconds of a search of the loaded graph; None when there is none or it is not for this selection."""
        share = self.selected / self.info.live_chunks if self.filtered else 1.0
        first = next(self.attempts(), None)
        if self.info.recall_at_10 is None or share < _LEAST_SHARE or first is None:
            return None
        return first[1] * _GRAPH_PER_CANDIDATE

    def attempts(self) -> Iterator[tuple[int, int]]:
        """How many hits to take from the graph and how wide to search for them, so that ``depth`` should be left.

        The first attempt counts on hits that are spread evenly over the selection, the later ones on less and less.
        """
        living = self.info.live_chunks
        taken = int(self.depth / self.selected * living * _SPARE) + _SPARE_HITS if self.filtered else self.depth
        effort = Effort(self.info.ef, self.info.ef_per_hit)
        while True:
            taken = min(taken, living)
            width = max(self.ef, effort.width(taken))
            if width > MAX_EF:
                return
            yield taken, width
            if taken == living:
                return
            taken *= _GROWTH

    def _gather(self, rows: int) -> float:
        return rows * self.dimension * _GATHER_PER_VALUE
