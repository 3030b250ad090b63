"""Old Office formats through LibreOffice, where it is installed."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import parse_bytes, parse_one

SHARED = Path(os.environ.get("RAGCLI_SHARED_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
OLD = SHARED / "hard" / "legacy_office"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 504
needs_files = pytest.mark.skipif(not OLD.is_dir(), reason="the shared files are not here")
needs_office = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


@needs_files
@needs_office
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("testWORD6.doc", "The quick brown fox jumps over the lazy dog"),
        ("legacy_sample.ppt", "Test Table Slide"),
    ],
)
def test_old_files_are_read(name: str, text: str) -> None:
    assert text in parse_one(name, (OLD / name).read_bytes()).text


@pytest.mark.parametrize(("name", "stream"), [("a.doc", "WordDocument"), ("a.ppt", "PowerPoint Document")])
def test_without_libreoffice_the_reason_says_so(name: str, stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    documents, reports = parse_bytes(name, OLE + f"{stream}\0".encode("utf-16-le"))
    assert documents == []
    assert "LibreOffice, which is not here (install LibreOffice, or save it as" in str(reports[0].skipped)
    assert reports[0].conditions == ("program:soffice=False",)


def test_a_conversion_that_takes_too_long_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "child"
    office = tmp_path / "soffice"
    office.write_text(f"#!/bin/sh\n/bin/sleep 300 &\necho $! > {trace}\nwait\n")
    office.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    documents, reports = parse_bytes("a.doc", OLE + "WordDocument".encode("utf-16-le"), IngestConfig(timeout_seconds=3))
    assert documents == []
    assert "took longer than ingest.timeout_seconds = 3" in str(reports[0].skipped)
    assert "ingest.timeout_seconds=3" in reports[0].conditions
    child = int(trace.read_text())
    deadline = time.monotonic() + 20
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    """Whether a process is there and not just waiting to be collected."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
