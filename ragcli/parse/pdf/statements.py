"""Tables of amounts without drawn cells, as annual reports print them. Pure.

Rows that end in amounts whose columns line up are a table. The rows between them that have none are labels, or the
first lines of long labels; years, dates and names above the columns are their header. A label holds for the rows that
are set in under it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragcli.parse.pdf.amounts import Amount, AmountRow, is_money, read_row
from ragcli.parse.pdf.cells import AmountSpan, cells_of
from ragcli.parse.pdf.headers import AmountColumn, Fragment, column_names, fragments
from ragcli.parse.pdf.lines import Line, is_right_to_left
from ragcli.parse.pdf.tables import Table, visual_rows

_PARTED = 1.4  # of the type size: a gap that parts two columns of words
_MOST_LEADING = 50  # characters of a label that begins a table without a header
_MOST_CROSSING = 2  # lines of a label that run under the columns
_ROW_GAP, _HEADER_GAP, _TABLE_GAP = 2.2, 3.0, 4.0  # of the type size: between neighbouring rows


@dataclass(slots=True)
class _RowRun:
    """Rows of one table so far: ``rows[first : last + 1]``."""

    first: int
    last: int
    columns: list[AmountSpan] = field(default_factory=list)

    @property
    def left(self) -> float:
        return min(column.left for column in self.columns)


def statement_tables(lines: Sequence[Line]) -> list[Table]:
    """The tables of amounts among the lines of a page, or of a column of it."""
    words = [word for line in lines for word in line.words]
    if not words or is_right_to_left("".join(line.text for line in lines)):
        return []  # its labels would stand right of the amounts
    size = statistics.median(line.size for line in lines)
    rows = [read_row(row, size) for row in visual_rows(words)]
    tables: list[Table] = []
    above, names = 0, _TableHead([], [])
    for run in _runs(rows, size):
        table, names = _table(rows, run, above, names, size)
        tables.append(table)
        above = run.last + 1
    owner = {id(word): line for line in lines for word in line.words}
    for table in tables:
        table.lines = list({id(owner[id(word)]): owner[id(word)] for word in table.lines}.values())
    return tables


# ---------------------------------------------------------------- rows that belong together


def _runs(rows: Sequence[AmountRow], size: float) -> list[_RowRun]:
    found: list[_RowRun] = []
    run: _RowRun | None = None
    for place, row in enumerate(rows):
        if row.amounts and not row.names_years:
            if run is not None and _goes_on(rows, run, place, size) and _fits(run.columns, row):
                run.last = place
            else:
                run = _RowRun(place, place)
                found.append(run)
            _widen(run.columns, row.amounts)
        elif run is not None and not _is_between(rows, run, place, size):
            run = None
    for run in found:
        _settle(run, rows, size)
    return [
        run for run in found if _is_table(own := rows[run.first : run.last + 1], size) and not _is_flush_left(own, run)
    ]


def _settle(run: _RowRun, rows: Sequence[AmountRow], size: float) -> None:
    """Leave out a page's number at the end, and let dashes stand in the columns that numbers make."""
    last = rows[run.last]
    while run.last > run.first and (not last.amounts or _is_page_number(last)):
        run.last -= 1
        last = rows[run.last]
    _part_labels(rows[run.first : run.last + 1], size)
    amounts = [amount for row in rows[run.first : run.last + 1] for amount in row.amounts]
    run.columns = []
    _widen(run.columns, [amount for amount in amounts if amount.is_number])
    for row in rows[run.first : run.last + 1]:
        _widen(
            run.columns, [amount for amount in row.amounts if not amount.is_number and _apart(amount, row, run, size)]
        )


def _apart(amount: Amount, row: AmountRow, run: _RowRun, size: float) -> bool:
    """Whether a dash stands in a column of its own: none is near that another amount of its row does not fill."""
    near = [column for column in run.columns if amount.x0 < column.x1 + 2 * size and amount.x1 > column.left - 2 * size]
    if any(amount.x0 < column.x1 and column.x0 < amount.x1 for column in near):
        return False
    others = [other for other in row.amounts if other is not amount]
    return all(any(other.x0 < column.x1 and column.x0 < other.x1 for other in others) for column in near)


def _is_flush_left(rows: Sequence[AmountRow], run: _RowRun) -> bool:
    """Whether amounts begin, and do not end, at one x in their columns: so words are set, and lists of things."""
    starts, ends = 0.0, 0.0
    for column in run.columns:
        own = [amount for row in rows for amount in row.amounts if amount.x0 < column.x1 and column.x0 < amount.x1]
        numbers = [amount for amount in own if amount.is_number]
        if numbers:
            starts += max(amount.left for amount in numbers) - min(amount.left for amount in numbers)
            ends += max(amount.x1 for amount in numbers) - min(amount.x1 for amount in numbers)
    return starts < 0.3 * ends


def _is_page_number(row: AmountRow) -> bool:
    return not row.label and len(row.amounts) == 1 and not is_money(row.amounts[0].text)


def _goes_on(rows: Sequence[AmountRow], run: _RowRun, place: int, size: float) -> bool:
    return rows[place].y0 - rows[place - 1].y1 < _TABLE_GAP * size and place - run.last < 8


def _fits(columns: Sequence[AmountSpan], row: AmountRow) -> bool:
    """Whether no two amounts of a row would stand in one column, and none in two."""
    taken: set[int] = set()
    for amount in row.amounts:
        under = [place for place, column in enumerate(columns) if amount.x0 < column.x1 and column.x0 < amount.x1]
        if len(under) > 1 or taken.intersection(under):
            return False
        taken.update(under)
    return not row.label or row.label[-1].x1 < min(column.x1 for column in columns)


def _widen(columns: list[AmountSpan], amounts: Sequence[Amount]) -> None:
    for amount in amounts:
        column = next((item for item in columns if amount.x0 < item.x1 and item.x0 < amount.x1), None)
        if column is None:
            columns.append(AmountSpan(amount.x0, amount.x1, amount.left))
        else:
            column.x0, column.x1 = min(column.x0, amount.x0), max(column.x1, amount.x1)
            column.left = min(column.left, amount.left)
    columns.sort(key=lambda item: item.x0)


def _is_between(rows: Sequence[AmountRow], run: _RowRun, place: int, size: float) -> bool:
    """Whether a row without amounts can stand inside a table: a label, or a line of a long one."""
    row = rows[place]
    if row.names_years or row.y0 - rows[place - 1].y1 > _ROW_GAP * size:
        return False
    if row.x1 <= run.left + 0.3 * size:
        return True
    following = rows[place + 1 : place + 1 + _MOST_CROSSING]
    ends = next((item for item in following if item.amounts), None)
    crossing = place - run.last <= _MOST_CROSSING and ends is not None and not ends.names_years
    beside = len(fragments(row.words, size)) > 1
    return crossing and not beside and _fits(run.columns, ends) and abs(ends.x0 - row.x0) < 2 * size  # type: ignore[arg-type,union-attr]


def _is_table(rows: Sequence[AmountRow], size: float) -> bool:
    """Whether rows have amounts beside one another, or one under another that are no numbers of pages or notes."""
    filled = [row for row in rows if row.amounts]
    several = [row for row in filled if len(row.amounts) > 1 and any(amount.is_number for amount in row.amounts)]
    money = [row for row in filled if is_money(row.amounts[-1].text)]
    if len(several) < 2 and (len(filled) < 3 or len(money) < 0.3 * len(filled)):
        return False
    labels = [row for row in filled if row.label]
    parted = [row for row in labels if len(fragments(row.label, _PARTED * size)) > 1]
    return len(labels) >= 0.5 * len(filled) and len(parted) <= 0.4 * len(labels)


def _part_labels(rows: Sequence[AmountRow], size: float) -> None:
    """Take a second column of words, such as ``Level 2`` or an account, off the labels of rows with amounts."""
    filled = [row for row in rows if row.amounts and row.label]
    seconds = [pieces for row in filled if len(pieces := fragments(row.label, _PARTED * size)) == 2]
    if len(seconds) <= 0.4 * len(filled):
        return
    x0 = statistics.median(pieces[1].x0 for pieces in seconds)
    aligned = [pieces for pieces in seconds if abs(pieces[1].x0 - x0) < 3]
    first = statistics.median(len(pieces[0].text) for pieces in seconds)
    second = statistics.median(len(pieces[1].text) for pieces in seconds)
    if len(aligned) < 0.8 * len(seconds) or first > 40 or second > 40:
        return
    for row in filled:
        place = next((i for i, word in enumerate(row.label) if i and word.x0 > x0 - 3), len(row.label))
        if place < len(row.label) and row.label[place].x0 - row.label[place - 1].x1 > size:
            words = row.label[place:]
            text = " ".join(word.text for word in words)
            row.amounts.insert(0, Amount(words[0].x0, words[-1].x1, words[0].x0, text, False))
            row.label = row.label[:place]


# ---------------------------------------------------------------- header


@dataclass(frozen=True, slots=True)
class _TableHead:
    """The header of a table and the columns it stands over."""

    columns: list[AmountSpan]
    texts: list[str]

    def hold_for(self, columns: Sequence[AmountSpan]) -> bool:
        """Whether a table under another goes on with its columns."""
        return len(self.columns) == len(columns) and all(
            old.left < new.x1 and new.left < old.x1 for old, new in zip(self.columns, columns, strict=True)
        )


def _table(
    rows: Sequence[AmountRow], run: _RowRun, above: int, before: _TableHead, size: float
) -> tuple[Table, _TableHead]:
    body = list(rows[run.first : run.last + 1])
    label_x = min(row.x0 for row in body)
    header, labels = _above(rows, run, above, label_x, size)
    columns = [AmountColumn(item.x0, item.x1, item.left) for item in run.columns]
    if header:
        over = [[item for item in row if item.x1 > run.left] for row in header]
        first = " ".join(item.text for row in header for item in row if item.x1 <= run.left)
        texts = [first, *column_names([row for row in over if row], columns)]
    elif before.hold_for(run.columns):
        texts = before.texts
    else:
        texts, labels = [], [row for row in labels if row.text.endswith(":") and len(row.text) < _MOST_LEADING]
    start = run.first - len(labels) - len(header)
    used = rows[start : run.last + 1]
    cells = cells_of([*labels, *body], run.columns, size)
    words = [word for row in used for word in row.words]
    table = Table(
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
        [texts, *cells] if texts else cells,
        words,
        header_rows=1 if texts else 0,
        label_rows=False,
    )
    return table, _TableHead(run.columns, texts)


def _above(
    rows: Sequence[AmountRow], run: _RowRun, above: int, label_x: float, size: float
) -> tuple[list[list[Fragment]], list[AmountRow]]:
    """The rows of the header, top down, and the label rows between them and the first row with amounts."""
    header: list[list[Fragment]] = []
    labels: list[AmountRow] = []
    waiting: list[list[Fragment]] = []
    for place in range(run.first - 1, above - 1, -1):
        row = rows[place]
        if rows[place + 1].y0 - row.y1 > _HEADER_GAP * size:
            break
        if row.amounts and not row.names_years:
            break
        pieces = fragments(row.words, size)
        kind = _kind(pieces, run, label_x, size)
        if kind == "over":
            header = [pieces, *waiting, *header]
            waiting = []
        elif kind != "other" and not header:
            labels.insert(0, row)
        elif kind != "other":
            waiting.insert(0, pieces)
        else:
            break
        if len(labels) > 3 or len(waiting) > 1 or len(header) > 8:
            break
    return header, labels


def _kind(pieces: Sequence[Fragment], run: _RowRun, label_x: float, size: float) -> str:
    """What a row above a table is: names ``over`` its columns, a ``label`` beside them, or ``other`` text.

    A title of the page or of a section stands in the ``middle`` of the labels or between both edges of the table.
    """
    right = max(column.x1 for column in run.columns)
    names = 0
    for piece in pieces:
        if piece.x1 <= run.left and piece.x0 < label_x + 3 * size:
            continue
        if piece.x1 <= run.left and len(pieces) == 1:
            return "middle"
        if piece.x1 <= run.left or piece.x0 < run.left - 4 * size or piece.x0 > right:
            return "other"
        names += 1
    alone = len(pieces) == 1 and names == 1
    over_page, over_columns = (label_x + right) / 2, (run.left + right) / 2
    if alone and abs(pieces[0].middle - over_page) + size < abs(pieces[0].middle - over_columns):
        return "middle"
    return "over" if names else "label"
