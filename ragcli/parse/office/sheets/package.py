"""What an XLSX package says of its sheets beside their values: what is hidden, formats, formulas, drawings, notes.

Values come from calamine, which is fast and does not give these; cells are looked through here by pattern rather than
as a tree, because a sheet may have millions.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ragcli.parse.office.sheets.formats import BUILT_IN
from ragcli.parse.web.html_text import local_name
from ragcli.parse.web.safe_xml import read_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ROW = re.compile(rb"<(?:\w+:)?row\b([^<>]*?)/?>")
_NUMBER = re.compile(rb'\br="(\d+)"')
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_GROUPED = re.compile(rb'\boutlineLevel="[1-7]"')
_STYLED = re.compile(rb'<(?:\w+:)?c\b(?=[^<>]*?\sr="([A-Z]{1,3})(\d+)")(?=[^<>]*?\ss="(\d+)")')
_COLUMN = re.compile(rb"<(?:\w+:)?col\b([^<>]*?)/?>")
_RANGE = re.compile(rb'\b(min|max)="(\d+)"')
_WITHOUT_VALUE = re.compile(
    rb'<(?:\w+:)?c\b(?=[^<>]*?\sr="([A-Z]{1,3}\d+)")[^<>]*>\s*<(?:\w+:)?f\b[^<>]*?(?:/>|>[^<]*</(?:\w+:)?f>)\s*'
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ZERO_HEIGHT = re.compile(rb'<(?:\w+:)?sheetFormatPr\b[^<>]*\bzeroHeight="(?:1|true)"')
_MOST_COLUMNS = 16_384


@dataclass(slots=True)
class SheetFacts:
    """One sheet: rows and columns from 0.

    ``codes`` gives the format code of cells that have one; ``unsaved`` the cells with a formula and no stored value.
    """

    state: str = "visible"
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    codes: Mapping[tuple[int, int], str] = field(default_factory=dict)
    unsaved: tuple[str, ...] = ()
    parts: tuple[tuple[str, _Element], ...] = ()


class SheetPackage:
    """An XLSX or XLSM package, opened for its facts; a workbook of another format has none."""

    def __init__(self, data: bytes) -> None:
        self._sheets: dict[str, tuple[str, str]] = {}
        self._names: dict[str, str] = {}
        self._codes: dict[int, str] = {}
        try:
            self._package = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile:
            return
        self._names = {name.lower(): name for name in self._package.namelist()}
        workbook = self.root("xl/workbook.xml")
        if workbook is None:
            return
        targets = self.related("xl/workbook.xml")
        for node in workbook.iter():
            if local_name(node) == "sheet":
                target = targets.get(str(node.get(_RELATION)), ("", ""))[1]
                self._sheets[str(node.get("name"))] = (str(node.get("state") or "visible"), target)
        styles = next((path for kind, path in targets.values() if kind == "styles"), "xl/styles.xml")
        self._codes = dict(enumerate(_codes(self.root(styles))))

    def facts(self, name: str) -> SheetFacts:
        """What is known of the sheet of that name."""
        if name not in self._sheets:
            return SheetFacts()
        state, path = self._sheets[name]
        content = self.read(path)
        facts = SheetFacts(state=state, parts=tuple(self._drawn(path)))
        facts.hidden_rows = frozenset(_hidden_rows(content))
        facts.hidden_columns = frozenset(_hidden_columns(content))
        facts.unsaved = tuple(match[1].decode() for match in _WITHOUT_VALUE.finditer(content))
        formatted = {style: code for style, code in self._codes.items() if code not in ("General", "@", "0")}
        if formatted:
            facts.codes = {
                (int(row) - 1, column_number(column)): formatted[int(style)]
                for column, row, style in _STYLED.findall(content)
                if int(style) in formatted
            }
        return facts

    def read(self, path: str) -> bytes:
        """The bytes of a part, empty when it is missing or damaged."""
        try:
            return self._package.read(self._names[path.lower()])
        except (KeyError, zipfile.BadZipFile, OSError, RuntimeError, EOFError):
            return b""

    def root(self, path: str) -> _Element | None:
        """The root element of a part."""
        content = self.read(path)
        return read_xml(content, recover=True) if content else None

    def related(self, path: str) -> dict[str, tuple[str, str]]:
        """Kind and path of what a part relates to in the package, by relation id."""
        folder, _, name = path.rpartition("/")
        root = self.root(f"{folder}/_rels/{name}.rels")
        found = {}
        for node in root.iter() if root is not None else ():
            if local_name(node) == "relationship" and node.get("TargetMode") != "External":
                target = unquote(str(node.get("Target") or ""))
                where = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
                kind = str(node.get("Type") or "").rpartition("/")[2]
                found[str(node.get("Id"))] = (kind, posixpath.normpath(where))
        return found

    def links(self, name: str) -> Iterator[tuple[str, str]]:
        """Cell and address of every link out of a sheet."""
        path = self._sheets.get(name, ("", ""))[1]
        folder, _, file = path.rpartition("/")
        root = self.root(f"{folder}/_rels/{file}.rels") if path else None
        if root is None:
            return
        outside = {str(node.get("Id")): str(node.get("Target")) for node in root.iter() if node.get("TargetMode")}
        sheet = re.findall(rb"<(?:\w+:)?hyperlink\b[^<>]*>", self.read(path)) if outside else []
        for tag in sheet:
            cell, relation = re.search(rb'\bref="([A-Z]+\d+)', tag), re.search(rb':id="([^"]+)"', tag)
            if cell and relation and (address := outside.get(relation[1].decode())):
                yield cell[1].decode(), address

    def people(self) -> dict[str, str]:
        """The names behind the ids of threaded comments."""
        found = {}
        for path in self._names:
            root = self.root(path) if path.startswith("xl/persons/") else None
            for node in root.iter() if root is not None else ():
                if local_name(node) == "person":
                    found[str(node.get("id"))] = str(node.get("displayName") or "")
        return found

    def _drawn(self, path: str) -> Iterator[tuple[str, _Element]]:
        """Kind and root of the comments, drawings and charts of a sheet."""
        for kind, target in sorted(self.related(path).values()):
            if kind not in ("comments", "threadedComment", "drawing", "chartsheet"):
                continue
            root = self.root(target)
            if root is None:
                continue
            yield kind, root
            if kind == "drawing":
                for inner, chart in sorted(self.related(target).values(), key=lambda item: _natural(item[1])):
                    found = self.root(chart) if inner in ("chart", "chartEx", "diagramData") else None
                    if found is not None:
                        yield inner, found


def _natural(path: str) -> tuple[int, str]:
    """So that ``chart10`` comes after ``chart9``."""
    digits = re.findall(r"\d+", path)
    return (int(digits[-1]) if digits else 0, path)


def column_number(letters: bytes) -> int:
    """The column from 0 of ``A``, ``Z``, ``AA``."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def column_name(number: int) -> str:
    """The letters of a column from 0."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _codes(styles: _Element | None) -> Iterator[str]:
    """The format code of each cell style, in order."""
    if styles is None:
        return
    own = {
        int(str(node.get("numFmtId"))): str(node.get("formatCode") or "")
        for node in styles.iter()
        if local_name(node) == "numfmt" and str(node.get("numFmtId")).isdigit()
    }
    cells = next((node for node in styles.iter() if local_name(node) == "cellxfs"), ())
    for node in cells:
        number = str(node.get("numFmtId") or "0")
        place = int(number) if number.isdigit() else 0
        yield own.get(place) or BUILT_IN.get(place, "General")


def _hidden_rows(content: bytes) -> Iterator[int]:
    """Rows that are not shown; those of a folded group are: a click opens it."""
    everywhere = bool(_ZERO_HEIGHT.search(content[:20_000]))
    if not everywhere and not _HIDDEN.search(content):
        return
    for match in _ROW.finditer(content):
        attributes = match[1]
        number = _NUMBER.search(attributes)
        if number and _HIDDEN.search(attributes) and not _GROUPED.search(attributes):
            yield int(number[1]) - 1


def _hidden_columns(content: bytes) -> Iterator[int]:
    head = content.split(b"sheetData", 1)[0]
    for match in _COLUMN.finditer(head):
        if _HIDDEN.search(match[1]) and not _GROUPED.search(match[1]):
            ends = {name: int(value) for name, value in _RANGE.findall(match[1])}
            yield from range(ends.get(b"min", 1) - 1, min(ends.get(b"max", 0), _MOST_COLUMNS))
