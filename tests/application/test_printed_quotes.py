"""Over every format that is read, what is printed as a quote is a slice of the document's text, up to white space."""

from __future__ import annotations

import email.message
import html
import io
import json
from collections.abc import Callable
from pathlib import Path

import docx
import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragcli import Index
from ragcli.display import one_line
from tests.answer.extract.test_letter_for_letter import FORMATS
from tests.parse.builders import make_epub, make_odt, make_zip

SETTINGS = {"retrieve.mode": "bm25", "answer.min_confidence": 0, "answer.sentences": 3, "ingest.ocr": "off"}
ODD = "The owner of the deploy script is [[Maya|M. *args* _NEAREST_]] & `x_y`; see <b>this</b>, $HOME and \\alpha."
QUESTIONS = ("Who is the owner of the deploy script?", "What does deploy take?")


def _docx(text: str) -> bytes:
    document, stream = docx.Document(), io.BytesIO()
    document.add_heading("Deploy", 1)
    document.add_paragraph(text)
    document.save(stream)
    return stream.getvalue()


def _pdf(text: str) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_textbox((50, 50, 500, 300), f"Deploy\n\n{text}", fontsize=11)
        return bytes(document.tobytes())


def _mail(text: str) -> bytes:
    message = email.message.EmailMessage()
    message["Subject"], message["From"] = "Deploy", "a@example.com"
    message.set_content(text)
    return bytes(message)


def _notebook(text: str) -> bytes:
    cells = [{"cell_type": "markdown", "source": [text], "metadata": {}}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


def _rtf(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")
    return (r"{\rtf1\ansi\ansicpg1252 " + escaped + "}").encode()


MADE: dict[str, Callable[[str], bytes]] = {
    "b.md": lambda text: f"---\nowner: {text}\n---\n# Deploy\n\n> [!note] Deploy\n> {text}\n\n- {text}\n".encode(),
    "b.ipynb": _notebook,
    "b.csv": lambda text: f'script,owner\ndeploy,"{text}"\nother,Tom\n'.encode(),
    "b.html": lambda text: f"<h1>Deploy</h1><p>{html.escape(text)}</p><p>And the deploy script is long.</p>".encode(),
    "b.xml": lambda text: f"<page><title>Deploy</title><body>{html.escape(text)}</body></page>".encode(),
    "b.eml": _mail,
    "b.docx": _docx,
    "b.pdf": _pdf,
    "b.rtf": _rtf,
    "b.odt": lambda text: make_odt(f"<text:p>{html.escape(text)}</text:p>"),
    "b.epub": lambda text: make_epub({"one": f"<h1>Deploy</h1><p>{html.escape(text)}</p>"}),
    "b.zip": lambda text: make_zip({"inner.md": f"# Deploy\n\n{text}\n"}),
}


def quotes(folder: Path, name: str, data: bytes) -> list[str]:
    """What is printed as quotes in answers from one file, each held against its document."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    printed = []
    with Index.create(folder / "index", config=SETTINGS) as index:
        index.ingest([folder / name])
        for question in QUESTIONS:
            for citation in index.ask(question).answer.citations:
                text = index.reader.engine.document(citation.chunk_id.rpartition("#")[0]).text
                assert citation.span is not None
                assert one_line(citation.quote) == " ".join(citation.span.of(text).split())
                printed.append(one_line(citation.quote))
    return printed


@pytest.mark.parametrize("name", [*FORMATS, *MADE])
def test_a_printed_quote_is_a_slice_of_its_document(name: str, tmp_path: Path) -> None:
    data = FORMATS[name].encode() if name in FORMATS else MADE[name](ODD)
    found = quotes(tmp_path / "docs", name, data)
    assert found
    assert any("deploy" in quote.casefold() for quote in found)


@pytest.mark.parametrize("name", ["b.md", "b.eml", "b.docx", "b.odt"])
def test_no_letter_of_the_sentence_is_lost_on_the_way(name: str, tmp_path: Path) -> None:
    assert any(ODD.rstrip(".") in quote for quote in quotes(tmp_path / "docs", name, MADE[name](ODD)))


@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(MADE)), st.text("ab *_`[]<>&|\\~#(){}=+.:", min_size=4, max_size=40))
def test_whatever_signs_stand_in_it(tmp_path_factory: pytest.TempPathFactory, name: str, odd: str) -> None:
    quotes(tmp_path_factory.mktemp("docs"), name, MADE[name](f"The owner of the deploy script is x{odd}x for now."))
