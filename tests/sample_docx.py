"""Writes a minimal DOCX package for the sample corpus."""

from __future__ import annotations

import html
import zipfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.sample_lines import Line, title_of

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
STYLES = {"h1": "Heading1", "h2": "Heading2", "item": "ListBullet"}


def docx(lines: list[Line], path: Path) -> None:
    """A minimal WordprocessingML package: headings, paragraphs, bullets and tables."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{kind}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{kind}.styles+xml"/>'
        '<Override PartName="/docProps/core.xml" '
        'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>',
        "_rels/.rels": _relations(("officeDocument", OFFICE, "word/document.xml")).replace("</Relationships>", "")
        + f'<Relationship Id="rId2" Type="{PACKAGE}/relationships/metadata/core-properties" '
        'Target="docProps/core.xml"/></Relationships>',
        "word/_rels/document.xml.rels": _relations(("styles", OFFICE, "styles.xml")),
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{"".join(_body(lines))}</w:body></w:document>',
        "word/styles.xml": _styles(),
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{html.escape(title_of(lines))}</dc:title>'
        "</cp:coreProperties>",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name, (2026, 1, 5, 9, 0, 0)), HEAD + content, zipfile.ZIP_DEFLATED)


def _relations(*targets: tuple[str, str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="rId{number}" Type="{base}/{kind}" Target="{target}"/>'
        for number, (kind, base, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{rows}</Relationships>'


def _styles() -> str:
    names = {"Normal": "Normal", "Heading1": "heading 1", "Heading2": "heading 2", "ListBullet": "List Bullet"}
    rows = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/></w:style>'
        for key, name in names.items()
    )
    return f'<w:styles xmlns:w="{WORD}">{rows}</w:styles>'


def _body(lines: list[Line]) -> Iterator[str]:
    for kind, group in groupby(lines, key=lambda line: line.kind):
        members = list(group)
        if kind == "row":
            rows = "".join(f"<w:tr>{''.join(map(_cell, line.cells))}</w:tr>" for line in members)
            yield f"<w:tbl><w:tblPr/><w:tblGrid>{'<w:gridCol/>' * len(members[0].cells)}</w:tblGrid>{rows}</w:tbl>"
        else:
            yield from (_paragraph(line.text, STYLES.get(kind, "Normal")) for line in members)


def _cell(text: str) -> str:
    return f"<w:tc>{_paragraph(text, 'Normal')}</w:tc>"


def _paragraph(text: str, style: str) -> str:
    run = f'<w:r><w:t xml:space="preserve">{html.escape(text, quote=False)}</w:t></w:r>'
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{run}</w:p>'
