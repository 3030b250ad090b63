"""Situations that people reported about tools of this kind, in Office files: the shared ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.attack.office_files import run
from tests.parse.builders import parse_bytes

FOLDERS = (
    "03-docx-special-runs",
    "04-docx-heading-numbers",
    "06-docx-merged-nested",
    "09-docx-parts",
    "10-xlsx-formats",
    "14-xlsx-hidden",
    "17-pptx-shapes",
)


@pytest.mark.shared
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_text_holds_what_a_person_reads(shared_data: Path, folder: str) -> None:
    place = shared_data / "reports" / folder
    for entry in json.loads((place / "expect.json").read_text(encoding="utf-8")):
        documents, _ = parse_bytes(entry["file"], (place / entry["file"]).read_bytes())
        text = "\n".join(document.text for document in documents)
        assert [words for words in entry["must"] if words not in text] == []
        assert [words for words in entry["mustnot"] if words in text] == []
        assert [words for words in entry["once"] if text.count(words) != 1] == []
        places = [text.index(words) for words in entry["order"]]
        assert places == sorted(places)


def test_torn_office_files_never_break_the_reader() -> None:
    assert run(200, seed=1).failures == []
