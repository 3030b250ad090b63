"""Files that a command is asked to write, tried before the work and not after it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ragcli.errors import ConfigError


def check_target(option: str, path: Path) -> None:
    """Make the folder of ``path`` where it is missing. Raises ConfigError when no file can be written there."""
    try:
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise OSError(None, "it is no file, but a pipe or device")
        if path.exists():
            os.close(os.open(path, os.O_WRONLY))
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise ConfigError(f"{option} {path}: cannot be written: {error.strerror or error}") from error
