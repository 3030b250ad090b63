"""No command resolves a name, connects anywhere or writes where it should not: watched by ``strace``, system call by
system call, in every process that ``rag`` starts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import REPOSITORY

OLD = Path(os.environ.get("RAGCLI_SHARED_DATA", REPOSITORY.parent / "shared" / "data")) / "hard" / "legacy_office"

_CALLS = (
    *("open", "openat", "openat2", "creat", "mkdir", "mkdirat", "mknod", "mknodat", "truncate"),
    *("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"),
)
_OPENS = re.compile(r"\b(open|openat|openat2|creat)\(")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE|\bcreat\(")
_PROBE = re.compile(r"socket\(AF_INET6, SOCK_STREAM|bind\(\d+(?:<[^>]*>)?, .*inet_pton\(AF_INET6, \"::1\"")
"""urllib3 tries whether there is IPv6 by binding a socket to ::1: nothing is asked and nothing is sent."""
_TALKS = re.compile(r"AF_INET6?\b|AF_NETLINK|AF_PACKET|\bsend(?:to|msg|mmsg)\(")
_OWN_PIPE = re.compile(r"AF_UNIX|UNIX-STREAM|\"/var/run/nscd/socket\"")

GOLDEN = """\
{"question": "How many remote days per week can I take?", "expected_source": "hr/remote-policy.md"}
{"question": "Does the company pay for a gym?", "answerable": false}
"""


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh machine: a working folder with documents of every kind, an empty home, an empty temp folder."""
    if not shutil.which("strace"):
        if os.environ.get("CI"):
            pytest.fail("strace is not installed, and no run in CI may leave this out")
        pytest.skip("strace is not installed")
    folder = tmp_path_factory.mktemp("machine")
    for name in ("work", "home", "tmp"):
        (folder / name).mkdir()
    shutil.copytree(REPOSITORY / "sample_corpus", folder / "work" / "docs")
    (folder / "work" / "golden.jsonl").write_text(GOLDEN, encoding="utf-8")
    return folder


def violations(machine: Path, *command: str, **environ: str) -> list[str]:
    """Run ``rag`` and give every call that talks to somebody or writes outside of its places."""
    log = machine / "trace"
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(machine / "home"),
        "TMPDIR": str(machine / "tmp"),
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "LANG": "C.UTF-8",
        **environ,
    }
    calls = ",".join(f"?{name}" for name in _CALLS)
    watch = ["strace", "-f", "-qq", "-y", "-s", "4096", "-o", str(log), "-e", f"trace=network,{calls}"]
    program = [sys.executable, "-m", "ragcli", *command]
    done = subprocess.run(
        [*watch, *program], cwd=machine / "work", env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1, 4, 5), done.stderr
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    assert any("openat(" in line for line in lines), "nothing was watched"
    return [*_talking(lines), *_writing(lines, machine)]


def _talking(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if _TALKS.search(line) and not _PROBE.search(line) and not _OWN_PIPE.search(line):
            yield line


def _writing(lines: list[str], machine: Path) -> Iterator[str]:
    own = machine / "home" / ".cache" / "ragcli"
    allowed = (machine / "work", machine / "tmp", own, Path("/dev"), Path("/proc"))
    for line in lines:
        call = next((name for name in _CALLS if re.search(rf"\b{name}\(", line)), None)
        if call is None or (_OPENS.search(line) and not _WRITES.search(line)):
            continue
        at = re.search(r"AT_FDCWD<([^>]*)>|\(\d+<([^>]*)>", line)
        start = Path(next(filter(None, at.groups()), "/")) if at else machine / "work"
        targets = [start / text for text in _TEXT.findall(line)]
        if call == "mkdir" and targets == [own.parent]:
            continue  # the user's folder for caches, on a machine that has none yet
        if not all(any(target.is_relative_to(place) for place in allowed) for target in targets):
            yield line


def _in_home(machine: Path) -> list[Path]:
    """What stands in the home: ragcli's own cache, in the user's folder for caches, and nothing else."""
    own = machine / "home" / ".cache" / "ragcli"
    found = list((machine / "home").rglob("*"))
    assert all(path.is_relative_to(own) or own.is_relative_to(path) for path in found)
    return found


COMMANDS = [
    ("ingest", "docs"),
    ("search", "remote days"),
    ("ask", "How many remote days per week can I take?"),
    ("eval", "golden.jsonl"),
    ("doctor",),
    ("chunk",),
    ("explain", "How many remote days per week can I take?", "--expect", "two days per week"),
    ("stats",),
    ("versions", "verify"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_command_talks_to_anybody_or_writes_elsewhere(command: tuple[str, ...], traced: Path) -> None:
    if command[0] != "ingest" and not (traced / "work" / ".rag").exists():  # a worker that was not given the ingest
        assert violations(traced, *COMMANDS[0]) == []
    assert violations(traced, *command) == []
    assert {path.suffix for path in _in_home(traced) if path.is_file()} <= {".json"}
    assert not list((traced / "tmp").iterdir())


@pytest.mark.skipif(not OLD.is_dir() or not shutil.which("soffice"), reason="LibreOffice or an old file is not here")
def test_nor_does_libreoffice(traced: Path) -> None:
    (traced / "work" / "old").mkdir()
    for name in ("testWORD6.doc", "legacy_sample.ppt"):
        shutil.copy(OLD / name, traced / "work" / "old")
    found = violations(traced, "ingest", "old", "--index", "old.rag")
    installed = str(Path(shutil.which("soffice") or "").resolve().parents[1])  # it marks its own folder where it may
    assert [line for line in found if installed not in line] == []
    _in_home(traced)


def test_nor_with_torch(traced: Path) -> None:
    assert violations(traced, "doctor", RAG_EMBED__BACKEND="sentence-transformers") == []
    _in_home(traced)


def test_what_is_watched_is_seen(traced: Path) -> None:
    """The watch itself: it finds the telemetry that is switched off, and an attempt to reach a model."""
    found = violations(traced, "ask", "x", "--provider", "anthropic", RAG_ANSWER__BASE_URL="http://127.0.0.1:9")
    assert any("connect(" in line for line in found)
