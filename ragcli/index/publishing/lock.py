"""The writer's lock: one process writes an index folder at a time, and a dead one never holds it.

The lock is the kernel's, taken by the library ``filelock``: it is gone with the process that held it however that
process died, and a forked child lets go of it. The file's text only says who holds it, for the message that another
writer gets; it starts at the second byte, because Windows lets nobody else read the byte that is locked.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from ragcli.codec import decode
from ragcli.errors import DiskError, IndexLocked, StoreError
from ragcli.index.durable import DISK_HINT
from ragcli.regular_files import check_file, open_regular, parse_json

_POLL_SECONDS = 0.05
_MOST_BYTES = 1_000


@dataclass(frozen=True, slots=True)
class Holder:
    """Who writes the index; ``started`` is an ISO time in UTC."""

    pid: int
    host: str
    started: str


@contextlib.contextmanager
def writer_lock(path: Path, wait_seconds: float = 0) -> Iterator[None]:
    """Hold the lock file ``path`` for the length of the block.

    Raises IndexLocked, naming the holder, when another process still has it after ``wait_seconds``; DiskError when
    the folder cannot be written.
    """
    from filelock import FileLock, Timeout

    descriptors: list[int] = []
    lock = FileLock(
        path,
        timeout=wait_seconds,
        poll_interval=_POLL_SECONDS,
        preserve_lock_file=True,
        on_acquired=descriptors.append,
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        check_file(path)
        lock.acquire()
    except Timeout:
        raise _locked(path) from None
    except OSError as error:
        raise DiskError(
            f"cannot write the index folder {path.parent}: {error.strerror or error}",
            hint="make room on the disk, check its permissions, or choose another folder with --index",
        ) from error
    try:
        _write_name(descriptors[-1], path)
        yield
    finally:
        with contextlib.suppress(OSError):
            if lock.is_locked:  # not in a forked child
                os.ftruncate(descriptors[-1], 0)
        lock.release()


def _write_name(descriptor: int, path: Path) -> None:
    holder = Holder(os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))
    text = f"\n{json.dumps(asdict(holder))}\n".encode()
    try:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, text)
    except OSError as error:
        raise DiskError(f"cannot write {path}: {error.strerror or error}", hint=DISK_HINT) from error


def holder(path: Path) -> Holder | None:
    """Who last wrote its name into the lock file, or None when nobody's name stands there."""
    try:
        descriptor = open_regular(path)
        try:
            os.lseek(descriptor, 1, os.SEEK_SET)
            return decode(Holder, parse_json(os.read(descriptor, _MOST_BYTES)))
        finally:
            os.close(descriptor)
    except (OSError, ValueError, TypeError, StoreError):
        return None


def _locked(path: Path) -> IndexLocked:
    who = holder(path)
    by = f"process {who.pid} on {who.host[:80]} since {who.started[:40]}" if who else "another process"
    return IndexLocked(f"the index {path.parent} is being written by {by}", hint="wait for it with --wait SECONDS")
