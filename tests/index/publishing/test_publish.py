from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from ragcli.errors import ModelError, StoreError
from ragcli.index.folder import IndexFolder
from ragcli.index.manifest import read_manifest
from ragcli.records import Document, EmbedderInfo, Scope
from tests.index.corpus import MODEL, publish, stage, vector, vectors
from tests.index.records import document


def _answers(path: Path, version: str | None = None) -> dict[str, str]:
    """Every document's text, as found by a BM25 search for its own words."""
    with IndexFolder(path).open(version) as engine:
        allowed = engine.allowed(Scope())
        found = {}
        for doc_id in engine.doc_ids():
            text = engine.document(doc_id).text
            hits = engine.lexical(text, 1, allowed).hits
            assert hits[0].chunk_id == f"{doc_id}#1"
            assert engine.dense(vector(text), 1, allowed)[0].hits[0].chunk_id == f"{doc_id}#1"
            found[doc_id] = text
        assert allowed.count == len(found)
        return found


def test_nothing_changed_makes_no_version(tmp_path: Path) -> None:
    documents = [document("a.md", "one"), document("b.md", "two")]
    publish(tmp_path, documents)
    before = sorted(path for path in tmp_path.rglob("*"))
    assert publish(tmp_path, documents).version is None
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_changes_are_counted_and_served(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "apple"), document("b.md", "banana"), document("c.md", "cherry")])
    result = publish(tmp_path, [document("a.md", "apple"), document("b.md", "blueberry"), document("d.md", "date")])
    assert (result.version, result.added, result.changed, result.removed) == ("v000002", 1, 1, 1)
    assert (result.new_chunks, result.documents, result.chunks) == (2, 3, 3)
    assert _answers(tmp_path) == {"a.md": "apple", "b.md": "blueberry", "d.md": "date"}
    assert _answers(tmp_path, "v000001") == {"a.md": "apple", "b.md": "banana", "c.md": "cherry"}
    assert IndexFolder(tmp_path).verify() == []
    with IndexFolder(tmp_path).open() as engine:
        assert engine.lexical("banana cherry", 5, engine.allowed(Scope())).hits == ()


def test_documents_without_chunks_are_kept(tmp_path: Path) -> None:
    documents = [document("a.md", ""), document("b.md", "banana"), document("c.md", ""), document("d.md", "date")]
    publish(tmp_path, documents)
    publish(tmp_path, [*documents[:3], document("e.md", "")])
    assert IndexFolder(tmp_path).verify() == []
    with IndexFolder(tmp_path).open() as engine:
        assert engine.doc_ids() == ["a.md", "b.md", "c.md", "e.md"]
        assert engine.allowed(Scope()).count == 1
        assert [hit.chunk_id for hit in engine.dense(vector("q"), 9, engine.allowed(Scope()))[0].hits] == ["b.md#1"]
        assert engine.document_chunks("e.md") == []


def test_metadata_alone_is_a_change(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "apple")])
    result = publish(tmp_path, [document("a.md", "apple", acl=("hr",))])
    assert (result.version, result.changed) == ("v000002", 1)
    with IndexFolder(tmp_path).open() as engine:
        assert engine.allowed(Scope()).count == 0
        assert engine.allowed(Scope(groups=("hr",))).count == 1


def test_any_history_serves_the_last_state_and_verifies(tmp_path: Path) -> None:
    draw = random.Random(3)
    state: dict[str, Document] = {}
    for _ in range(12):
        for _ in range(draw.randrange(1, 60)):
            name = f"d{draw.randrange(120)}.md"
            if draw.random() < 0.3:
                state.pop(name, None)
            else:
                state[name] = document(name, f"word{draw.randrange(10**9)} shared text")
        publish(tmp_path, list(state.values()), keep_versions=2)
        assert IndexFolder(tmp_path).verify() == []
    assert _answers(tmp_path) == {name: item.text for name, item in state.items()}
    fresh = tmp_path / "fresh"
    publish(fresh, list(state.values()))
    with IndexFolder(tmp_path).open() as grown, IndexFolder(fresh).open() as built:
        assert grown.manifest.fingerprint == built.manifest.fingerprint
        query = vector("some question")
        one, _ = grown.dense(query, 20, grown.allowed(Scope()), "exact")
        two, _ = built.dense(query, 20, built.allowed(Scope()), "exact")
        assert [hit.chunk_id for hit in one.hits] == [hit.chunk_id for hit in two.hits]


def test_unchanged_segments_share_their_files(tmp_path: Path) -> None:
    documents = [document(f"d{n}.md", f"text number {n}") for n in range(1500)]
    publish(tmp_path, documents)
    publish(tmp_path, [*documents, *(document(f"e{n}.md", f"more {n}") for n in range(10))])
    first, second = (tmp_path / "versions" / name / "segments" / "000001" for name in ("v000001", "v000002"))
    assert {path.name for path in first.iterdir()} == {path.name for path in second.iterdir()}
    for path in first.iterdir():
        assert path.samefile(second / path.name)
    assert len(read_manifest(tmp_path / "versions" / "v000002").segments) == 2
    assert IndexFolder(tmp_path).verify() == []


def test_dead_chunks_of_a_shared_segment_are_found_by_no_method(tmp_path: Path) -> None:
    documents = [document(f"d{n}.md", f"text number {n}") for n in range(1200)]
    publish(tmp_path, documents)
    publish(tmp_path, [document("d0.md", "changed text"), *documents[3:]])
    assert read_manifest(tmp_path / "versions" / "v000002").segments[0].dead_documents == 3
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(Scope())
        for method in ("exact", "hnsw"):
            for n in range(3):
                ranking, used = engine.dense(vector(f"text number {n}"), 20, allowed, method)
                assert used == method
                assert not {"d1.md#1", "d2.md#1"} & {hit.chunk_id for hit in ranking.hits}
                assert all(hit.score < 0.999 for hit in ranking.hits)
        assert engine.dense(vector("changed text"), 1, allowed, "hnsw")[0].hits[0].chunk_id == "d0.md#1"


def test_rolling_back_and_publishing_again_goes_on_from_there(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "apple")])
    publish(tmp_path, [document("a.md", "apricot"), document("b.md", "banana")])
    folder = IndexFolder(tmp_path)
    folder.use("v000001")
    assert folder.current() == "v000001"
    assert _answers(tmp_path) == {"a.md": "apple"}
    result = publish(tmp_path, [document("a.md", "apple"), document("c.md", "cherry")])
    assert (result.version, result.added) == ("v000003", 1)
    assert read_manifest(tmp_path / "versions" / "v000003").parent == "v000001"
    assert _answers(tmp_path) == {"a.md": "apple", "c.md": "cherry"}


def test_old_versions_are_pruned_except_those_being_read(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "apple 1")], keep_versions=2)
    held = IndexFolder(tmp_path).open()
    for n in range(2, 6):
        publish(tmp_path, [document("a.md", f"apple {n}")], keep_versions=2)
    assert [info.version for info in IndexFolder(tmp_path).versions()] == ["v000001", "v000004", "v000005"]
    assert held.document("a.md").text == "apple 1"
    assert held.lexical("apple", 1, held.allowed(Scope())).hits[0].chunk_id == "a.md#1"
    held.close()
    assert IndexFolder(tmp_path).prune(1) == ["v000001", "v000004"]


def test_another_model_builds_anew_and_is_refused_on_opening(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "apple")])
    other = EmbedderInfo("other", "1", MODEL.dimension, 256)
    with pytest.raises(StoreError, match=r"'hash'.*'other'") as caught:
        IndexFolder(tmp_path).open(embedder=other)
    assert caught.value.category == "index_incompatible"
    from ragcli.config import Config

    with IndexFolder(tmp_path).writer() as writer:
        result = writer.publish(embedder=other, vectors=vectors, config=Config())
    assert result.version == "v000002"
    assert "hash" in result.rebuilt
    assert "other" in result.rebuilt
    IndexFolder(tmp_path).open(embedder=other).close()


def test_documents_without_chunks_are_an_error_that_names_the_command(tmp_path: Path) -> None:
    from ragcli.config import Config

    with IndexFolder(tmp_path).writer() as writer:
        writer.staging.put_document(document("a.md"), root_id=1, relative="a.md")
        with pytest.raises(StoreError, match=r"1 documents have no chunks yet.*a\.md") as caught:
            writer.publish(embedder=MODEL, vectors=vectors, config=Config())
    assert caught.value.hint == "rag chunk"


@pytest.mark.parametrize("bad", [np.full((1, 8), np.nan), np.ones((1, 7)), np.ones((2, 8))])
def test_vectors_that_cannot_be_are_refused(tmp_path: Path, bad: np.ndarray) -> None:
    from ragcli.config import Config

    with IndexFolder(tmp_path).writer() as writer:
        stage(writer, [document("a.md")])
        with pytest.raises(ModelError):
            writer.publish(embedder=MODEL, vectors=lambda chunks: bad.astype(np.float32), config=Config())
    assert IndexFolder(tmp_path).current() is None


def test_damaged_parent_is_built_anew(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "apple")])
    (tmp_path / "versions" / "v000001" / "segments" / "000001" / "offsets.npy").write_bytes(b"rubbish")
    result = publish(tmp_path, [document("a.md", "apple")])
    assert result.version == "v000002"
    assert "v000001 is damaged" in result.rebuilt
    assert _answers(tmp_path) == {"a.md": "apple"}


def test_damaged_pointer_is_told_and_mended_by_the_next_publish(tmp_path: Path) -> None:
    publish(tmp_path, [document("a.md", "apple")])
    (tmp_path / "CURRENT").write_text("../../etc\n")
    with pytest.raises(StoreError, match=r"CURRENT holds '\.\./\.\./etc"):
        IndexFolder(tmp_path).open()
    assert publish(tmp_path, [document("a.md", "apple")]).version == "v000002"
    assert _answers(tmp_path) == {"a.md": "apple"}
