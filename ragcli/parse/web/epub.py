"""EPUB: the chapters of the spine, in order."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, one_line
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.web.hidden_elements import drop_hidden
from ragcli.parse.web.html import tree_of
from ragcli.parse.web.html_blocks import pieces_of
from ragcli.parse.web.safe_xml import read_xml
from ragcli.records import Coverage

_CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the book is damaged or protected."""
    from lxml import etree

    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as package:
            yield _book(package, context)
    except (zipfile.BadZipFile, etree.XMLSyntaxError, KeyError, OSError, RuntimeError, EOFError, ValueError) as error:
        raise ParseError(f"{source.doc_id}: not a readable EPUB: {error}") from error


def _book(package: zipfile.ZipFile, context: Context) -> Extract:
    if "META-INF/rights.xml" in package.namelist():
        raise ParseError("protected EPUB (DRM)")
    container: Any = read_xml(package.read("META-INF/container.xml"))
    path = next(str(node.get("full-path")) for node in container.iter() if str(node.tag).endswith("}rootfile"))
    opf: Any = read_xml(package.read(path))
    assembly = Assembly()
    tables, missing = 0, []
    hidden = HiddenText(context.config, context.conditions)
    for href in _spine(opf):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(href)))
        try:
            info = package.getinfo(name)
            context.budget.take(info.file_size, name)
            content = package.read(info)
        except (KeyError, zipfile.BadZipFile, EOFError) as error:
            missing.append(f"chapter {name} is missing or damaged: {error}")
            continue
        root = tree_of(decode(content).text)
        if root is None:
            continue
        drop_hidden(root, hidden)
        for piece in pieces_of(root):
            assembly.add(piece.kind, piece.text, level=piece.level)
            tables += piece.kind == "table"
    return Extract(
        assembly.text,
        assembly.blocks,
        title=_stated(opf, "title"),
        declared={"modified": date} if (date := _stated(opf, "date")) else {},
        coverage=Coverage(tables=tables, warnings=(*missing, *hidden.warnings)),
    )


def _spine(opf: Any) -> Iterator[str]:
    items = {str(node.get("id")): node for node in opf.iter() if str(node.tag).endswith("}item")}
    for node in opf.iter():
        item = items.get(str(node.get("idref"))) if str(node.tag).endswith("}itemref") else None
        if item is not None and item.get("media-type") in _CHAPTERS and item.get("properties") != "nav":
            yield str(item.get("href"))


def _stated(opf: Any, name: str) -> str:
    found = (node.text for node in opf.iter() if str(node.tag).endswith(f"dc/elements/1.1/}}{name}"))
    return one_line(next(found, None) or "")
