"""What a writer stages: roots, files, documents, chunks, notes and caches; over every store."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest

from ragcli.interfaces import Store
from ragcli.records import FileReport, FileState, Given, Look
from tests.index.records import chunks, document


def test_documents_and_chunks_until_they_are_ready(store: Store) -> None:
    item = document("hr/a.md", "One two three.")
    with store.writer() as writer:
        staging = writer.staging
        key = staging.put_document(item, root_id=1, relative="hr/a.md")
        assert staging.document("hr/a.md") == item
        assert (dict(staging.document_keys()), staging.unchunked()) == ({"hr/a.md": key}, ["hr/a.md"])
        staging.put_chunks("hr/a.md", key, "cut", chunks(item, 5))
        assert staging.chunks("hr/a.md") == chunks(item, 5)
        assert dict(staging.chunk_keys()) == {"hr/a.md": (key, "cut")}
        entry = staging.entries()["hr/a.md"]
        assert (entry.chunk_count, staging.unchunked()) == (3, [])
        other = staging.put_document(document("hr/a.md", "Four."), root_id=1, relative="hr/a.md")
        assert other != key
        assert (dict(staging.entries()), staging.unchunked()) == ({}, ["hr/a.md"])
    with store.writer() as writer:  # kept between writers
        assert writer.staging.document("hr/a.md").text == "Four."
        assert writer.staging.owner("hr/a.md") == (1, "hr/a.md")
        assert dict(writer.staging.document_files()) == {"hr/a.md": "hr/a.md"}
        writer.staging.remove_document("hr/a.md")
        writer.staging.remove_document("hr/a.md")
        assert (dict(writer.staging.document_keys()), writer.staging.owner("hr/a.md")) == ({}, None)
        for missing in (writer.staging.document, writer.staging.chunks):
            with pytest.raises(KeyError):
                missing("hr/a.md")


def test_chunks_of_another_document_are_refused(store: Store) -> None:
    with store.writer() as writer, pytest.raises(ValueError, match=r"is not b\.md#1"):
        writer.staging.put_chunks("b.md", "k", "c", chunks(document("a.md")))


def test_a_block_that_fails_leaves_nothing(store: Store) -> None:
    with store.writer() as writer:
        with pytest.raises(RuntimeError), writer.staging.transaction():
            writer.staging.put_document(document("a.md"), root_id=1, relative="a.md")
            writer.staging.notes.put_look(Look("a.md", 1, "a.md", "f", "e", 3))
            raise RuntimeError
        assert dict(writer.staging.document_keys()) == {}
        assert writer.staging.notes.family("f") == []


def test_roots_and_files(store: Store, tmp_path: Path) -> None:
    state = FileState(1, "x/a.md", 3, 5, "abc", "key", (FileReport("x/a.md", documents=1),), ("x/a.md",))
    with store.writer() as writer:
        staging = writer.staging
        docs = staging.add_root(tmp_path / "docs")
        again, other = staging.add_root(tmp_path / "docs"), staging.add_root(tmp_path / "more" / "docs")
        assert (docs, docs.label, other.label) == (again, "docs", "docs-2")
        assert staging.roots() == [docs, other]
        staging.put_file(FileState(docs.root_id, *_rest(state)))
        assert staging.file(docs.root_id, "x/a.md") == FileState(docs.root_id, *_rest(state))
        assert [item.relative for item in staging.files(docs.root_id)] == ["x/a.md"]
        staging.put_document(document("x/a.md"), root_id=docs.root_id, relative="x/a.md")
        staging.notes.put_given(docs.root_id, Given("", {"type": "policy"}, ("hr",)))
        staging.remove_root(docs.root_id)
        assert staging.roots() == [other]
        assert dict(staging.document_keys()) == {}
        assert staging.notes.given(docs.root_id) == []
        assert staging.file(docs.root_id, "x/a.md") is None


def _rest(state: FileState) -> tuple[object, ...]:
    return (state.relative, state.size, state.mtime_ns, state.sha256, state.parse_key, state.reports, state.doc_ids)


def test_notes(store: Store) -> None:
    with store.writer() as writer:
        notes = writer.staging.notes
        notes.put_given(1, Given("x/y", {}, ("it",)))
        notes.put_given(1, Given("", {"type": "policy"}, ("hr",)))
        assert [given.prefix for given in notes.given(1)] == ["", "x/y"]
        notes.put_given(1, Given("", {}, ()))
        assert [given.acl for given in notes.given(1)] == [("it",)]
        original = Look("b.md", 1, "b.md", "f", "e", 3, "2026-01-01")
        copy = Look("a.md", 1, "a.md", "f", "e", 3, "2025-01-01", kept="b.md", sketch=b"\0\1")
        notes.put_look(original)
        notes.put_look(copy)
        assert notes.family("f") == notes.all_looks() == notes.same_text()["e"] == [copy, original]
        assert (notes.look("a.md"), notes.look("x.md"), notes.unread()) == (copy, None, [])
        assert notes.same_text(["none"]) == {"e": [copy, original]}
        assert (notes.copies("b.md"), notes.copies("a.md")) == (("a.md",), ())
        assert [look.doc_id for look in notes.older_than("2026-06-01")] == ["b.md"]
        assert notes.take_file(1, "a.md") == [copy]
        assert notes.of_file(1, "a.md") == []
        notes.put_look(copy)
        notes.forget("b.md")
        assert notes.unread() == [copy]  # what stood for it is gone
        notes.hide_given(1, "x/y")
        assert [(given.prefix != "x/y", given.acl) for given in notes.given(1)] == [(True, ("it",))]
        notes.put_given(1, Given("x/y", {}, ("hr",)))
        assert [(given.prefix, given.acl) for given in notes.given(1)] == [("x/y", ("hr",))]


def test_caches(store: Store) -> None:
    item, today = document("a.md"), datetime.date.today()
    later = today + datetime.timedelta(days=40)
    rows = np.eye(3, dtype=np.float32)
    with store.writer() as writer:
        caches = writer.caches
        caches.documents.put("k", [item], [FileReport("a.md")])
        caches.vectors.put_many([b"1", b"2", b"3"], rows)
        caches.contexts.put("c", "what it is about")
    with store.writer() as writer:
        caches = writer.caches
        assert caches.documents.get("k") == ((item,), (FileReport("a.md"),))
        assert caches.documents.get("other") is None
        found = caches.vectors.get_many([b"1", b"4", b"3"])
        assert sorted(found) == [b"1", b"3"]
        assert np.array_equal(found[b"3"], rows[2])
        caches.vectors.remove([b"3"])
        assert caches.vectors.get_many([b"3"]) == {}
        assert caches.vectors.trim(30, today, lambda: ()) == 0
        assert caches.vectors.trim(30, later, lambda: [b"1"]) == 1
        assert sorted(caches.vectors.get_many([b"1", b"2"])) == [b"1"]
        assert caches.contexts.get("c") == "what it is about"
        assert caches.contexts.remove_texts(["what it is about"]) == 1
        assert caches.contexts.get("c") is None
        assert caches.documents.remove_files(lambda documents, _: documents[0].doc_id == "a.md") == 1
        assert caches.documents.get("k") is None
