"""Whether the files of a version are there: each in its place, no link to elsewhere, and of its size.

Asked on every opening, because the rest relies on it: what is mapped must not be cut off, and what is read must lie
inside the version. It costs one look at each file, however large they are; hashes are for ``rag versions verify``.
"""

from __future__ import annotations

import stat
from pathlib import Path

from ragcli.errors import StoreError
from ragcli.index.codes import CENTRE, CODES
from ragcli.index.manifest import Manifest
from ragcli.index.segment import GRAPH

_HINT = "rag versions verify; rag versions use another version, or rag index --rebuild"
_SPARE = frozenset({GRAPH, CODES, CENTRE})
"""Made from the vectors, and checked when they are first used: without them a search scans and says so."""


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise StoreError for the first file of ``manifest`` that is missing, a link, or of another size.

    A graph or codes that are missing or damaged are left to whoever uses them.
    """
    for parent in sorted({Path(name).parent for name in manifest.files}):
        for part in (parent, *parent.parents):
            if (folder / part).is_symlink() and part != Path():
                raise StoreError(f"{folder / part} is a link; a version holds its own files", hint=_HINT)
    for name in sorted(manifest.files):
        _check_file(folder / name, manifest.files[name].bytes)


def _check_file(path: Path, size: int) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError as error:
        if path.name in _SPARE:
            return
        raise StoreError(f"{path} is missing", hint=_HINT) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror or error}", hint=_HINT) from error
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path} is no regular file; a version holds its own files", hint=_HINT)
    if status.st_size != size and path.name not in _SPARE:
        raise StoreError(f"{path} has {status.st_size} bytes, the manifest says {size}", hint=_HINT)
