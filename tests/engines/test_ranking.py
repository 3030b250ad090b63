"""What the two legs rank and what records they give back, over every store."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from ragcli.errors import ConfigError, StoreError
from ragcli.interfaces import Store
from ragcli.records import Filter, Scope
from tests.engines.stores import ids
from tests.index.corpus import publish_to, vector
from tests.index.records import chunks, document

EVERYTHING = Scope()


def test_published_documents_are_found_by_both_legs(store: Store) -> None:
    texts = {"a.md": "Refunds take five days.", "b.md": "Remote work is limited.", "c.md": "Error E-4012 is fatal."}
    result = publish_to(store, [document(name, text) for name, text in texts.items()])
    assert (result.version, result.documents, result.chunks, result.added) == ("v000001", 3, 3, 3)
    with contextlib.closing(store.open()) as engine:
        everything = engine.allowed(EVERYTHING)
        assert everything.count == 3
        assert ids(engine.lexical("how long does a refund take", 10, everything)) == ["a.md#1"]
        assert ids(engine.lexical("E-4012", 10, everything)) == ["c.md#1"]
        ranking, _ = engine.dense(vector(texts["b.md"]), 2, everything)
        assert ranking.hits[0].chunk_id == "b.md#1"
        assert ranking.hits[0].score == pytest.approx(1.0, abs=1e-6)
        assert len(ranking.hits) == 2


@pytest.mark.parametrize("method", ["exact", "hnsw"])
def test_dense_scores_and_order_equal_numpy(store: Store, method: str) -> None:
    documents = [document(f"d{n}.md", f"text {n}") for n in range(60)]
    publish_to(store, documents)
    query = vector("a question")
    truth = sorted(((float(vector(item.text) @ query), f"{item.doc_id}#1") for item in documents), reverse=True)[:10]
    with contextlib.closing(store.open()) as engine:
        ranking, used = engine.dense(query, 10, engine.allowed(EVERYTHING), method)
    assert used in ("exact", "hnsw", "quantised")
    assert ids(ranking) == [name for _, name in truth]
    assert [hit.score for hit in ranking.hits] == pytest.approx([score for score, _ in truth], abs=1e-6)
    assert [hit.rank for hit in ranking.hits] == list(range(1, 11))


def test_records_come_back(store: Store) -> None:
    original = document("hr/a.md", "One two three. Four five six.", tags=("x",), also_in=("b.md",))
    publish_to(store, [original, document("z.md", "other")], size=10)
    with contextlib.closing(store.open()) as engine:
        assert engine.document("hr/a.md") == original
        assert engine.document_chunks("hr/a.md") == chunks(original, 10)
        assert engine.chunks(["z.md#1", "hr/a.md#3"])[1] == chunks(original, 10)[2]
        assert np.array_equal(engine.vectors(["hr/a.md#2"])[0], vector(chunks(original, 10)[1].text))
        header = engine.headers(["hr/a.md"])[0]
        assert (header.metadata, header.also_in, header.text) == (original.metadata, ("b.md",), "")
        assert engine.doc_ids() == ["hr/a.md", "z.md"]
        for missing in ("hr/a.md#4", "hr/a.md#0", "hr/a.md#01", "hr/a.md", "nope#1", "hr/a.md#x", "hr/a.md#²"):
            with pytest.raises(KeyError):
                engine.chunks([missing])
        with pytest.raises(KeyError):
            engine.document("nope")


@pytest.mark.parametrize(
    "query", ["", " ", "don't", "C++: how (", "https://x", '"', "AND OR NOT", "\0", "\ud800", "é" * 9000]
)
def test_any_string_is_a_query(store: Store, query: str) -> None:
    publish_to(store, [document("a.md", "plain text")])
    with contextlib.closing(store.open()) as engine:
        assert engine.lexical(query, 5, engine.allowed(EVERYTHING)).hits == ()
        both = engine.lexical(f"plain {query}", 5, engine.allowed(EVERYTHING))
        assert [hit.chunk_id for hit in both.hits] == ["a.md#1"]


def test_filtered_search_gives_all_that_match(store: Store) -> None:
    documents = [
        document(f"d{n:03}.md", f"common word {n}", language="de" if n % 100 == 7 else "en") for n in range(400)
    ]
    publish_to(store, documents)
    scope = Scope(filters=(Filter("lang", "=", "de"),))
    with contextlib.closing(store.open()) as engine:
        allowed = engine.allowed(scope)
        expected = {"d007.md#1", "d107.md#1", "d207.md#1", "d307.md#1"}
        assert allowed.count == 4
        assert set(ids(engine.lexical("common", 10, allowed))) == expected
        for method in ("exact", "hnsw"):
            ranking, _ = engine.dense(vector("q"), 10, allowed, method)
            assert set(ids(ranking)) == expected
        assert len(engine.dense(vector("q"), 3, allowed)[0].hits) == 3


def test_missing_index_names_the_command(store: Store) -> None:
    with pytest.raises(StoreError) as caught:
        store.open()
    assert caught.value.category == "index_missing"
    assert "rag ingest" in caught.value.hint


def test_vector_of_another_dimension_is_refused(store: Store) -> None:
    publish_to(store, [document("a.md")])
    with contextlib.closing(store.open()) as engine, pytest.raises(ConfigError, match=r"3 dimensions, the index has 8"):
        engine.dense(np.ones(3, dtype=np.float32), 1, engine.allowed(EVERYTHING))


def test_empty_index_answers_nothing(store: Store) -> None:
    result = publish_to(store, [])
    assert (result.version, result.chunks, result.recall_at_10) == ("v000001", 0, None)
    with contextlib.closing(store.open()) as engine:
        allowed = engine.allowed(EVERYTHING)
        assert engine.lexical("x", 5, allowed).hits == ()
        assert engine.dense(vector("q"), 5, allowed)[0].hits == ()
        assert engine.doc_ids() == []


def test_bm25_prefers_the_rare_word_the_frequent_word_and_the_short_text(store: Store) -> None:
    filler = " ".join(["filler"] * 12)
    texts = {
        "often.md": f"zebra zebra zebra {filler}",
        "once.md": f"zebra {filler} filler filler",
        "long.md": f"zebra {' '.join(['filler'] * 60)}",
        "common.md": f"{filler} filler filler filler",
        "rare.md": f"quagga {filler} filler filler",
    }
    publish_to(store, [document(name, text) for name, text in texts.items()])
    with contextlib.closing(store.open()) as engine:
        everything = engine.allowed(EVERYTHING)
        assert ids(engine.lexical("zebra", 9, everything)) == ["often.md#1", "once.md#1", "long.md#1"]
        assert ids(engine.lexical("quagga filler", 1, everything)) == ["rare.md#1"]
        ranking = engine.lexical("zebra filler", 9, everything)
    assert len(ranking.hits) == 5
    assert [hit.rank for hit in ranking.hits] == [1, 2, 3, 4, 5]
    scores = [hit.score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True) and min(scores) > 0


def test_ties_are_broken_by_id(store: Store) -> None:
    publish_to(store, [document(f"{name}.md", "the same words", title="T") for name in "dacb"])
    with contextlib.closing(store.open()) as engine:
        everything = engine.allowed(EVERYTHING)
        expected = ["a.md#1", "b.md#1", "c.md#1", "d.md#1"]
        assert ids(engine.lexical("same words", 9, everything)) == expected
        for method in ("exact", "hnsw"):
            assert ids(engine.dense(vector("the same words"), 9, everything, method)[0]) == expected


def test_an_unknown_method_is_refused(store: Store) -> None:
    publish_to(store, [document("a.md")])
    with contextlib.closing(store.open()) as engine, pytest.raises(ConfigError, match="guess"):
        engine.dense(vector("q"), 1, engine.allowed(EVERYTHING), "guess")


@pytest.mark.parametrize("depth", [1, 3, 100])
def test_closed_documents_take_no_place(store: Store, depth: int) -> None:
    """Ninety closed documents that fit better leave the ten open ones all their places: min(depth, allowed)."""
    closed = [document(f"c{n}.md", "secret plan secret plan", acl=("board",)) for n in range(90)]
    publish_to(store, [*closed, *(document(f"o{n}.md", f"an open plan, number {n}, and more") for n in range(10))])
    with contextlib.closing(store.open()) as engine:
        allowed = engine.allowed(EVERYTHING)
        assert allowed.count == 10
        legs = [engine.lexical("secret plan", depth, allowed)]
        legs += [engine.dense(vector("secret plan secret plan"), depth, allowed, how)[0] for how in ("exact", "hnsw")]
    for ranking in legs:
        assert len(ranking.hits) == min(depth, 10)
        assert all(hit.chunk_id.startswith("o") for hit in ranking.hits)
