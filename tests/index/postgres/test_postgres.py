"""What a database does that no folder does; the behaviour of every store is in ``tests/engines``."""

from __future__ import annotations

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragcli.application.stores import load_store
from ragcli.config import Config, IndexConfig
from ragcli.config.loading import load
from ragcli.errors import ConfigError, EngineUnreachable, ExitCode, IndexLocked, StoreError
from ragcli.index.postgres import graph, search
from ragcli.index.postgres.contents import term_key
from ragcli.index.postgres.database import place_of
from ragcli.index.postgres.store import PostgresStore
from ragcli.records import Filter, Scope
from tests.engines.stores import ADDRESS, STORES, ids
from tests.index.corpus import MODEL, publish_to, stage, vector, vectors
from tests.index.records import document

needs_server = pytest.mark.skipif(not os.environ.get(ADDRESS), reason=f"{ADDRESS} names no server")


@pytest.fixture
def store(tmp_path: Path) -> PostgresStore:
    made = STORES["postgresql"](tmp_path)
    assert isinstance(made, PostgresStore)
    return made


def run(store: PostgresStore, sql: str) -> None:
    """A statement behind ragcli's back."""
    with store.writer() as writer:
        writer.database.run(sql)


def test_a_server_that_is_not_there_is_told_with_the_variable_and_code_5(tmp_path: Path) -> None:
    store = PostgresStore(f"postgresql://somebody:secret@/none?host={tmp_path}")
    with pytest.raises(EngineUnreachable) as caught:
        store.current()
    assert caught.value.exit_code == ExitCode.MODEL
    assert "RAG_DATABASE_URL" in caught.value.hint
    assert "secret" not in caught.value.message + caught.value.hint


def test_an_address_is_shown_without_user_and_password() -> None:
    assert place_of("postgresql://me:secret@db.example:5433/rag", "ragcli") == (
        "postgresql://db.example:5433/rag (ragcli)"
    )
    with pytest.raises(StoreError, match="no database address"):
        place_of("what=is=that", "ragcli")


def test_the_address_comes_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAG_DATABASE_URL", raising=False)
    with pytest.raises(ConfigError, match="RAG_DATABASE_URL"):
        load_store(Config(index=IndexConfig(engine="postgresql")))
    monkeypatch.setenv("RAG_DATABASE_URL", "postgresql://db.example/rag")
    assert load_store(Config(index=IndexConfig(engine="postgresql"))).location == (
        "postgresql://db.example/rag (ragcli)"
    )


def test_terms_are_numbers_of_64_bits_with_a_sign() -> None:
    numbers = [term_key(term) for term in ("a", "b", "é", "\ud800")]
    assert len(set(numbers)) == 4
    assert all(-(2**63) <= number < 2**63 for number in numbers)


def test_a_file_of_the_working_tree_may_not_send_documents_to_a_database(tmp_path: Path) -> None:
    (tmp_path / "rag.yaml").write_text("index:\n  engine: postgresql\n")
    with pytest.raises(ConfigError, match="keeps the documents outside of the project") as caught:
        load(environ={}, cwd=tmp_path)
    assert "RAG_INDEX__ENGINE=postgresql" in caught.value.hint
    told = load(environ={"RAG_INDEX__ENGINE": "postgresql"}, cwd=tmp_path)
    assert told.index.engine == "postgresql"


@needs_server
def test_who_writes_is_named(store: PostgresStore) -> None:
    with store.writer(), pytest.raises(IndexLocked, match=rf"process {os.getpid()} on \S+ since 20"), store.writer():
        pass


@needs_server
def test_a_graph_is_made_measured_and_asked(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "FROM_CHUNKS", 200)
    monkeypatch.setattr(search, "_EXACT_CHUNKS", 50)
    documents = [
        document(f"d{n:03}.md", f"text {n}", language="de" if n % 50 == 7 else "en", acl=("hr",) if n % 2 else ())
        for n in range(400)
    ]
    result = publish_to(store, documents)
    assert result.recall_at_10 is not None and result.recall_at_10 > 0.9
    with contextlib.closing(store.open()) as engine:
        everything = engine.allowed(Scope(groups=("hr",)))
        found, used = engine.dense(vector("a question"), 10, everything)
        truth, _ = engine.dense(vector("a question"), 10, everything, "exact")
        assert used == "hnsw"
        assert len(set(ids(found)) & set(ids(truth))) >= 9
        public = engine.allowed(Scope())
        ranking, used = engine.dense(vector("a question"), 200, public)
        assert len(ranking.hits) == 200  # every one that is open, however the graph got there
        assert all(int(name[1:4]) % 2 == 0 for name in ids(ranking))
        few = engine.allowed(Scope(filters=(Filter("lang", "=", "de"),), groups=("hr",)))
        for method in ("auto", "hnsw"):
            assert len(engine.dense(vector("q"), 10, few, method)[0].hits) == 8
    assert publish_to(store, documents[:300]).recall_at_10 is not None


@needs_server
def test_threads_may_share_an_engine(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "FROM_CHUNKS", 100)
    publish_to(store, [document(f"d{n}.md", f"text {n}") for n in range(120)])
    with contextlib.closing(store.open()) as engine, ThreadPoolExecutor(8) as threads:
        everything = engine.allowed(Scope())

        def ask(number: int) -> tuple[str, str]:
            dense, _ = engine.dense(vector(f"text {number}"), 3, everything, "hnsw")
            lexical = engine.lexical(f"text {number}", 3, everything)
            return ids(dense)[0], ids(lexical)[0]

        assert list(threads.map(ask, range(120))) == [(f"d{n}.md#1", f"d{n}.md#1") for n in range(120)]


@needs_server
def test_closed_documents_and_other_versions_move_no_score(store: PostgresStore) -> None:
    public = [document("a.md", "apple pie"), document("b.md", "apple and pear"), document("c.md", "pear")]
    publish_to(store, public)
    with contextlib.closing(store.open()) as engine:
        before = engine.lexical("apple pear", 9, engine.allowed(Scope()))
    closed = [document(f"x{n}.md", "apple apple pear cellar", acl=("hr",)) for n in range(20)]
    publish_to(store, [*public, *closed])
    with contextlib.closing(store.open()) as engine:
        assert engine.lexical("apple pear", 9, engine.allowed(Scope())) == before
        assert len(engine.lexical("apple pear", 99, engine.allowed(Scope(groups=("hr",)))).hits) == 23
    with contextlib.closing(store.open("v000001")) as engine:
        assert engine.lexical("apple pear", 9, engine.allowed(Scope())) == before


class Killed(BaseException):
    """Stands for the end of the process."""


@needs_server
def test_a_publish_that_is_cut_off_is_absent_and_what_it_wrote_is_used(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_to(store, [document("a.md", "one")])
    documents = [document("a.md", "one"), document("b.md", "two"), document("c.md", "three")]
    embedded: list[str] = []

    def counted(chunks: list[object]) -> np.ndarray:
        embedded.extend(chunk.text for chunk in chunks)  # type: ignore[attr-defined]
        return vectors(chunks)  # type: ignore[arg-type]

    def cut_off(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed), store.writer() as writer:
        patched.setattr("ragcli.index.postgres.versions.add", cut_off)
        stage(writer, documents)
        writer.publish(embedder=MODEL, vectors=counted, config=Config())
    assert embedded == ["two", "three"]
    assert [info.version for info in store.versions()] == ["v000001"]
    with contextlib.closing(store.open()) as engine:
        assert engine.doc_ids() == ["a.md"]
        assert ids(engine.lexical("two three", 9, engine.allowed(Scope()))) == []
    with store.writer() as writer:
        result = writer.publish(embedder=MODEL, vectors=counted, config=Config())
    assert (result.version, result.added, embedded) == ("v000002", 2, ["two", "three"])
    assert store.verify() == []


@needs_server
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE contents SET body = head", "another hash"),
        ("UPDATE chunks SET data = ''", "another hash"),
        ("DELETE FROM chunks", "0 chunks, expected 1"),
        ("DELETE FROM postings", "no BM25 postings"),
        ("UPDATE chunks SET embedding = '[1,2,3]'", "vector of 3 dimensions"),
        ("DELETE FROM places", "documents should be 1"),
        ("UPDATE contents SET entry_key = 'other'", "fingerprint should be"),
    ],
)
def test_damage_is_found(store: PostgresStore, damage: str, told: str) -> None:
    publish_to(store, [document("a.md", "one two")])
    assert store.verify() == []
    run(store, damage)
    assert told in "\n".join(store.verify())


@needs_server
def test_another_format_is_refused(store: PostgresStore) -> None:
    publish_to(store, [document("a.md")])
    run(store, "UPDATE format SET number = 99")
    with pytest.raises(StoreError, match="has format 99, this ragcli reads format 1"):
        store.open()


@needs_server
def test_a_rebuild_embeds_everything_anew_and_another_model_too(store: PostgresStore) -> None:
    publish_to(store, [document("a.md"), document("b.md")])
    result = publish_to(store, [document("a.md"), document("b.md")], rebuild=True)
    assert (result.version, result.new_chunks, result.rebuilt) == ("v000002", 2, "asked for")
    assert publish_to(store, [document("a.md"), document("b.md")]).version is None


@needs_server
def test_a_connection_that_the_server_ended_is_made_again(store: PostgresStore) -> None:
    publish_to(store, [document("a.md")])
    assert store.current() == "v000001"
    with store.writer() as writer:
        writer.database.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
            "application_name LIKE %s",
            (f"rag {os.getpid()} %",),
        )
    with contextlib.suppress(StoreError):
        store.current()
    assert store.current() == "v000001"
