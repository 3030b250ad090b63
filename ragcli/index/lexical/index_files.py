"""Checks the files of a BM25 index before tantivy opens them, because tantivy believes what its two lists say.

``meta.json`` lists the segments and their sizes, ``.managed.json`` the files that tantivy may delete: a name in it that
leads elsewhere would be the end of somebody's file.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

from ragcli.errors import StoreError
from ragcli.language.patterns import pattern
from ragcli.regular_files import check_file, check_folder, open_regular, parse_json, read_regular

PUBLIC, SHARED = "", "shared"
META, MANAGED = "meta.json", ".managed.json"
HINT = "rag versions verify; rag index --rebuild"

_MOST_BYTES = 16 << 20
_PARTS = "parts"
_PART = pattern(rf"[0-9a-f]{{16}}|{SHARED}")
_SEGMENT = pattern(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_MANAGED = pattern(r"meta\.json|[0-9a-f]{32}(\.[0-9]{1,20})?\.[a-z]{1,20}")
_ENDING, _MAGIC, _LONGEST_FOOTER = struct.Struct("<II"), 1337, 1 << 16
_MOST_CHUNKS, _MOST_OPSTAMP = 1 << 31, 1 << 62


def part_folder(folder: Path, name: str) -> Path:
    """Where a part of the index in ``folder`` lies."""
    return folder / _PARTS / name if name else folder


def part_names(folder: Path) -> list[str]:
    """The parts that are there, sorted, the public one first. Raises StoreError for one that no writer named so."""
    parts = folder / _PARTS
    if not parts.exists():
        return [PUBLIC]
    check_folder(parts, HINT)
    names = sorted(path.name for path in parts.iterdir())
    if wrong := next((name for name in names if not _PART.fullmatch(name)), None):
        raise StoreError(f"{parts / wrong} is no part of a BM25 index", hint=HINT)
    return [PUBLIC, *names]


def check_index_files(folder: Path) -> list[dict[str, Any]]:
    """The segments of the index in ``folder``, as ``meta.json`` lists them.

    Raises StoreError for anything in the folder that is no file, and for lists that tantivy would not have written.
    """
    try:
        check_folder(folder, HINT)
        for path in folder.iterdir():
            (check_folder if path.name == _PARTS else check_file)(path, HINT)
        meta = parse_json(read_regular(folder / META, _MOST_BYTES, HINT))
        managed = parse_json(read_regular(folder / MANAGED, _MOST_BYTES, HINT)) if (folder / MANAGED).exists() else []
    except (OSError, ValueError) as error:
        raise StoreError(f"{folder}: the BM25 index cannot be read: {error}", hint=HINT) from error
    segments = meta.get("segments") if isinstance(meta, dict) else None
    if (
        not isinstance(segments, list)
        or not all(map(_is_segment, segments))
        or not _count(meta.get("opstamp"), _MOST_OPSTAMP)
    ):
        raise StoreError(f"{folder / META} does not list the segments of a BM25 index", hint=HINT)
    if len({segment["segment_id"] for segment in segments}) != len(segments):
        raise StoreError(f"{folder / META} lists a segment twice", hint=HINT)
    if not isinstance(managed, list) or not all(isinstance(name, str) and _MANAGED.fullmatch(name) for name in managed):
        raise StoreError(f"{folder / MANAGED} lists other files than those of a BM25 index", hint=HINT)
    for segment in segments:
        for path in folder.glob(f"{segment['segment_id'].replace('-', '')}.*"):
            _check_footer(path)
    return segments


def _check_footer(path: Path) -> None:
    """Raise StoreError unless the file ends as tantivy ends its files: a footer, its length and a number."""
    with os.fdopen(open_regular(path, hint=HINT), "rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - _ENDING.size))
        ending = stream.read()
        length, magic = _ENDING.unpack(ending) if len(ending) == _ENDING.size else (0, 0)
        stream.seek(max(0, size - _ENDING.size - length))
        footer = stream.read(length) if length <= _LONGEST_FOOTER else b""
    try:
        sound = magic == _MAGIC and length < size and isinstance(parse_json(footer), dict)
    except ValueError:
        sound = False
    if not sound:
        raise StoreError(f"{path} is no file of a BM25 index, or is cut off", hint=HINT)


def _is_segment(value: object) -> bool:
    if not isinstance(value, dict) or not _count(value.get("max_doc"), _MOST_CHUNKS):
        return False
    if not isinstance(value.get("segment_id"), str) or not _SEGMENT.fullmatch(value["segment_id"]):
        return False
    deletes = value.get("deletes")
    if deletes is None:
        return True
    return (
        isinstance(deletes, dict)
        and _count(deletes.get("num_deleted_docs"), value["max_doc"])
        and _count(deletes.get("opstamp"), _MOST_OPSTAMP)
    )


def _count(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value <= most
