"""Killed at any moment, full disk, no right to write: the last version serves and the next run completes.

A short run is the default; ``RAGCLI_CRASH_KILLS=200`` is the long one.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from ragcli.errors import StoreError
from ragcli.index import durable
from ragcli.index import versions as seal
from ragcli.index.folder import IndexFolder
from ragcli.records import Scope
from tests.index.corpus import publish
from tests.index.crash_child import main, state
from tests.index.records import document

resource = pytest.importorskip("resource", reason="needs POSIX")
KILLS = int(os.environ.get("RAGCLI_CRASH_KILLS", "5"))
ROOT = Path(__file__).resolve().parents[3]


def _child(folder: Path, first: int, count: int = 1000, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.index.crash_child", str(folder), str(first), str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload]


def _served(folder: Path) -> int:
    """The state that is served, checked to be one state, whole."""
    with IndexFolder(folder).open() as engine:
        number = int(engine.document("state.md").text.split()[1])
        assert {item: engine.document(item).text for item in engine.doc_ids()} == {
            item.doc_id: item.text for item in state(number)
        }
        allowed = engine.allowed(Scope())
        assert len(engine.lexical("document", 100, allowed).hits) == len(state(number)) - 1
        assert engine.lexical(f"state {number}", 1, allowed).hits[0].chunk_id == "state.md#1"
    return number


def test_killed_at_random_moments(tmp_path: Path) -> None:
    draw = random.Random(11)
    main(tmp_path, 0, 1)
    served = 0
    for _ in range(KILLS):
        process = _child(tmp_path, served + 1)
        assert process.stdout is not None
        for _ in range(draw.randrange(1, 3)):
            served = int(process.stdout.readline())
        time.sleep(draw.uniform(0, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = _served(tmp_path)
        assert found >= served
        assert IndexFolder(tmp_path).verify() == []
        served = found
    main(tmp_path, served + 1, 1)
    assert _served(tmp_path) == served + 1
    assert sorted(path.name for path in (tmp_path / "staging").iterdir() if "build" in path.name) == []


@pytest.mark.parametrize("kilobytes", [1, 3, 6, 20, 40])
def test_disk_that_takes_no_more_bytes(tmp_path: Path, kilobytes: int) -> None:
    """A limit on file sizes makes every kind of file in turn fail as it would on a full disk."""
    main(tmp_path, 0, 1)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, kilobytes * 1024))

    process = _child(tmp_path, 1, 1, preexec_fn=limit, stderr=subprocess.PIPE)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "ragcli.errors.DiskError" in errors.splitlines()[-1]
    assert _served(tmp_path) == 0
    assert IndexFolder(tmp_path).verify() == []
    main(tmp_path, 1, 1)
    assert _served(tmp_path) == 1


def test_everything_is_synced_before_the_version_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: dict[str, int] = {}
    events: list[str] = []

    def note(path: Path) -> None:
        synced[str(path)] = path.stat().st_mtime_ns
        events.append(f"sync {path.relative_to(tmp_path)}")

    def sync_tree(folder: Path) -> None:
        for path in (*sorted(folder.rglob("*")), folder):
            note(path)

    def rename(self: Path, target: Path) -> Path:
        if target.name.startswith("v0"):
            assert (self / "manifest.json").exists()
            for path in (self, *self.rglob("*")):
                assert synced.get(str(path)) == path.stat().st_mtime_ns, f"{path} changed after it was synced"
        events.append(f"rename {target.relative_to(tmp_path)}")
        os.rename(self, target)  # noqa: PTH104 - the method itself is replaced
        return target

    monkeypatch.setattr(seal, "sync_tree", sync_tree)
    monkeypatch.setattr(seal, "sync_file", note)
    monkeypatch.setattr(seal, "sync_folder", note)
    monkeypatch.setattr(durable, "sync_folder", note)
    monkeypatch.setattr(Path, "rename", rename)
    publish(tmp_path, [document("a.md")])
    ends = [event for event in events if "build" not in event and "cache" not in event]  # a trial may be kept there
    assert ends == ["rename versions/v000001", "sync versions", "sync .", "sync ."]
    assert events.index("sync staging/build/manifest.json") > events.index(
        "sync staging/build/segments/000001/dense.hnsw"
    )


def test_leftovers_of_a_dead_writer_do_not_matter(tmp_path: Path) -> None:
    main(tmp_path, 0, 1)
    build = tmp_path / "staging" / "build"
    (build / "segments" / "000001").mkdir(parents=True)
    (build / "manifest.json").write_text("{")
    (tmp_path / "versions" / "v000009").mkdir()
    trash = tmp_path / "staging" / "trash" / "removed-v000007"
    trash.mkdir(parents=True)
    assert _served(tmp_path) == 0
    main(tmp_path, 1, 1)
    assert not trash.exists()
    assert _served(tmp_path) == 1
    assert IndexFolder(tmp_path).current() == "v000010"


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs POSIX users")
def test_read_only_folder_serves_and_refuses_to_be_written() -> None:
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o755)
        index = Path(parent) / "index"
        main(index, 0, 1)
        folders = [path for path in index.rglob("*") if path.is_dir()] + [index]
        for path in folders:
            path.chmod(0o555)
        (index / "LOCK").chmod(0o444)
        script = (
            "import os, sys, tempfile\n"
            "from pathlib import Path\n"
            "from tests.index.publishing.test_crash import _served, main, read_only_write\n"
            "warm = Path(tempfile.mkdtemp())  # the interpreter's own files may be closed to the other user\n"
            "main(warm, 0, 1), _served(warm), read_only_write(Path(os.devnull))\n"
            "os.geteuid() == 0 and os.seteuid(65534)\n"
            "assert _served(Path(sys.argv[1])) == 0\n"
            "print(read_only_write(Path(sys.argv[1])))\n"
        )
        command = [sys.executable, "-c", script, str(index)]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        for path in folders:
            path.chmod(0o755)
        assert result.stdout.splitlines()[-1].startswith("cannot write the index folder"), result.stderr


def read_only_write(folder: Path) -> str:
    """The message of an attempt to write."""
    try:
        with IndexFolder(folder).writer():
            return "written"
    except StoreError as error:
        return error.message
