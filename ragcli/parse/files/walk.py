"""Finds the files under a root: sorted, filtered, without loops, and with a report for what cannot be read."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.errors import SourceError
from ragcli.names import readable
from ragcli.parse.source import too_large
from ragcli.records import FileReport


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable regular file; ``relative`` is its POSIX path under the root and its doc_id."""

    path: Path
    relative: str
    size: int
    mtime_ns: int


def walk(root: Path, config: IngestConfig, under: str = "") -> Iterator[SourceFile | FileReport]:
    """The files of a root in the order of their relative paths; ``root`` may be one file.

    ``under`` names a folder or file in the root (POSIX, no slash at its end): only what it holds is met.

    Symlinks are followed where they lead to something inside the root that was not seen on the way there. What cannot
    be read (no permission, a socket, a dangling link, a link out of the root, a file over ``ingest.max_file_mb``)
    comes as a skipped FileReport. What a rule excludes does not come at all. Raises SourceError when the root itself
    does not exist.
    """
    start = root / under
    try:
        status = start.stat()
    except OSError as error:
        raise SourceError(f"{start}: {error.strerror or error}", hint="check the path") from error
    if not stat.S_ISDIR(status.st_mode):
        yield _examine(start, status, under or readable(root.name), config)
        return
    prefix = f"{under}/" if under else ""
    yield from _folder(start, prefix, (_identity(status),), _Selection(config, root.resolve()), config)


class _Selection:
    """Which relative paths the globs and the hidden rule let through, and where the root ends."""

    def __init__(self, config: IngestConfig, root: Path) -> None:
        self._root = root
        self._exclude = [glob_pattern(glob) for glob in config.exclude]
        self._include = [glob_pattern(glob) for glob in config.include]
        self._hidden = config.hidden

    def file(self, relative: str) -> bool:
        if not self.folder(relative):
            return False
        return not self._include or any(pattern.match(relative) for pattern in self._include)

    def leaves_root(self, path: Path) -> bool:
        """Whether a link leads to something outside the root."""
        return not path.resolve().is_relative_to(self._root)

    def folder(self, relative: str) -> bool:
        if not self._hidden and relative.rsplit("/", 1)[-1].startswith("."):
            return False
        return not any(pattern.match(relative) or pattern.match(relative + "/") for pattern in self._exclude)


def glob_pattern(glob: str) -> re.Pattern[str]:
    """A glob as a pattern for ``match``: ``**`` crosses folders, ``*`` does not; without a slash it fits any folder.

    ``name/**`` fits the folder itself and everything under it, at any depth when ``name`` holds no slash.
    """
    anchored = "/" in glob.removesuffix("/**").rstrip("/")
    glob = glob.removeprefix("/")
    parts = []
    for piece in re.split(r"(\*\*/?|\*|\?|\[[^]]*\])", glob):
        if piece.startswith("**"):
            parts.append(r"(?:.*/)?" if piece.endswith("/") else r".*")
        elif piece == "*":
            parts.append(r"[^/]*")
        elif piece == "?":
            parts.append(r"[^/]")
        elif piece.startswith("["):
            parts.append(translate(piece).removeprefix("(?s:").removesuffix(r")\Z").removesuffix(r")\z"))
        else:
            parts.append(re.escape(piece))
    return re.compile(("" if anchored else r"(?:.*/)?") + "".join(parts) + r"\Z", re.DOTALL)


def _folder(
    folder: Path, prefix: str, trail: tuple[tuple[int, int], ...], wanted: _Selection, config: IngestConfig
) -> Iterator[SourceFile | FileReport]:
    try:
        with os.scandir(folder) as found:  # keeps undecodable names as they are, and knows links without asking
            entries = {entry.name: entry for entry in found}
    except OSError as error:
        yield FileReport(prefix.rstrip("/") or ".", skipped=f"folder cannot be read: {error.strerror or error}")
        return
    for shown, name in sorted(_shown_names(list(entries))):
        relative, path = prefix + shown, folder / name
        try:
            status = entries[name].stat()
        except OSError as error:
            if wanted.file(relative):
                yield FileReport(relative, skipped=f"cannot be read: {error.strerror or error}")
            continue
        if entries[name].is_symlink() and wanted.leaves_root(path):
            if wanted.file(relative) or stat.S_ISDIR(status.st_mode):
                yield FileReport(relative, skipped="a link out of the folder, not followed (ingest its target itself)")
        elif stat.S_ISDIR(status.st_mode):
            identity = _identity(status)
            if not wanted.folder(relative):
                continue
            if identity in trail:
                yield FileReport(relative, skipped="a link back to a folder around it (loop)")
                continue
            yield from _folder(path, relative + "/", (*trail, identity), wanted, config)
        elif wanted.file(relative):
            yield _examine(path, status, relative, config)


def _examine(path: Path, status: os.stat_result, relative: str, config: IngestConfig) -> SourceFile | FileReport:
    if not stat.S_ISREG(status.st_mode):
        return FileReport(relative, skipped="not a regular file (socket, pipe or device)")
    if not os.access(path, os.R_OK):
        return FileReport(relative, skipped="cannot be read: Permission denied")
    if (reason := too_large(status.st_size, config)) is not None:
        return FileReport(relative, skipped=reason)
    return SourceFile(path, relative, status.st_size, status.st_mtime_ns)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _shown_names(names: list[str]) -> list[tuple[str, str]]:
    """Pairs of the name as shown (NFC unless that would make two names equal) and as on disk."""
    shown = [readable(name) for name in names]
    composed = [unicodedata.normalize("NFC", name) for name in shown]
    counts: dict[str, int] = {}
    for name in composed:
        counts[name] = counts.get(name, 0) + 1
    return [(new if counts[new] == 1 else old, name) for old, new, name in zip(shown, composed, names, strict=True)]
