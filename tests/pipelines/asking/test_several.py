"""Questions that ask several things: every part is searched for, answered, and named when nothing answers it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli import Index
from ragcli.config import load
from ragcli.pipelines.asking.several import in_turns, search_in_turns
from ragcli.records import Chunk, Hit, Ranking, Retrieval, RetrievedChunk, Span

SITES = {
    "alder.md": "# Alder\n\nThe notice period of Alder is three months. Alder has a roof garden.\n",
    "cedar.md": "# Cedar\n\nThe notice period of Cedar is nine weeks.\n",
    "rent.md": "# Rent\n\nThe rent of every site is paid on the third working day.\n",
    "shop.md": "# Shop\n\nMarks and Spencer delivers on Tuesdays. Marks are given in March.\n",
}


def _retrieval(query: str, *names: str) -> Retrieval:
    hits = tuple(
        RetrievedChunk(n, Chunk(name, name, 1, Span(0, 1), name, name), 1 / n, source=name)
        for n, name in enumerate(names, start=1)
    )
    ranking = Ranking("fused", tuple(Hit(name, 1 / n, n) for n, name in enumerate(names, start=1)))
    return Retrieval(query, "bm25", hits, {"bm25": ranking}, ranking, None, None, 0, None, {"total": 2.0})


def test_rankings_are_joined_in_turns_each_chunk_at_its_best_place() -> None:
    joined = in_turns("q", [_retrieval("q", "a", "b", "c"), _retrieval("x", "b", "d"), _retrieval("y", "e")])
    assert [hit.chunk.chunk_id for hit in joined.hits] == ["a", "b", "e", "d", "c"]
    assert [(hit.rank, hit.score) for hit in joined.hits] == [(n, 1 / n) for n in range(1, 6)]
    assert [hit.chunk_id for hit in joined.fused.hits] == [hit.chunk_id for hit in joined.legs["bm25"].hits]
    assert joined.timings_ms == {"total": 6.0}


def test_the_whole_and_every_part_are_searched_and_no_more_hits_are_given() -> None:
    asked: list[str] = []

    def search(question: str) -> Retrieval:
        asked.append(question)
        return _retrieval(question, question[-6:], "other")

    found = search_in_turns("Notice period of Alder and Birch?", search)
    assert asked == ["Notice period of Alder and Birch?", "Notice period of Alder?", "Notice period of Birch?"]
    assert found.parts == ("Notice period of Alder?", "Notice period of Birch?")
    assert [hit.chunk.chunk_id for hit in found.hits] == ["Birch?", "Alder?"]
    assert search_in_turns("Notice period of Alder?", search).parts == ()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("sites")
    (folder / "docs").mkdir()
    for name, text in SITES.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    made = Index.create(config=load(overrides={"index.path": str(folder / ".rag")}, environ={}, cwd=folder))
    made.ingest(folder / "docs")
    return made


def test_each_subject_is_answered_from_its_own_document(index: Index) -> None:
    answer = index.ask("What is the notice period of Alder and Cedar?").answer
    assert [sentence.text for sentence in answer.sentences] == [
        "The notice period of Alder is three months.",
        "The notice period of Cedar is nine weeks.",
    ]
    assert [citation.source for citation in answer.citations] == ["alder.md", "cedar.md"]


def test_what_is_missing_for_one_of_them_is_named(index: Index) -> None:
    answer = index.ask("What is the notice period of Alder and Birch?").answer
    assert [sentence.text for sentence in answer.sentences] == ["The notice period of Alder is three months."]
    assert "nothing was found for: What is the notice period of Birch?" in answer.notices


def test_two_words_that_stand_together_are_one_name(index: Index, tmp_path: Path) -> None:
    assert index.search("When does Marks and Spencer deliver?").parts == ()
    assert index.search("When do Alder and Cedar deliver?").parts == (
        "When do Alder deliver?",
        "When do Cedar deliver?",
    )
