"""What an XLSX package holds besides cells: notes, threaded comments, the titles of charts."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ragcli.parse.assemble import one_line
from ragcli.parse.web.html_text import local_name
from ragcli.parse.web.safe_xml import read_xml
from ragcli.records import BlockKind

if TYPE_CHECKING:
    from lxml.etree import _Element

_THREADED = re.compile(r"^\[Threaded comment\].*?Comment:\s*", re.S)


def office_notes(data: bytes) -> Iterator[tuple[BlockKind, str]]:
    """Kind and text of each, comments with their author; nothing for a workbook of another format."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = sorted(package.namelist())
            read = {name: read_xml(package.read(name), recover=True) for name in names if _wanted(name)}
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, EOFError):
        return
    roots = {name: root for name, root in read.items() if root is not None}
    people = _people(roots)
    threaded = any(name.startswith("xl/threadedComments") for name in roots)
    for name, root in roots.items():
        if name.startswith("xl/charts/chart"):
            title = next((node for node in root.iter() if local_name(node) == "title"), None)
            text = one_line("".join(_texts(title))) if title is not None else ""
            if text:
                yield "caption", text
        elif name.startswith("xl/threadedComments"):
            for node in _named(root, "threadedComment"):
                yield "other", _note(people.get(str(node.get("personId")), ""), "".join(_texts(node)))
        elif name.startswith("xl/comments"):
            yield from (("other", note) for note in _legacy(root, threaded))


def _wanted(name: str) -> bool:
    folders = ("xl/comments", "xl/threadedComments", "xl/persons/", "xl/charts/chart")
    return name.startswith(folders) and name.endswith(".xml")


def _people(roots: Mapping[str, _Element]) -> dict[str, str]:
    people = (node for name, root in roots.items() if name.startswith("xl/persons/") for node in _named(root, "person"))
    return {str(node.get("id")): str(node.get("displayName") or "") for node in people}


def _legacy(root: _Element, threaded: bool) -> Iterator[str]:
    authors = [one_line("".join(_texts(node))) for node in _named(root, "author")]
    for node in _named(root, "comment"):
        text = "".join(_texts(node))
        if threaded and _THREADED.match(text):
            continue
        place = node.get("authorId") or ""
        author = authors[int(place)] if place.isdigit() and int(place) < len(authors) else ""
        yield _note(author, _THREADED.sub("", text))


def _note(author: str, text: str) -> str:
    text = one_line(text)
    return f"{author}: {text}" if author and text and not text.startswith(author) else text


def _named(root: _Element, name: str) -> Iterator[_Element]:
    return (node for node in root.iter() if local_name(node) == name.lower())


def _texts(element: _Element) -> Iterator[str]:
    return (str(part) for part in element.itertext())
