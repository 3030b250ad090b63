"""Versions: published whole, rolled back, compared, pruned, held by their readers; over every store."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from ragcli.config import Config
from ragcli.errors import ConfigError, IndexLocked, StoreError
from ragcli.interfaces import Store
from ragcli.records import EmbedderInfo, Scope
from tests.engines.stores import ids
from tests.index.corpus import MODEL, publish_to, stage, vectors
from tests.index.records import document


@pytest.fixture
def two(store: Store) -> Store:
    """Two versions: ``a.md`` and ``b.md``, then ``a.md`` changed and ``c.md``."""
    publish_to(store, [document("a.md", "one two three"), document("b.md", "four")], size=5)
    publish_to(store, [document("a.md", "one two four!"), document("c.md", "six")], size=5)
    return store


def test_a_store_without_an_index_says_so(store: Store) -> None:
    assert not store.exists
    assert store.current() is None
    assert store.versions() == []
    with pytest.raises(StoreError) as caught:
        store.open()
    assert (caught.value.category, "rag ingest" in caught.value.hint) == ("index_missing", True)
    assert store.location


def test_a_publish_makes_the_next_version_or_none(store: Store) -> None:
    first = publish_to(store, [document("a.md", "one"), document("b.md", "two")])
    assert (first.version, first.documents, first.chunks, first.added) == ("v000001", 2, 2, 2)
    again = publish_to(store, [document("a.md", "one"), document("b.md", "two")])
    assert (again.version, store.current()) == (None, "v000001")
    second = publish_to(store, [document("a.md", "other"), document("c.md", "three")])
    assert (second.version, second.added, second.changed, second.removed) == ("v000002", 1, 1, 1)
    assert store.exists


def test_documents_that_wait_to_be_chunked_are_not_published(store: Store) -> None:
    with store.writer() as writer:
        writer.staging.put_document(document("a.md"), root_id=1, relative="a.md")
        with pytest.raises(StoreError, match=r"1 documents have no chunks yet, the first is a\.md"):
            writer.publish(embedder=MODEL, vectors=vectors, config=Config())
    assert store.current() is None


def test_the_list_says_what_each_version_holds(two: Store) -> None:
    first, second = two.versions()
    assert (first.version, first.documents, first.chunks, first.current) == ("v000001", 2, 4, False)
    assert (second.version, second.documents, second.chunks, second.current) == ("v000002", 2, 4, True)
    assert second.embedding_model == "hash"
    assert first.created <= second.created


def test_an_engine_says_what_it_was_made_from(two: Store) -> None:
    with contextlib.closing(two.open()) as engine, contextlib.closing(two.open("v000001")) as before:
        assert (engine.version, engine.embedder, before.version) == ("v000002", MODEL, "v000001")
        assert engine.fingerprint and engine.fingerprint != before.fingerprint
        assert engine.settings["index"]["hnsw_m"] == Config().index.hnsw_m
        assert dict(engine.roots) == {}


def test_going_back_is_one_step(two: Store) -> None:
    two.use("v000001")
    assert two.current() == "v000001"
    with contextlib.closing(two.open()) as engine:
        assert engine.doc_ids() == ["a.md", "b.md"]
    assert publish_to(two, [document("z.md")]).version == "v000003"
    assert two.current() == "v000003"


@pytest.mark.parametrize("name", ["v000009", "v9x", "../x", "v000001/../v000001"])
def test_unknown_versions_are_told(two: Store, name: str) -> None:
    for action in (two.use, two.verify, two.open):
        with pytest.raises(StoreError if name == "v000009" else ConfigError):
            action(name)
    assert two.current() == "v000002"


def test_the_difference_of_two_versions(two: Store) -> None:
    found = two.diff("v000001", "v000002")
    assert (found.added, found.changed, found.removed) == (("c.md",), ("a.md",), ("b.md",))
    assert (found.chunks_gained, found.chunks_lost) == (3, 3)  # "wo fo", "ur!", "six" for "wo th", "ree", "four"
    back = two.diff("v000002", "v000001")
    assert (back.added, back.removed, back.chunks_gained) == (("b.md",), ("c.md",), 3)


def test_the_difference_is_told_to_each_group_as_far_as_it_may_see(two: Store) -> None:
    """``b.md`` is closed to all but hr, ``c.md`` added for hr, ``d.md`` for everyone."""
    publish_to(two, [document("a.md", "one"), document("b.md", "four")], size=5)
    new = [document("c.md", "five", acl=("hr",)), document("d.md", "six")]
    publish_to(two, [document("a.md", "one"), document("b.md", "four", acl=("hr",)), *new], size=5)
    outside = two.diff("v000003", "v000004")
    assert (outside.added, outside.changed, outside.removed) == (("d.md",), (), ())  # b.md is closed by now
    inside = two.diff("v000003", "v000004", ("hr",))
    assert (inside.added, inside.changed, inside.removed) == (("c.md", "d.md"), ("b.md",), ())


def test_what_is_closed_by_now_is_closed_in_older_versions_too(two: Store) -> None:
    publish_to(two, [document("a.md", "one"), document("b.md", "four", acl=("hr",))], size=5)
    with contextlib.closing(two.open("v000001")) as before:
        assert before.doc_ids(before.allowed(Scope())) == ["a.md"]
        assert before.allowed(Scope()).count == 3
        assert before.doc_ids(before.allowed(Scope(groups=("hr",)))) == ["a.md", "b.md"]


def test_what_is_closed_while_an_older_version_is_read_is_closed_in_it_from_then_on(two: Store) -> None:
    """And what is opened by now stays as closed as it was."""
    with contextlib.closing(two.open("v000001")) as before:
        assert before.doc_ids(before.allowed(Scope())) == ["a.md", "b.md"]
        publish_to(two, [document("a.md", "one", acl=("hr",)), document("b.md", "four")], size=5)
        assert before.doc_ids(before.allowed(Scope())) == ["b.md"]
        publish_to(two, [document("a.md", "one"), document("b.md", "four")], size=5)
        assert before.doc_ids(before.allowed(Scope())) == ["a.md", "b.md"]


def test_a_sound_version_has_no_fault(two: Store) -> None:
    assert two.verify() == []
    assert two.verify("v000001") == []


def test_old_versions_go_and_the_current_one_stays(store: Store) -> None:
    for number in range(4):
        publish_to(store, [document("a.md", f"text {number}")])
    store.use("v000001")
    assert store.prune(2) == ["v000002"]
    assert [info.version for info in store.versions()] == ["v000001", "v000003", "v000004"]
    publish_to(store, [document("a.md", "last")], keep_versions=1)
    assert [info.version for info in store.versions()] == ["v000005"]


def test_a_version_that_is_read_is_not_pruned(two: Store) -> None:
    with contextlib.closing(two.open("v000001")) as engine:
        assert two.prune(1) == []
        assert engine.document("b.md").text == "four"
    assert two.prune(1) == ["v000001"]


def test_another_model_is_refused_with_both_names(two: Store) -> None:
    other = EmbedderInfo("other", "1", 8, 256)
    with pytest.raises(StoreError, match="'hash', the config says 'other'") as caught:
        two.open(embedder=other)
    assert caught.value.category == "index_incompatible"
    two.open(embedder=MODEL).close()


def test_a_reader_keeps_its_version_whatever_is_published(store: Store) -> None:
    publish_to(store, [document("a.md", "apple pie"), document("b.md", "bread", acl=("hr",))])
    with contextlib.closing(store.open()) as engine:
        before = engine.lexical("apple", 5, engine.allowed(Scope()))
        for number in range(4):
            publish_to(store, [document("c.md", f"cherry {number}")], keep_versions=1)
        assert engine.lexical("apple", 5, engine.allowed(Scope())) == before
        assert engine.document("b.md").text == "bread"
        assert engine.version == "v000001"
    with contextlib.closing(store.open()) as engine:
        assert (engine.version, engine.doc_ids()) == ("v000005", ["c.md"])


def test_only_one_writes_and_the_other_is_told(store: Store) -> None:
    with store.writer() as writer:
        stage(writer, [document("a.md")])
        with pytest.raises(IndexLocked), store.writer():
            pass
    publish_to(store, [document("a.md")])


def test_readers_see_whole_versions_while_another_publishes(store: Store) -> None:
    """Every document of a version carries its number: a reader that meets two numbers saw a version in pieces."""

    def put(number: int) -> None:
        publish_to(store, [document(f"{name}.md", f"edition {number}") for name in "abcde"], keep_versions=2)

    put(0)
    ended = time.monotonic() + 2
    failures: list[str] = []

    def read() -> None:
        last = -1
        while time.monotonic() < ended:
            with contextlib.closing(store.open()) as engine:
                hits = ids(engine.lexical("edition", 9, engine.allowed(Scope())))
                texts = {chunk.text for chunk in engine.chunks(hits)}
                numbers = {int(text.split()[1]) for text in texts}
                if len(hits) != 5 or len(numbers) != 1 or min(numbers) < last:
                    failures.append(f"{hits} {numbers} after {last}")
                last = max(numbers)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    number = 0
    while time.monotonic() < ended:
        number += 1
        put(number)
    for reader in readers:
        reader.join()
    assert not failures
    assert number > 1


def test_a_trial_leaves_nothing_behind(two: Store) -> None:
    with two.writer() as writer:
        writer.caches.contexts.put("known", "text")
    with two.scratch() as trial:
        assert not trial.versions()
        publish_to(trial, [document("x.md")])
        with trial.writer() as writer:
            assert writer.caches.contexts.get("known") == "text"
        assert trial.current() == "v000001"
    assert [info.version for info in two.versions()] == ["v000001", "v000002"]
    with contextlib.closing(two.open()) as engine:
        assert engine.doc_ids() == ["a.md", "c.md"]


def test_a_trial_needs_no_index(store: Store) -> None:
    with store.scratch() as trial:
        publish_to(trial, [document("x.md")])
    assert not store.exists
