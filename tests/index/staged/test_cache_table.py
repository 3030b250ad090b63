from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import pytest

from ragcli.index.staged.cache_table import CacheTable

TODAY = date.today()


def later(days: int) -> date:
    return TODAY + timedelta(days=days)


def keys(table: CacheTable) -> set[bytes]:
    return set(table.read([b"a", b"b", b"c"]))


def nothing() -> Iterable[bytes]:
    raise AssertionError("asked what is in use although nothing is old")


@pytest.fixture
def table(tmp_path: Path) -> CacheTable:
    table = CacheTable(tmp_path / "t.sqlite")
    table.write([(b"a", b"1"), (b"b", b"2"), (b"c", b"3")])
    return table


def test_entries_go_after_their_days_unless_they_are_in_use(table: CacheTable) -> None:
    assert table.trim(30, later(30), nothing) == 0
    assert table.trim(30, later(31), lambda: [b"b", b"x"]) == 2
    assert keys(table) == {b"b"}


def test_what_was_in_use_is_young_again(table: CacheTable) -> None:
    assert table.trim(30, later(31), lambda: [b"a", b"b", b"c"]) == 0
    assert table.trim(30, later(61), nothing) == 0
    assert table.trim(30, later(62), list) == 3


def test_putting_again_makes_an_entry_young(table: CacheTable, monkeypatch: pytest.MonkeyPatch) -> None:
    class Later(date):
        @classmethod
        def today(cls) -> date:
            return later(20)

    monkeypatch.setattr("ragcli.index.staged.cache_table.date", Later)
    table.write([(b"a", b"new")])
    assert table.trim(30, later(31), list) == 2
    assert table.read([b"a", b"b"]) == {b"a": b"new"}


def test_removed_entries_leave_no_age_behind(table: CacheTable, tmp_path: Path) -> None:
    table.remove([b"a"])
    assert table.remove_where(lambda value: value == b"2") == 1
    table.close()
    database = sqlite3.connect(tmp_path / "t.sqlite")
    assert database.execute("SELECT key FROM ages").fetchall() == [(b"c",)]


def test_a_cache_made_before_there_were_ages_starts_young(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB NOT NULL); PRAGMA user_version=1;"
        "INSERT INTO entries VALUES (x'61', x'31')"
    )
    database.close()
    table = CacheTable(path)
    assert table.trim(30, later(30), nothing) == 0
    assert table.trim(30, later(31), list) == 1


def test_the_file_shrinks_when_most_of_it_went(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    table = CacheTable(path)
    table.write([(bytes([number]), bytes(10_000)) for number in range(200)])
    table.close()
    before, table = path.stat().st_size, CacheTable(path)
    assert table.trim(1, later(2), lambda: [bytes([7])]) == 199
    table.close()
    assert path.stat().st_size < before / 20


def test_an_interrupted_trim_drops_nothing(table: CacheTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(table, "remove", killed)
        with pytest.raises(KeyboardInterrupt):
            table.trim(30, later(31), lambda: [b"a"])
    assert keys(table) == {b"a", b"b", b"c"}
    assert table.trim(30, later(31), lambda: [b"a"]) == 2
