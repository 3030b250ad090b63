"""Fixed, semantic, overlap and parents, by example."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise

import pytest

from ragcli.chunk.chunker import chunk_document
from ragcli.config import ChunkConfig
from ragcli.errors import ConfigError
from ragcli.records import Chunk, Document
from tests.chunk.documents import Words, document


def chunks(doc: Document, *, similarity: object = None, **settings: object) -> tuple[Chunk, ...]:
    config = dataclasses.replace(ChunkConfig(max_tokens=20, min_tokens=0), **settings)  # type: ignore[arg-type]
    return chunk_document(doc, tokenizer=Words(), config=config, window=256, similarity=similarity)  # type: ignore[arg-type]


def sentence(word: str, count: int = 9) -> str:
    """``count`` words and a full stop."""
    return f"{word.title()}{' ' + word if count > 1 else ''}{f' {word}' * (count - 2)}."


LETTERS = [sentence(word) for word in ("alpha", "beta", "gamma", "delta", "omega")]


def test_fixed_chunks_have_the_size_and_begin_the_overlap_before() -> None:
    text = " ".join(f"w{n}" for n in range(50))
    result = chunks(document(("paragraph", text)), strategy="fixed", overlap=5)
    assert [(c.text.split()[0], c.text.split()[-1]) for c in result] == [("w0", "w19"), ("w15", "w34"), ("w30", "w49")]


def test_fixed_chunks_know_the_heading_they_begin_under() -> None:
    doc = document(("heading", "A", 1), ("paragraph", "x " * 18 + "x"), ("heading", "B", 1), ("paragraph", "y " * 12))
    assert [(c.heading_path, c.token_count) for c in chunks(doc, strategy="fixed")] == [(("A",), 20), (("B",), 13)]


def test_fixed_ends_even_when_the_overlap_is_as_large_as_the_chunk() -> None:
    text = " ".join(f"w{n}" for n in range(200))
    result = chunks(document(("paragraph", text)), strategy="fixed", max_tokens=16, overlap=500)
    assert result[-1].text.endswith("w199")
    assert len(result) == 24


def test_overlap_repeats_whole_sentences_of_the_chunk_before() -> None:
    doc = document(("paragraph", " ".join(LETTERS)))
    result = chunks(doc, max_tokens=40, overlap=12)
    assert [c.text for c in result] == [" ".join(LETTERS[:2]), " ".join(LETTERS[1:4]), " ".join(LETTERS[3:])]
    assert max(c.token_count for c in result) <= 40


def test_overlap_stops_at_headings_and_tables() -> None:
    table = "| a | b |\n| --- | --- |\n" + "\n".join(f"| {n} one two | three four {n} |" for n in range(6))
    doc = document(
        ("heading", "One", 1), ("paragraph", LETTERS[0]), ("heading", "Two", 1), ("paragraph", LETTERS[1]),
        ("table", table),
    )  # fmt: skip
    plain = [c.span for c in chunks(doc, max_tokens=30)]
    assert [c.span for c in chunks(doc, max_tokens=40, overlap=10)] == plain


def test_semantic_cuts_where_the_meaning_turns() -> None:
    sentences = [sentence(w, 12) for w in ("cat", "cat", "cat", "dog", "dog", "dog")]

    def same_animal(texts: Sequence[str]) -> list[float]:
        return [float(a.split()[1] == b.split()[1]) for a, b in pairwise(texts)]

    doc = document(("paragraph", " ".join(sentences)))
    result = chunks(doc, strategy="semantic", similarity=same_animal, max_tokens=60)
    assert [c.text for c in result] == [" ".join(sentences[:3]), " ".join(sentences[3:])]


def test_semantic_keeps_sections_apart_and_headings_with_their_text() -> None:
    doc = document(("heading", "A", 1), ("paragraph", LETTERS[0]), ("heading", "B", 1), ("paragraph", LETTERS[1]))
    result = chunks(doc, strategy="semantic", similarity=lambda texts: [1.0] * (len(texts) - 1), max_tokens=100)
    assert [c.text for c in result] == ["A\n\n" + LETTERS[0], "B\n\n" + LETTERS[1]]


def test_semantic_never_parts_a_heading_from_its_text() -> None:
    doc = document(("heading", "A", 1), ("paragraph", LETTERS[0]), ("heading", "B", 1), ("paragraph", "Two."))

    def heading_is_strange(texts: Sequence[str]) -> list[float]:
        return [float(right != "Two.") for _, right in pairwise(texts)]

    result = chunks(doc, strategy="semantic", similarity=heading_is_strange, max_tokens=13, min_tokens=5)
    assert [c.text for c in result] == [f"A\n\n{LETTERS[0]}", "B\n\nTwo."]


def test_semantic_without_a_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="semantic"):
        chunks(document(("paragraph", "Text.")), strategy="semantic")


def book() -> Document:
    return document(
        ("heading", "A", 1), ("paragraph", " ".join(LETTERS[:3])), ("heading", "A1", 2), ("paragraph", LETTERS[3]),
        ("heading", "B", 1), ("paragraph", LETTERS[4]),
    )  # fmt: skip


def parents(limit: int, mode: str) -> list[str | None]:
    doc = book()
    result = chunks(doc, max_tokens=11, parent=mode, parent_max_tokens=limit)
    assert len(result) == 5
    return [c.parent.of(doc.text) if c.parent else None for c in result]


def test_the_parent_is_the_widest_section_that_fits() -> None:
    doc = book()
    section_a = doc.text[: doc.text.index("B\n\n") - 2]
    assert parents(1000, "section") == [doc.text] * 5
    assert parents(45, "section") == [section_a] * 4 + [None]


def test_a_section_too_large_gives_what_fits_around_the_chunk() -> None:
    found = parents(22, "section")
    assert found[0] == f"A\n\n{LETTERS[0]} {LETTERS[1]}"
    assert found[1] == f"{LETTERS[1]} {LETTERS[2]}"
    assert found[2] == f"{LETTERS[2]}\n\nA1\n\n{LETTERS[3]}"
    assert found[3] is None


def test_neighbours_are_one_before_and_one_after() -> None:
    found = parents(1000, "neighbours")
    assert found[0] == f"A\n\n{LETTERS[0]} {LETTERS[1]}"
    assert found[1] == f"A\n\n{' '.join(LETTERS[:3])}"
    assert found[4] == f"A1\n\n{LETTERS[3]}\n\nB\n\n{LETTERS[4]}"
