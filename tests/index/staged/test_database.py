from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import struct
import zlib
from pathlib import Path

import pytest

from ragcli.errors import StoreError
from ragcli.index.staged.database import (
    SealedDatabase,
    open_database,
    pack,
    store_errors,
    stored_name,
    unpack,
    unpack_as,
)
from ragcli.records import Span

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


def _sealed(path: Path, script: str = SCHEMA) -> Path:
    database = sqlite3.connect(path)
    database.executescript(script)
    database.close()
    return path


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


@pytest.mark.parametrize(
    ("script", "names"),
    [
        (f"CREATE VIEW t AS {ENDLESS}", "t"),
        (f"{SCHEMA}; CREATE VIEW v AS {ENDLESS}", "v"),
        (f"{SCHEMA}; CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END", "g"),
        (f"{SCHEMA}; CREATE INDEX i ON t (length(x))", "i"),
        ("CREATE TABLE t (x BLOB AS (zeroblob(1000)), y)", "t"),
        ("CREATE TABLE t (x BLOB COLLATE NOCASE)", "t"),
    ],
)
def test_a_schema_that_is_not_ours_is_refused_before_it_runs(tmp_path: Path, script: str, names: str) -> None:
    path = _sealed(tmp_path / "a.sqlite", f"{script}; PRAGMA user_version = 1")
    for opening in (lambda: SealedDatabase(path, SCHEMA, "mend"), lambda: open_database(path, SCHEMA, 1, "mend")):
        with pytest.raises(StoreError, match=f"holds other tables than ragcli makes: {names}$") as caught:
            opening()
        assert caught.value.hint == "mend"


def test_a_statement_ends_however_much_it_has_to_do(tmp_path: Path) -> None:
    database = SealedDatabase(_sealed(tmp_path / "a.sqlite"), SCHEMA, "mend")
    for _ in range(2):  # each statement has its own number of steps
        with pytest.raises(StoreError, match="interrupted"):
            database.rows(f"{ENDLESS} WHERE x < 0")
        assert database.rows("SELECT 1") == [(1,)]
    database.close()


def test_no_more_is_given_than_the_file_holds(tmp_path: Path) -> None:
    database = SealedDatabase(
        _sealed(tmp_path / "a.sqlite", f"{SCHEMA}; INSERT INTO t VALUES (zeroblob(400000))"), SCHEMA, ""
    )
    assert len(database.rows("SELECT x FROM t")) == 1
    with pytest.raises(StoreError, match="lead in circles"):
        database.rows(f"SELECT t.x FROM t, ({ENDLESS} LIMIT 10)")
    with pytest.raises(StoreError, match="too big"):
        database.rows("SELECT zeroblob(2000000)")
    database.close()


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_a_link_beside_a_database_is_not_followed(tmp_path: Path, ending: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (tmp_path / f"a.sqlite{ending}").symlink_to(secret)
    with pytest.raises(StoreError, match=f"a.sqlite{ending} is a link, expected a file"):
        open_database(tmp_path / "a.sqlite", SCHEMA, 1, "mend")
    assert secret.read_text() == "secret"


def test_a_journal_that_names_somebodys_file_is_not_played(tmp_path: Path) -> None:
    """SQLite removes what a journal names as its super-journal once it has rolled back."""
    secret, path = tmp_path / "secret", tmp_path / "a.sqlite"
    _super_journal(path, secret)
    with contextlib.closing(sqlite3.connect(path)) as unguarded:
        unguarded.execute("SELECT * FROM t")
    assert not secret.exists(), "the attack itself does not work any more"
    path.unlink()
    _super_journal(path, secret)
    with pytest.raises(StoreError, match="names another journal"):
        open_database(path, SCHEMA, 1, "mend")
    assert secret.exists()


def _super_journal(path: Path, secret: Path) -> None:
    secret.write_text("secret")
    _sealed(path, f"PRAGMA page_size = 4096; {SCHEMA}; INSERT INTO t VALUES (1)")
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(secret).encode()
    header = (magic + struct.pack(">IIIII", 0, 0, path.stat().st_size // 4096, 512, 4096)).ljust(512, b"\0")
    place = struct.pack(">I", 0x40000000 // 4096 + 1)
    tail = place + name + struct.pack(">II", len(name), sum(name)) + magic
    path.with_name("a.sqlite-journal").write_bytes(header + tail)


def test_a_record_unpacks_to_no_more_than_it_may() -> None:
    small = pack("a" * 1_000_000)
    assert len(small) < 10_000
    assert len(unpack(small, 1_000_002)) == 1_000_000
    with pytest.raises(StoreError, match="more than 1,000,001 bytes"):
        unpack(small, 1_000_001)
    with pytest.raises(StoreError, match="larger than the 1,000,001"):
        pack("a" * 1_000_000, 1_000_001)


@pytest.mark.parametrize(
    "data", [None, "text", 7, b"", b"x", pack([1])[:-1], zlib.compress(b"["), zlib.compress(b"[" * 99_999)]
)
def test_what_is_no_record_is_told(data: object) -> None:
    with pytest.raises(StoreError, match="a stored record is damaged"):
        unpack(data)


@pytest.mark.parametrize("value", [None, [], {}, {"start": "0", "end": 1}])
def test_a_record_of_another_shape_is_told(value: object) -> None:
    with pytest.raises(StoreError, match="a stored record is damaged"):
        unpack_as(Span, pack(value))


def test_a_name_that_is_none_is_told() -> None:
    assert stored_name("a", "mend") == "a"
    assert stored_name("a\udcff".encode("utf-8", "surrogatepass"), "mend") == "a\udcff"
    with pytest.raises(StoreError, match="a stored name is damaged"):
        stored_name(b"\xff", "mend")
