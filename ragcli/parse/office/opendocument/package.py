"""The parts of an OpenDocument package."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from ragcli.errors import ParseError
from ragcli.parse.assemble import one_line
from ragcli.parse.source import Source
from ragcli.parse.web.safe_xml import read_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

_OASIS = "{urn:oasis:names:tc:opendocument:xmlns:"
TEXT, TABLE, DRAW = _OASIS + "text:1.0}", _OASIS + "table:1.0}", _OASIS + "drawing:1.0}"
OFFICE, PRESENTATION = _OASIS + "office:1.0}", _OASIS + "presentation:1.0}"
STYLE, FORM, CHART = _OASIS + "style:1.0}", _OASIS + "form:1.0}", _OASIS + "chart:1.0}"
SVG = _OASIS + "svg-compatible:1.0}"
XLINK = "{http://www.w3.org/1999/xlink}"
MATH = "{http://www.w3.org/1998/Math/MathML}"


class Package:
    """An opened package: its content, its styles and what it states about itself."""

    def __init__(self, source: Source) -> None:
        """Raises ParseError when the package is damaged or encrypted, or no OpenDocument file."""
        from lxml import etree

        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.data))
            self._names = set(self._zip.namelist())
            if b"encryption-data" in self._read("META-INF/manifest.xml"):
                raise ParseError(f"{source.doc_id}: encrypted OpenDocument file")
            content = self._read("content.xml")
            if not content:
                raise ParseError(f"{source.doc_id}: not an OpenDocument file: it holds no content.xml")
            self.content = _required(read_xml(content))
            self.styles = self.root("styles.xml")
        except (zipfile.BadZipFile, etree.XMLSyntaxError, KeyError, OSError, RuntimeError, EOFError) as error:
            raise ParseError(f"{source.doc_id}: not a readable OpenDocument file: {error}") from error

    def root(self, name: str) -> _Element | None:
        """The root element of a part, as far as it can be read; None when there is none."""
        data = self._read(name)
        return read_xml(data, recover=True) if data else None

    def object(self, frame: _Element) -> _Element | None:
        """What an embedded object (a chart, a formula) holds; None when it is no XML of this package."""
        name = (frame.get(XLINK + "href") or "").removeprefix("./").rstrip("/")
        data = self._read(f"{name}/content.xml") if name else b""
        return read_xml(data, recover=True) if data else None

    @property
    def stated(self) -> tuple[str, str]:
        """Its title and the day it was last changed (ISO), empty where it states none."""
        title = modified = ""
        meta = self.root("meta.xml")
        for node in meta.iter() if meta is not None else ():
            if str(node.tag).endswith("dc/elements/1.1/}title"):
                title = one_line(node.text or "")
            if str(node.tag).endswith("dc/elements/1.1/}date"):
                modified = (node.text or "")[:10]
        return title, modified

    def _read(self, name: str) -> bytes:
        return self._zip.read(name) if name in self._names else b""


def _required(root: _Element | None) -> _Element:
    if root is None:
        raise KeyError("content.xml")
    return root


def whole(value: str | None, default: int = 1) -> int:
    """A count as an attribute writes it."""
    return int(value) if value is not None and value.isascii() and value.isdigit() else default
