"""An outcome names what it hangs on, and holds as long as that stays."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from ragcli.parse.conditions import PASSWORDS, Conditions, library, program, setting
from tests.parse.builders import make_pdf, parse_bytes


def test_a_state_holds_until_its_condition_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAG_PDF_PASSWORDS", raising=False)
    names = [setting("memory_mb"), PASSWORDS, library("no-such-thing"), program("no-such-program")]
    states = Conditions(IngestConfig(memory_mb=100)).state(names)
    assert states == (
        "ingest.memory_mb=100",
        "library:no-such-thing=",
        "passwords=",
        "program:no-such-program=False",
    )
    assert Conditions(IngestConfig(memory_mb=100)).hold(states)
    assert not Conditions(IngestConfig(memory_mb=200)).hold(states)
    monkeypatch.setenv("RAG_PDF_PASSWORDS", "secret")
    changed = Conditions(IngestConfig(memory_mb=100))
    assert not changed.hold(states)
    assert "secret" not in str(changed.state([PASSWORDS]))


def test_an_installed_program_and_library_are_a_change(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    states = Conditions(IngestConfig()).state([program("my-office")])
    tool = tmp_path / "my-office"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not Conditions(IngestConfig()).hold(states)


def _zip(size: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as package:
        for number in range(3):
            package.writestr(f"{number}.txt", b"word " * size)
    return data.getvalue()


def _conditions(name: str, data: bytes, config: IngestConfig) -> list[str]:
    _, reports = parse_bytes(name, data, config)
    return [state for state in reports[-1].conditions if not state.startswith("library:")]


def test_limits_and_passwords_are_named_only_where_they_decide() -> None:
    assert _conditions("a.zip", _zip(10), IngestConfig()) == []
    assert _conditions("a.zip", _zip(10), IngestConfig(archive_entries=2)) == ["ingest.archive_entries=2"]
    assert _conditions("a.zip", _zip(250_000), IngestConfig(archive_unpacked_mb=1)) == ["ingest.archive_unpacked_mb=1"]
    assert _conditions("a.zip", _zip(10), IngestConfig(archive_depth=0)) == ["ingest.archive_depth=0"]
    locked = make_pdf([[(72, 100, 11, "text")]], encryption=4, user_pw="open", owner_pw="own")
    assert _conditions("a.pdf", locked, IngestConfig(passwords=("open",))) == []
    assert [state.partition("=")[0] for state in _conditions("a.pdf", locked, IngestConfig())] == ["passwords"]
    assert _conditions("a.pdf", make_pdf([[(72, 100, 11, "text")]]), IngestConfig()) == []
