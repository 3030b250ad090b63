"""Tables on a PDF page, from drawn rules or from the alignment of text alone. Pure.

Ruled tables follow the usual method (Nurminen 2013, as in tabula and pdfplumber): strokes that touch form a grid, words
fall into its cells. Without rules, rows of several short fragments whose gaps line up down the page are a table.
"""

from __future__ import annotations

import itertools
import re
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragcli.parse.pdf.amounts import is_year
from ragcli.parse.pdf.lines import Line, is_right_to_left

Box = tuple[float, float, float, float]
_TOUCH = 3.0
_AMOUNTS = re.compile(r"(?<!\S)[(\u2013-]?(?:[$€£¥] ?)?\(?\d(?:[\d.,]*\d)?\)? ?%?\)?(?!\S)")


@dataclass(slots=True)
class Table:
    """Where a table stands and the text of its cells, row by row.

    ``header_rows`` is None where the page does not say; ``label_rows`` says whether rows that are labels of those under
    them are still to be found.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    rows: list[list[str]]
    lines: list[Line] = field(default_factory=list)
    group: int = -1
    header_rows: int | None = None
    label_rows: bool = True

    @property
    def height(self) -> float:
        return self.y1 - self.y0


def visual_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that share a baseline, each row from left to right, rows from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda item: (item.y0 + item.y1, item.x0)):
        row = rows[-1] if rows else None
        if row is not None and _same_row(row[-1], line):
            row.append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda item: (item.x0, item.y0)) for row in rows]


def _same_row(first: Line, second: Line) -> bool:
    overlap = min(first.y1, second.y1) - max(first.y0, second.y0)
    return overlap > 0.5 * min(first.height, second.height)


def may_hold_table(lines: Sequence[Line]) -> bool:
    """Whether at least two rows hold fragments beside each other: a quick test before rules are fetched."""
    ordered = sorted(lines, key=lambda line: line.y0 + line.y1)
    return sum(_same_row(first, second) for first, second in itertools.pairwise(ordered)) >= 2


# ---------------------------------------------------------------- ruled


def ruled_tables(words: Sequence[Line], rules: Sequence[Box]) -> list[Table]:
    """Tables whose cells are drawn; ``words`` are single words, ``rules`` thin boxes."""
    rules = list(dict.fromkeys(rules))  # neighbouring cells are drawn with the edge between them twice
    flat = [rule for rule in rules if rule[2] - rule[0] >= rule[3] - rule[1] and rule[2] - rule[0] > 8]
    upright = [rule for rule in rules if rule[3] - rule[1] > rule[2] - rule[0] and rule[3] - rule[1] > 5]
    tables = []
    for component in _components(flat, upright):
        table = _grid([r for r in component if r[2] - r[0] >= r[3] - r[1]], component, words)
        if table is not None and not _cuts_amounts(table, words):
            tables.append(table)
    return tables


def _cuts_amounts(table: Table, words: Sequence[Line]) -> bool:
    """Whether a grid is no table's: it has no words, or leaves the amounts of its last column outside.

    Such grids are made of underlines and shaded rows.
    """
    cells = [cell for row in table.rows for cell in row if cell]
    beside = [
        word
        for word in words
        if table.y0 <= (word.y0 + word.y1) / 2 <= table.y1 and word.x0 > table.x1 + 2 and _AMOUNTS.fullmatch(word.text)
    ]
    wordless = not any(char.isalpha() for cell in cells for char in cell)
    return wordless or len(beside) > 0.3 * len(table.rows)


def is_better(stated: Table, ruled: Table) -> bool:
    """Whether a table of amounts is to be taken, and not the grid that lines on the page make where it stands.

    It is where the grid leaves amounts of it outside, begins with amounts, or holds nothing but amounts beside short
    labels: then its strokes only part sections or underline.
    """
    middles = [((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2) for line in stated.lines for word in line.words]
    beside = [(x, y) for x, y in middles if ruled.y0 <= y <= ruled.y1]
    inside = [x for x, _ in beside if ruled.x0 - 2 <= x <= ruled.x1 + 2]
    if len(beside) < 4 or not inside:
        return False
    if len(inside) < 0.9 * len(beside) or begins_with_amounts(ruled.rows):
        return True
    body = [row for row in ruled.rows if any(_AMOUNTS.fullmatch(cell) for cell in row[1:])]
    plain = [row for row in body if len(row[0]) < 60 and all(_is_short(cell) for cell in row[1:])]
    return bool(stated.header_rows) and len(plain) > 0.8 * len(body)


def _is_short(cell: str) -> bool:
    return not cell or bool(_AMOUNTS.fullmatch(cell)) or not any(char.isalpha() for char in cell)


def begins_with_amounts(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is no header: an amount in it stands over others."""
    for column, cell in enumerate(rows[0]):
        below = [row[column] for row in rows[1:] if row[column]]
        amounts = sum(bool(_AMOUNTS.fullmatch(other)) for other in below)
        if column and _AMOUNTS.fullmatch(cell) and not is_year(cell) and amounts >= 0.5 * len(below) and below:
            return True
    return len([cell for cell in rows[0] if cell]) < 2 and any(_AMOUNTS.fullmatch(cell) for cell in rows[0])


def _components(flat: list[Box], upright: list[Box]) -> list[list[Box]]:
    """Groups of strokes that touch one another."""
    parent = list(range(len(flat) + len(upright)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    if len(flat) * len(upright) > 2_000_000:
        return []
    upright = sorted(upright, key=lambda rule: rule[1])
    tops = [rule[1] for rule in upright]
    longest = max((rule[3] - rule[1] for rule in upright), default=0.0)
    for first, h in enumerate(flat):  # only strokes that begin where they can still reach this one
        start, end = bisect_left(tops, h[1] - _TOUCH - longest), bisect_right(tops, h[3] + _TOUCH)
        for second in range(start, end):
            v = upright[second]
            if h[0] - _TOUCH <= v[2] and v[0] <= h[2] + _TOUCH and h[1] <= v[3] + _TOUCH:
                parent[root(first)] = root(len(flat) + second)
    groups: dict[int, list[Box]] = {}
    for place, rule in enumerate([*flat, *upright]):
        groups.setdefault(root(place), []).append(rule)
    return [group for group in groups.values() if len(group) >= 4]


def _grid(flat: list[Box], component: list[Box], words: Sequence[Line]) -> Table | None:
    upright = [rule for rule in component if rule not in flat]
    ys, xs = _levels([(r[1] + r[3]) / 2 for r in flat]), _levels([(r[0] + r[2]) / 2 for r in upright])
    if len(ys) < 3 or len(xs) < 3:
        return None
    inside = [word for word in words if _within(word, (xs[0], ys[0], xs[-1], ys[-1]))]
    cells: dict[tuple[int, int], list[Line]] = {}
    for word in inside:
        row, column = _slot(ys, (word.y0 + word.y1) / 2), _slot(xs, (word.x0 + word.x1) / 2)
        while column > 0 and not _edge(upright, xs[column], (ys[row], ys[row + 1]), vertical=True):
            column -= 1
        while row > 0 and not _edge(flat, ys[row], (xs[column], xs[column + 1]), vertical=False):
            row -= 1
        cells.setdefault((row, column), []).append(word)
    if len(cells) < 4 or len({column for _, column in cells}) < 2 or len({row for row, _ in cells}) < 2:
        return None
    crowded = sum(map(_is_crowded, cells.values()))
    if max(map(len, cells.values())) > 0.8 * len(inside) or crowded > 0.1 * len(cells):
        return None
    rows = [[_cell_text(cells.get((row, column), ())) for column in range(len(xs) - 1)] for row in range(len(ys) - 1)]
    header_rows = 0 if begins_with_amounts(rows) else None
    return Table(xs[0], ys[0], xs[-1], ys[-1], rows, list(inside), header_rows=header_rows)


def _within(word: Line, box: Box) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box[0] - 2 <= x <= box[2] + 2 and box[1] - 2 <= y <= box[3] + 2


def _levels(values: list[float]) -> list[float]:
    """Distinct positions, those closer than the tolerance taken as one."""
    levels: list[float] = []
    for value in sorted(values):
        if not levels or value - levels[-1] > _TOUCH:
            levels.append(value)
    return levels


def _slot(levels: list[float], value: float) -> int:
    return max(0, min(len(levels) - 2, sum(1 for level in levels if level <= value) - 1))


def _edge(rules: list[Box], at: float, along: tuple[float, float], *, vertical: bool) -> bool:
    """Whether a stroke stands between two neighbouring cells."""
    middle = (along[0] + along[1]) / 2
    for rule in rules:
        place = (rule[0] + rule[2]) / 2 if vertical else (rule[1] + rule[3]) / 2
        start, end = (rule[1], rule[3]) if vertical else (rule[0], rule[2])
        if abs(place - at) <= _TOUCH and start - _TOUCH <= middle <= end + _TOUCH:
            return True
    return False


def _is_crowded(words: Sequence[Line]) -> bool:
    """Whether a cell holds amounts far beside each other: those of several columns."""
    return any(
        after.x0 - before.x1 > 0.8 * before.height
        for row in visual_rows(words)
        for before, after in itertools.pairwise(row)
        if _AMOUNTS.fullmatch(before.text) and _AMOUNTS.fullmatch(after.text)
    )


def _cell_text(words: Sequence[Line]) -> str:
    return " ".join(word.text for row in visual_rows(words) for word in _as_read(row))


def _as_read(row: Sequence[Line]) -> Sequence[Line]:
    return row[::-1] if is_right_to_left("".join(word.text for word in row)) else row


# ---------------------------------------------------------------- aligned


def aligned_tables(lines: Sequence[Line]) -> list[Table]:
    """Tables without rules: runs of rows with at least two fragments whose gaps line up."""
    tables: list[Table] = []
    run: list[list[Line]] = []
    for row in [*visual_rows(lines), []]:
        if len(row) > 1 or (run and len(row) == 1 and _continues(run, row[0])):
            run.append(row)
            continue
        table = _aligned(run)
        if table is not None:
            tables.append(table)
        run = []
    return tables


def _continues(run: list[list[Line]], line: Line) -> bool:
    """Whether a lone fragment right under a row belongs to the table: it starts where a column does."""
    previous = run[-1]
    gap = line.y0 - max(item.y1 for item in previous)
    starts = [item.x0 for row in run for item in row]
    return gap < 0.7 * line.size and any(abs(line.x0 - start) < 3 for start in starts) and len(line.text) < 60


def _aligned(run: list[list[Line]]) -> Table | None:
    while run and len(run[-1]) == 1:
        run = run[:-1]
    full = [row for row in run if len(row) > 1]
    if len(full) < 2:
        return None
    columns = _columns([line for row in run for line in row])
    if len(columns) < 2 or not _short_cells(run, columns):
        return None
    if len(full) == 2 and (len(columns) < 4 or any(len(row) != len(columns) for row in full)):
        return None  # two rows are a table when nothing is missing in them
    rows: list[list[str]] = []
    for row in run:
        cells = [""] * len(columns)
        for line in row:
            place = next(i for i, column in enumerate(columns) if line.x0 < column[1] + 1 and line.x1 > column[0] - 1)
            cells[place] = f"{cells[place]} {line.text}".strip()
        if rows and not cells[0] and sum(1 for cell in cells if cell) <= len(columns) // 2:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    filled = sum(1 for row in rows for cell in row if cell)
    if len(rows) < min(3, len(full)) or filled < 0.5 * len(rows) * len(columns):
        return None
    lines = [line for row in run for line in row]
    return Table(
        min(line.x0 for line in lines),
        min(line.y0 for line in lines),
        max(line.x1 for line in lines),
        max(line.y1 for line in lines),
        rows,
        lines,
        header_rows=0 if begins_with_amounts(rows) else None,
        label_rows=False,
    )


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Stretches of the x axis that text covers; a narrow gap does not part two columns."""
    size = statistics.median(line.size for line in lines)
    columns: list[tuple[float, float]] = []
    for line in sorted(lines, key=lambda item: item.x0):
        if columns and line.x0 <= columns[-1][1] + 0.5 * size:
            columns[-1] = (columns[-1][0], max(columns[-1][1], line.x1))
        else:
            columns.append((line.x0, line.x1))
    return columns


def _short_cells(run: list[list[Line]], columns: list[tuple[float, float]]) -> bool:
    """Running text in columns fills them with lines of many words; a table's cells mostly do not."""
    for start, end in columns:
        inside = [line for row in run for line in row if line.x0 < end and line.x1 > start]
        wordy = [line for line in inside if len(line.text.split()) > 5 and line.x1 - line.x0 > 0.8 * (end - start)]
        if len(wordy) > 0.45 * len(inside) or flows(inside, end - start):
            return False
    texts = [line.text for row in run for line in row]
    limit = 4 if len(columns) == 2 else 6
    return statistics.median(len(text.split()) for text in texts) <= limit


def flows(lines: Sequence[Line], width: float) -> bool:
    """Whether a column's lines run on from one to the next, as sentences do and cells do not."""
    pairs = list(itertools.pairwise(sorted(lines, key=lambda line: line.y0)))
    running = [
        after
        for before, after in pairs
        if after.text[:1].islower() and before.text[-1:].isalnum() and before.x1 - before.x0 > 0.6 * width
    ]
    words = statistics.median(len(line.text.split()) for line in lines)
    return words >= 3 and len(running) > 0.6 * max(1, len(pairs))
