"""Sealing: a folder built aside becomes a version, in an order that a crash cannot spoil."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ragcli.index.durable import sync_file, sync_folder, sync_tree
from ragcli.index.manifest import NAME, FileInfo, Manifest, hash_file, write_manifest
from ragcli.index.versions import VERSIONS


def seal(build: Path, folder: Path, manifest: Manifest, parent: Manifest | None) -> Path:
    """Sync every file of ``build``, write the manifest with their hashes, and rename it to its version's place."""
    known = parent.files if parent else {}
    files = hash_tree(build, known, folder / VERSIONS / parent.version if parent else None)
    sync_tree(build)
    write_manifest(build, replace(manifest, files=files))
    sync_file(build / NAME)
    sync_folder(build)
    target = folder / VERSIONS / manifest.version
    target.parent.mkdir(exist_ok=True)
    build.rename(target)
    sync_folder(target.parent)
    sync_folder(folder)
    return target


def hash_tree(folder: Path, known: Mapping[str, FileInfo], parent: Path | None) -> dict[str, FileInfo]:
    """Hashes of all files below ``folder``; a file that is the parent's own (the same inode) keeps its known hash."""
    found: dict[str, FileInfo] = {}
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        name = path.relative_to(folder).as_posix()
        if parent is not None and name in known and _same_file(path, parent / name):
            found[name] = known[name]
        else:
            found[name] = hash_file(path)
    return found


def _same_file(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return False
