from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragcli.errors import ConfigError, StoreError
from ragcli.index.folder import IndexFolder
from ragcli.records import Filter, Scope
from tests.index.corpus import publish, vector
from tests.index.records import chunks, document

EVERYTHING = Scope()


def _ids(ranking: object) -> list[str]:
    return [hit.chunk_id for hit in ranking.hits]  # type: ignore[attr-defined]


def test_published_documents_are_found_by_both_legs(tmp_path: Path) -> None:
    texts = {"a.md": "Refunds take five days.", "b.md": "Remote work is limited.", "c.md": "Error E-4012 is fatal."}
    result = publish(tmp_path, [document(name, text) for name, text in texts.items()])
    assert (result.version, result.documents, result.chunks, result.added) == ("v000001", 3, 3, 3)
    with IndexFolder(tmp_path).open() as engine:
        everything = engine.allowed(EVERYTHING)
        assert everything.count == 3
        assert _ids(engine.lexical("how long does a refund take", 10, everything)) == ["a.md#1"]
        assert _ids(engine.lexical("E-4012", 10, everything)) == ["c.md#1"]
        ranking, _ = engine.dense(vector(texts["b.md"]), 2, everything)
        assert ranking.hits[0].chunk_id == "b.md#1"
        assert ranking.hits[0].score == pytest.approx(1.0, abs=1e-6)
        assert len(ranking.hits) == 2


@pytest.mark.parametrize("method", ["exact", "hnsw"])
def test_dense_scores_and_order_equal_numpy(tmp_path: Path, method: str) -> None:
    documents = [document(f"d{n}.md", f"text {n}") for n in range(60)]
    publish(tmp_path, documents)
    query = vector("a question")
    truth = sorted(((float(vector(item.text) @ query), f"{item.doc_id}#1") for item in documents), reverse=True)[:10]
    with IndexFolder(tmp_path).open() as engine:
        ranking, used = engine.dense(query, 10, engine.allowed(EVERYTHING), method)
    assert used == method
    assert _ids(ranking) == [name for _, name in truth]
    assert [hit.score for hit in ranking.hits] == pytest.approx([score for score, _ in truth], abs=1e-6)
    assert [hit.rank for hit in ranking.hits] == list(range(1, 11))


def test_records_come_back(tmp_path: Path) -> None:
    original = document("hr/a.md", "One two three. Four five six.", tags=("x",), also_in=("b.md",))
    publish(tmp_path, [original, document("z.md", "other")], size=10)
    with IndexFolder(tmp_path).open() as engine:
        assert engine.document("hr/a.md") == original
        assert engine.document_chunks("hr/a.md") == chunks(original, 10)
        assert engine.chunks(["z.md#1", "hr/a.md#3"])[1] == chunks(original, 10)[2]
        assert np.array_equal(engine.vectors(["hr/a.md#2"])[0], vector(chunks(original, 10)[1].text))
        header = engine.headers(["hr/a.md"])[0]
        assert (header.metadata, header.also_in, header.text) == (original.metadata, ("b.md",), "")
        assert engine.doc_ids() == ["hr/a.md", "z.md"]
        for missing in ("hr/a.md#4", "hr/a.md#0", "hr/a.md", "nope#1", "hr/a.md#x", "hr/a.md#²"):
            with pytest.raises(KeyError):
                engine.chunks([missing])
        with pytest.raises(KeyError):
            engine.document("nope")


@pytest.mark.parametrize(
    "query", ["", " ", "don't", "C++: how (", "https://x", '"', "AND OR NOT", "\0", "\ud800", "é" * 9000]
)
def test_any_string_is_a_query(tmp_path: Path, query: str) -> None:
    publish(tmp_path, [document("a.md", "plain text")])
    with IndexFolder(tmp_path).open() as engine:
        assert engine.lexical(query, 5, engine.allowed(EVERYTHING)).hits == ()
        both = engine.lexical(f"plain {query}", 5, engine.allowed(EVERYTHING))
        assert [hit.chunk_id for hit in both.hits] == ["a.md#1"]


def test_filtered_search_gives_all_that_match(tmp_path: Path) -> None:
    documents = [
        document(f"d{n:03}.md", f"common word {n}", language="de" if n % 100 == 7 else "en") for n in range(400)
    ]
    publish(tmp_path, documents)
    scope = Scope(filters=(Filter("lang", "=", "de"),))
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(scope)
        expected = {"d007.md#1", "d107.md#1", "d207.md#1", "d307.md#1"}
        assert allowed.count == 4
        assert set(_ids(engine.lexical("common", 10, allowed))) == expected
        for method in ("exact", "hnsw"):
            ranking, _ = engine.dense(vector("q"), 10, allowed, method)
            assert set(_ids(ranking)) == expected
        assert len(engine.dense(vector("q"), 3, allowed)[0].hits) == 3


def test_missing_index_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        IndexFolder(tmp_path).open()
    assert caught.value.category == "index_missing"
    assert "rag ingest" in caught.value.hint


def test_vector_of_another_dimension_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md")])
    with IndexFolder(tmp_path).open() as engine, pytest.raises(ConfigError, match=r"3 dimensions, the index has 8"):
        engine.dense(np.ones(3, dtype=np.float32), 1, engine.allowed(EVERYTHING))


def test_empty_index_answers_nothing(tmp_path: Path) -> None:
    result = publish(tmp_path, [])
    assert (result.version, result.chunks, result.recall_at_10) == ("v000001", 0, None)
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(EVERYTHING)
        assert engine.lexical("x", 5, allowed).hits == ()
        assert engine.dense(vector("q"), 5, allowed)[0].hits == ()
        assert engine.doc_ids() == []
