"""The records of the staging catalogue: roots, files, and documents ready to be indexed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragcli.records import FileReport


@dataclass(frozen=True, slots=True)
class Root:
    """A folder or file that was ingested. ``label`` is its name, made unique among the roots."""

    root_id: int
    path: Path
    label: str


@dataclass(frozen=True, slots=True)
class FileState:
    """A source file as it was last read, and what came of it.

    ``size`` is in bytes, ``parse_key`` names the parsers and settings that read it. Names that are not valid UTF-8
    keep Python's surrogate escapes.
    """

    root_id: int
    relative: str
    size: int
    mtime_ns: int
    sha256: str
    parse_key: str
    reports: tuple[FileReport, ...] = ()
    doc_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One document ready to be indexed; ``entry_key`` changes with anything in the document or its chunks."""

    doc_id: str
    entry_key: str
    chunk_count: int
