from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from ragcli.index.staged.caches import Caches
from ragcli.records import FileReport
from tests.index.records import document


def test_documents_come_back_whole(tmp_path: Path) -> None:
    caches = Caches(tmp_path)
    caches.documents.put("k", [document("a.md"), document("b.md")], [FileReport("a.md")])
    assert caches.documents.get("k") == ((document("a.md"), document("b.md")), (FileReport("a.md"),))
    assert caches.documents.get("other") is None


def test_vectors_come_back_bit_for_bit(tmp_path: Path) -> None:
    caches = Caches(tmp_path)
    keys = [bytes([n // 256, n % 256]) for n in range(1300)]
    rows = np.random.default_rng(1).normal(size=(1300, 4)).astype(np.float32)
    caches.vectors.put_many(keys, rows)
    caches.close()
    found = Caches(tmp_path).vectors.get_many([*keys, b"missing"])
    assert set(found) == set(keys)
    assert np.array_equal(np.stack([found[key] for key in keys]), rows)


def test_vectors_refuse_uneven_input(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 keys for 1 vectors"):
        Caches(tmp_path).vectors.put_many([b"a", b"b"], np.zeros((1, 4), dtype=np.float32))


def test_contexts_come_back(tmp_path: Path) -> None:
    caches = Caches(tmp_path)
    caches.contexts.put("k", "text \ud800 é")
    assert (caches.contexts.get("k"), caches.contexts.get("l")) == ("text \ud800 é", None)


def test_of_contexts_the_wanted_texts_go_and_what_cannot_be_read(tmp_path: Path) -> None:
    caches = Caches(tmp_path)
    for key in ("kept", "gone", "broken"):
        caches.contexts.put(key, f"text {key}")
    with contextlib.closing(sqlite3.connect(tmp_path / "contexts.sqlite")) as database, database:
        database.execute("UPDATE entries SET value = x'00' WHERE key = ?", (b"broken",))
    assert caches.contexts.remove_texts(["text gone"]) == 2
    assert [caches.contexts.get(key) for key in ("kept", "gone", "broken")] == ["text kept", None, None]


def test_damaged_cache_is_thrown_away(tmp_path: Path) -> None:
    (tmp_path / "contexts.sqlite").write_bytes(b"rubbish" * 1000)
    caches = Caches(tmp_path)
    assert caches.contexts.get("k") is None
    caches.contexts.put("k", "again")
    assert caches.contexts.get("k") == "again"
