"""The hash of weights that is kept between processes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from ragcli.embed import remembered
from ragcli.embed.remembered import forget_weights, weights_sha256
from ragcli.errors import ModelError

LONG_AGO = 1_600_000_000


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files read whole, in order; the cache is empty and of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found: list[Path] = []
    whole = remembered.file_sha256

    def counted(path: Path) -> str:
        found.append(path)
        return whole(path)

    monkeypatch.setattr(remembered, "file_sha256", counted)
    return found


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"0123456789")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_is_read_once(weights: Path, reads: list[Path]) -> None:
    assert [weights_sha256(weights) for _ in range(3)] == [sha256(b"0123456789")] * 3
    assert len(reads) == 1


def test_a_change_that_keeps_size_and_time_is_seen(weights: Path, reads: list[Path]) -> None:
    weights_sha256(weights)
    weights.write_bytes(b"0123456780")
    os.utime(weights, (LONG_AGO, LONG_AGO))  # as a program that hides its change would: the change time tells
    assert weights_sha256(weights) == sha256(b"0123456780")
    assert len(reads) == 2


def test_a_file_just_written_is_not_remembered(weights: Path, reads: list[Path]) -> None:
    weights.write_bytes(b"new")
    assert [weights_sha256(weights) for _ in range(2)] == [sha256(b"new")] * 2
    assert len(reads) == 2


def test_doctor_forgets_and_reads_all(weights: Path, reads: list[Path]) -> None:
    weights_sha256(weights)
    forget_weights()
    weights_sha256(weights)
    assert len(reads) == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"look": 1}', '{"look": [], "sha256": "' + "0" * 64 + '"}'])
def test_a_note_that_is_none_is_passed_over(content: str, weights: Path, reads: list[Path], tmp_path: Path) -> None:
    weights_sha256(weights)
    (note,) = (tmp_path / "caches").rglob("*.json")
    note.write_text(content, encoding="utf-8")
    assert weights_sha256(weights) == sha256(b"0123456789")
    assert len(reads) == 2


def test_without_a_place_to_remember_the_file_is_read(weights: Path, reads: list[Path], tmp_path: Path) -> None:
    (tmp_path / "caches").write_text("a file stands where the caches would be", encoding="utf-8")
    assert [weights_sha256(weights) for _ in range(2)] == [sha256(b"0123456789")] * 2


def test_a_missing_file_is_named(tmp_path: Path, reads: list[Path]) -> None:
    with pytest.raises(ModelError, match=r"cannot read .*gone\.bin"):
        weights_sha256(tmp_path / "gone.bin")
