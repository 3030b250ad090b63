"""The order in which a person reads what stands on a page. Pure.

Columns are found as a gutter that few lines cross; lines that do cross it (titles, wide tables) part the columns into
bands, and each band is read column by column, as XY-cut methods do (Nagy and Seth 1984; Meunier 2005 on spanning cuts).
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

from ragcli.parse.pdf.lines import Line, is_right_to_left
from ragcli.parse.pdf.statements import statement_tables
from ragcli.parse.pdf.tables import Table, aligned_tables, flows, visual_rows

Item = Line | Table
_DEPTH = 4


def reading_order(lines: Sequence[Line], tables: Sequence[Table]) -> list[list[Line] | Table]:
    """Rows of lines, and tables, in reading order; ``tables`` are those already found, their lines taken out."""
    return _flow([*lines, *tables], _DEPTH)


def _flow(items: list[Item], depth: int) -> list[list[Line] | Table]:
    lines = [item for item in items if isinstance(item, Line)]
    if not _side_by_side(lines) and len(lines) == len(items):
        return list(visual_rows(lines))
    for table in statement_tables(lines):
        items = _without(items, table.lines)
        items.append(table)
    for table in aligned_tables([item for item in items if isinstance(item, Line)]):
        items = _without(items, table.lines)
        items.append(table)
    gutter = _gutter(items) if depth else None
    if gutter is None:
        return _single(items)
    result: list[list[Line] | Table] = []
    left: list[Item] = []
    right: list[Item] = []
    for item in sorted(items, key=lambda part: (part.y0, part.x0)):
        if item.x0 < gutter < item.x1:
            result += _flow(left, depth - 1) + _flow(right, depth - 1) + _single([item])
            left, right = [], []
        else:
            (left if item.x1 <= gutter else right).append(item)
    return result + _flow(left, depth - 1) + _flow(right, depth - 1)


def _without(items: Sequence[Item], lines: Sequence[Line]) -> list[Item]:
    gone = {id(line) for line in lines}
    return [item for item in items if id(item) not in gone]


def _single(items: list[Item]) -> list[list[Line] | Table]:
    """One column: rows from top to bottom, tables between them."""
    rows: list[list[Line] | Table] = list(visual_rows([item for item in items if isinstance(item, Line)]))
    rows += [item for item in items if isinstance(item, Table)]
    return sorted((_right_to_left(row) for row in rows), key=_top)


def _top(part: list[Line] | Table) -> tuple[float, float]:
    return (part.y0, part.x0) if isinstance(part, Table) else (min(line.y0 for line in part), part[0].x0)


def _right_to_left(row: list[Line] | Table) -> list[Line] | Table:
    if isinstance(row, Table) or len(row) < 2:
        return row
    return row[::-1] if is_right_to_left("".join(line.text for line in row)) else row


def _side_by_side(lines: Sequence[Line]) -> bool:
    """Whether any two lines share a row."""
    ordered = sorted(lines, key=lambda line: line.y0 + line.y1)
    return any(
        min(first.y1, second.y1) - max(first.y0, second.y0) > 0.5 * min(first.height, second.height)
        for first, second in itertools.pairwise(ordered)
    )


def _gutter(items: Sequence[Item]) -> float | None:
    """The x of the best gap between two columns, None when the page is read straight down."""
    if len(items) < 8:
        return None
    left, right = min(item.x0 for item in items), max(item.x1 for item in items)
    candidates = _gaps(items, left + 0.12 * (right - left), right - 0.12 * (right - left))
    return next((x for _, width, x in candidates if _two_columns(items, x, width)), None)


def _gaps(items: Sequence[Item], low: float, high: float) -> list[tuple[float, float, float]]:
    """Stretches of x between edges, best first: the height of what crosses each, its width and its middle."""
    edges: list[tuple[float, float]] = []
    for item in items:
        edges += [(item.x0 + 1, item.height), (item.x1 - 1, -item.height)]
    edges.sort()
    stretches: list[tuple[float, float, float]] = []  # start, end, height of what covers it
    covered, previous = 0.0, edges[0][0]
    for x, change in edges:
        if x > previous:
            stretches.append((previous, x, covered))
        covered, previous = covered + change, x
    total = sum(item.height for item in items)
    found = {_widened(stretches, place, 0.03 * total) for place, part in enumerate(stretches) if part[2] <= 0.3 * total}
    inside = [gap for gap in found if low < gap[2] < high and gap[1] > 3]
    return sorted(inside, key=lambda gap: (gap[0] - 0.02 * total * min(3.0, gap[1] / 10), gap[2]))[:6]


def _widened(stretches: Sequence[tuple[float, float, float]], place: int, slack: float) -> tuple[float, float, float]:
    """A stretch with the neighbours that hardly more crosses: the height across it, its width and its middle."""
    start, end, covered = stretches[place]
    for before in reversed(stretches[:place]):
        if before[2] > covered + slack:
            break
        start = before[0]
    for after in stretches[place + 1 :]:
        if after[2] > covered + slack:
            break
        end = after[1]
    return round(covered, 1), end - start, (stretches[place][0] + stretches[place][1]) / 2


def _two_columns(items: Sequence[Item], x: float, width: float) -> bool:
    left = [item for item in items if item.x1 <= x]
    right = [item for item in items if item.x0 >= x]
    if len(left) < 4 or len(right) < 4:
        return False
    size = statistics.median(item.size for item in items if isinstance(item, Line)) if _lines(items) else 10.0
    if width < 0.7 * size:
        return False
    top, bottom = max(_least(left), _least(right)), min(_most(left), _most(right))
    shorter = min(_most(left) - _least(left), _most(right) - _least(right))
    if bottom - top < 0.4 * shorter:
        return False
    return not _label_and_value(left, right)


def _label_and_value(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """Whether two columns are the labels and values of a form, to be read row by row."""
    labels, values = _lines(left), _lines(right)
    if not labels or not values:
        return False
    rows = {round((value.y0 + value.y1) / 2 / 4) for value in values}
    beside = [label for label in labels if any(round((label.y0 + label.y1) / 2 / 4) + d in rows for d in (-1, 0, 1))]
    words = statistics.median(len(label.text.split()) for label in labels)
    width = max(label.x1 for label in labels) - min(label.x0 for label in labels)
    return len(beside) > 0.7 * len(labels) and words <= 4 and not flows(labels, width)


def _lines(items: Sequence[Item]) -> list[Line]:
    return [item for item in items if isinstance(item, Line)]


def _least(items: Sequence[Item]) -> float:
    return min(item.y0 for item in items)


def _most(items: Sequence[Item]) -> float:
    return max(item.y1 for item in items)
