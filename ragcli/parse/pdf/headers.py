"""What stands above the columns of amounts: years, dates and names over one column or several. Pure.

A name over several columns is centred over them, so it is given to the run of columns whose middle it stands nearest
to; names over the same columns are one name on several lines.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.parse.pdf.amounts import is_year
from ragcli.parse.pdf.lines import Line
from ragcli.parse.tables import JOINT

_GAP = 0.9  # of the type size: what parts two names on a line
_SKIPPED = 4.0  # points of distance that a column left without a name costs


@dataclass(frozen=True, slots=True)
class Fragment:
    """Words beside each other without a wide gap."""

    x0: float
    x1: float
    y0: float
    y1: float
    text: str

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


@dataclass(frozen=True, slots=True)
class AmountColumn:
    """The stretch of the x axis that a column's amounts cover; ``left`` is where signs before them begin."""

    x0: float
    x1: float
    left: float


def fragments(words: Sequence[Line], size: float) -> list[Fragment]:
    """Words from left to right as fragments; years in a row stand for themselves."""
    groups: list[list[Line]] = []
    for word in words:
        if groups and word.x0 - groups[-1][-1].x1 < _GAP * size and not _are_years(groups[-1][-1], word):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [_fragment(group) for group in groups]


def _are_years(before: Line, word: Line) -> bool:
    return is_year(before.text) and is_year(word.text)


def _fragment(words: Sequence[Line]) -> Fragment:
    return Fragment(
        words[0].x0,
        words[-1].x1,
        min(word.y0 for word in words),
        max(word.y1 for word in words),
        " ".join(word.text for word in words),
    )


def column_names(rows: Sequence[Sequence[Fragment]], columns: Sequence[AmountColumn]) -> list[str]:
    """The name of each column, outer names first; ``rows`` from top to bottom hold what stands over the columns."""
    placed: list[_Placed] = []
    below: list[_Placed] = []
    for row in reversed(rows):
        below = _placed(row, columns, below)
        placed = below + placed
    return [_name([item for item in placed if item.first <= column <= item.last]) for column in range(len(columns))]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A fragment with the first and last column that it stands over."""

    fragment: Fragment
    first: int
    last: int


def _name(over: Sequence[_Placed]) -> str:
    parts: list[tuple[tuple[int, int], str]] = []
    for item in over:
        place = (item.first, item.last)
        if parts and parts[-1][0] == place:
            parts[-1] = (place, f"{parts[-1][1]} {item.fragment.text}")
        else:
            parts.append((place, item.fragment.text))
    names = list(dict.fromkeys(text for _, text in parts))
    return JOINT.join(names).replace("," + JOINT, ", ")


def _placed(row: Sequence[Fragment], columns: Sequence[AmountColumn], below: Sequence[_Placed]) -> list[_Placed]:
    """The fragments of a row in their places; ``below`` are those of the row under it."""
    if len(row) >= len(columns):
        found = [_Placed(item, place, place) for item in row for place in [_nearest(item, columns)]]
        return sorted(found, key=lambda item: (item.first, item.fragment.y0, item.fragment.x0))
    places = _ranges(row, columns, below)
    continued = [next((other for other in below if _is_one_name(item, other.fragment)), None) for item in row]
    return [
        _Placed(item, other.first, other.last) if other else _Placed(item, *place)
        for item, other, place in zip(row, continued, places, strict=True)
    ]


def _is_one_name(upper: Fragment, lower: Fragment) -> bool:
    """Whether two fragments are lines of one name; what stands over a year alone may stand over its neighbours too."""
    tight = lower.y0 - upper.y0 < 1.35 * (upper.y1 - upper.y0)
    return tight and abs(upper.middle - lower.middle) < 2 and not is_year(lower.text)


def _ranges(
    row: Sequence[Fragment], columns: Sequence[AmountColumn], below: Sequence[_Placed]
) -> tuple[tuple[int, int], ...]:
    """For each fragment the first and last column it stands over.

    Fragments keep their order and share no column; the sum of the distances between their middles and those of their
    columns is the least there is.
    """

    @functools.cache
    def best(item: int, column: int) -> tuple[float, tuple[tuple[int, int], ...]]:
        if item == len(row):
            return _SKIPPED * (len(columns) - column), ()
        found: tuple[float, tuple[tuple[int, int], ...]] = (float("inf"), ())
        left_after = len(row) - item - 1
        for first in range(column, len(columns) - left_after):
            for last in range(first, len(columns) - left_after):
                cost, rest = best(item + 1, last + 1)
                cost += _distance(row[item], columns, below, first, last) + _SKIPPED * (first - column)
                if cost < found[0]:
                    found = cost, ((first, last), *rest)
        return found

    return best(0, 0)[1]


def _distance(
    item: Fragment, columns: Sequence[AmountColumn], below: Sequence[_Placed], first: int, last: int
) -> float:
    """Points between a fragment's middle and that of some columns; far more where it stands over others too.

    Where a column's cells begin is not to be seen where its amounts are flush right, so several edges are tried: the
    amounts', their signs', the end of the column before, and those of the names under the fragment.
    """
    outside = sum(
        min(item.x1, column.x1) - max(item.x0, column.x0)
        for place, column in enumerate(columns)
        if not first <= place <= last and item.x0 < column.x1 and column.x0 < item.x1
    )
    right = columns[last].x1
    edges = [(columns[first].x0, right), (columns[first].left, right)]
    if len(columns) > 1:
        before = columns[first - 1].x1 if first else columns[0].x1 - (columns[1].x1 - columns[0].x1)
        edges.append((before, right))
    under = [other.fragment for other in below if first <= other.first and other.last <= last]
    if under:
        edges.append((min(other.x0 for other in under), max(other.x1 for other in under)))
    middle = min(abs(item.middle - (left + end) / 2) for left, end in edges)
    if first == last:  # names stand flush right over one column as often as over its middle
        middle = min(middle, abs(item.x1 - right))
    return middle + 10 * outside


def _nearest(item: Fragment, columns: Sequence[AmountColumn]) -> int:
    return min(range(len(columns)), key=lambda place: abs(item.middle - (columns[place].x0 + columns[place].x1) / 2))
