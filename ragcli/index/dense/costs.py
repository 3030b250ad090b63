"""What each way of searching the vectors of a segment costs, in rows that are scored one after the other; pure.

Only the ratios count, and they hardly depend on the processor. Measured at 384 values a row: a row scored in order
takes 0.11 to 0.15 µs, one picked from its place 0.26 µs, a candidate of the graph 4 to 5.5 µs, a row's code 0.01 µs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ragcli.index.dense.codes import candidate_count
from ragcli.index.dense.graph_build import Effort
from ragcli.index.dense.vectors import MAX_EF, PICKED, exact_rows
from ragcli.index.manifest import SegmentInfo

_CANDIDATE = 40.0
_PICKED = 2.5
_CODE = 0.1

_SPARE, _SPARE_HITS = 1.25, 32
_GROWTH = 4


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of finding ``depth`` of ``selected`` chunks in the segment that ``info`` tells of.

    ``filtered``: living rows are left out. ``ef`` is the least width at which the graph is searched.
    """

    info: SegmentInfo
    depth: int
    selected: int
    filtered: bool
    ef: int

    @property
    def exact(self) -> float:
        """To score every selected row."""
        return exact_rows(self.selected, self.info.chunks)

    @property
    def codes(self) -> float | None:
        """To look at every code and score the candidates that they name; None when there are none."""
        if not self.info.candidates_per_hit:
            return None
        return self.info.chunks * _CODE + candidate_count(self.depth, self.info.candidates_per_hit) * PICKED

    @property
    def graph(self) -> float | None:
        """To search the loaded graph once; None when there is none or it would take too wide a search."""
        first = next(self.attempts(), None)
        return None if self.info.recall_at_10 is None or first is None else first[1] * _CANDIDATE

    def attempts(self, most: float = math.inf) -> Iterator[tuple[int, int]]:
        """How many hits to take from the graph and how wide to search for them, so that ``depth`` should be left.

        The first attempt counts on hits that are spread evenly over the selection, the later ones on less and less;
        none costs more than ``most``.
        """
        living = self.info.live_chunks
        taken = int(self.depth / self.selected * living * _SPARE) + _SPARE_HITS if self.filtered else self.depth
        effort = Effort(self.info.ef, self.info.ef_per_hit)
        while True:
            taken = min(taken, living)
            width = max(self.ef, effort.width(taken))
            if width > MAX_EF or width * _CANDIDATE > most:
                return
            yield taken, width
            if taken == living:
                return
            taken *= _GROWTH
