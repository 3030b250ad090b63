"""The SHA-256 of model weights, remembered between processes: reading 90 MB takes longer than a question.

A file is known again by its path, size, inode and times (the change time too, which no program can set back), and what
is not exactly so is read whole. ``rag doctor`` forgets first, so it reads everything.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from ragcli.embed.model_folder import file_sha256
from ragcli.errors import StoreError
from ragcli.regular_files import parse_json, read_regular

_MOST_BYTES = 10_000
_SETTLED_SECONDS = 2.0
"""A file that was just written may be written again within one tick of its file system's clock."""


def weights_sha256(path: Path) -> str:
    """Hex SHA-256 of the file, which is read only when it is not known. Raises ModelError when it cannot be read."""
    with contextlib.suppress(OSError):
        path = path.resolve(strict=True)
        seen = _look(path)
        note = _folder() / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"
        with contextlib.suppress(OSError, StoreError, ValueError, KeyError, TypeError):
            known = parse_json(read_regular(note, _MOST_BYTES))
            if known["look"] == seen and len(known["sha256"]) == hashlib.sha256().digest_size * 2:
                return str(known["sha256"])
        found = file_sha256(path)
        if _look(path) == seen and time.time() - path.stat().st_mtime > _SETTLED_SECONDS:
            _keep(note, {"look": seen, "sha256": found})
        return found
    return file_sha256(path)


def forget_weights() -> None:
    """Read every file whole the next time."""
    shutil.rmtree(_folder(), ignore_errors=True)


def _look(path: Path) -> list[Any]:
    status = path.stat()
    return [os.fsdecode(path), status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]


def _folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("ragcli", appauthor=False) / "weights"


def _keep(note: Path, content: dict[str, Any]) -> None:
    """Write the note whole or not at all; where nothing can be written the file is read again next time."""
    with contextlib.suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(dir=note.parent, suffix=".tmp")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file)
        Path(name).replace(note)
