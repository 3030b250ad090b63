"""The versions of an index folder and the pointer to the current one."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ragcli.errors import ConfigError, DiskError, StoreError
from ragcli.index.durable import replace_text, sync_file, sync_folder, sync_tree
from ragcli.index.manifest import (
    NAME,
    VERSION_NAME,
    FileInfo,
    Manifest,
    hash_file,
    read_manifest,
    write_manifest,
)
from ragcli.records import VersionInfo
from ragcli.regular_files import check_folder, kind_of, make_folder, open_regular, read_regular

CURRENT = "CURRENT"
TRASH = "staging/trash"
"""Where a version is moved in one step before its files are deleted one by one."""

VERSIONS = "versions"
_MOST_BYTES = 1_000
_HINT = "remove it, then rag versions list shows the sound ones"


def version_names(folder: Path) -> list[str]:
    """Names of the version folders, oldest first."""
    parent = folder / VERSIONS
    if not check_folder(parent):
        return []
    with os.scandir(parent) as entries:
        folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return sorted(filter(VERSION_NAME.fullmatch, folders), key=number)


def number(version: str) -> int:
    """7 for ``v000007``."""
    return int(version[1:])


def version_path(folder: Path, version: str) -> Path:
    """Folder of a version. Raises ConfigError for a name that is none, StoreError for a version that is not there."""
    if not VERSION_NAME.fullmatch(version):
        raise ConfigError(f"{version!r} is no version name such as v000007", hint="rag versions list")
    path = folder / VERSIONS / version
    if not check_folder(folder / VERSIONS) or not check_folder(path, _HINT):
        known = version_names(folder)
        raise StoreError(
            f"version {version} is not in {folder} (there: {', '.join(known) or 'none'})",
            hint=f"rag versions use {known[-1]}" if known else "rag ingest PATH makes one",
            category="index_missing",
        )
    return path


def read_current(folder: Path) -> str | None:
    """The version that ``CURRENT`` names, None when nothing has been published.

    Raises StoreError when the pointer holds anything but the name of a version.
    """
    hint = "remove it, then rag versions use VERSION"
    try:
        text = read_regular(folder / CURRENT, _MOST_BYTES, hint).decode("ascii", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{folder / CURRENT} cannot be read: {error.strerror}", hint=hint) from error
    if not VERSION_NAME.fullmatch(text.strip()):
        raise StoreError(
            f"{folder / CURRENT} holds {text[:40]!r}, expected a version such as v000007",
            hint="rag versions list, then rag versions use VERSION",
        )
    return text.strip()


def current_or_error(folder: Path) -> str:
    """The current version. Raises StoreError (``index_missing``) when there is none."""
    version = read_current(folder)
    if version is None and (names := version_names(folder)):
        raise StoreError(
            f"{folder / CURRENT} is missing, so that no version is the current one",
            hint=f"rag versions use {names[-1]}",
            category="index_missing",
        )
    if version is None:
        raise StoreError(f"no index in {folder}", hint="rag ingest PATH makes one", category="index_missing")
    return version


def set_current(folder: Path, version: str) -> None:
    """Point at a version, in one step."""
    try:
        replace_text(folder / CURRENT, version + "\n")
    except OSError as error:
        hint = "make room or mend its permissions, then rag index; the version before still serves"
        raise DiskError(f"{folder / CURRENT} cannot be written: {error.strerror}", hint=hint) from error


def describe(folder: Path, version: str, current: str | None) -> VersionInfo:
    """One version as ``rag versions list`` shows it; a damaged one is shown as such."""
    path = folder / VERSIONS / version
    try:
        manifest = read_manifest(path)
    except StoreError as error:
        return VersionInfo(version, "", 0, 0, version == current, 0, "", None, damaged=error.message)
    size = sum(item.bytes for item in manifest.files.values()) + (path / NAME).lstat().st_size
    return VersionInfo(
        version=version,
        created=manifest.created,
        documents=manifest.documents,
        chunks=manifest.chunks,
        current=version == current,
        bytes=size,
        embedding_model=manifest.embedder.model,
        recall_at_10=manifest.recall_at_10,
    )


def prune(folder: Path, keep: int) -> list[str]:
    """Remove all but the newest ``keep`` versions and the current one; returns those removed.

    A version that some reader has open stays for now. What a killed writer had moved aside and not deleted goes too.
    """
    shutil.rmtree(folder / TRASH, ignore_errors=True)
    current = read_current(folder)
    names = version_names(folder)
    doomed = [name for name in names[: max(0, len(names) - keep)] if name != current]
    return [name for name in doomed if remove_version(folder, name)]


def remove_version(folder: Path, version: str) -> bool:
    """Remove one version unless a reader has it open; says whether it was removed."""
    path, trash = folder / VERSIONS / version, folder / TRASH
    make_folder(trash)
    aside = trash / f"removed-{version}"
    shutil.rmtree(aside, ignore_errors=True)
    with _exclusive(path / NAME) as free:
        if not free:
            return False
        try:
            path.rename(aside)
        except OSError:
            return False
    sync_folder(folder / VERSIONS)
    shutil.rmtree(aside, ignore_errors=True)
    return True


class Pin:
    """A reader's hold on a version: as long as it is open, the version is not pruned."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError when the version went away just now, StoreError when its manifest is no file."""
        self._stream = os.fdopen(open_regular(path / NAME, hint="rag versions list shows the sound ones"), "rb")
        _lock(self._stream.fileno(), shared=True)
        if not (path / NAME).exists():
            self.close()
            raise FileNotFoundError(path / NAME)

    def close(self) -> None:
        """Let go."""
        self._stream.close()


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[bool]:
    try:
        stream = os.fdopen(open_regular(path), "rb")
    except (FileNotFoundError, StoreError):
        yield True  # never sealed, or sealed by nobody: no reader can have it open
        return
    with stream:
        yield _lock(stream.fileno(), shared=False)


def _lock(descriptor: int, *, shared: bool) -> bool:
    """Whether the lock was had. Where files cannot be locked so, open files cannot be removed either (Windows)."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def parent_manifest(folder: Path, version: str | None) -> Manifest | None:
    """The manifest of a version to build on, None when there is none or it cannot be read."""
    if version is None:
        return None
    try:
        return read_manifest(version_path(folder, version))
    except StoreError:
        return None


# Sealing: a folder built aside becomes a version, in an order that a crash cannot spoil.


def seal(build: Path, folder: Path, manifest: Manifest, parent: Manifest | None) -> Path:
    """Sync every file of ``build``, write the manifest with their hashes, and rename it to its version's place."""
    known = parent.files if parent else {}
    files = hash_tree(build, known, folder / VERSIONS / parent.version if parent else None)
    sync_tree(build)
    write_manifest(build, replace(manifest, files=files))
    sync_file(build / NAME)
    sync_folder(build)
    target = folder / VERSIONS / manifest.version
    make_folder(target.parent)
    build.rename(target)
    sync_folder(target.parent)
    sync_folder(folder)
    return target


def hash_tree(folder: Path, known: Mapping[str, FileInfo], parent: Path | None) -> dict[str, FileInfo]:
    """Hashes of all files below ``folder``; a file that is the parent's own (the same inode) keeps its known hash."""
    found: dict[str, FileInfo] = {}
    for path in sorted(item for item in folder.rglob("*") if kind_of(item) == "a file"):
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
