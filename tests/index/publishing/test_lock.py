from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ragcli.errors import IndexLocked, StoreError
from ragcli.index.folder import IndexFolder
from ragcli.index.publishing.lock import holder, writer_lock

_HOLD = """
import sys, os
from pathlib import Path
from ragcli.index.publishing.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    in_child = len(sys.argv) > 2 and os.fork() == 0
    if in_child or len(sys.argv) == 2:  # a child that speaks has given the lock up
        print("held", flush=True)
    sys.stdin.read()
    if in_child:
        os._exit(0)
"""


def _hold(path: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _HOLD, str(path), *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    process = _hold(tmp_path / "LOCK")
    with pytest.raises(IndexLocked) as caught, IndexFolder(tmp_path).writer():
        pass
    assert f"process {process.pid} on {socket.gethostname()} since 20" in caught.value.message
    process.communicate("")


def test_lock_of_a_killed_process_is_taken(tmp_path: Path) -> None:
    process = _hold(tmp_path / "LOCK")
    process.send_signal(signal.SIGKILL)
    process.wait()
    with writer_lock(tmp_path / "LOCK"):
        found = holder(tmp_path / "LOCK")
        assert found is not None
        assert found.pid == os.getpid()
    assert holder(tmp_path / "LOCK") is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_worker_does_not_keep_the_lock(tmp_path: Path) -> None:
    process = _hold(tmp_path / "LOCK", "fork")
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    with writer_lock(tmp_path / "LOCK"):
        found = holder(tmp_path / "LOCK")
        assert found is not None
        assert found.pid == os.getpid()
    process.communicate("")


def test_waiting_ends_when_the_lock_is_free(tmp_path: Path) -> None:
    process = _hold(tmp_path / "LOCK")
    with pytest.raises(IndexLocked), writer_lock(tmp_path / "LOCK", wait_seconds=0.2):
        pass
    assert process.stdin is not None
    process.stdin.close()
    with writer_lock(tmp_path / "LOCK", wait_seconds=20):
        pass
    process.wait()


def test_same_process_cannot_write_twice(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path / "new")
    with folder.writer(), pytest.raises(IndexLocked), folder.writer():
        pass
    with folder.writer():
        pass


def test_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot write the index folder"), IndexFolder(tmp_path / "file").writer():
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX files")
def test_a_lock_that_is_no_file_is_neither_waited_for_nor_written(tmp_path: Path) -> None:
    secret, lock = tmp_path / "secret", tmp_path / "index" / "LOCK"
    secret.write_text("secret")
    lock.parent.mkdir()
    makers: list[Callable[[], object]] = [lambda: os.mkfifo(lock), lambda: lock.symlink_to(secret), lock.mkdir]
    for make in makers:
        make()
        with pytest.raises(StoreError, match="expected a file"), IndexFolder(lock.parent).writer():
            pass
        assert secret.read_text() == "secret"
        lock.rmdir() if lock.is_dir() else lock.unlink()


@pytest.mark.parametrize("name", ["staging", "cache", "versions", "staging/build", "staging/trash"])
def test_a_writer_does_not_write_through_a_folder_that_is_a_link(tmp_path: Path, name: str) -> None:
    somebody, index = tmp_path / "somebody", tmp_path / "index"
    somebody.mkdir()
    (index / name).parent.mkdir(parents=True)
    (index / name).symlink_to(somebody)
    with pytest.raises(StoreError, match=f"{name} is a link, expected a folder"), IndexFolder(index).writer():
        pass
    assert not list(somebody.iterdir())
