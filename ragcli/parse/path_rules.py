"""Which files the path of a rule means: a glob, a folder with everything below it, or a name letter for letter."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator

from ragcli.parse.files.globs import glob_pattern

_GLOB = re.compile(r"[*?\[]")


def matches(rule: str, path: str, doc_id: str = "") -> bool:
    """Whether a rule's path means the file at ``path`` (under its root), or the document ``doc_id`` inside of it.

    Both are compared in one Unicode form. A path whose last part is no glob, or that ends with a slash, is a folder as
    well as a file, and means all that is in it. What is inside a container is met under ``outer.zip!inner/name`` and
    as if the container were a folder.
    """
    glob, is_folder = _normal(rule)
    return any(_fits(glob, is_folder, name) for name in _names(path, doc_id))


def _names(path: str, doc_id: str) -> Iterator[str]:
    path = unicodedata.normalize("NFC", path)
    yield path
    inside = unicodedata.normalize("NFC", doc_id).removeprefix(path)
    if inside.startswith("!"):
        yield path + inside
        yield path + inside.replace("!", "/")


@functools.lru_cache(256)
def _normal(rule: str) -> tuple[str, bool]:
    glob = re.sub(r"/{2,}", "/", unicodedata.normalize("NFC", rule.strip()))
    while glob.startswith("./"):
        glob = glob[2:]
    bare = glob.rstrip("/")
    return bare, bare != glob or not _GLOB.search(bare.rpartition("/")[2])


def _fits(glob: str, is_folder: bool, path: str) -> bool:
    if path == glob or _pattern(glob).match(path):
        return True
    return is_folder and any(folder == glob or _pattern(glob).match(folder) for folder in _folders(path))


@functools.lru_cache(256)
def _pattern(glob: str) -> re.Pattern[str]:
    return glob_pattern(glob)


def _folders(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
