"""Chunking of staged documents: only what changed is cut, in a staging area that is real."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.config import ChunkConfig, Config
from ragcli.index.folder import IndexFolder
from ragcli.index.publishing.writer import Writer
from ragcli.pipelines.building.chunk import ChunkResult, chunk
from ragcli.records import Document, EmbedderInfo
from tests.chunk.documents import Words, document


class WordEmbedder:
    """An embedder whose tokens are words; it can embed nothing, which chunking never asks."""

    def __init__(self, window: int = 64, passage_prefix: str = "") -> None:
        self.info = EmbedderInfo("words", "1", 2, window, passage_prefix=passage_prefix)
        self.tokenizer = Words()

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"chunking asked the embedder for {name}")


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with IndexFolder(tmp_path / ".rag").writer() as opened:
        yield opened


def put(writer: Writer, *documents: Document) -> None:
    root = writer.staging.add_root(writer.folder)
    for doc in documents:
        writer.staging.put_document(doc, root_id=root.root_id, relative=doc.doc_id)


def run(writer: Writer, embedder: WordEmbedder | None = None, **options: Any) -> ChunkResult:
    config = Config(chunk=options.pop("settings", ChunkConfig(max_tokens=20, min_tokens=0)))
    return chunk(config=config, writer=writer, embedder=embedder or WordEmbedder(), **options)


def page(doc_id: str, sentences: int) -> Document:
    text = " ".join(f"Sentence number {n} has seven words." for n in range(sentences))
    return document(("paragraph", text), title="Page", doc_id=doc_id)


def test_each_document_is_cut_once_and_again_only_when_it_changes(writer: Writer) -> None:
    put(writer, page("a.md", 4), page("b.md", 1))
    first = run(writer)
    assert (first.documents, first.rechunked, first.chunks, first.truncated) == (2, 2, 3, 0)
    assert [c.chunk_id for c in writer.staging.chunks("a.md")] == ["a.md#1", "a.md#2"]
    assert run(writer).rechunked == 0
    put(writer, page("b.md", 3))
    again = run(writer)
    assert (again.rechunked, again.chunks) == (1, 4)
    assert again.statistics.chunks == 2
    everything = run(writer, all_statistics=True)
    assert everything.statistics.chunks == 4
    assert everything.lint.counts == (("tiny", 4), ("repeated", 1))


@pytest.mark.parametrize(
    "change",
    [
        {"settings": ChunkConfig(max_tokens=16, min_tokens=0)},
        {"embedder": WordEmbedder(window=32)},
        {"embedder": WordEmbedder(passage_prefix="passage: ")},
        {"force": True},
    ],
)
def test_other_settings_or_another_model_cut_everything_again(writer: Writer, change: dict[str, Any]) -> None:
    put(writer, page("a.md", 4), page("b.md", 1))
    run(writer)
    assert run(writer, **change).rechunked == 2


def test_the_models_own_prefix_counts_against_the_window(writer: Writer) -> None:
    put(writer, page("a.md", 40))
    embedder = WordEmbedder(window=40, passage_prefix="one two three four five six ")
    result = run(writer, embedder, settings=ChunkConfig(max_tokens=1000, min_tokens=0))
    longest = max(Words().count(c.indexed_text) for c in writer.staging.chunks("a.md"))
    assert result.truncated == 0
    assert 25 < longest <= 40 - 2 - 6


def test_a_document_without_text_is_named(writer: Writer) -> None:
    put(writer, page("a.md", 1), dataclasses.replace(page("empty.md", 1), text=" \n", blocks=()))
    assert run(writer).empty == ("empty.md",)
    assert run(writer).rechunked == 0


def test_statistics_name_small_chunks_and_orphans(writer: Writer) -> None:
    put(writer, page("a.md", 4), dataclasses.replace(page("b.md", 1), title=""))
    result = run(writer).statistics
    assert result.small == ("a.md#1", "a.md#2", "b.md#1")
    assert result.orphans == ("b.md#1",)
    assert (result.tokens, result.smallest, result.median, result.largest) == (35, 7, 14, 14)
    assert result.histogram == ((0, 3),)


def test_progress_counts_documents(writer: Writer) -> None:
    put(writer, page("a.md", 1), page("b.md", 1))
    seen: list[tuple[str, int, int]] = []
    run(writer, progress=lambda *call: seen.append(call))
    assert seen[-1] == ("chunk", 2, 2)


def test_the_semantic_strategy_asks_the_model_how_near_sentences_are(writer: Writer) -> None:
    asked: list[str] = []

    class Topics(WordEmbedder):
        def passages(self, texts: Sequence[str], progress: object = None) -> NDArray[np.float32]:
            asked.extend(texts)
            return np.array([[1, 0] if "Cats" in text else [0, 1] for text in texts], dtype=np.float32)

    cats, dogs = ("Cats sleep all day long on the warm sofa of the house.", "Dogs run all day long in the big garden.")
    put(writer, document(("paragraph", f"{cats} {cats} {cats} {dogs} {dogs}"), doc_id="a.md"))
    run(writer, Topics(window=256), settings=ChunkConfig(strategy="semantic", max_tokens=45, min_tokens=0))
    assert [c.text for c in writer.staging.chunks("a.md")] == [f"{cats} {cats} {cats}", f"{dogs} {dogs}"]
    assert len(asked) == 2  # each text once
    run(writer, Topics(window=256), settings=ChunkConfig(strategy="semantic", max_tokens=45, min_tokens=0), force=True)
    assert len(asked) == 2
