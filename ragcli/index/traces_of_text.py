"""Searches an index folder for what is left of a text: every byte of every file, and every packed record in them."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragcli.index.durable import replace_text
from ragcli.index.staged.database import LARGE_RECORD, store_errors
from ragcli.regular_files import kind_of

_SQLITE = b"SQLite format 3\0"
_BLOCK = 1 << 20
TEXT_FOLDERS = ("traces", "runs", "sessions")
"""Folders beside the versions that hold texts: past questions, kept runs and conversations."""


def search_folder(folder: Path, texts: Sequence[str]) -> tuple[int, list[str]]:
    """How many files were searched, and the paths (relative, with table and row) in which one of the texts stands."""
    needles = sorted({form for text in texts for form in forms(text)})
    found: list[str] = []
    files = [path for path in sorted(folder.rglob("*")) if kind_of(path) == "a file"]
    for path in files if needles else ():
        name = path.relative_to(folder).as_posix()
        if _in_bytes(path, needles):
            found.append(name)
        elif _is_sqlite(path):
            found += [f"{name}: {place}" for place in _in_records(path, needles)]
    return len(files), found


def forms(text: str) -> Iterator[bytes]:
    """A text as it may stand in a file: plain, and inside JSON with and without escapes."""
    yield text.encode("utf-8", "surrogatepass")
    for ascii_only in (True, False):
        yield json.dumps(text, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "surrogatepass")


def _in_bytes(path: Path, needles: Sequence[bytes]) -> bool:
    overlap = max(map(len, needles)) - 1
    kept = b""
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            window = kept + block
            if any(needle in window for needle in needles):
                return True
            kept = window[-overlap:] if overlap else b""
    return False


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_SQLITE)) == _SQLITE


def _in_records(path: Path, needles: Sequence[bytes]) -> Iterator[str]:
    with store_errors(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            for table in tables:
                for number, row in enumerate(connection.execute(f'SELECT * FROM "{table}"')):
                    if any(_holds(value, needles) for value in row):
                        yield f"{table} row {number}"
        finally:
            connection.close()


def _holds(value: object, needles: Sequence[bytes]) -> bool:
    """Whether a packed record holds a needle. It is unpacked a block at a time, and no further than a record can be."""
    if not isinstance(value, bytes):
        return False
    overlap = max(map(len, needles)) - 1
    decoder, packed, kept, seen = zlib.decompressobj(), value, b"", 0
    try:
        while packed and seen <= LARGE_RECORD:
            block = decoder.decompress(packed, _BLOCK)
            packed, seen = decoder.unconsumed_tail, seen + len(block)
            window = kept + block
            if any(needle in window for needle in needles):
                return True
            kept = window[-overlap:] if overlap else b""
    except zlib.error:
        return False
    return False


def clear_text_files(folder: Path, needles: Sequence[str]) -> None:
    """Take lines that hold one of the texts out of JSON Lines files, and remove other files that do."""
    for name in TEXT_FOLDERS:
        for path in sorted((folder / name).rglob("*")):
            if kind_of(path) == "a file":
                _clear_text_file(path, needles)


def _clear_text_file(path: Path, needles: Sequence[str]) -> None:
    forms = [form for needle in needles for form in (needle, json.dumps(needle)[1:-1])]
    content = path.read_text(encoding="utf-8", errors="replace")
    if not any(form in content for form in forms):
        return
    if path.suffix != ".jsonl":
        path.unlink()
        return
    kept = [line for line in content.split("\n") if not any(form in line for form in forms)]
    replace_text(path, "\n".join(kept))
