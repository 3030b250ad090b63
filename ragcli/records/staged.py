"""What an ingest keeps between its runs: roots, files as last read, documents ready to be indexed, flags and looks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragcli.records.documents import FileReport


@dataclass(frozen=True, slots=True)
class Root:
    """A folder or file that was ingested, where it is now. ``label`` is its name, made unique among the roots."""

    root_id: int
    path: Path
    label: str


@dataclass(frozen=True, slots=True)
class FileState:
    """A source file as it was last read, and what came of it.

    ``size`` is in bytes, ``parse_key`` names the parsers and settings that read it. Names that are not valid UTF-8
    keep Python's surrogate escapes. ``aliases`` are the other paths under the root by which links lead to the file,
    ``real`` is its real path when it is read under that of a link.
    """

    root_id: int
    relative: str
    size: int
    mtime_ns: int
    sha256: str
    parse_key: str
    reports: tuple[FileReport, ...] = ()
    doc_ids: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    real: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One document ready to be indexed; ``entry_key`` changes with anything in the document or its chunks."""

    doc_id: str
    entry_key: str
    chunk_count: int


@dataclass(frozen=True, slots=True)
class Given:
    """``--meta`` and ``--acl`` as last given for the files under ``prefix`` of a root (empty: all of it).

    For a file that was forgotten the prefix is a hash of its path: should it come back, it is no more open than before.
    """

    prefix: str
    meta: Mapping[str, str]
    acl: tuple[str, ...]

    def holds_for(self, relative: str) -> bool:
        """Whether it was given for a file."""
        under = not self.prefix or relative == self.prefix or relative.startswith(f"{self.prefix}/")
        return under or self.prefix == hidden_prefix(relative)


def hidden_prefix(relative: str) -> str:
    """What stands for the path of a forgotten file; no path can be the same."""
    return "\0" + hashlib.sha256(relative.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Look:
    """What tells copies of a text: only documents of one ``family`` may be merged.

    ``kept`` is the document that stands for this one when it is a copy, None when it is a document itself. ``exact`` is
    the hash of its text, empty when that must be read anew because a copy of it was forgotten.
    ``sketch`` is its MinHash where one was needed.
    """

    doc_id: str
    root_id: int
    relative: str
    family: str
    exact: str
    size: int
    modified: str | None = None
    kept: str | None = None
    sketch: bytes | None = None
