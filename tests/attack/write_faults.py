"""Disks that fail: at every change of a file in an index folder in turn, an error, or half of what was to be written.

A library that is loaded before the C library counts the changes (writes, syncs, new names, removals …) below the index
folder, from whatever code they come, and lets one fail: with ENOSPC or EIO, this once or from then on, or after half
of the bytes. After each: an exit code and a message by the contract, the last version or the new one served whole, and
a next run that completes. Then a real file system that is full, where one can be mounted.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.attack import Outcome
from tests.cli.running import REPOSITORY, start
from tests.pipelines.states import INGEST, served_state, write_state

SECONDS = 60
FULL_DISKS = 10
"""Of so many tries one is on a real disk that gets full."""
DISK_MEGABYTES = 30


@dataclass(frozen=True)
class Fault:
    """What fails: the ``at``th change; ``lasting`` ones make every later change fail too."""

    at: int
    error: int
    lasting: bool
    short: bool

    def __str__(self) -> str:
        how = "half a write, then " if self.short else ""
        return f"change {self.at}: {how}{errno.errorcode[self.error]}{' from then on' if self.lasting else ''}"


def run(tries: int, seed: int) -> Outcome:
    """Inject ``tries`` faults. Without a C compiler for the library that does it there are none."""
    if shutil.which("cc") is None or not sys.platform.startswith("linux"):
        print("no write fault was tried: that takes Linux and a C compiler", file=sys.stderr)
        return Outcome("write faults", 0)
    with tempfile.TemporaryDirectory(prefix="ragcli-faults-") as place:
        library = Path(place) / "write_faults.so"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
        command = [sys.executable, "-m", "tests.attack.write_faults", place, str(tries), str(seed)]
        environ = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(REPOSITORY)}
        done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True, cwd=REPOSITORY)
        tried, failures = json.loads(done.stdout.splitlines()[-1])
    return Outcome("write faults", tried, failures)


# ------------------------------------------------------------ in a process that has the library


def _serve(folder: Path, tries: int, seed: int) -> tuple[int, list[str]]:
    library = ctypes.CDLL(os.environ["LD_PRELOAD"])
    library.set_fault.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int, ctypes.c_int]
    library.changes_seen.restype = ctypes.c_long
    sound = folder / "sound"
    sound.mkdir()
    write_state(sound / "tree", 0)
    assert _ended(start(*INGEST, cwd=sound)) == 0, (sound / "err.txt").read_text()
    write_state(sound / "tree", 1)
    changes = _count(library, sound, folder / "here")
    draw, failures = random.Random(seed), []
    full = tries // FULL_DISKS
    for fault in _faults(changes, tries - full, draw):
        _fresh(sound, folder / "here")
        child = start(*INGEST, "--json", cwd=folder / "here", before=lambda: _set(library, folder / "here", fault))  # noqa: B023
        failures += [f"{fault}: {wrong}" for wrong in _wrong(folder / "here", _ended(child))]
    with _small_disk(folder / "disk") as mounted:
        for _ in range(full if mounted else 0):
            failures += _on_a_full_disk(sound, folder / "disk", draw)
    return tries if mounted else tries - full, failures


def _faults(changes: int, tries: int, draw: random.Random) -> Iterator[Fault]:
    """Every change in turn, again and again with another kind of fault, in an order of chance."""
    kinds = [(errno.ENOSPC, True, False), (errno.EIO, False, False), (errno.ENOSPC, True, True)]
    kinds += [(errno.ENOSPC, False, False), (errno.EIO, True, False)]
    every = [Fault(at, *kind) for kind in kinds for at in draw.sample(range(1, changes + 1), changes)]
    for number in range(tries):
        yield every[number % len(every)]


def _count(library: ctypes.CDLL, sound: Path, here: Path) -> int:
    """Changes that an undisturbed run makes."""
    _fresh(sound, here)

    def note() -> None:
        (here / "changes.txt").write_text(str(library.changes_seen()))

    child = start(*INGEST, cwd=here, before=lambda: _set(library, here, None), after=note)
    assert _ended(child) == 0, (here / "err.txt").read_text()
    return int((here / "changes.txt").read_text())


def _set(library: ctypes.CDLL, here: Path, fault: Fault | None) -> None:
    index = os.fsencode(here / "index") + b"/"
    if fault is None:
        library.set_fault(index, 0, 0, 0, 0)
    else:
        library.set_fault(index, fault.at, fault.error, fault.lasting, fault.short)


def _fresh(sound: Path, here: Path) -> None:
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(sound, here)


def _ended(child: int) -> int | None:
    """The exit code of a child, minus the signal it died of, None when it had to be killed for its time."""
    with contextlib.suppress(TimeoutError), _alarm(SECONDS):
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


@contextlib.contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


# ------------------------------------------------------------ what must hold afterwards


def _wrong(folder: Path, code: int | None) -> Iterator[str]:
    """What is wrong after a run of ``INGEST`` with --json that was disturbed."""
    said = (folder / "err.txt").read_text(errors="replace")
    if code not in (0, 6):
        yield f"exit {code}: {(folder / 'out.txt').read_text(errors='replace')[-300:]} {said[-300:]}"
    if "Traceback" in said:
        yield f"says {said[-300:]}"
    if code == 6:
        error = json.loads((folder / "out.txt").read_text())["error"]
        if not error["message"] or not error["hint"]:
            yield f"its message says too little: {error}"
    try:
        state = served_state(folder)
        assert state == 1 if code == 0 else state in (0, 1), f"state {state} is served after exit {code}"
        again = _ended(start(*INGEST, cwd=folder))
        assert again == 0, f"the next run ended with {again}: {(folder / 'err.txt').read_text()[-300:]}"
        assert served_state(folder) == 1, "the next run does not serve what it read"
    except Exception as error:
        yield f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def _small_disk(place: Path) -> Iterator[bool]:
    """A file system of its own at ``place``; False where none may be mounted."""
    place.mkdir()
    size = f"size={DISK_MEGABYTES}m"
    command = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    if not mounted:
        print("no full disk was tried: a small file system may not be mounted here", file=sys.stderr)
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=True)


def _on_a_full_disk(sound: Path, disk: Path, draw: random.Random) -> Iterator[str]:
    """An ingest with so little room left that it gets full on the way, then room, and the same again."""
    _fresh(sound, disk / "here")
    ballast, room = disk / "ballast", draw.randrange(0, 1_500) * 1024
    free = os.statvfs(disk)
    ballast.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - room)))
    code = _ended(start(*INGEST, "--json", cwd=disk / "here"))
    ballast.unlink()
    yield from (f"{room // 1024} KB left on a full disk: {wrong}" for wrong in _wrong(disk / "here", code))


if __name__ == "__main__":
    print(json.dumps(_serve(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
