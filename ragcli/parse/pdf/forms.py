"""Fields of PDF forms as a reader sees them: a ticked box by the words beside it, a choice by what it shows. Pure.

Producers name fields ``topmostSubform[0].c1_02[0]`` and draw ticks as letters of a symbol font, so a field is called by
its label for people, else by the text beside it, and the letter of a tick is no text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.parse.assemble import one_line
from ragcli.parse.pdf.lines import Line

TICKED = "ticked"
_MACHINE_NAME = re.compile(r"[\[\]_#]|\d|^\w{1,2}$")
_BUTTONS = ("CheckBox", "RadioButton")
_NEAR = 4.0  # of a box's height: how far a label may stand from it


@dataclass(frozen=True, slots=True)
class Field:
    """A field: ``value`` as stored (empty when nothing was filled in), ``shown`` what each stored choice shows.

    ``kind`` is as pymupdf names it; ``on`` says of a button whether it is ticked; ``box`` is in points.
    """

    kind: str
    name: str
    label: str
    value: str
    box: tuple[float, float, float, float]
    on: bool = False
    shown: tuple[tuple[str, str], ...] = ()


def is_button(field: Field) -> bool:
    """Whether a field is a box to tick."""
    return field.kind in _BUTTONS


def without_ticks(lines: Sequence[Line], fields: Sequence[Field]) -> list[Line]:
    """The lines but for single letters inside boxes to tick: they draw the tick."""
    boxes = [field.box for field in fields if is_button(field)]
    return [line for line in lines if not (len(line.text) <= 2 and any(_inside(line, box) for box in boxes))]


def filled_in(fields: Sequence[Field], lines: Sequence[Line]) -> list[str]:
    """``label: value`` of every field that holds something; ``lines`` are the page's."""
    return [f"{label}: {value}" if label else value for field in fields for label, value in _said(field, lines)]


def _said(field: Field, lines: Sequence[Line]) -> list[tuple[str, str]]:
    if is_button(field):
        return [(_label(field, lines), TICKED)] if field.on else []
    value = one_line(dict(field.shown).get(field.value, field.value))
    return [(_label(field, lines), value)] if value else []


def _label(field: Field, lines: Sequence[Line]) -> str:
    """The label for people; of a box to tick, first the words beside it: one label may stand for several boxes."""
    beside = _beside(field, lines)
    own = one_line(field.label)
    if is_button(field) and beside:
        return beside if not own or own == beside else f"{own} ({beside})"
    name = one_line(field.name.rsplit(".", 1)[-1])
    return own or (name if not _MACHINE_NAME.search(name) else beside or name)


def _beside(field: Field, lines: Sequence[Line]) -> str:
    """The nearest text on the row of a field: right of a box to tick, left of any other."""
    x0, y0, x1, y1 = field.box
    height = max(8.0, min(y1 - y0, 14.0))
    level = [line for line in lines if line.y0 < y1 and y0 < line.y1 and any(char.isalpha() for char in line.text)]
    right = [(line.x0 - x1, line.text) for line in level if -2 <= line.x0 - x1 < _NEAR * height]
    left = [(x0 - line.x1, line.text) for line in level if -2 <= x0 - line.x1 < 2 * _NEAR * height]
    first, second = (right, left) if is_button(field) else (left, right)
    return one_line(min(first or second, default=(0.0, ""))[1])


def _inside(line: Line, box: tuple[float, float, float, float]) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1
