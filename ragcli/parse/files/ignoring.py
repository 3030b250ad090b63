"""What ``.gitignore`` and ``.ignore`` say: nested, the deeper file before the upper one, the last pattern that fits.

As git and ripgrep read them: ``.ignore`` is asked before ``.gitignore``, and those above the root count up to the top
of its repository. What lies in a folder that is passed over cannot be taken in again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pathspec

from ragcli.regular_files import read_at_most

FILES = (".ignore", ".gitignore")
_LIMIT_BYTES = 1_000_000
_MOST_LINES = 10_000
_LONGEST = 1_000
_STAR = "[^/]*"
_CROSSING = re.compile(r"(\(\?:\.\+/\)\?|\(\?:/\.\+\)\?)")
_NEGATED = re.compile(r"\[\^(?!/\])(-?)")


@dataclass(frozen=True, slots=True)
class IgnoreLine:
    """One pattern: whether it passes over (else it takes in again), and its text."""

    ignores: bool
    pattern: re.Pattern[str]
    text: str

    def fits(self, relative: str) -> bool:
        """Whether it fits a path under the folder of its file; that of a folder ends with a slash."""
        return self.pattern.search(relative) is not None


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """A file of patterns. ``shown`` is its name in reports, ``prefix`` what it is asked about begins with.

    ``prefix`` is that of its folder under the root; for a file above the root ``below`` leads from there to the root.
    ``any_line`` fits whatever one of the lines fits. ``unread`` are lines that are no patterns.
    """

    shown: str
    lines: tuple[IgnoreLine, ...]
    prefix: str = ""
    below: str = ""
    any_line: re.Pattern[str] = re.compile(r"(?!)")
    unread: tuple[str, ...] = ()

    def verdict(self, relative: str) -> IgnoreLine | None:
        """The last line that fits, None when none does."""
        asked = self.below + relative.removeprefix(self.prefix)
        if self.any_line.search(asked) is None:
            return None
        return next((line for line in reversed(self.lines) if line.fits(asked)), None)


@dataclass(frozen=True, slots=True)
class Ignoring:
    """The files that hold in a folder, by kind and then from the folder up."""

    files: tuple[IgnoreFile, ...] = ()

    def rule(self, relative: str) -> str | None:
        """The file and pattern that pass over ``relative`` (a folder ends with a slash); None when it is read."""
        for file in self.files:
            line = file.verdict(relative)
            if line is not None:
                return f"{file.shown}: {line.text}" if line.ignores else None
        return None

    def inside(self, added: Sequence[IgnoreFile]) -> Ignoring:
        """The rules in a folder that holds these files itself."""
        if not added:
            return self
        both = (*added, *self.files)
        return Ignoring(tuple(file for kind in FILES for file in both if file.shown.endswith(kind)))


def files_of(folder: Path, prefix: str, names: Collection[str]) -> list[IgnoreFile]:
    """The files of patterns in a folder of which ``names`` are there."""
    found = (_read(folder / name, f"{prefix}{name}") for name in FILES if name in names)
    return [_compiled(shown, lines, prefix=prefix) for shown, lines in found if lines]


def above(root: Path) -> Ignoring:
    """The rules of the folders above a root, up to the top of its repository; none when it is in no repository.

    The root itself was asked for by name, so that a line that passes it over does not hold.
    """
    found: list[IgnoreFile] = []
    if _is_top(root):
        return Ignoring()
    for number, folder in enumerate(root.parents, 1):
        below = "/".join(root.parts[-number:]) + "/"
        for name in FILES:
            shown, lines = _read(folder / name, f"{'../' * number}{name}")
            if lines:
                found.append(_compiled(shown, lines, below=below))
        if _is_top(folder):
            return Ignoring().inside(found)
    return Ignoring()


def _is_top(folder: Path) -> bool:
    return (folder / ".git").exists()


def _read(path: Path, shown: str) -> tuple[str, list[str]]:
    """The lines of a file of patterns; none when it is missing, cannot be read or is no regular file."""
    try:
        content = read_at_most(path, _LIMIT_BYTES)[:_LIMIT_BYTES]
    except OSError:
        return shown, []
    text = content.decode("utf-8-sig", "surrogateescape")
    return shown, unicodedata.normalize("NFC", text).split("\n")[:_MOST_LINES]


def _compiled(shown: str, texts: Sequence[str], *, prefix: str = "", below: str = "") -> IgnoreFile:
    lines: list[IgnoreLine] = []
    unread: list[str] = []
    for text in texts:
        try:
            line = _line(text.rstrip("\r"))
        except (ValueError, re.error):
            unread.append(text.strip())
            continue
        if line is not None and not (below and line.ignores and line.fits(below)):
            lines.append(line)
    together = "|".join(line.pattern.pattern for line in lines)
    any_line = re.compile(together or r"(?!)", re.DOTALL)
    return IgnoreFile(shown, tuple(lines), prefix, below, any_line, tuple(unread))


def _line(text: str) -> IgnoreLine | None:
    """A line as a pattern, None when it says nothing. Raises ValueError or re.error when it is not one."""
    if len(text) > _LONGEST:
        raise ValueError("too long for a pattern")
    found = next(iter(pathspec.GitIgnoreSpec.from_lines([text]).patterns), None)
    if found is None or found.include is None or found.regex is None or not text.strip().strip("!/"):
        return None
    return IgnoreLine(bool(found.include), re.compile(_steady(found.regex.pattern), re.DOTALL), text.strip())


def _steady(regex: str) -> str:
    """The same pattern, so that a name made to fit nearly everywhere takes no time without end.

    ``*`` and ``**`` take the nearest place where what follows them, up to the next one, fits and never try another.
    That finds the same, because all of it has a fixed length: in characters for ``*``, in folders for ``**``. A class
    such as ``[!a]`` fits no slash, as in git.
    """
    regex = _NEGATED.sub(r"[^\1/", regex.replace("(?P<ps_d>", "(?:"))
    head, *rest = _CROSSING.split(regex)
    steady = [_steady_stars(head)]
    for place in range(0, len(rest), 2):
        crossing, piece = rest[place], _steady_stars(rest[place + 1])
        lazy = crossing.replace(".+", ".+?") + "?"
        steady.append(f"(?>{lazy}{piece})" if place + 2 < len(rest) else crossing + piece)
    return "".join(steady)


def _steady_stars(regex: str) -> str:
    head, *pieces = regex.split(_STAR)
    return head + "".join(f"(?>{_STAR}?{piece})" for piece in pieces[:-1]) + "".join(_STAR + p for p in pieces[-1:])
