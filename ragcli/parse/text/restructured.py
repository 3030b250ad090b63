"""reStructuredText as its reader sees it, line for line: the result has the lines of the source.

Cautions stand without the marks of their directive, substitutions are filled in, tables are in the one form of all
formats (docutils reads their cells), targets without an address and what only steers the setting are gone. Comments are
hidden text. Literal blocks stay to the letter.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ragcli.parse.hidden import HiddenText
from ragcli.parse.tables import Cell, read_table
from ragcli.records import Span

_EXPLICIT = re.compile(r"^(\s*)\.\.(?:[ \t]+(?P<rest>.*))?$")
_DIRECTIVE = re.compile(r"(?P<name>[A-Za-z][\w:+.-]*?)::(?:[ \t]+(?P<argument>.*))?$")
_SUBSTITUTION = re.compile(r"\|(?P<name>[^|\s][^|]*)\|[ \t]+(?P<kind>[\w-]+)::[ \t]*(?P<value>.*)$")
_TARGET = re.compile(r"_(?:_|`(?P<quoted>[^`]+)`|(?P<name>(?:\\:|[^:])+)):(?:[ \t]+(?P<address>.*))?$")
_FOOTNOTE = re.compile(r"\[(?:#?[\w.-]*|\*)\](?:[ \t]+|$)")
_OPTION = re.compile(r"^\s*:(?P<name>[\w -]+):(?:[ \t]+(?P<value>.*))?$")
_USED = re.compile(r"(?<![\w|])\|([^|\s][^|\n]*?)\|(?!\|)_{0,2}")
_GRID = re.compile(r"^\s*\+-[-+]*\+\s*$")
_SIMPLE = re.compile(r"^\s*={2,}(?: +={2,})+\s*$")
_WORD = re.compile(r"\w+")
_DEEPEST = 30  # directives in directives
_LITERAL = frozenset((
    "code", "code-block", "sourcecode", "literalinclude", "parsed-literal", "math", "raw", "doctest", "testcode",
    "testoutput", "prompt", "graphviz", "mermaid", "productionlist", "highlight-block", "ipython", "jupyter-execute",
))  # fmt: skip
_STEERING = frozenset(("contents", "index", "highlight", "meta", "sectnum", "default-role", "currentmodule"))
_LABELS = {
    "note": "Note", "warning": "Warning", "caution": "Caution", "danger": "Danger", "important": "Important",
    "attention": "Attention", "error": "Error", "hint": "Hint", "tip": "Tip", "seealso": "See also", "todo": "To do",
}  # fmt: skip
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}


def read_rst(text: str, hidden: HiddenText) -> str:
    """Clean ``text`` as it is read, with as many lines."""
    reader = _Rewriter(hidden)
    lines, literal = reader.read(text.split("\n"))
    if reader.values:
        lines = [line if fixed else reader.filled(line) for line, fixed in zip(lines, literal, strict=True)]
    return "\n".join(lines)


def rst_literals(text: str) -> Iterator[Span]:
    """The literal blocks of a text that ``read_rst`` gave, in order."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    place = 0
    while place < len(lines):
        end = _block_end(lines, place) if _opens_literal(lines[place]) else place + 1
        body = place + 1
        while body < end and (not lines[body].strip() or _OPTION.match(lines[body])):
            body += 1
        if body < end:
            yield Span(starts[body], starts[end - 1] + len(lines[end - 1]))
        place = max(end, place + 1)


def _opens_literal(line: str) -> bool:
    explicit = _EXPLICIT.match(line)
    if explicit is None:
        return line.rstrip().endswith("::")
    directive = _DIRECTIVE.match(explicit["rest"] or "")
    return directive is not None and directive["name"].rpartition(":")[2] in _LITERAL


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _block_end(lines: Sequence[str], start: int) -> int:
    """The line after the last that belongs to what begins at ``start``: all that is indented deeper."""
    depth, end = _indent(lines[start]), start + 1
    for place in range(start + 1, len(lines)):
        if lines[place].strip():
            if _indent(lines[place]) <= depth:
                break
            end = place + 1
    return end


class _Rewriter:
    """Rewrites stretches of lines; what is literal in them is said beside each."""

    def __init__(self, hidden: HiddenText) -> None:
        self.values: dict[str, str] = {}
        self._hidden = hidden
        self._depth = 0

    def read(self, lines: Sequence[str]) -> tuple[list[str], list[bool]]:
        """As many lines, and which of them are literal."""
        result: list[str] = []
        literal: list[bool] = []
        while (place := len(result)) < len(lines):
            explicit = _EXPLICIT.match(lines[place])
            end = _table_end(lines, place)
            if _opens_literal(lines[place]):
                end = _block_end(lines, place)
                more, fixed = list(lines[place:end]), [False] + [True] * (end - place - 1)
            elif explicit is not None:
                end = _block_end(lines, place)
                more, fixed = self._explicit(lines[place:end], explicit["rest"] or "")
            elif end:
                more = _fitted(_table(lines[place:end]), lines[place:end])
                fixed = [True] * len(more)
            else:
                more, fixed = [lines[place]], [False]
            result += more
            literal += fixed
        return result, literal

    def filled(self, line: str) -> str:
        """A line with its substitutions."""
        return _USED.sub(lambda found: self.values.get(_folded(found[1]), found[0]), line)

    def _explicit(self, lines: Sequence[str], rest: str) -> tuple[list[str], list[bool]]:
        """What begins with two dots."""
        margin = " " * _indent(lines[0])
        if match := _SUBSTITUTION.match(rest):
            return self._define(lines, match)
        if match := _TARGET.match(rest):
            name, address = (
                match["quoted"] or match["name"] or "",
                " ".join([match["address"] or "", *map(str.strip, lines[1:])]),
            )
            shown = f"{margin}{name}: {address.strip()}" if name and address.strip() else ""
            return _all_of([shown], lines)
        if _FOOTNOTE.match(rest):
            body, literal = self._body(lines, 1)
            return [margin + rest, *body], [False, *literal]
        if match := _DIRECTIVE.match(rest):
            return self._directive(lines, match["name"].rpartition(":")[2].lower(), (match["argument"] or "").strip())
        size = len(" ".join(" ".join(lines).split())) - 2
        if size <= 0 or self._hidden.reads("comments", size):
            return list(lines), [True] * len(lines)
        return _all_of([], lines)

    def _define(self, lines: Sequence[str], match: re.Match[str]) -> tuple[list[str], list[bool]]:
        value = " ".join(
            filter(None, [match["value"].strip(), *(line.strip() for line in lines[1:] if not _OPTION.match(line))])
        )
        if match["kind"] == "image":
            value = _options(lines).get("alt", "")
        if match["kind"] not in ("replace", "image"):
            return list(lines), [True] * len(lines)
        self.values[_folded(match["name"])] = value
        return _all_of([], lines)

    def _directive(self, lines: Sequence[str], name: str, argument: str) -> tuple[list[str], list[bool]]:
        margin = " " * _indent(lines[0])
        if name in _STEERING:
            return _all_of([], lines)
        if name in _TABLES:
            rows = _TABLES[name](lines)
            table = read_table(rows, header_rows=_number(_options(lines).get("header-rows") or "0") or None)
            more = _fitted([*filter(None, [argument, *table.caption.split("\n")]), "", table.text], lines)
            return more, [True] * len(more)
        body, literal = self._body(lines, 1)
        if name in ("image", "figure"):
            first = f"Picture: {alt}" if (alt := _options(lines).get("alt")) else ""
        elif name in _VERSIONS:
            version, _, words = argument.partition(" ")
            first = f"{_VERSIONS[name]} {version}{': ' + words if words else ''}"
        elif name in _LABELS:
            first = f"{_LABELS[name]}: {argument}".rstrip()
        else:
            first = argument
        return [(margin + first).rstrip(), *body], [False, *literal]

    def _body(self, lines: Sequence[str], start: int) -> tuple[list[str], list[bool]]:
        """What a directive holds, moved to its margin, its options as empty lines."""
        options = True
        inner: list[str] = []
        for line in lines[start:]:
            options &= bool(line.strip()) and _OPTION.match(line) is not None
            inner.append("" if options else line)
        depth = min((_indent(line) for line in inner if line.strip()), default=0)
        margin = " " * _indent(lines[0])
        inner = [margin + line[depth:] if line.strip() else "" for line in inner]
        if self._depth >= _DEEPEST:
            return inner, [False] * len(inner)
        self._depth += 1
        result = self.read(inner)
        self._depth -= 1
        return result


def _all_of(shown: Sequence[str], lines: Sequence[str]) -> tuple[list[str], list[bool]]:
    """Lines for all of some source lines: those shown, then empty ones."""
    return [*shown, *[""] * (len(lines) - len(shown))], [True] * len(lines)


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _options(lines: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for line in lines[1:]:
        match = _OPTION.match(line)
        if match is None:
            break
        found[match["name"].strip()] = (match["value"] or "").strip()
    return found


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


# ---------------------------------------------------------------- tables


def _table_end(lines: Sequence[str], start: int) -> int:
    """The line after a table that begins at ``start``, 0 when none does."""
    if _GRID.match(lines[start]):
        end = next(
            (place for place in range(start, len(lines)) if not lines[place].lstrip().startswith(("+", "|"))),
            len(lines),
        )
        return end if end > start + 2 else 0
    if not _SIMPLE.match(lines[start]):
        return 0
    borders = 1
    for place in range(start + 1, len(lines)):
        borders += bool(re.match(r"^\s*={2,}(?: +={2,})*\s*$", lines[place]))
        closed = not lines[place : place + 2][-1].strip() or place + 1 == len(lines)
        if lines[place].strip().startswith("==") and borders > 1 and (borders > 2 or closed):
            return place + 1
    return 0


def _table(lines: Sequence[str]) -> list[str] | None:
    """A grid or simple table as text, None when it is malformed: docutils says so, or a word would be lost."""
    from docutils.parsers.rst.tableparser import GridTableParser, SimpleTableParser, TableMarkupError
    from docutils.statemachine import StringList

    depth = _indent(lines[0])
    parser = (GridTableParser if _GRID.match(lines[0]) else SimpleTableParser)()
    try:
        _, head, body = parser.parse(StringList([line[depth:].rstrip() for line in lines]))
    except (TableMarkupError, AssertionError, IndexError, ValueError):  # malformed ones fail in all these ways
        return None
    rows = [[_cell(cell) for cell in row if cell is not None] for row in (*head, *body)]
    table = read_table(rows, header_rows=len(head) or None)
    shown = [*filter(None, table.caption.split("\n")), table.text]
    words = set(_WORD.findall("\n".join(shown)))
    return shown if words.issuperset(_WORD.findall("\n".join(lines))) else None


def _cell(cell: Any) -> Cell:
    down, across, _, content = cell
    return Cell(" ".join(" ".join(content).split()), down + 1, across + 1)


def _list_table(lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines[1:]:
        match = re.match(r"^\s*(?:(\*)\s+)?-(?:\s+(.*))?$", line)
        if match and match[1]:
            rows.append([match[2] or ""])
        elif match and rows:
            rows[-1].append(match[2] or "")
        elif rows and line.strip():
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}".strip()
    return rows


def _csv_table(lines: Sequence[str]) -> list[list[str]]:
    options = _options(lines)
    content = [line.strip() for line in lines[1 + len(options) :] if line.strip()]
    header = [options["header"]] if options.get("header") else []
    mark = {"tab": "\t", "space": " "}.get(options.get("delim", ","), options.get("delim", ",")[:1] or ",")
    return list(csv.reader([*header, *content], delimiter=mark, skipinitialspace=True))


_TABLES: Mapping[str, Callable[[Sequence[str]], list[list[str]]]] = {"list-table": _list_table, "csv-table": _csv_table}


def _fitted(shown: Sequence[str] | None, lines: Sequence[str]) -> list[str]:
    """A table in the place of its source lines, of which it needs fewer; those themselves where it does not fit."""
    written = "\n".join(shown or ()).split("\n")
    if shown and len(written) > len(lines):
        written = [line for line in written if line]
    if not shown or not shown[-1] or len(written) > len(lines):
        return list(lines)
    return [*written, *[""] * (len(lines) - len(written))]
