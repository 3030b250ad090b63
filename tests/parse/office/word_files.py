"""Small Word files made of the XML that matters, for the tests of what the libraries do not write."""

from __future__ import annotations

import io
from collections.abc import Mapping

from tests.parse.builders import make_zip

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_NAMES = (
    f'{W} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def word(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    parts: Mapping[str, tuple[str, str, str | bytes]] | None = None,
    links: Mapping[str, str] | None = None,
) -> bytes:
    """A Word package.

    ``parts`` gives for a relation id its kind (``chart``), its path under ``word/`` and its content; ``links`` gives
    addresses outside by relation id.
    """
    files: dict[str, str | bytes] = {}
    relations = ""
    overrides = f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.document.main+xml"/>'
    held = dict(parts or {})
    if styles:
        held["rIdStyles"] = ("styles", "styles.xml", f"<w:styles {_NAMES}>{styles}</w:styles>")
    if numbering:
        held["rIdNumbering"] = ("numbering", "numbering.xml", f"<w:numbering {_NAMES}>{numbering}</w:numbering>")
    for name, (kind, path, content) in held.items():
        relations += f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{path}"/>'
        files[f"word/{path}"] = content
        if kind in ("styles", "numbering", "footnotes", "endnotes", "comments"):
            overrides += f'<Override PartName="/word/{path}" ContentType="{_MAIN}.{kind}+xml"/>'
    for name, address in (links or {}).items():
        kind = f"{_OFFICE}/hyperlink"
        relations += f'<Relationship Id="{name}" Type="{kind}" Target="{address}" TargetMode="External"/>'
    files["[Content_Types].xml"] = (
        f'<Types xmlns="{_TYPES}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Default Extension="html" ContentType="text/html"/>'
        f'<Default Extension="docx" ContentType="{_MAIN}.document"/>'
        '<Default Extension="bin" ContentType="application/octet-stream"/>'
        f"{overrides}</Types>"
    )
    files["_rels/.rels"] = (
        f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
        'Target="word/document.xml"/></Relationships>'
    )
    files["word/document.xml"] = f"<w:document {_NAMES}><w:body>{body}</w:body></w:document>"
    files["word/_rels/document.xml.rels"] = f'<Relationships xmlns="{_PACKAGE}">{relations}</Relationships>'
    return make_zip(files)


def named(content: str, tag: str) -> str:
    """XML of another part with every prefix declared."""
    return f"<{tag} {_NAMES}>{content}</{tag}>"


def paragraph(text: str, *, style: str = "", number: str = "", level: int | None = None) -> str:
    """A paragraph, in a list of that number and level when they are given."""
    place = f'<w:ilvl w:val="{level}"/>' if level is not None else ""
    place += f'<w:numId w:val="{number}"/>' if number else ""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    properties += f"<w:numPr>{place}</w:numPr>" if place else ""
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def level(place: int, form: str, text: str, *, start: int = 1, more: str = "") -> str:
    """One level of a list; ``more`` is XML between its form and its text."""
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/></w:lvl>'
    )


def number(name: str, abstract: str, overrides: str = "") -> str:
    """An instance of an abstract list."""
    return f'<w:num w:numId="{name}"><w:abstractNumId w:val="{abstract}"/>{overrides}</w:num>'


def style(name: str, title: str, *, based_on: str = "", properties: str = "", kind: str = "paragraph") -> str:
    """A style; ``properties`` are its ``pPr`` and ``rPr``."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{title}"/>{base}{properties}</w:style>'


def pages_of(data: bytes) -> str:
    """The text of a PDF, in reading order."""
    import pymupdf

    with pymupdf.open(stream=io.BytesIO(data), filetype="pdf") as document:
        return "\n".join(page.get_text() for page in document)
