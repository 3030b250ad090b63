"""XML: articles and manuals as prose with headings, other XML as its values. Entities and remote parts stay closed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragcli.errors import ParseError
from ragcli.parse.access import Statement, says_who
from ragcli.parse.assemble import Assembly, one_line
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.parse.web.html_text import local_name
from ragcli.records import Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element

_PARAGRAPHS = {"p", "para", "simpara", "abstract-p"}
_TITLES = {"title", "article-title", "head", "heading", "subtitle", "bridgehead"}
_SECTIONS = {"sec", "section", "chapter", "part", "div", "sect1", "sect2", "sect3", "sect4", "appendix", "abstract"}
_ITEMS = {"list-item", "listitem", "item", "li"}
_TABLES, _CELLS = {"table", "informaltable"}, {"td", "th", "entry", "cell"}
_CODE = {"code", "programlisting", "screen", "literallayout", "preformat"}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when it is no XML at all."""
    del context
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True
    )
    try:
        root = etree.fromstring(source.data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ParseError(f"{source.doc_id}: not readable XML: {error}") from error
    if root is None:
        raise ParseError(f"{source.doc_id}: not readable XML")
    warnings = [f"line {error.line}: {error.message}" for error in list(parser.error_log)[:5]]
    entities = sum(1 for node in root.iter(etree.Entity))
    if entities:
        warnings.append(f"{entities} entity references were not expanded")
    reader = _TreeReader()
    prose = any(local_name(node) in _PARAGRAPHS for node in root.iter())
    if prose:
        reader.prose(root, 0)
    else:
        reader.values(root, ())
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=reader.title,
        coverage=Coverage(tables=reader.tables, warnings=tuple(warnings)),
        encoding=(root.getroottree().docinfo.encoding or "utf-8").lower(),
        stated=tuple(_statements(root)),
    )


def _statements(root: _Element) -> Iterator[Statement]:
    """What elements and attributes by such names say of who may see it."""
    for element in root.iter("*"):
        if says_who(local_name(element)):
            yield local_name(element), one_line(", ".join(filter(str.strip, map(str, element.itertext()))))
        else:
            pairs = [(local_name_of(key), str(value)) for key, value in element.attrib.items()]
            yield from ((key, value) for key, value in pairs if says_who(key))
            named = next((value for key, value in pairs if key in ("name", "property") and says_who(value)), None)
            if named is not None:
                yield named, str(element.get("content") or _text(element))


class _TreeReader:
    """Collects the blocks of an XML tree."""

    def __init__(self) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.title = ""

    def prose(self, element: _Element, depth: int) -> None:
        """Headings, paragraphs, items, tables; the loose text of anything else as a paragraph."""
        for child in element:
            name = local_name(child)
            if name in _TITLES:
                text = _text(child)
                self.title = self.title or text
                self.assembly.add("heading", text, level=min(6, depth + 1))
            elif name in _CODE:
                self.assembly.add("code", "".join(str(part) for part in child.itertext()).strip("\n"))
            elif name in _TABLES:
                self._table(child)
            elif name in _PARAGRAPHS and not _holds(child, _TABLES | _ITEMS | _CODE):
                inside = any(local_name(parent) in _ITEMS for parent in child.iterancestors())
                text = _text(child)
                self.assembly.add(*(("list_item", f"- {text}") if inside and text else ("paragraph", text)))
            elif len(child) and (_holds(child, _PARAGRAPHS | _TITLES | _TABLES) or not _own_text(child)):
                self.assembly.add("paragraph", one_line(child.text or ""))
                self.prose(child, depth + (name in _SECTIONS))
            elif name:
                self.assembly.add("paragraph", _text(child))
            self.assembly.add("paragraph", one_line(child.tail or ""))

    def _table(self, element: _Element) -> None:
        rows = [[_text(cell) for cell in row.iter() if local_name(cell) in _CELLS] for row in _rows(element)]
        rendered = table_text(rows)
        self.tables += bool(rendered)
        self.assembly.add("table", rendered)

    def values(self, element: _Element, path: tuple[str, ...]) -> None:
        """Every leaf and attribute as ``name: value``; the children of a record stay together."""
        name = local_name(element)
        if not name:
            return
        own = [f"{local_name_of(key)}: {one_line(value)}" for key, value in element.attrib.items() if value.strip()]
        text = one_line(element.text or "")
        if not len(element):
            own = [f"{name}: {text}", *own] if text else [f"{name} {line}" for line in own]
            self.assembly.add("paragraph", "\n".join(own))
            return
        leaves = [
            f"{local_name(c)}: {one_line(c.text or '')}" for c in element if not len(c) and (c.text or "").strip()
        ]
        self.assembly.add("paragraph", "\n".join([*([text] if text else []), *own, *leaves]))
        for child in element:
            if len(child) or (child.attrib and not (child.text or "").strip()):
                self.values(child, (*path, name))
            self.assembly.add("paragraph", one_line(child.tail or ""))


def local_name_of(key: object) -> str:
    """An attribute's name without its namespace."""
    return str(key).rsplit("}", 1)[-1]


def _text(element: _Element) -> str:
    return re.sub(r" +([,.;:)])", r"\1", one_line(" ".join(str(part) for part in element.itertext())))


def _own_text(element: _Element) -> bool:
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _holds(element: _Element, names: set[str]) -> bool:
    return any(local_name(item) in names for item in element.iterdescendants())


def _rows(element: _Element) -> Iterator[_Element]:
    return (item for item in element.iter() if local_name(item) in ("tr", "row"))
