"""What a chunk's neighbours add to its terms."""

from __future__ import annotations

from ragcli.index.lexical.analysis import terms
from ragcli.index.publishing.build import lexical_chunks
from ragcli.records import Chunk, Metadata, Span


def test_nearby_is_the_chunk_and_the_ones_beside_it() -> None:
    texts = ["alpha", "beta", "gamma", "delta"]
    chunks = [Chunk(f"d#{n}", "d", n, Span(0, len(text)), text, "T") for n, text in enumerate(texts, 1)]
    found = list(lexical_chunks(7, chunks, Metadata(language="en")))
    assert [chunk.number for chunk in found] == [7, 8, 9, 10]
    assert [chunk.nearby for chunk in found] == ["alpha beta", "alpha beta gamma", "beta gamma delta", "gamma delta"]
    assert [chunk.text.split()[-1] for chunk in found] == ["alpha", "beta", "gamma", "delta"]


def test_a_lone_chunk_has_itself_alone() -> None:
    (only,) = lexical_chunks(1, [Chunk("d#1", "d", 1, Span(0, 1), "a1", "T")], Metadata(language="en"))
    assert only.nearby.split()[0] == "a1"


def test_aliases_are_searched_with_the_text() -> None:
    chunk = Chunk("d#1", "d", 1, Span(0, 5), "5.75%", "T", aliases="0.0575")
    (only,) = lexical_chunks(1, [chunk], Metadata(language="en"))
    assert set(terms("0.0575", "en")) <= set(only.text.split()) & set(only.nearby.split())


def test_text_is_all_that_is_embedded() -> None:
    text = "Ports of the X200-B: 8443, naïve\nsecond line"
    chunk = Chunk(
        "d#1", "d", 1, Span(0, len(text)), text, "The title", ("Ports",), lead="| a | b |", context="Said so."
    )
    (only,) = lexical_chunks(1, [chunk], Metadata(language="en"))
    assert only.text.split() == terms(chunk.indexed_text, "en")
