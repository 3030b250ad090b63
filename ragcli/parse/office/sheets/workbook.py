"""Spreadsheets (XLSX, XLSM, XLSB, XLS): every sheet's tables as the sheet shows them. Macros are never looked at.

calamine gives the values; formats, hidden parts and drawings come from the package itself where it tells them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.access import Statement, table_statements
from ragcli.parse.hidden import HiddenText
from ragcli.parse.office.sheets.formats import plain, shown, shown_text
from ragcli.parse.office.sheets.legacy import LegacyWorkbook
from ragcli.parse.office.sheets.notes import notes_of
from ragcli.parse.office.sheets.package import SheetFacts, SheetPackage, column_name
from ragcli.parse.office.sheets.writing import Covered, SheetWriter, Shown, Value
from ragcli.parse.source import Context, Outcome, Source


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document, a section a sheet. Raises ParseError when the workbook is damaged or protected."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.data))
    except (CalamineError, OSError, ValueError) as error:
        raise ParseError(f"{source.doc_id}: not a readable workbook: {error}") from error
    package = SheetPackage(source.data)
    legacy = LegacyWorkbook(source.data)
    hidden = HiddenText(context.config, context.conditions)
    writer = SheetWriter(hidden)
    people = package.people()
    stated: list[Statement] = []
    for place, name in enumerate(workbook.sheet_names):
        facts = legacy.facts(name) if legacy.known else package.facts(name)
        try:
            sheet = workbook.get_sheet_by_name(name)
            values = sheet.to_python(skip_empty_area=False)
            merged = sheet.merged_cell_ranges or ()
        except (CalamineError, OSError, ValueError) as error:
            values, merged = [], ()
            if not facts.parts:
                writer.warnings.append(f"sheet {name!r} could not be read: {error}")
        stated += table_statements([[str(value) for value in row] for row in values])
        state = _state(workbook.sheets_metadata[place], facts)
        if state and not hidden.reads(f"sheet {name!r} ({state})"):
            continue  # what it says of access holds all the same
        notes = list(notes_of(facts.parts, people))
        writer.sheet(name, _grid(values, merged, facts), facts.hidden_rows, facts.hidden_columns, notes)
        writer.unsaved(name, facts.unsaved)
        _links(package, name, values, writer)
    yield replace(writer.extract(), stated=tuple(stated))


def _state(metadata: Any, facts: SheetFacts) -> str:
    """``hidden``, ``very hidden`` or, for a sheet that is shown, nothing."""
    state = facts.state if facts.state != "visible" else str(metadata.visible).rpartition(".")[2]
    return {"hidden": "hidden", "veryhidden": "very hidden"}.get(state.lower(), "")


def _grid(values: list[list[Any]], merged: Any, facts: SheetFacts) -> list[list[Value]]:
    """Every cell as it is shown, with the value behind it where that is another."""
    codes = facts.codes
    rows: list[list[Value]] = [
        [_cell(value, codes.get((number, column), "")) for column, value in enumerate(row)]
        for number, row in enumerate(values)
    ]
    for (top, left), (bottom, right) in merged:
        if top < len(rows) and left < len(rows[top]):
            origin = Covered(rows[top][left])
            for number in range(top, min(bottom + 1, len(rows))):
                row = rows[number]
                for column in range(left, min(right + 1, len(row))):
                    row[column] = origin
    return rows


def _cell(value: Any, code: str) -> Value:
    if isinstance(value, str):
        text = value.strip()
        return shown_text(text, code) if code and text else text
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    raw = plain(value)
    if not code:
        return raw
    text = shown(value, code)
    return text if text == raw else Shown(text, raw)


def _links(package: SheetPackage, name: str, values: list[list[Any]], writer: SheetWriter) -> None:
    """Where the linked cells of a sheet lead, with their words."""
    words = {}
    links = list(package.links(name))
    if links:
        words = {
            f"{column_name(column)}{number}": str(value)
            for number, row in enumerate(values, 1)
            for column, value in enumerate(row)
            if value != ""
        }
    writer.links((words.get(cell, ""), address) for cell, address in links)
