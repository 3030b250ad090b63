"""The paragraphs, headings, lists and tables of an RTF document, made of what stands between its commands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ragcli.parse.assemble import Assembly, one_line, squeeze
from ragcli.parse.links import Links
from ragcli.parse.office.rtf.tables import CellPlace, TableRow, grid, header_rows
from ragcli.parse.office.rtf.tokens import joined
from ragcli.parse.office.word.styles import heading_level
from ragcli.parse.tables import add_table

_LONGEST_HEADING, _LONGEST_OUTLINED = 200, 120


@dataclass(slots=True)
class Paragraph:
    """The paragraph that is being read."""

    parts: list[str] = field(default_factory=list)
    marker: list[str] = field(default_factory=list)
    style: int = 0
    outline: int | None = None
    level: int = 0
    in_table: bool = False


class RtfBlocks:
    """The blocks so far, and the paragraph and the table that are being read; ``styles`` are names by number."""

    def __init__(self) -> None:
        self.assembly = Assembly()
        self.links = Links()
        self.styles: dict[int, list[str]] = {}
        self.tables = 0
        self.first_title = ""
        self.paragraph = Paragraph()
        self.row = TableRow()
        self.place = CellPlace()
        self._rows: list[TableRow] = []

    def reset_paragraph(self) -> None:
        """New properties; what was written stays."""
        self.paragraph = Paragraph(self.paragraph.parts, self.paragraph.marker)

    def end_paragraph(self) -> None:
        """A line of a cell, or a block."""
        if self.paragraph.in_table:
            self.paragraph.parts.append("\n")
            return
        self._end_table()
        paragraph = self.paragraph
        self.paragraph = replace(paragraph, parts=[], marker=[])
        self._add(paragraph)

    def _add(self, paragraph: Paragraph) -> None:
        text = squeeze(joined("".join(paragraph.parts)))
        marker = one_line(joined("".join(paragraph.marker)))
        if marker and not any(map(str.isalnum, marker)):
            marker = "-"
        name = "".join(self.styles.get(paragraph.style, ())).strip().lower()
        level = heading_level(name)
        short = len(text) <= _LONGEST_OUTLINED and not text.endswith((".", ";", ",", ":"))
        if level is None and paragraph.outline is not None and paragraph.outline < 6 and short:
            level = paragraph.outline + 1
        if level is not None and text and len(text) <= _LONGEST_HEADING:
            self.links.write(self.assembly)
            self.first_title = self.first_title or (one_line(text) if level == 1 else "")
            numbered = f"{marker} {text}" if marker not in ("", "-") else text
            self.assembly.add("heading", one_line(numbered), level=level)
        elif marker and text:
            self.assembly.add("list_item", f"{marker} {text}", level=min(paragraph.level, 8) + 1)
        else:
            self.assembly.add("caption" if name == "caption" else "paragraph", text)

    def begin_row(self) -> None:
        """A new description of a row; the texts of its cells may stand before or after it."""
        self.row = TableRow(self.row.texts)
        self.place = CellPlace()

    def end_place(self, number: int | None) -> None:
        self.place.right = number or 0
        self.row.places.append(self.place)
        self.place = CellPlace()

    def end_cell(self) -> None:
        marker = one_line(joined("".join(self.paragraph.marker)))
        text = squeeze(joined("".join(self.paragraph.parts)))
        self.row.texts.append(f"{marker} {text}".strip() if any(map(str.isalnum, marker)) else text)
        self.paragraph.parts, self.paragraph.marker = [], []

    def end_row(self) -> None:
        self._rows.append(self.row)
        self.row = TableRow([], self.row.places, self.row.left)
        self.paragraph.in_table = False

    def _end_table(self) -> None:
        if self._rows:
            rows, self._rows = self._rows, []
            self.tables += add_table(self.assembly, grid(rows), header_rows=header_rows(rows))

    def finish(self) -> None:
        """What is left: an open table, an open paragraph."""
        if self.row.texts:
            self.end_row()
        self.paragraph.in_table = False
        self.end_paragraph()
        self.links.write(self.assembly)
