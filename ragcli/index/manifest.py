"""The manifest: what a version is made of. Written last, it seals the version."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragcli.codec import decode, encode
from ragcli.errors import StoreError
from ragcli.records import EmbedderInfo

FORMAT = 1
NAME = "manifest.json"
_BLOCK = 1 << 20
_LIMIT = 1 << 62


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
    config: Mapping[str, Any]
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
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        hint = "rag versions list shows the sound ones"
        raise StoreError(f"{path} is missing: the version is not whole", hint=hint) from error
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be read: {error}", hint="rag index --rebuild") from error
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise StoreError(
            f"{path} has format {found}, this ragcli reads format {FORMAT}",
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
        manifest = decode(Manifest, content)
        _check(manifest)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{path} is damaged: {error}", hint=hint) from error
    return manifest


def _check(manifest: Manifest) -> None:
    """Raise ValueError for names that lead outside the version and for counts that are none."""
    numbers = (manifest.documents, manifest.chunks, manifest.next_number, manifest.next_segment)
    texts = (manifest.version, manifest.created, manifest.fingerprint, manifest.embedder.model, *manifest.languages)
    if not all(isinstance(item, int) and item >= 0 for item in numbers) or not all(isinstance(t, str) for t in texts):
        raise ValueError(f"counts {numbers} and names {texts} are not of the right kind")
    for name in (*(segment.name for segment in manifest.segments), *manifest.files):
        if Path(name).is_absolute() or ".." in Path(name).parts or "\\" in name:
            raise ValueError(f"{name!r} is no path inside the version")
    for segment in manifest.segments:
        _check_segment(segment)
    sizes = [item.bytes for item in manifest.files.values()]
    if not all(isinstance(size, int) for size in sizes) or not isinstance(manifest.config, Mapping):
        raise ValueError("file sizes or config are not of the right kind")
    if not isinstance(manifest.embedder.dimension, int) or manifest.embedder.dimension < 1:
        raise ValueError(f"dimension {manifest.embedder.dimension!r}")
    if not isinstance(manifest.hnsw_m, int) or not 2 <= manifest.hnsw_m <= 1024:
        raise ValueError(f"hnsw_m {manifest.hnsw_m!r}")


def _check_segment(segment: SegmentInfo) -> None:
    sizes = (segment.documents, segment.chunks, segment.dead_documents, segment.dead_chunks)
    counts = (*sizes, segment.ef, segment.ef_per_hit, segment.candidates_per_hit)
    measured = (segment.graph_load_seconds, segment.recall_at_10 or 0.0)
    if not all(isinstance(count, int) and 0 <= count < _LIMIT for count in counts):
        raise ValueError(f"segment {segment.name} has counts {counts}")
    if not all(isinstance(value, int | float) for value in measured):
        raise ValueError(f"segment {segment.name} has measures {measured}")


def hash_file(path: Path) -> FileInfo:
    """Size and SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
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
