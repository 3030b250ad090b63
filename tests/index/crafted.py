"""Index folders that no ragcli wrote: kinds of files that are none, and contents that agree with nothing.

A ``Craft`` changes a sound index folder in one place. ``crafts`` gives all of them: every kind at every place.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli.codec import encode
from ragcli.index.manifest import NAME
from ragcli.index.versions import hash_tree

READING = frozenset({"search", "bm25", "ask", "verify", "doctor", "inspect"})
"""The commands that open the current version, and must refuse it when a file of it cannot be."""


def reseal(version: Path, **changes: Any) -> None:
    """Make the manifest of a version folder agree with the files that are in it now, and change these keys of it."""
    path = version / NAME
    files = {name: info for name, info in hash_tree(version, {}, None).items() if name != NAME and "/." not in name}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"files": encode(files)} | changes))


@dataclass(frozen=True)
class Craft:
    """One change of a sound index folder, and the commands that must end with a refusal after it.

    ``apply`` gets the index folder and the folder of somebody else, of which nothing may be read, shown or changed.
    """

    name: str
    apply: Callable[[Path, Path], None]
    refused: frozenset[str] = frozenset()


def version(index: Path) -> Path:
    """The folder of the current version."""
    return index / "versions" / (index / "CURRENT").read_text().strip()


# ------------------------------------------------------------ kinds of files that are none


def _gone(path: Path) -> None:
    import shutil

    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)


def _pipe(path: Path, somebody: Path) -> None:
    _gone(path)
    os.mkfifo(path)


def _socket(path: Path, somebody: Path) -> None:
    _gone(path)
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


def _folder(path: Path, somebody: Path) -> None:
    _gone(path)
    path.mkdir()
    (path / "inside").write_text("inside")


def _file(path: Path, somebody: Path) -> None:
    _gone(path)
    path.write_text("a file")


def _link_to(target: Callable[[Path, Path], Path]) -> Callable[[Path, Path], None]:
    def link(path: Path, somebody: Path) -> None:
        place = target(path, somebody)
        _gone(path)
        path.symlink_to(place)

    return link


def _moved(path: Path, somebody: Path) -> None:
    """The right content, but in somebody's place and only linked to."""
    target = somebody / f"moved-{path.name}"
    if path.exists():
        path.rename(target)
    path.symlink_to(target)


KINDS: dict[str, Callable[[Path, Path], None]] = {
    "pipe": _pipe,
    "socket": _socket,
    "folder": _folder,
    "link to somebody's file": _link_to(lambda path, somebody: somebody / "secret.txt"),
    "link to /dev/zero": _link_to(lambda path, somebody: Path("/dev/zero")),
    "link to itself": _link_to(lambda path, somebody: path),
    "link to nothing": _link_to(lambda path, somebody: somebody / "not-there"),
    "link to its own content": _moved,
}
FOLDER_KINDS = {name: KINDS[name] for name in ("pipe", "link to somebody's file", "link to its own content")} | {
    "file": _file,
    "link to somebody's folder": _link_to(lambda path, somebody: somebody / "things"),
}


def _fill(content: Callable[[bytes], bytes]) -> Callable[[Path, Path], None]:
    def fill(path: Path, somebody: Path) -> None:
        before = path.read_bytes() if path.is_file() else b"\0" * 64
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(before))

    return fill


def _shaken(before: bytes) -> bytes:
    """Every hundredth byte, or so, another one."""
    draw, changed = random.Random(len(before)), bytearray(before)
    for _ in range(max(1, len(changed) // 100)):
        if changed:
            changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


CONTENTS: dict[str, Callable[[Path, Path], None]] = {
    "empty": _fill(lambda before: b""),
    "cut in half": _fill(lambda before: before[: len(before) // 2]),
    "noise": _fill(lambda before: random.Random(1).randbytes(5_000)),
    "shaken": _fill(_shaken),
    "NULs": _fill(lambda before: b"\0" * 4_096),
    "deep JSON": _fill(lambda before: b"[" * 200_000 + b"]" * 200_000),
    "deep objects": _fill(lambda before: b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "long number": _fill(lambda before: b"9" * 100_000),
    "a list": _fill(lambda before: b"[1, 2, 3]\n"),
    "a text": _fill(lambda before: b'"text"\n'),
    "long line": _fill(lambda before: b'"' + b"x" * 40_000_000 + b'"\n'),
}

# ------------------------------------------------------------ places

_SEGMENT = "segments/000001"
_IN_VERSION = (
    "manifest.json",
    "supersedes.json",
    "dead/000001.npy",
    f"{_SEGMENT}/records.sqlite",
    f"{_SEGMENT}/offsets.npy",
    f"{_SEGMENT}/numbers.npy",
    f"{_SEGMENT}/embeddings.npy",
    f"{_SEGMENT}/dense.hnsw",
    "lexical/meta.json",
    "lexical/.managed.json",
    "lexical/*.fast",
    "lexical/*.fieldnorm",
    "lexical/*.idx",
    "lexical/*.pos",
    "lexical/*.store",
    "lexical/*.term",
)
_FOLDERS_IN_VERSION = ("segments", _SEGMENT, "lexical", "dead", ".")
_BESIDE = (
    "LOCK",
    "cache/documents.sqlite",
    "cache/documents.sqlite-wal",
    "cache/vectors.sqlite",
    "cache/hnswlib.json",
    "staging/catalog.sqlite",
    "staging/catalog.sqlite-journal",
    "staging/catalog.sqlite-wal",
    "staging/build",
    "staging/trash",
    "traces/2026-01-02.jsonl",
    "traces/feedback.jsonl",
    "sessions/talk.jsonl",
)
_FOLDERS_BESIDE = ("staging", "cache", "traces", "sessions", "versions", "staging/build", "staging/trash")
_HARMLESS = ("dense.hnsw", ".managed.json")
"""Searching goes on without them, or never looks into them."""


def _at(place: str, kind: Callable[[Path, Path], None], *, sealed: bool = False) -> Callable[[Path, Path], None]:
    """The kind of file at a place of the current version; ``sealed`` makes the manifest agree with it."""

    def apply(index: Path, somebody: Path) -> None:
        folder = version(index)
        path = sorted(folder.glob(place))[0] if "*" in place else folder / place
        kind(path, somebody)
        if sealed:
            reseal(folder)

    return apply


def _beside(place: str, kind: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
    return lambda index, somebody: kind(index / place, somebody)


def crafts() -> Iterator[Craft]:
    """Every kind at every place."""
    yield from _pointers()
    for place in _IN_VERSION:
        for name, kind in KINDS.items():
            yield Craft(f"{name} at {place}", _at(place, kind), READING)
        for name, kind in CONTENTS.items():
            sealed = place != "manifest.json"
            refused = READING if place in ("manifest.json", f"{_SEGMENT}/offsets.npy") else frozenset[str]()
            yield Craft(f"{name} at {place}", _at(place, kind, sealed=sealed), refused)
    for place in _FOLDERS_IN_VERSION:
        for name, kind in FOLDER_KINDS.items():
            yield Craft(f"{name} for the folder {place}", _at(place, kind), READING)
    for place in _BESIDE:
        for name, kind in (KINDS | CONTENTS).items():
            yield Craft(f"{name} at {place}", _beside(place, kind))
    for place in _FOLDERS_BESIDE:
        for name, kind in FOLDER_KINDS.items():
            refused = READING if place == "versions" else frozenset[str]()
            yield Craft(f"{name} for the folder {place}", _beside(place, kind), refused)


def _pointers() -> Iterator[Craft]:
    for name, kind in KINDS.items():
        yield Craft(f"{name} at CURRENT", _beside("CURRENT", kind), READING)
    for name, kind in CONTENTS.items():
        yield Craft(f"{name} at CURRENT", _beside("CURRENT", kind), READING)
    for text in ("v000099", "../../somebody", "v000001/../v000001", "v٠٠٠٠٠١", "v000001\0"):
        pointing = _fill(lambda before, text=text: text.encode())  # type: ignore[misc]
        yield Craft(f"CURRENT holds {text!r}", _beside("CURRENT", pointing), READING)
