"""What is printed as a quote is the text of the document, letter for letter, in every format."""

from __future__ import annotations

import dataclasses
import email.message
import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.answer.check.verify import verify
from ragcli.answer.extract.candidates import candidates
from ragcli.answer.extract.extractive import ExtractiveAnswerer
from ragcli.config import AnswerConfig, IngestConfig
from ragcli.display import one_line
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile, walk
from ragcli.records import Chunk, Document, Passage, Span
from tests.answer.passages import passage

SENTENCE = "The owner of the deploy script is [[Maya|M. *args* _NEAREST_]] & `x_y`, see <b>this</b>."
FORMATS = {
    "a.md": f"# Deploy\n\n{SENTENCE} More follows.\n\n> [!note] The deploy *script* has an owner.\n",
    "a.rst": f"Deploy\n======\n\n.. _owner:\n\n{SENTENCE}\n\n.. code-block:: sh\n\n   deploy *args\n",
    "a.adoc": f"= Deploy\n\n[[owner]]\n{SENTENCE}\n\n----\ndeploy *args\n----\n",
    "a.org": f"* Deploy\n{SENTENCE}\n",
    "a.tex": f"\\section{{Deploy}}\n{SENTENCE}\n",
    "a.txt": f"{SENTENCE}\n\nif [[ -f deploy ]]; then script *args; fi\n",
    "a.py": f"# {SENTENCE}\ndef deploy(*args, _NEAREST=1):\n    return _NEAREST\n",
    "a.sh": "# The owner of the deploy script is _root_.\nif [[ -f deploy ]]; then\n  script *args\nfi\n",
    "a.html": "<h1>Deploy</h1><p>The owner of the deploy script is <b>Maya</b> &amp; takes *args, [[x]].</p>"
    "<p>A deploy script has an owner, who is named in the file of the team that wrote it.</p>",
    "a.csv": "script,owner\ndeploy,*Maya_ [[x]] `y`\nother,Tom\n",
    "a.json": json.dumps([{"text": SENTENCE}, {"text": "Another."}]),
    "a.ipynb": json.dumps(
        {"cells": [{"cell_type": "markdown", "source": [SENTENCE], "metadata": {}}], "metadata": {}, "nbformat": 4}
    ),
}


def parsed(path: Path) -> tuple[Document, ...]:
    settings = IngestConfig()
    files = [item for item in walk(path, settings) if isinstance(item, SourceFile)]
    documents = tuple(document for parsed in parse_files(files, settings) for document in parsed.documents)
    assert documents
    return documents


def whole(number: int, document: Document) -> Passage:
    span = Span(0, len(document.text))
    chunk = Chunk(f"{document.doc_id}#1", document.doc_id, number, span, document.text, document.title)
    return Passage(number, chunk, document.text, span, document.source, media_type=document.media_type)


@pytest.mark.parametrize("name", [*FORMATS, "a.eml"])
def test_quotes_are_the_text_of_the_document(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "a.eml":
        message = email.message.EmailMessage()
        message["Subject"], message["From"] = "Deploy", "a@example.com"
        message.set_content(SENTENCE)
        path.write_bytes(bytes(message))
    else:
        path.write_text(FORMATS[name], encoding="utf-8")
    documents = parsed(path)
    passages = [whole(number, document) for number, document in enumerate(documents, start=1)]
    settings = dataclasses.replace(AnswerConfig(), min_confidence=0.0, sentences=3)
    for question in ("Who is the owner of the deploy script?", "What does deploy take?", "script *args"):
        made = ExtractiveAnswerer(settings).generate(question, passages)
        answer = verify(made, passages, question=question)
        assert answer.citations
        for citation in answer.citations:
            text = next(document.text for document in documents if citation.chunk_id == f"{document.doc_id}#1")
            assert citation.span is not None
            assert one_line(citation.quote) == " ".join(citation.span.of(text).split())
        assert {sentence.status for sentence in answer.sentences} == {"supported"}


@given(
    st.sampled_from(["text/x-code-py", "text/x-code-sh", "text/plain", "application/pdf", "text/html"]),
    st.lists(st.text(string.ascii_letters + "*_`[]<>&|\\~#(){}=+ ", min_size=8, max_size=60), min_size=1, max_size=5),
)
def test_where_nothing_is_markup_every_letter_is_printed(media_type: str, lines: list[str]) -> None:
    text = "\n\n".join(lines)
    for item in candidates([dataclasses.replace(passage(1, text), media_type=media_type)]):
        if item.kind == "sentence":
            assert item.plain == " ".join(item.span.of(text).split())
