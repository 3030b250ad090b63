"""Opens regular files and nothing else: those of an index folder, which anyone may have made, and those that are read.

A link could lead to somebody's file, a named pipe would block whoever opens it, a device never ends. What is read
whole has a limit, and JSON of any depth gives a value or a ValueError.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from ragcli.errors import StoreError

_GUARD = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))
_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISREG, "a file"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)
_LONGEST_LINE = 16 << 20
HINT = "an index folder holds its own files: remove it, then run the command again"


def kind_of(path: Path) -> str:
    """``a file``, ``a folder``, ``a link`` …, empty when nothing is there. Raises OSError when it cannot be told."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    return next((name for test, name in _KINDS if test(mode)), "a device")


def check_file(path: Path, hint: str = HINT) -> bool:
    """Whether there is a file. Raises StoreError when what is there is none: a link, a folder, a pipe, a device.

    For libraries that open a file by its name; ``open_regular`` where a descriptor will do.
    """
    return _checked(path, "a file", hint)


def check_folder(path: Path, hint: str = HINT) -> bool:
    """Whether there is a folder. Raises StoreError when what is there is none, or is a link to one."""
    return _checked(path, "a folder", hint)


def _checked(path: Path, wanted: str, hint: str) -> bool:
    try:
        found = kind_of(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}", hint=hint) from error
    if found not in ("", wanted):
        raise StoreError(f"{path} is {found}, expected {wanted}", hint=hint)
    return bool(found)


def make_folder(path: Path) -> None:
    """Make the folder, with those above it, unless it is there. Raises StoreError when something else is."""
    if not check_folder(path):
        path.mkdir(parents=True, exist_ok=True)


def open_regular(path: Path, flags: int = os.O_RDONLY, mode: int = 0o644, hint: str = HINT) -> int:
    """A descriptor of the file at ``path``, opened with ``flags``; it never blocks and no link is followed.

    Raises StoreError for anything but a regular file, FileNotFoundError and other OSError as ``os.open`` does.
    """
    if not check_file(path, hint) and not flags & os.O_CREAT:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    descriptor = os.open(path, flags | _GUARD, mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # changed since it was looked at
        os.close(descriptor)
        raise StoreError(f"{path} is no regular file", hint=hint)
    return descriptor


def read_regular(path: Path, limit: int, hint: str = HINT) -> bytes:
    """The content of a file of at most ``limit`` bytes. Raises StoreError for more, else what ``open_regular`` does."""
    with os.fdopen(open_regular(path, hint=hint), "rb") as stream:
        size = os.fstat(stream.fileno()).st_size  # a buffer of the size asked for is set aside before anything is read
        content = stream.read(min(size, limit) + 1)
    if len(content) > limit:
        raise StoreError(f"{path} has more than {limit:,} bytes", hint=hint)
    return content


NOT_REGULAR = "not a regular file (socket, pipe or device)"
MOST_NAMED = 1 << 30
"""Bytes of a file that a command reads whole because somebody named it."""


def open_named(path: Path, *, follow: bool = True) -> BufferedReader:
    """A file outside of an index, open for reading; a pipe or device in its place is never waited for.

    Raises OSError for what is no regular file, or is a link and ``follow`` is False.
    """
    descriptor = os.open(path, os.O_RDONLY | (_GUARD if not follow else _GUARD & ~getattr(os, "O_NOFOLLOW", 0)))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(None, NOT_REGULAR, os.fspath(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_at_most(path: Path, limit: int) -> bytes:
    """The bytes of a file that is no link, at most ``limit`` of them and one more. Raises OSError as ``open_named``."""
    with open_named(path, follow=False) as file:
        size = os.fstat(file.fileno()).st_size  # a buffer of the size asked for is set aside before anything is read
        return file.read(min(size, limit) + 1)


def read_named(path: Path, limit: int = MOST_NAMED) -> bytes:
    """The content of a file that somebody names; a link to it will do.

    Raises OSError for what is no regular file or has more than ``limit`` bytes.
    """
    with open_named(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise OSError(None, f"more than {limit:,} bytes", os.fspath(path))
        return file.read(size + 1)


def parse_json(content: bytes | str) -> Any:
    """A JSON value. Raises ValueError for what is none, is nested too deeply, or is no UTF-8."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file of JSON Lines; nothing when there is no file.

    A line that is none is passed over: a process that was killed leaves the last one torn.
    """
    try:
        stream = os.fdopen(open_regular(path), "rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}", hint=HINT) from error
    with stream:
        while line := stream.readline(_LONGEST_LINE):
            whole = line.endswith(b"\n") or len(line) < _LONGEST_LINE
            try:
                row = parse_json(line.decode("utf-8", "replace")) if whole else None
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row
