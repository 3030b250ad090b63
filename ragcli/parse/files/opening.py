"""Opens regular files and nothing else: a pipe or device put in the place of one is never waited on."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

NOT_REGULAR = "not a regular file (socket, pipe or device)"
# A pipe opened without O_NONBLOCK waits for a writer for ever; a link put where a file was could lead anywhere.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_NOCTTY", "O_BINARY"))


def open_regular(path: Path) -> BufferedReader:
    """The file at ``path``, open for reading. Raises OSError when it is no regular file any more or cannot be read."""
    handle = os.open(path, _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(None, NOT_REGULAR, os.fspath(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path, limit: int) -> bytes:
    """The bytes of a regular file, at most ``limit`` of them and one more. Raises OSError as ``open_regular`` does."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size  # a buffer of the size asked for is set aside before anything is read
        return file.read(min(size, limit) + 1)
