"""Who may see an office document or a book, as its own properties say: the fields that a person adds under File → Info.

Read apart from the formats' parsers, because all of them keep such fields alike, and a parser that knows nothing of
them must not make a document public.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator

from ragcli.errors import AccessError
from ragcli.parse.access import Statement, says_who
from ragcli.parse.web.safe_xml import read_xml

_PARTS = re.compile(r"(?:docProps/(?:custom|app|core)\.xml|meta\.xml|[^!]*\.opf)$", re.I)
_PACKAGES = re.compile(r"officedocument|opendocument|ms-excel|ms-powerpoint|ms-word|epub\+zip", re.I)
_LARGEST = 4_000_000


def property_statements(data: bytes, media_type: str) -> Iterator[Statement]:
    """What the properties in a package say. Raises AccessError when they cannot be read although they mention it."""
    if not _PACKAGES.search(media_type) or not data.startswith(b"PK"):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for info in package.infolist():
                if _PARTS.match(info.filename) and info.file_size <= _LARGEST and not info.flag_bits & 1:
                    yield from _in_xml(package.read(info), info.filename)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
        return  # a damaged package is the parser's to name


def _in_xml(content: bytes, part: str) -> Iterator[Statement]:
    from lxml import etree

    try:
        root = read_xml(content)
    except etree.XMLSyntaxError as error:
        if re.search(rb"\bacl\b", content, re.I):
            raise AccessError(
                f"{part} cannot be read, and mentions who may see it", hint="save the file anew"
            ) from error
        return
    for element in root.iter("*") if root is not None else ():
        for name in _names(element):
            if says_who(name, among_metadata=True):
                yield name, element.get("content") or " ".join("".join(map(str, element.itertext())).split())
                break


def _names(element: object) -> Iterator[str]:
    """The name of a property: that of its element, or one of those that an attribute gives it."""
    yield str(element.tag).rpartition("}")[2]  # type: ignore[attr-defined]
    for key, value in element.attrib.items():  # type: ignore[attr-defined]
        if key.rpartition("}")[2] in ("name", "property"):
            yield str(value).rpartition(":")[2]
