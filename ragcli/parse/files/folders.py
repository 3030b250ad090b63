"""Enters the real folders of a root, each once, and knows which of their names are read."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.parse.files.globs import PathFilter
from ragcli.parse.files.ignoring import FILES, IgnoreFile, Ignoring, above, files_of
from ragcli.parse.files.names import shown_names
from ragcli.records import FileReport

INDEX_FOLDER = "an index folder of ragcli"

Identity = tuple[int, int] | str


@dataclass(frozen=True)
class Folder:
    """A folder that was entered: ``names`` are (shown, on disk), ``ignoring`` the rules that hold in it."""

    path: Path
    prefix: str
    names: tuple[tuple[str, str], ...]
    links: frozenset[str]
    folders: frozenset[str]
    wanted: PathFilter
    ignoring: Ignoring

    @functools.cached_property
    def shown(self) -> dict[str, str]:
        """The shown name of each name on disk."""
        return {on_disk: name for name, on_disk in self.names}

    def rule(self, name: str, on_disk: str) -> str | None:
        """The ignore rule that passes over a name."""
        if not self.ignoring.files:
            return None
        return self.ignoring.rule(self.prefix + name + ("/" if on_disk in self.folders else ""))

    def takes(self, name: str, on_disk: str) -> bool:
        """Whether a name in it is read or entered."""
        relative = self.prefix + name
        wanted = self.wanted.folder(relative) if on_disk in self.folders else self.wanted.file(relative)
        return wanted and on_disk not in self.links and self.rule(name, on_disk) is None


class Folders:
    """The real folders of one root that were entered so far. ``reports`` names those that could not be, and why."""

    def __init__(self, root: Path, config: IngestConfig) -> None:
        self.root = root.resolve()
        self.wanted = PathFilter(config)
        self.reports: list[FileReport] = []
        self._gitignore = config.gitignore
        self._entered: dict[Identity, Folder | str] = {}
        self._ignore_files: dict[Path, list[IgnoreFile]] = {}

    def all(self) -> Iterator[Folder]:
        """Every real folder of the root."""
        return self.enter(self.root, "", self._above)

    @functools.cached_property
    def _above(self) -> Ignoring:
        return above(self.root) if self._gitignore else Ignoring()

    def enter(self, start: Path, prefix: str, ignoring: Ignoring) -> Iterator[Folder]:
        """The folder at ``start`` and all in it; not by recursion, for folders may be nested deeper than Python's."""
        waiting = [(start, prefix, ignoring)]
        while waiting:
            folder = self._read(*waiting.pop())
            if folder is None:
                continue
            yield folder
            inner = [
                (folder.path / on_disk, f"{folder.prefix}{name}/", folder.ignoring)
                for name, on_disk in folder.names
                if on_disk in folder.folders and folder.takes(name, on_disk)
            ]
            waiting += reversed(inner)

    def place(self, path: Path) -> str | None:
        """The relative path of something real in the root; None when it is passed over."""
        folder = self._read(self.root, "", self._above)
        relative = ""
        for part in path.relative_to(self.root).parts:
            shown = folder.shown.get(part) if folder is not None else None
            if folder is None or shown is None or not folder.takes(shown, part):
                return None
            relative = folder.prefix + shown
            is_folder = part in folder.folders
            folder = self._read(folder.path / part, f"{relative}/", folder.ignoring) if is_folder else None
        return relative

    def _read(self, path: Path, prefix: str, ignoring: Ignoring) -> Folder | None:
        """The folder, when it is one to enter; a report when not."""
        relative = prefix.rstrip("/") or "."
        try:
            identity = identity_of(path, path.stat())
            with os.scandir(path) as found:  # keeps undecodable names as they are, and knows links without asking
                kinds = {entry.name: (entry.is_symlink(), entry.is_dir(follow_symlinks=False)) for entry in found}
        except OSError as error:
            self.reports.append(FileReport(relative, skipped=f"folder cannot be read: {error.strerror or error}"))
            return None
        if (known := self.entered(identity)) is not None:
            self._pass_over(relative, f"the same folder as {known}, which is read there")
            return None
        if _is_index(path, kinds):
            self._entered[identity] = relative
            self._pass_over(relative, INDEX_FOLDER)
            return None
        if self._gitignore:
            added = files_of(path, prefix, kinds)
            ignoring = ignoring.inside(added)
            self.reports += [_unread_lines(file) for file in added if file.unread]
        folder = Folder(
            path,
            prefix,
            tuple(shown_names(kinds)),
            frozenset(name for name, (is_link, _) in kinds.items() if is_link),
            frozenset(name for name, (_, is_folder) in kinds.items() if is_folder),
            self.wanted,
            ignoring,
        )
        self._entered[identity] = folder
        return folder

    def _pass_over(self, relative: str, reason: str) -> None:
        self.reports.append(FileReport(relative, skipped=reason, passed_over=True))

    def entered(self, identity: Identity) -> str | None:
        """The relative path by which a folder was entered (``.`` for the root), None when it was not."""
        known = self._entered.get(identity)
        return known if known is None or isinstance(known, str) else known.prefix.rstrip("/") or "."

    def reads(self, path: Path) -> str | None:
        """The relative path by which a real file is read in an entered folder; None when it is not."""
        try:
            folder = self._entered.get(identity_of(path.parent, path.parent.stat()))
        except OSError:
            return None
        shown = folder.shown.get(path.name) if isinstance(folder, Folder) else None
        if not isinstance(folder, Folder) or shown is None or not folder.takes(shown, path.name):
            return None
        return folder.prefix + shown

    def rule_against(self, path: Path, *, is_folder: bool) -> str | None:
        """The setting or ignore rule that leaves out something real in the root, by its path or a folder of it.

        A name that begins with a dot is no such: what a link shows is not hidden.
        """
        ignoring, folder, prefix = self._above, self.root, ""
        parts = path.relative_to(self.root).parts
        for number, part in enumerate(parts, 1):
            ignoring = ignoring.inside(self._files_of(folder, prefix))
            rule = ignoring.rule(prefix + part + ("/" if number < len(parts) or is_folder else ""))
            if rule is not None:
                return rule
            if self.wanted.excludes(prefix + part):
                return "ingest.exclude"
            folder, prefix = folder / part, f"{prefix}{part}/"
        return None

    def _files_of(self, folder: Path, prefix: str) -> list[IgnoreFile]:
        if not self._gitignore:
            return []
        if folder not in self._ignore_files:
            self._ignore_files[folder] = files_of(folder, prefix, FILES)
        return self._ignore_files[folder]


def identity_of(folder: Path, status: os.stat_result) -> Identity:
    """What tells one real folder from another, by whatever path it is reached."""
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(folder)


def _is_index(folder: Path, names: Iterable[str]) -> bool:
    """Whether a folder is an index, published or only begun, whatever it is called."""
    known = set(names)
    if {"CURRENT", "versions"} <= known:
        return (folder / "versions").is_dir() and not (folder / "CURRENT").is_dir()
    return {"LOCK", "staging"} <= known and (folder / "staging" / "catalog.sqlite").exists()


def _unread_lines(file: IgnoreFile) -> FileReport:
    warnings = tuple(f"no pattern, passed by: {line[:80]}" for line in file.unread[:5])
    return FileReport(file.shown, warnings=warnings, passed_over=True)
