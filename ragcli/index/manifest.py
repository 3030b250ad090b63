"""The manifest: what a version is made of. Written last, it seals the version."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ragcli.codec import decode, encode
from ragcli.errors import StoreError
from ragcli.records import EmbedderInfo
from ragcli.regular_files import check_folder, open_regular, parse_json, read_regular

FORMAT = 1
NAME = "manifest.json"
VERSION_NAME = re.compile(r"v[0-9]{6,12}")
_SEGMENT_NAME = re.compile(r"[0-9]{6,12}")
_BLOCK = 1 << 20
_MOST_BYTES = 64 << 20
_MOST_SEGMENTS = 10_000
_LIMIT = 1 << 62
_HINT = "rag versions list shows the sound ones; rag index --rebuild makes a new one"


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """One segment of a version. Dead documents were removed or replaced since the segment was written.

    ``recall_at_10`` is None when it has no graph (no chunks, or hnswlib does not run on the machine that built it).

    ``graph_load_seconds`` was measured when the graph was built; ``ef``, and at least ``ef_per_hit`` for each hit
    wanted, is what its recall takes; ``candidates_per_hit`` what the first pass over bit codes takes (0: not used).
    """

    name: str
    documents: int
    chunks: int
    dead_documents: int = 0
    dead_chunks: int = 0
    recall_at_10: float | None = None
    ef: int = 0
    ef_per_hit: int = 1
    graph_load_seconds: float = 0.0
    candidates_per_hit: int = 0

    @property
    def live_chunks(self) -> int:
        """Chunks that can be found."""
        return self.chunks - self.dead_chunks


@dataclass(frozen=True, slots=True)
class FileInfo:
    """Size in bytes and SHA-256 of one file."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that must be known to open, check and continue a version.

    ``next_number`` and ``next_segment`` go on counting where this version stopped; ``settings_hash`` covers the
    settings that shape the files, ``config`` is the whole of them. ``files`` maps POSIX paths to their hashes,
    ``roots`` the label of each ingested root to its path on the machine that ingested it, for links to the
    sources, ``root_places`` to its path relative to the index folder, for a project that was moved.
    """

    format: int
    version: str
    parent: str | None
    created: str
    package: str
    libraries: Mapping[str, str]
    config: Mapping[str, Mapping[str, Any]]
    config_hash: str
    settings_hash: str
    fingerprint: str
    documents: int
    chunks: int
    embedder: EmbedderInfo
    analyser: str
    languages: tuple[str, ...]
    hnsw_m: int
    hnsw_ef_construction: int
    recall_at_10: float | None
    segments: tuple[SegmentInfo, ...]
    next_number: int
    next_segment: int
    files: Mapping[str, FileInfo] = field(default_factory=dict)
    roots: Mapping[str, str] = field(default_factory=dict)
    root_places: Mapping[str, str] = field(default_factory=dict)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest into a version that is otherwise complete."""
    text = json.dumps(encode(manifest), indent=1, ensure_ascii=True, sort_keys=True)
    (folder / NAME).write_text(text + "\n", encoding="utf-8", newline="\n")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a version folder. Raises StoreError when it is missing, damaged or of another format."""
    path = folder / NAME
    try:
        check_folder(folder, _HINT)
        content = parse_json(read_regular(path, _MOST_BYTES, _HINT))
    except FileNotFoundError as error:
        hint = "rag versions list shows the sound ones"
        raise StoreError(f"{path} is missing: the version is not whole", hint=hint) from error
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be read: {error}", hint="rag index --rebuild") from error
    found = content.get("format") if isinstance(content, dict) else None
    if type(found) is not int or found != FORMAT:
        raise StoreError(
            f"{path} has format {str(found)[:40]}, this ragcli reads format {FORMAT}",
            hint=("a newer ragcli made it: upgrade, or " if _is_newer(found) else "") + "rag index --rebuild",
            category="index_incompatible",
        )
    return _decode(content, path)


def _is_newer(found: object) -> bool:
    return isinstance(found, int) and found > FORMAT


def _decode(content: Mapping[str, Any], path: Path) -> Manifest:
    missing = [
        item.name
        for item in dataclasses.fields(Manifest)
        if item.name not in content and item.default_factory is dataclasses.MISSING
    ]
    hint = "rag index --rebuild"
    if missing:
        raise StoreError(f"{path} lacks {', '.join(missing)}", hint=hint)
    try:
        if (listed := len(content["segments"])) > _MOST_SEGMENTS:  # before the time is spent on making records of them
            raise ValueError(f"it lists {listed:,} segments; {_MOST_SEGMENTS:,} are the most")
        manifest = decode(Manifest, content)
        _check(manifest)
        if VERSION_NAME.fullmatch(path.parent.name) and manifest.version != path.parent.name:
            raise ValueError(f"it is of version {manifest.version!r}")
    except (TypeError, ValueError) as error:
        raise StoreError(f"{path} is damaged: {error}", hint=hint) from error
    return manifest


def _check(manifest: Manifest) -> None:
    """Raise ValueError for names that lead outside the version and for counts that are none or do not add up."""
    for version in filter(None, (manifest.version, manifest.parent or "")):
        if not VERSION_NAME.fullmatch(version):
            raise ValueError(f"{version[:40]!r} is no name of a version")
    if not all(0 <= number < _LIMIT for number in (manifest.next_number, manifest.next_segment)):
        raise ValueError(f"next_number {manifest.next_number} or next_segment {manifest.next_segment} cannot be")
    for name in manifest.files:
        _check_path(name)
    names = [segment.name for segment in manifest.segments]
    if len(set(names)) != len(names):
        raise ValueError(f"{len(names)} segments, of which {len(set(names))} have a name of their own")
    for segment in manifest.segments:
        _check_segment(segment)
    documents = sum(segment.documents - segment.dead_documents for segment in manifest.segments)
    chunks = sum(segment.live_chunks for segment in manifest.segments)
    if (documents, chunks) != (manifest.documents, manifest.chunks):
        raise ValueError(
            f"{manifest.documents} documents and {manifest.chunks} chunks, but {documents} and {chunks} in its segments"
        )
    if not all(0 <= item.bytes < _LIMIT for item in manifest.files.values()):
        raise ValueError("a file has a size that cannot be")
    if not 1 <= manifest.embedder.dimension < 1 << 20:
        raise ValueError(f"dimension {manifest.embedder.dimension}")
    if not 2 <= manifest.hnsw_m <= 1024:
        raise ValueError(f"hnsw_m {manifest.hnsw_m}")


def _check_path(name: str) -> None:
    path = PurePosixPath(name)
    sound = name and "\\" not in name and "\0" not in name and str(path) == name and len(os.fsencode(name)) < 1_000
    if not sound or path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{name[:40]!r} is no path inside the version")


def _check_segment(segment: SegmentInfo) -> None:
    if not _SEGMENT_NAME.fullmatch(segment.name):
        raise ValueError(f"{segment.name[:40]!r} is no name of a segment")
    sizes = (segment.documents, segment.chunks, segment.dead_documents, segment.dead_chunks)
    counts = (*sizes, segment.ef, segment.ef_per_hit, segment.candidates_per_hit)
    dead = segment.dead_documents <= segment.documents and segment.dead_chunks <= segment.chunks
    if not dead or not all(0 <= count < _LIMIT for count in counts):
        raise ValueError(f"segment {segment.name} has counts {counts}")


def hash_file(path: Path) -> FileInfo:
    """Size and SHA-256 of a file. Raises StoreError for anything but a regular file."""
    digest = hashlib.sha256()
    with os.fdopen(open_regular(path), "rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
        return FileInfo(stream.tell(), digest.hexdigest())


def library_versions() -> dict[str, str]:
    """Versions of the libraries that shape the files."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("tantivy", "hnswlib", "numpy", "PyStemmer"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def package_version() -> str:
    """The version of ragcli itself."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ragcli")
    except PackageNotFoundError:
        return "unknown"
