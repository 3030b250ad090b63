"""What an old workbook (XLS) says of its sheets beside their values: formats and what is hidden, through xlrd."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from ragcli.parse.office.sheets.package import SheetFacts

_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STATES = ("visible", "hidden", "veryHidden")


class LegacyWorkbook:
    """An XLS file, opened for its facts; a workbook of another format, or one xlrd does not read, has none."""

    def __init__(self, data: bytes) -> None:
        self._book: Any = None
        if not data.startswith(_MARK):
            return
        import xlrd
        from xlrd.compdoc import CompDocError

        problems = (xlrd.XLRDError, CompDocError, AssertionError, LookupError, ValueError, TypeError, OSError)
        with contextlib.suppress(*problems):  # the values come from elsewhere: without this they are only plain
            self._book = xlrd.open_workbook(
                file_contents=data, formatting_info=True, logfile=io.StringIO(), on_demand=True
            )

    @property
    def known(self) -> bool:
        """Whether anything is known of it."""
        return self._book is not None

    def facts(self, name: str) -> SheetFacts:
        """What is known of the sheet of that name."""
        try:
            sheet = self._book.sheet_by_name(name)
        except (LookupError, ValueError, AssertionError, TypeError, OSError, self._book_error()):
            return SheetFacts()
        facts = SheetFacts(state=_STATES[sheet.visibility] if sheet.visibility in (0, 1, 2) else "visible")
        facts.hidden_rows = frozenset(
            number for number, row in sheet.rowinfo_map.items() if row.hidden and not row.outline_level
        )
        facts.hidden_columns = frozenset(
            number for number, column in sheet.colinfo_map.items() if column.hidden and not column.outline_level
        )
        facts.codes = self._codes(sheet)
        return facts

    def _book_error(self) -> type[Exception]:
        import xlrd

        error: type[Exception] = xlrd.XLRDError
        return error

    def _codes(self, sheet: Any) -> dict[tuple[int, int], str]:
        """The format codes of cells with a number."""
        styles, formats = self._book.xf_list, self._book.format_map
        codes = {}
        for row in range(sheet.nrows):
            kinds = sheet.row_types(row)
            for column, style in enumerate(sheet.row(row)):
                if kinds[column] in (2, 3) and style.xf_index is not None and style.xf_index < len(styles):
                    found = formats.get(styles[style.xf_index].format_key)
                    if found is not None and found.format_str not in ("General", "@", "0", ""):
                        codes[row, column] = str(found.format_str)
        return codes
