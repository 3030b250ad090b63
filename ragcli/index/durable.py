"""Writing so that a crash at any moment leaves either the old file or the new one: sync, rename, sync the folder."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ragcli.regular_files import open_regular

DISK_HINT = "make room on the disk, or mend its permissions, and run it again; what is published still serves"


def sync_file(path: Path) -> None:
    """Force the file's bytes to the disk."""
    descriptor = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Force the folder's entries (names, renames) to the disk; systems that cannot sync a folder skip it."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Sync every file below ``folder``, then every folder from the inside out."""
    for root, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync_file(Path(root) / name)
        sync_folder(Path(root))


def replace_text(path: Path, text: str) -> None:
    """Replace the file in one step: after a crash it holds the old text or the new one, whole."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    aside.unlink(missing_ok=True)
    with os.fdopen(
        open_regular(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8", newline="\n"
    ) as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    aside.replace(path)
    sync_folder(path.parent)


def link_tree(source: Path, target: Path) -> None:
    """Make ``target`` a copy of ``source`` that shares its files by hard links, or copies them where links fail.

    Only for files that are never changed in place.
    """
    target.mkdir(parents=True)
    for entry in sorted(os.scandir(source), key=lambda item: item.name):
        if entry.is_dir(follow_symlinks=False):
            link_tree(Path(entry.path), target / entry.name)
        elif entry.is_file(follow_symlinks=False):  # nothing else is ours; what a link leads to must not be read
            link_file(Path(entry.path), target / entry.name)


def link_file(source: Path, target: Path) -> None:
    """Hard-link one immutable file, or copy it where the file system has no hard links."""
    import shutil

    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
