"""Rows of a table of amounts as cells: long labels made whole, each row with the label that holds for it. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.language.words import is_function_word
from ragcli.parse.pdf.amounts import Amount, AmountRow
from ragcli.parse.tables import JOINT, is_total

_MOST_LABEL = 80  # characters of a label that the rows under it repeat
_NET = re.compile(r"(?i)net (?:cash|increase|decrease|change)\b")
_OPEN_END = re.compile(r"[,(\u2014\u2013-]$")


@dataclass(slots=True)
class AmountSpan:
    """A column as far as it has been read: the amounts' edges, and the left one of the signs before them."""

    x0: float
    x1: float
    left: float


@dataclass(slots=True)
class _GrowingRow:
    """A row of the table in the making."""

    x0: float
    y1: float
    label: str
    cells: list[str]

    @property
    def is_label(self) -> bool:
        return not any(self.cells)


def cells_of(rows: Sequence[AmountRow], columns: Sequence[AmountSpan], size: float) -> list[list[str]]:
    """Rows as cells: long labels made whole, and the label above set before the rows that are set in under it."""
    entries: list[_GrowingRow] = []
    for row in rows:
        cells = [""] * len(columns)
        for amount in row.amounts:
            place = _place(amount, columns, cells)
            cells[place] = f"{cells[place]} {amount.text}".strip()
        entry = _GrowingRow(row.x0, row.y1, row.label_text if row.amounts else row.text, cells)
        last = entries[-1] if entries else None
        if last is not None and row.y0 - last.y1 < 0.6 * size and _continues(last, entry):
            last.label, last.y1 = f"{last.label} {entry.label}", row.y1
            last.cells = last.cells if entry.is_label else cells
        else:
            entries.append(entry)
    return _with_labels(entries)


def _place(amount: Amount, columns: Sequence[AmountSpan], cells: Sequence[str]) -> int:
    """The column an amount stands in: one that it overlaps, else the nearest that the row has not filled."""

    def distance(place: int) -> tuple[bool, float]:
        column = columns[place]
        apart = max(0.0, column.x0 - amount.x1, amount.x0 - column.x1)
        return apart > 0 and bool(cells[place]), apart

    return min(range(len(columns)), key=distance)


def _continues(last: _GrowingRow, entry: _GrowingRow) -> bool:
    """Whether a row goes on with the label of the one above; at most one of them has amounts."""
    if not entry.label or not last.label or not (last.is_label or entry.is_label) or last.label.endswith(":"):
        return False
    return (
        entry.label[0].islower()
        or entry.label[0] == "("
        or bool(_OPEN_END.search(last.label))
        or any(map(is_function_word, last.label.split()[-1:]))
    )


def _with_labels(entries: Sequence[_GrowingRow]) -> list[list[str]]:
    """Each row with the label that holds for it; a label that rows repeat is no row of its own.

    A label holds for the rows set in under it; one that ends in a colon also for rows at its own left edge, up to the
    next label there or past a total.
    """
    result: list[list[str]] = []
    over: list[tuple[float, str]] = []
    for entry, under in itertools.zip_longest(entries, entries[1:]):
        set_in = under is not None and under.x0 > entry.x0 + 1
        is_label = entry.is_label and under is not None and len(entry.label) <= _MOST_LABEL
        over = [item for item in over if item[0] < entry.x0 - (3 if is_label else 1)]
        if is_label and (set_in or (entry.label.endswith(":") and abs(under.x0 - entry.x0) <= 1)):
            over.append((entry.x0 if set_in else entry.x0 - 2, entry.label.rstrip(" :")))
            continue
        sums_up = is_total(entry.label) or bool(_NET.match(entry.label))
        named = sums_up and " " in entry.label  # a total that says of what
        path = [] if named else [text for _, text in over[-1:]]
        result.append([JOINT.join(filter(None, (*path, entry.label))), *entry.cells])
        over = [item for item in over if not sums_up or item[0] < entry.x0 - 2]
    return result
