from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ragcli.errors import StoreError
from ragcli.index.staged.staging import Staging
from ragcli.records import FileReport, FileState
from tests.index.records import chunks, document


@pytest.fixture
def staging(tmp_path: Path) -> Iterator[Staging]:
    catalogue = Staging(tmp_path / "staging" / "catalog.sqlite")
    yield catalogue
    catalogue.close()


def test_roots_keep_their_ids_and_get_unique_labels(staging: Staging, tmp_path: Path) -> None:
    first = staging.add_root(tmp_path / "a" / "docs")
    second = staging.add_root(tmp_path / "b" / "docs")
    assert (first.label, second.label) == ("docs", "docs-2")
    assert staging.add_root(tmp_path / "a" / "docs") == first
    assert staging.roots() == [first, second]


@pytest.mark.parametrize("relative", ["hr/a.md", "odd\nname.md", "caf\udce9.md", "x" * 240, "日本.md"])
def test_file_state_survives(staging: Staging, relative: str) -> None:
    state = FileState(1, relative, 12, 345, "ab", "key", (FileReport(relative, warnings=("w",)),), (relative,))
    staging.put_file(state)
    assert staging.file(1, relative) == state
    assert list(staging.files(1)) == [state]
    assert staging.file(2, relative) is None
    staging.remove_file(1, relative)
    assert staging.file(1, relative) is None


@pytest.mark.parametrize("doc_id", ["hr/a.md", "caf\udce9.md"])
def test_document_and_chunks_survive(staging: Staging, doc_id: str) -> None:
    original = document(doc_id, "One two three.", tags=("x",), extra={"product": "X200"})
    key = staging.put_document(original, root_id=1, relative=doc_id)
    staging.put_chunks(doc_id, key, "ck", chunks(original, 5))
    assert staging.document(doc_id) == original
    assert staging.chunks(doc_id) == chunks(original, 5)
    assert staging.document_keys() == {doc_id: key}
    assert staging.chunk_keys() == {doc_id: (key, "ck")}
    assert staging.owner(doc_id) == (1, doc_id)
    assert staging.entries()[doc_id].chunk_count == 3


def test_document_key_changes_with_metadata_alone(staging: Staging) -> None:
    plain = document("a.md")
    assert staging.put_document(plain, root_id=1, relative="a.md") == staging.put_document(
        replace(plain), root_id=1, relative="a.md"
    )
    tagged = replace(plain, metadata=replace(plain.metadata, acl=("hr",)))
    assert staging.put_document(tagged, root_id=1, relative="a.md") != staging.put_document(
        plain, root_id=1, relative="a.md"
    )


def test_entry_key_changes_with_a_chunk_context(staging: Staging) -> None:
    original = document("a.md")
    key = staging.put_document(original, root_id=1, relative="a.md")
    staging.put_chunks("a.md", key, "ck", chunks(original))
    before = staging.entries()["a.md"].entry_key
    staging.put_chunks("a.md", key, "ck", [replace(chunk, context="c") for chunk in chunks(original)])
    assert staging.entries()["a.md"].entry_key != before


def test_changed_document_is_unchunked_until_its_chunks_are_put(staging: Staging) -> None:
    first = document("a.md", "old")
    staging.put_chunks("a.md", staging.put_document(first, root_id=1, relative="a.md"), "ck", chunks(first))
    second = document("a.md", "new")
    key = staging.put_document(second, root_id=1, relative="a.md")
    assert (staging.unchunked(), list(staging.entries())) == (["a.md"], [])
    staging.put_chunks("a.md", key, "ck", chunks(second))
    assert (staging.unchunked(), list(staging.entries())) == ([], ["a.md"])


def test_removed_document_takes_its_chunks_along(staging: Staging) -> None:
    original = document("a.md")
    staging.put_chunks("a.md", staging.put_document(original, root_id=1, relative="a.md"), "ck", chunks(original))
    staging.remove_document("a.md")
    staging.remove_document("never there")
    assert (staging.document_keys(), staging.chunk_keys()) == ({}, {})
    with pytest.raises(KeyError):
        staging.document("a.md")
    with pytest.raises(KeyError):
        staging.chunks("a.md")


def test_chunks_must_be_numbered_from_one(staging: Staging) -> None:
    original = document("a.md", "One two three.")
    with pytest.raises(ValueError, match=r"a\.md#2"):
        staging.put_chunks("a.md", "k", "ck", chunks(original, 5)[1:])


def test_failed_transaction_leaves_nothing(staging: Staging) -> None:
    with pytest.raises(RuntimeError), staging.transaction():
        staging.put_document(document("a.md"), root_id=1, relative="a.md")
        raise RuntimeError
    assert staging.document_keys() == {}


def test_removed_root_takes_its_documents_along(staging: Staging, tmp_path: Path) -> None:
    root = staging.add_root(tmp_path)
    staging.put_document(document("a.md"), root_id=root.root_id, relative="a.md")
    staging.put_document(document("b.md"), root_id=root.root_id + 1, relative="b.md")
    staging.put_file(FileState(root.root_id, "a.md", 1, 1, "s", "p"))
    staging.remove_root(root.root_id)
    assert staging.roots() == []
    assert list(staging.files(root.root_id)) == []
    assert list(staging.document_keys()) == ["b.md"]


def test_reopened_catalogue_holds_what_was_put(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    first = Staging(path)
    first.put_document(document("a.md"), root_id=1, relative="a.md")
    first.close()
    second = Staging(path)
    assert second.document("a.md") == document("a.md")
    second.close()


def test_damaged_catalogue_is_a_store_error_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match=r"catalog\.sqlite") as caught:
        Staging(path)
    assert "rag ingest" in caught.value.hint


def test_other_format_is_refused_with_both_values(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StoreError, match=r"format 99.*format 3"):
        Staging(path)
