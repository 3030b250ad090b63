"""Writes the PDF files of the sample corpus: two columns, ruled tables, a scan without a text layer."""

from __future__ import annotations

import html
import io
import random
from itertools import groupby
from pathlib import Path
from typing import Any

import pymupdf

from tests.sample_lines import Line, title_of

PAGE = pymupdf.paper_rect("a4")
MARGIN = 56
DATE = "D:20260105090000Z"


def save_pdf(document: pymupdf.Document, path: Path, title: str) -> None:
    """Writes ``document`` compactly and with fixed dates, so that the same source gives the same file."""
    document.set_metadata({"title": title, "author": "Ostermere Instruments", "creationDate": DATE, "modDate": DATE})
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(path, garbage=4, deflate=True, no_new_id=True)


def datasheet(lines: list[Line], path: Path) -> None:
    """Two columns under a title that spans both, with a running header and page numbers."""
    title = title_of(lines)
    body = "".join(
        f"<h2>{html.escape(line.text)}</h2>" if line.kind == "h2" else f"<p>{html.escape(line.text)}</p>"
        for line in lines
        if line.kind != "h1"
    )
    css = (
        "* {font-family: sans-serif} h2 {font-size: 12px; margin: 8px 0 3px 0} p {font-size: 9.5px; margin: 0 0 5px 0}"
    )
    story = pymupdf.Story(body, user_css=css)
    document = pymupdf.open()
    more, number = True, 0
    while more:
        number += 1
        page = document.new_page(width=PAGE.width, height=PAGE.height)
        page.insert_text((MARGIN, 36), "Ostermere Instruments | Data sheet X200 series | Revision F", fontsize=7.5)
        page.insert_text((PAGE.width / 2 - 16, PAGE.height - 28), f"Page {number}", fontsize=7.5)
        top = MARGIN
        if number == 1:
            page.insert_text((MARGIN, 78), title, fontsize=17, fontname="hebo")
            top = 100
        more = _columns(story, page, top)
    save_pdf(document, path, title)


def _columns(story: Any, page: pymupdf.Page, top: float) -> bool:
    """Fills the two columns of ``page``, equally high, and says whether text is left."""
    middle, gap = PAGE.width / 2, 12
    more = True
    for left, right in ((MARGIN, middle - gap), (middle + gap, PAGE.width - MARGIN)):
        if not more:
            break
        column = pymupdf.Rect(left, top, right, top + 408)
        more, _ = story.place(column)
        buffer = io.BytesIO()
        writer = pymupdf.DocumentWriter(buffer)
        device = writer.begin_page(PAGE)
        story.draw(device)
        writer.end_page()
        writer.close()
        page.show_pdf_page(PAGE, pymupdf.open("pdf", buffer.getvalue()))
    return bool(more)


class Sheet:
    """A one-column page after page, filled from the top."""

    def __init__(self, footer: str = "") -> None:
        self.document = pymupdf.open()
        self.footer = footer
        self.new_page()

    def new_page(self) -> None:
        self.page = self.document.new_page(width=PAGE.width, height=PAGE.height)
        self.y = float(MARGIN)
        if self.footer:
            text = f"{self.footer} | {self.document.page_count}"
            self.page.insert_text((MARGIN, PAGE.height - 28), text, fontsize=8)

    def write(self, text: str, size: float, font: str = "helv") -> None:
        if self.y > PAGE.height - 2 * MARGIN:
            self.new_page()
        box = pymupdf.Rect(MARGIN, self.y, PAGE.width - MARGIN, PAGE.height - MARGIN)
        rest = self.page.insert_textbox(box, text, fontsize=size, fontname=font, lineheight=1.35)
        self.y += box.height - rest + size * 0.6

    def table(self, rows: list[tuple[str, ...]], height: float = 21) -> None:
        """A ruled table; the header row is drawn again on a new page."""
        width = (PAGE.width - 2 * MARGIN) / len(rows[0])
        pending = list(rows)
        header = rows[0]
        while pending:
            if self.y + height > PAGE.height - MARGIN:
                self.new_page()
                pending.insert(0, header)
            row = pending.pop(0)
            for number, cell in enumerate(row):
                box = pymupdf.Rect(MARGIN + number * width, self.y, MARGIN + (number + 1) * width, self.y + height)
                self.page.draw_rect(box, width=0.6)
                font = "hebo" if row is header else "helv"
                self.page.insert_text((box.x0 + 5, box.y1 - 7), cell, fontsize=9, fontname=font)
            self.y += height
        self.y += 12


def sheet(lines: list[Line], footer: str = "", *, size: float = 10) -> pymupdf.Document:
    """``lines`` as pages in one column."""
    pages = Sheet(footer)
    for kind, group in groupby(lines, key=lambda line: line.kind):
        members = list(group)
        if kind == "row":
            pages.table([line.cells for line in members])
            continue
        for line in members:
            scale = {"h1": 1.7, "h2": 1.25}.get(kind, 1)
            pages.write(line.text, size * scale, "hebo" if scale > 1 else "helv")
    return pages.document


def scan(lines: list[Line], path: Path) -> None:
    """The page as a slightly turned, grainy grey picture without a text layer."""
    drawn = sheet(lines, size=12)
    picture = drawn[0].get_pixmap(matrix=pymupdf.Matrix(150 / 72, 150 / 72).prerotate(0.4), colorspace=pymupdf.csGRAY)
    samples = bytearray(picture.samples)
    grain = random.Random(7)
    for position in range(0, len(samples), 11):
        samples[position] = max(0, samples[position] - grain.randrange(40))
    grey = pymupdf.Pixmap(pymupdf.csGRAY, picture.width, picture.height, bytes(samples), False)
    document = pymupdf.open()
    page = document.new_page(width=PAGE.width, height=PAGE.height)
    page.insert_image(page.rect, stream=grey.tobytes("jpeg", jpg_quality=45))
    save_pdf(document, path, "Scan 2022-03-14")
