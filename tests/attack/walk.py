"""Generated trees with links to and fro, odd names, special files, ignore files and folders entered by several ways.

The walk must end, meet every regular file that is let through exactly once by what it really is, give no two the same
id, open no pipe, leave the root by no link, and find each file again by its id.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pathspec

from ragcli.config import IngestConfig
from ragcli.parse.files.walk import Ignored, Met, SourceFile, on_disk, walk
from ragcli.records import FileReport
from tests.attack import Outcome

CONFIG = IngestConfig(exclude=("out/**",))
SECONDS = 20.0
NAMES = (
    *(b"a", b"b", b"a.md", b"b.txt", b"c d.md", b"%FF", b"\xff", b"%25FF", b"\n", b"%0A", b"e\xcc\x81", b"\xc3\xa9"),
    *(b".hidden", b"out", b"build", b"keep", b"x.log", b"!x", b"#x", b"'\"", b"-rf", b"a!b", b"\xe2\x80\xae.md"),
)
LINES = ("*.log", "build/", "!keep", "/a", "b.txt", "[", "*", "!*.md", "\\#x", "**/b", "a/**", "!", "", "# no")


@dataclass
class Tree:
    """A tree under ``root``, and the files, folders and pipes in it by their real paths."""

    root: Path
    chance: random.Random
    folders: list[Path] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def grow(self) -> None:
        """A few dozen things, each at a random place."""
        self.root.mkdir(parents=True)
        outside = self.root.parent / "outside"
        outside.mkdir()
        (outside / "secret.md").write_text("outside")
        self.folders = [self.root]
        kinds: list[Callable[[Path], None]] = [self._folder] * 4 + [self._file] * 5 + [self._link] * 6
        kinds += [self._pipe, self._hard_link, self._ignore_file]
        for _ in range(self.chance.randrange(5, 60)):
            name = os.fsdecode(self.chance.choice(NAMES))
            path = self.chance.choice(self.folders) / name
            if not os.path.lexists(path):
                self.chance.choice(kinds)(path)

    def _folder(self, path: Path) -> None:
        path.mkdir()
        self.folders.append(path)

    def _file(self, path: Path) -> None:
        path.write_text(f"file {len(self.files)}")
        self.files.append(path)

    def _link(self, path: Path) -> None:
        targets = [*self.folders, *self.files, self.root.parent / "outside", path, self.root / "nowhere"]
        target = self.chance.choice(targets)
        path.symlink_to(os.path.relpath(target, path.parent) if self.chance.random() < 0.5 else target)

    def _pipe(self, path: Path) -> None:
        os.mkfifo(path)

    def _hard_link(self, path: Path) -> None:
        if self.files:
            os.link(self.chance.choice(self.files), path)
            self.files.append(path)

    def _ignore_file(self, path: Path) -> None:
        place = path.parent / self.chance.choice([".gitignore", ".ignore"])
        if self.chance.random() < 0.1 and not place.exists():
            os.mkfifo(place)
        elif not place.is_fifo():
            place.write_text("\n".join(self.chance.sample(LINES, 3)))

    # ------------------------------------------------------------ what must hold

    def faults(self, met: list[Met]) -> list[str]:
        """What is wrong with a walk."""
        files = [item for item in met if isinstance(item, SourceFile)]
        ids = [item.relative if isinstance(item, SourceFile) else item.path for item in met]
        paths = [os.fspath(item.path) for item in files]
        found = [f"two have the id {name!r}" for name in {item.relative for item in files} if ids.count(name) > 1]
        found += [f"{path!r} is met twice" for path in set(paths) if paths.count(path) > 1]
        found += [f"{item.relative!r} is no regular file" for item in files if item.path.is_symlink()]
        found += [f"{item.path} is outside" for item in files if not item.path.is_relative_to(self.root)]
        found += [
            f"{item.relative!r} is not found again" for item in files if on_disk(self.root, item.relative) != item.path
        ]
        names = (item.relative for item in files)
        found += [f"{name!r} cannot be shown" for name in names if not name.isprintable() and "\u202e" not in name]
        missing = {os.fspath(path) for path in self.files if self._is_wanted(path)} - set(paths)
        return found + [f"{path!r} is not met" for path in sorted(missing)]

    def _is_wanted(self, path: Path) -> bool:
        """Whether a real file is let through, by the rules as pathspec itself reads them, folder by folder."""
        place = self.root
        for part in path.relative_to(self.root).parts:
            place = place / part
            if part.startswith(".") or part == "out" or self._is_ignored(place):
                return False
        return True

    def _is_ignored(self, path: Path) -> bool:
        for kind in (".ignore", ".gitignore"):
            for folder in path.parents[: len(path.relative_to(self.root).parts)]:
                verdict = _verdict(folder / kind, path)
                if verdict is not None:
                    return verdict
        return False


def _verdict(file: Path, path: Path) -> bool | None:
    if not file.is_file():
        return None
    verdict = None
    # What is shown stands for the name: a byte that is no text, or a line end, is no letter that a pattern could mean.
    relative = os.fsencode(path.relative_to(file.parent)).decode("utf-8", "backslashreplace").replace("\n", "?")
    for line in file.read_text().split("\n"):
        try:
            pattern = pathspec.GitIgnoreSpec.from_lines([line]).patterns[0]
        except (ValueError, IndexError):
            continue
        if pattern.include is not None and pattern.match_file(relative + ("/" if path.is_dir() else "")):
            verdict = pattern.include
    return verdict


def walked(root: Path, under: str = "") -> list[Met] | None:
    """What the walk meets; None when it does not end in time."""
    met: list[Met] = []
    thread = threading.Thread(target=lambda: met.extend(walk(root, CONFIG, under)), daemon=True)
    thread.start()
    thread.join(SECONDS)
    return None if thread.is_alive() else met


def dense(count: int, root: Path) -> None:
    """Folders with two links each to every other: as many ways as there are sequences of them."""
    for number in range(count):
        (root / f"f{number}").mkdir(parents=True)
        (root / f"f{number}" / "x.md").write_text(str(number))
    for number in range(count):
        for other in range(count):
            for way in "ab":
                (root / f"f{number}" / f"{way}{other}").symlink_to(f"../f{other}")


def _try(number: int, seed: int, folder: Path) -> list[str]:
    tree = Tree(folder / "root", random.Random(f"{seed}-{number}"))
    tree.grow()
    met = walked(tree.root)
    if met is None:
        return [f"no end in {SECONDS} s"]
    faults = tree.faults(met)
    under = [item for item in tree.root.iterdir() if item.is_dir() and not item.is_symlink() and "%" not in item.name]
    for place in under[:1] if all(os.fsencode(item.name).isascii() for item in under) else ():
        part = walked(tree.root, place.name)
        whole = {item for item in met if not isinstance(item, FileReport | Ignored) and _concerns(item, place.name)}
        if part is None or {item for item in part if isinstance(item, SourceFile)} != whole:
            faults.append(f"a walk of {place.name} is not the part of the whole")
    return faults


def _concerns(item: SourceFile, under: str) -> bool:
    return any(path == under or path.startswith(f"{under}/") for path in (item.relative, *item.aliases))


def run(tries: int, seed: int) -> Outcome:
    """So many trees, and folders full of links to one another."""
    failures = []
    for number in range(tries):
        folder = Path(tempfile.mkdtemp())
        try:
            failures += [f"tree {number}: {fault}" for fault in _try(number, seed, folder.resolve())]
        finally:
            shutil.rmtree(folder)
    for count in (8, 18, 40):
        folder = Path(tempfile.mkdtemp())
        dense(count, folder)
        started = time.monotonic()
        met = walked(folder)
        read = sum(isinstance(item, SourceFile) for item in met or ())
        if met is None or read != count:
            failures.append(f"{count} folders of links: {read} files in {time.monotonic() - started:.0f} s")
        shutil.rmtree(folder)
    return Outcome("walk", tries + 3, failures)
