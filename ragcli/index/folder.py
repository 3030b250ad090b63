"""The index folder: one writer, many readers, immutable versions."""

from __future__ import annotations

import contextlib
from pathlib import Path

from ragcli.index.writer import Writer, open_writer


class IndexFolder:
    """An index folder, which need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def writer(self, wait_seconds: float = 0) -> contextlib.AbstractContextManager[Writer]:
        """The writer, holding the lock for the length of the block; the folder is made when it is missing.

        Raises IndexLocked, naming the holder, when another process writes for longer than ``wait_seconds``.
        """
        return open_writer(self.path, wait_seconds)
