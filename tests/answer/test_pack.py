"""Packing: the budget holds, strongest first, nothing twice, parents only where they fit."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ragcli.answer.pack import pack
from ragcli.config import AnswerConfig
from ragcli.records import (
    Block,
    Chunk,
    Coverage,
    Document,
    Metadata,
    Ranking,
    Retrieval,
    RetrievedChunk,
    Span,
)  # fmt: skip

SENTENCES = [f"Sentence number {n} has some words." for n in range(1, 21)]
TEXT = " ".join(SENTENCES)


class _Words:
    def count(self, text: str) -> int:
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        raise NotImplementedError


class _Engine:
    def document(self, doc_id: str) -> Document:
        half = TEXT.index("Sentence number 11")
        blocks = (Block("paragraph", Span(0, half), page=4), Block("paragraph", Span(half, len(TEXT)), page=5))
        return Document(doc_id, doc_id, "T", TEXT, blocks, (), Metadata(), "text/plain", "", "", Coverage())


def _chunk(ordinal: int, first: int, last: int, parent: tuple[int, int] | None = None) -> Chunk:
    span = _span(first, last)
    return Chunk(
        f"d#{ordinal}", "d", ordinal, span, span.of(TEXT), "",
        parent=_span(*parent) if parent else None, first_page=4, last_page=5,
    )  # fmt: skip


def _span(first: int, last: int) -> Span:
    start = TEXT.index(SENTENCES[first - 1])
    return Span(start, TEXT.index(SENTENCES[last - 1]) + len(SENTENCES[last - 1]))


def _pack(chunks: Sequence[Chunk], **settings: int):  # type: ignore[no-untyped-def]
    hits = tuple(RetrievedChunk(rank, chunk, 1.0, source="d") for rank, chunk in enumerate(chunks, start=1))
    retrieval = Retrieval("q", "hybrid", hits, {}, Ranking("fused", ()), None, "exact", 0, None, {})
    config = AnswerConfig(**settings)  # type: ignore[arg-type]
    return pack(retrieval, engine=_Engine(), config=config, tokenizer=_Words())  # type: ignore[arg-type]


def test_strongest_first_within_the_budget() -> None:
    passages = _pack([_chunk(3, 9, 10), _chunk(1, 1, 10), _chunk(2, 15, 16)], passage_tokens=64)
    assert [(p.number, p.chunk.ordinal) for p in passages] == [(1, 3), (2, 1)]
    assert passages[1].text == " ".join(SENTENCES[:8])
    assert sum(len(p.text.split()) for p in passages) <= 64


def test_overlap_is_cut_to_whole_sentences() -> None:
    passages = _pack([_chunk(1, 1, 4), _chunk(2, 3, 6), _chunk(3, 2, 3)])
    assert [p.text for p in passages] == [" ".join(SENTENCES[:4]), " ".join(SENTENCES[4:6])]
    assert all(p.span.of(TEXT) == p.text for p in passages)


def test_a_parent_is_sent_where_it_fits_and_its_children_once() -> None:
    children = [_chunk(1, 2, 2, (1, 5)), _chunk(2, 4, 4, (1, 5))]
    assert [p.text for p in _pack(children)] == [" ".join(SENTENCES[:5])]
    wide = [_chunk(1, 2, 2, (1, 20))]
    assert [p.text for p in _pack(wide, passage_tokens=64)] == [SENTENCES[1]]


def test_the_first_hit_is_cut_rather_than_lost() -> None:
    (only,) = _pack([_chunk(1, 1, 20)], passage_tokens=64)
    assert only.text == " ".join(SENTENCES[:10])


def test_page_starts_follow_the_span() -> None:
    (only,) = _pack([_chunk(1, 9, 12)])
    assert only.page_starts == ((0, 4), (TEXT.index("Sentence number 11"), 5))


def test_at_most_as_many_as_asked() -> None:
    assert len(_pack([_chunk(n, n, n) for n in range(1, 15)], passages=3)) == 3


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 6)), max_size=8), st.integers(64, 200))
def test_no_sentence_twice_and_never_over_budget(ranges: list[tuple[int, int]], budget: int) -> None:
    chunks = [_chunk(n, first, min(20, first + more)) for n, (first, more) in enumerate(ranges, start=1)]
    passages = _pack(chunks, passage_tokens=budget)
    assert sum(len(p.text.split()) for p in passages) <= budget
    assert all(p.span.of(TEXT) == p.text for p in passages)
    for sentence in SENTENCES:
        assert sum(sentence in p.text for p in passages) <= 1
