"""Finds the files under a root: each real folder once, sorted, filtered, and with a report for what is not read."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.errors import SourceError
from ragcli.parse.files.folders import Folder, Folders, Identity, identity_of
from ragcli.parse.files.ignoring import Ignoring
from ragcli.parse.files.names import shown_name, shown_names
from ragcli.parse.source import too_large
from ragcli.records import FileReport
from ragcli.regular_files import NOT_REGULAR

_MOST_ALIASES = 64


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable regular file; ``relative`` is its POSIX path under the root and its doc_id.

    ``path`` is where it really is: no link. ``aliases`` are the other paths under the root by which links lead to it;
    ``real`` is its real path under the root when that is none by which it is read, else empty.
    """

    path: Path
    relative: str
    size: int
    mtime_ns: int
    aliases: tuple[str, ...] = ()
    real: str = ""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A file or folder that a line of an ignore file passes over; ``rule`` is the file and the line."""

    path: str
    is_folder: bool
    rule: str


Met = SourceFile | FileReport | Ignored


def walk(root: Path, config: IngestConfig, under: str = "") -> Iterator[Met]:
    """What a root holds, in the order of the relative paths; ``root`` may be one file.

    ``under`` names a folder or file in the root (POSIX, no slash at its end): only what it holds comes, and what links
    in it lead to. That is met as it is when the whole root is walked: what a root gives does not hang on how it was
    asked for.

    Every real folder is entered once, by its real path if that lies in the root. Links are followed where they lead to
    something inside the root that is read under no other path; others come as a report that says where they lead. What
    cannot be read (no permission, a socket, a dangling link, a link out of the root, a file over
    ``ingest.max_file_mb``) comes as a skipped FileReport, what an ignore file passes over as Ignored. What
    ``ingest.exclude``, ``include`` and ``hidden`` leave out does not come at all.
    Raises SourceError when the root does not exist.
    """
    try:
        status = root.stat()
    except OSError as error:
        raise SourceError(f"{root}: {error.strerror or error}", hint="check the path") from error
    if not stat.S_ISDIR(status.st_mode):
        yield _examine(root.resolve(), status, shown_name(root.name), config)
        return
    yield from _Walk(root, config, under).run()


def place_in(root: Path, config: IngestConfig, path: Path) -> str | None:
    """The relative path, as walking ``root`` shows it, of a real ``path`` in it; None when the walk passes it over."""
    return Folders(root, config).place(path)


def on_disk(root: Path, relative: str) -> Path | None:
    """Where the file is that a walk of ``root`` gave ``relative``, links followed; None when it is not there."""
    path = root.resolve()
    if not path.is_dir():
        return path if shown_name(root.name) == relative else None
    try:
        for part in relative.split("/"):
            path = path / dict(shown_names(os.listdir(path)))[part]  # noqa: PTH208
        found = path.resolve(strict=True)
    except (OSError, RuntimeError, KeyError):
        return None
    return found if found.is_relative_to(root.resolve()) else None


@dataclass(frozen=True, slots=True)
class _Link:
    """A link that waits until all real folders are known. ``ignoring`` are the rules of its folder."""

    path: Path
    relative: str
    ignoring: Ignoring


class _Walk:
    """One walk over a root: real folders first, then the links between them, in the order of their paths."""

    def __init__(self, root: Path, config: IngestConfig, under: str) -> None:
        self._config, self._under = config, under
        self._folders = Folders(root, config)
        self._wanted, self._root = self._folders.wanted, os.fspath(self._folders.root)
        self._links: list[_Link] = []
        self._leads: dict[str, list[str]] = {}
        self._by_link: dict[Path, str] = {}
        self._outside: list[tuple[Path, str]] = []
        self._met: list[Met] = []

    def run(self) -> list[Met]:
        """Everything met under ``under``, sorted."""
        for folder in self._folders.all():
            self._take_files(folder)
        while self._links:
            self._take_links()
        for path, relative in self._outside if self._leads else ():
            if any(_is_within(alias, self._under) for alias in self._aliases(relative)):
                self._take_file(path, relative)
        met = [self._with_aliases(item) if isinstance(item, SourceFile) else item for item in self._met]
        return sorted(
            (item for item in (*met, *self._folders.reports) if self._is_asked_for(item)),
            key=lambda item: _order(_path_of(item)),
        )

    def _is_asked_for(self, item: Met) -> bool:
        aliases = item.aliases if isinstance(item, SourceFile) else ()
        return any(_is_within(path, self._under) for path in (_path_of(item), *aliases))

    def _take_files(self, folder: Folder) -> None:
        for name, on_disk in folder.names:
            relative, is_folder, is_link = folder.prefix + name, on_disk in folder.folders, on_disk in folder.links
            # What a link leads to is known later: a rule for files alone must not hold back one to a folder.
            if not (self._wanted.folder if is_folder or is_link else self._wanted.file)(relative):
                continue
            rule = folder.rule(name, on_disk)
            if rule is not None:
                self._met.append(Ignored(relative, is_folder, rule))
            elif is_link:
                self._links.append(_Link(folder.path / on_disk, relative, folder.ignoring))
            elif not is_folder and _is_within(relative, self._under):
                self._take_file(folder.path / on_disk, relative)
            elif not is_folder:
                self._outside.append((folder.path / on_disk, relative))

    def _take_file(self, path: Path, relative: str) -> None:
        try:
            status = path.lstat()
        except OSError as error:
            self._skip(relative, f"cannot be read: {error.strerror or error}")
            return
        self._met.append(_examine(path, status, relative, self._config))

    def _skip(self, relative: str, reason: str) -> None:
        self._met.append(FileReport(relative, skipped=reason))

    def _pass_over(self, relative: str, reason: str) -> None:
        self._met.append(FileReport(relative, skipped=reason, passed_over=True))

    # ------------------------------------------------------------ links

    def _take_links(self) -> None:
        """The links to folders; once there are none, those to files, which may lead into the folders."""
        to_folders = [link for link in self._links if link.path.is_dir()]
        waiting = set(self._links).difference(to_folders) if to_folders else set()
        taken, self._links = to_folders or self._links, list(waiting)
        for link in sorted(taken, key=lambda link: _order(link.relative)):
            self._take_link(link)

    def _take_link(self, link: _Link) -> None:
        try:
            status, target = link.path.stat(), link.path.resolve(strict=True)
        except (OSError, RuntimeError) as error:
            if self._wanted.file(link.relative):
                reason = getattr(error, "strerror", None) or "a link that leads back to itself"
                self._skip(link.relative, f"cannot be read: {reason}")
            return
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and not self._wanted.file(link.relative):
            return
        if not target.is_relative_to(self._folders.root):
            self._skip(link.relative, "a link out of the folder, not followed (ingest its target itself)")
        elif (rule := self._folders.rule_against(target, is_folder=is_folder)) is not None:
            self._pass_over(link.relative, f"a link to what {rule} leaves out")
        elif is_folder:
            self._take_folder_link(link, target, identity_of(target, status))
        else:
            self._take_file_link(link, target, status)

    def _take_folder_link(self, link: _Link, target: Path, identity: Identity) -> None:
        known = self._folders.entered(identity)
        if known is None:
            for folder in self._folders.enter(target, f"{link.relative}/", link.ignoring):
                self._take_files(folder)
        elif _is_within(link.relative, "" if known == "." else known):
            self._pass_over(link.relative, "a link back to a folder around it (loop)")
        else:
            self._leads_to(known, link)

    def _take_file_link(self, link: _Link, target: Path, status: os.stat_result) -> None:
        real = self._folders.reads(target) or self._by_link.get(target)
        if real is not None:
            self._leads_to(real, link)
            return
        self._by_link[target] = link.relative
        self._met.append(_examine(target, status, link.relative, self._config))

    def _leads_to(self, real: str, link: _Link) -> None:
        self._leads.setdefault(real, []).append(link.relative)
        self._pass_over(link.relative, f"a link to {real}, which is read there")

    def _with_aliases(self, file: SourceFile) -> SourceFile:
        """The file with the other paths by which it is reached: by links, and where it really is."""
        if os.fspath(file.path) == f"{self._root}/{file.relative}" and not self._leads:
            return file
        real = _shown_path(file.path.relative_to(self._folders.root).as_posix())
        aliases = tuple(sorted(self._aliases(file.relative)))
        return replace(file, aliases=aliases, real="" if real == file.relative else real)

    def _aliases(self, relative: str) -> list[str]:
        """The paths by which links lead to a file, over one link or several, the shortest first."""
        if not self._leads:
            return []
        paths = [relative]
        for path in paths:
            for known in (path, *_folders_of(path)):
                for link in self._leads.get(known, ()):
                    alias = link + path.removeprefix(known)
                    if alias not in paths and len(paths) <= _MOST_ALIASES:
                        paths.append(alias)
        return paths[1:]


def _examine(path: Path, status: os.stat_result, relative: str, config: IngestConfig) -> SourceFile | FileReport:
    if not stat.S_ISREG(status.st_mode):
        return FileReport(relative, skipped=NOT_REGULAR)
    if not os.access(path, os.R_OK):
        return FileReport(relative, skipped="cannot be read: Permission denied")
    if (reason := too_large(status.st_size, config)) is not None:
        return FileReport(relative, skipped=reason)
    return SourceFile(path, relative, status.st_size, status.st_mtime_ns)


def _path_of(item: Met) -> str:
    return item.relative if isinstance(item, SourceFile) else item.path


def _shown_path(relative: str) -> str:
    return "/".join(unicodedata.normalize("NFC", shown_name(part)) for part in relative.split("/"))


def _order(relative: str) -> list[str]:
    return relative.split("/")


def _folders_of(relative: str) -> list[str]:
    """The folders around a path, the nearest first."""
    parts = relative.split("/")
    return ["/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1)]


def _is_within(relative: str, folder: str) -> bool:
    return not folder or relative == folder or relative.startswith(f"{folder}/")
