from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from ragcli.errors import StoreError
from ragcli.index.staged.database import open_database, store_errors

SCHEMA = "CREATE TABLE t (x BLOB)"


def test_a_full_disk_is_never_told_to_throw_the_file_away(tmp_path: Path) -> None:
    """A database that may have no more pages fails as one on a full disk does."""
    database = open_database(tmp_path / "a.sqlite", SCHEMA, 1, "remove it")
    database.execute("PRAGMA max_page_count = 4")
    with pytest.raises(StoreError, match="full") as caught, store_errors(tmp_path, "remove it"):
        database.execute("INSERT INTO t VALUES (?)", (bytes(100_000),))
    assert caught.value.hint.startswith("make room on the disk")
    assert "remove" not in caught.value.hint


def test_a_read_only_database_is_told_as_such(tmp_path: Path) -> None:
    open_database(tmp_path / "a.sqlite", SCHEMA, 1, "").close()
    database = sqlite3.connect(f"{(tmp_path / 'a.sqlite').as_uri()}?mode=ro", uri=True)
    with pytest.raises(StoreError) as caught, store_errors(tmp_path, "remove it"):
        database.execute("INSERT INTO t VALUES (1)")
    assert "permissions" in caught.value.hint


def test_a_damaged_file_keeps_its_own_hint(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_bytes(b"rubbish" * 1000)
    with pytest.raises(StoreError, match="not a database") as caught:
        open_database(tmp_path / "a.sqlite", SCHEMA, 1, "remove it")
    assert caught.value.hint == "remove it"


def test_what_the_system_says_is_kept(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=os.strerror(errno.ENOSPC)) as caught, store_errors(tmp_path, "remove it"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "b"))
    assert str(tmp_path / "b") in caught.value.message
    assert caught.value.hint.startswith("make room")
