"""Globs of the settings as patterns, and which paths ``ingest.include``, ``exclude`` and ``hidden`` let through."""

from __future__ import annotations

import re
from fnmatch import translate

from ragcli.config import IngestConfig


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


class PathFilter:
    """Which relative paths the globs and the hidden rule let through."""

    def __init__(self, config: IngestConfig) -> None:
        self._exclude = [glob_pattern(glob) for glob in config.exclude]
        self._include = [glob_pattern(glob) for glob in config.include]
        self._hidden = config.hidden

    def file(self, relative: str) -> bool:
        """Whether a file is read."""
        if not self.folder(relative):
            return False
        return not self._include or any(pattern.match(relative) for pattern in self._include)

    def folder(self, relative: str) -> bool:
        """Whether a folder is entered."""
        if not self._hidden and relative.rsplit("/", 1)[-1].startswith("."):
            return False
        return not self.excludes(relative)

    def excludes(self, relative: str) -> bool:
        """Whether ``ingest.exclude`` names a path."""
        return any(pattern.match(relative) or pattern.match(relative + "/") for pattern in self._exclude)
