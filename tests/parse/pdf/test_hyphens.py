"""Hyphens at the line ends of PDFs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragcli.parse.pdf.blocks import join_rows
from ragcli.parse.pdf.hyphens import Vocabulary, vocabulary_of
from tests.parse.builders import make_pdf, parse_one

KNOWN = Vocabulary(frozenset({"transformer", "cross-sectional", "price", "list", "without"}))


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["the trans-", "former"], "the transformer"),
        (["a cross-", "sectional area"], "a cross-sectional area"),
        (["a price-", "list"], "a price-list"),
        (["with-", "out it"], "without it"),
        (["n-", "tridecanal"], "n-tridecanal"),
        (["state-of-the-", "art"], "state-of-the-art"),
        (["one-", "to-one"], "one-to-one"),
        (["AX-", "2207 and 2019-", "2024, 2019\u2013", "2020"], "AX-2207 and 2019-2024, 2019\u20132020"),
        (["non-", "GAAP"], "non-GAAP"),
        (["the 10-", "year note"], "the 10-year note"),
        (["Vor-", "und Nachteile"], "Vor- und Nachteile"),
        (["a tempera-", "ture"], "a temperature"),
        (["price-", "determining"], "price-determining"),
        (["An\u00ad", "hang, Poli\u00adtik, cross-\u00ad", "sectional"], "Anhang, Politik, cross-sectional"),
        (["the cost -", "and more"], "the cost - and more"),
    ],
)
def test_hyphens_of_words_and_of_lines(rows: list[str], text: str) -> None:
    assert join_rows(rows, KNOWN)[0] == text


def test_options_of_commands_keep_their_hyphen() -> None:
    rows = ["peerctl add -ip 10.0.8.72 -", "prio 3"]
    assert join_rows(rows, vocabulary_of(rows, None))[0] == "peerctl add -ip 10.0.8.72 -prio 3"


def test_german_compounds_are_whole() -> None:
    known = Vocabulary(frozenset({"lager", "haltung"}), language="de")
    assert join_rows(["die Lager-", "haltung"], known)[0] == "die Lagerhaltung"


def test_both_forms_are_found_where_in_doubt() -> None:
    rows = ["A line that is long enough to be a para-", "graph of its own"]
    document = parse_one("a.pdf", make_pdf([[(72, 100 + 13 * n, 10, row) for n, row in enumerate(rows)]]))
    assert "paragraph" in document.text
    assert [(alias.span.of(document.text), alias.text) for alias in document.aliases] == [(document.text, "para-graph")]


@pytest.mark.parametrize("name", ["40-pdf-fake-bold", "41-pdf-hyphens"])
def test_reports(name: str, shared_data: Path) -> None:
    folder = shared_data / "reports" / name
    for expected in json.loads((folder / "expect.json").read_text(encoding="utf-8")):
        text = parse_one(expected["file"], (folder / expected["file"]).read_bytes()).text
        assert [wanted for wanted in expected["must"] if wanted not in text] == []
        assert [unwanted for unwanted in expected["mustnot"] if unwanted in text] == []
        assert [once for once in expected["once"] if text.count(once) != 1] == []
