"""The writer's lock: one process writes an index folder at a time, and a dead one never holds it.

The lock is the kernel's (``flock``, on Windows a locked byte), so it is gone with the process that held it however
that process died. The file's text only says who holds it, for the message that another writer gets.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from ragcli.errors import IndexLocked, StoreError

_POLL_SECONDS = 0.05
_held: set[int] = set()


@dataclass(frozen=True, slots=True)
class Holder:
    """Who writes the index; ``started`` is an ISO time in UTC."""

    pid: int
    host: str
    started: str


@contextlib.contextmanager
def writer_lock(path: Path, wait_seconds: float = 0) -> Iterator[None]:
    """Hold the lock file ``path`` for the length of the block.

    Raises IndexLocked, naming the holder, when another process still has it after ``wait_seconds``; StoreError when
    the folder cannot be written.
    """
    descriptor = _open(path)
    try:
        _acquire(descriptor, path, wait_seconds)
        _held.add(descriptor)
        holder = Holder(os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))
        _write(descriptor, json.dumps(asdict(holder)) + "\n", path)
        yield
    finally:
        with contextlib.suppress(OSError):
            if descriptor in _held:
                os.ftruncate(descriptor, 0)
        _held.discard(descriptor)
        os.close(descriptor)


def holder(path: Path) -> Holder | None:
    """Who last wrote its name into the lock file, or None when nobody's name stands there."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Holder(int(content["pid"]), str(content["host"]), str(content["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    except OSError as error:
        raise StoreError(
            f"cannot write the index folder {path.parent}: {error.strerror or error}",
            hint="check its permissions, or choose another folder with --index",
        ) from error


def _write(descriptor: int, text: str, path: Path) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0) if hasattr(os, "pwrite") else os.write(descriptor, text.encode())
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def _acquire(descriptor: int, path: Path, wait_seconds: float) -> None:
    deadline = time.monotonic() + wait_seconds
    while not _try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise _locked(path)
        time.sleep(_POLL_SECONDS)


def _locked(path: Path) -> IndexLocked:
    who = holder(path)
    by = f"process {who.pid} on {who.host} since {who.started}" if who else "another process"
    return IndexLocked(f"the index {path.parent} is being written by {by}", hint="wait for it with --wait SECONDS")


if sys.platform == "win32":
    import msvcrt

    # A byte far behind the text, so that others can still read who holds the lock.
    _LOCKED_BYTE = 1 << 30

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _forget_in_child() -> None:
        # A forked worker shares the open file and would keep the lock alive after its parent was killed.
        for descriptor in _held:
            os.close(descriptor)
        _held.clear()

    os.register_at_fork(after_in_child=_forget_in_child)
