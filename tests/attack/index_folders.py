"""Crafted index folders: every command on each must end in time, say what is wrong, and leave all else alone.

A sound index is built once by ``rag`` itself. Each try copies it, changes it in one place, and runs the commands that
read and then those that write, in a process of its own with a limit of memory. A failure is a defect (70), a code that
the contract does not give, a command that takes longer than ``SECONDS``, a process that dies, a file outside the index
that is read, changed or made, or an answer where a refusal was due. That tantivy says on standard error where it
panicked, before the error is told, is none: nothing but a process of its own could keep it from that.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.attack import Outcome
from tests.index import crafted, crafted_contents
from tests.index.crafted import Craft

SECONDS = 5.0
"""Of processor time that one command may take."""
HANGS = 120
"""Seconds by the clock after which a command is taken to hang."""
MEMORY_BYTES = 5 << 30
SECRET = "CANARY-7f3a of somebody else"

_CURRENT_DOCUMENT = "hr/remote.md"
_QUESTION = "How many remote days per week?"


@dataclass(frozen=True)
class Command:
    """A command line, and the exit codes that the contract gives it on a folder that may be damaged."""

    name: str
    arguments: tuple[str, ...]
    codes: frozenset[int]


def _commands() -> Iterator[Command]:
    search = ("search", _QUESTION)
    yield Command("search", search, frozenset({0, 4, 6}))
    filtered = ("--mode", "bm25", "--filter", "lang=en", "--as", "hr")
    yield Command("bm25", (*search, *filtered), frozenset({0, 4, 6}))
    yield Command("ask", ("ask", _QUESTION, "--session", "talk"), frozenset({0, 4, 6}))
    yield Command("list", ("versions", "list"), frozenset({0, 6}))
    yield Command("verify", ("versions", "verify"), frozenset({0, 1, 6}))
    yield Command("diff", ("versions", "diff", "v000001", "v000002"), frozenset({0, 6}))
    yield Command("doctor", ("doctor",), frozenset({0, 1}))
    yield Command("inspect", ("inspect", _CURRENT_DOCUMENT, "--as", "hr"), frozenset({0, 4, 6}))
    yield Command("log", ("log",), frozenset({0, 6}))
    yield Command("stats", ("stats",), frozenset({0, 6}))
    yield Command("session", ("session", "show", "talk"), frozenset({0, 4, 6}))
    yield Command("ingest", ("ingest", "tree", "--max-delete", "100"), frozenset({0, 6}))
    yield Command("use", ("versions", "use", "v000001"), frozenset({0, 6}))
    yield Command("prune", ("versions", "prune", "--keep", "1"), frozenset({0, 6}))
    yield Command("forget", ("forget", _CURRENT_DOCUMENT), frozenset({0, 1, 2, 6}))
    yield Command("rebuild", ("index", "--rebuild"), frozenset({0, 6}))


COMMANDS = tuple(_commands())
_CODE_OF_A_CHECK = {"verify": frozenset({1, 6}), "doctor": frozenset({1})}


def run(tries: int, seed: int) -> Outcome:
    """Craft up to ``tries`` folders, drawn from all of them, and run every command on each."""
    known = [*crafted.crafts(), *crafted_contents.crafts()]
    drawn = known if tries >= len(known) else random.Random(seed).sample(known, tries)
    return attack(drawn)


def attack(drawn: Sequence[Craft]) -> Outcome:
    """Run every command on every one of these crafted folders."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="ragcli-crafted-") as place:
        folder = Path(place).resolve()
        _sound_index(folder / "sound")
        for craft in drawn:
            failures += [f"{craft.name}: {failure}" for failure in _tried(craft, folder)]
    return Outcome("index folders", len(drawn), failures)


# ------------------------------------------------------------ one folder


def _tried(craft: Craft, folder: Path) -> list[str]:
    here, somebody = folder / "here", folder / "somebody"
    for path in (here, somebody):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(folder / "sound", here, symlinks=True)
    (somebody / "things").mkdir(parents=True)
    (somebody / "secret.txt").write_text(SECRET)
    (somebody / "things" / "mine.txt").write_text(SECRET)
    craft.apply(here / ".rag", somebody)
    before, failures = _fingerprint(somebody), []
    for command, code, seconds in _run_all(here):
        output = (here / f"{command.name}.out").read_bytes() + (here / f"{command.name}.err").read_bytes()
        failures += [f"{command.name}: {wrong}" for wrong in _wrong(craft, command, code, seconds, output)]
        if (after := _fingerprint(somebody)) != before:
            failures.append(f"{command.name}: changed {sorted(set(after.items()) ^ set(before.items()))[:2]}")
            before = after
    return failures


def _wrong(craft: Craft, command: Command, code: int | None, seconds: float, output: bytes) -> Iterator[str]:
    refusing = _CODE_OF_A_CHECK.get(command.name, frozenset({6}))
    said = output.decode("utf-8", "replace")
    if code is None or code < 0:
        yield f"did not end in {seconds:.0f} s" if code is None else f"died of signal {-code}"
        return
    if code not in command.codes:
        yield f"exit {code}: {said[-300:]!r}"
    elif command.name in craft.refused and code not in refusing:
        yield f"exit {code}, not refused"
    if seconds > SECONDS:
        yield f"took {seconds:.1f} s"
    if "Traceback" in said:
        yield f"says {said[-200:]!r}"
    if SECRET[:11] in said:
        yield "shows somebody's file"
    if code and code in refusing and "doctor" != command.name != "verify":
        yield from _poor_message(output)


def _poor_message(output: bytes) -> Iterator[str]:
    try:
        error = json.loads(output.splitlines()[0])["error"]
    except (ValueError, KeyError, IndexError, TypeError):
        yield f"prints no error as JSON: {output[:200]!r}"
        return
    if not error["message"] or not error["hint"] or len(error["message"]) > 1_000:
        yield f"its message says too little or too much: {str(error)[:300]}"


def _fingerprint(folder: Path) -> dict[str, str]:
    found = {}
    for path in folder.rglob("*"):
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[path.relative_to(folder).as_posix()] = hashlib.sha256(content).hexdigest()[:12]
    return found


# ------------------------------------------------------------ processes


def _run_all(folder: Path) -> Iterator[tuple[Command, int | None, float]]:
    """Every command in ``folder``: its exit code (None: killed for its time) and seconds of processor time."""
    waiting = list(COMMANDS)
    while waiting:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _child(folder, waiting, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as reports:
            for done, seconds in _watched(reports, child, len(waiting)):
                yield waiting.pop(0), done, seconds


def _watched(reports: IO[bytes], child: int, count: int) -> Iterator[tuple[int | None, float]]:
    """What a child reports, command by command; when it hangs or dies, that of the one it was at, as the last."""
    for _ in range(count):
        started, killed = time.monotonic(), False
        ready, _, _ = select.select([reports], [], [], HANGS)
        if not ready:
            os.kill(child, signal.SIGKILL)
            killed = True
        line = reports.readline()
        if not line:
            _, status = os.waitpid(child, 0)
            code = None if killed else -(status & 0x7F) or -signal.SIGABRT
            yield code, time.monotonic() - started
            return
        code, seconds = line.split()
        yield int(code), float(seconds)
    os.waitpid(child, 0)


def _child(folder: Path, commands: Sequence[Command], writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(folder)
    for command in commands:
        started = time.process_time()
        code = _called(command)
        os.write(writing, f"{code} {time.process_time() - started:.3f}\n".encode())
    os._exit(0)


def _called(command: Command) -> int:
    from ragcli.cli.main import main

    for stream, ending in ((1, "out"), (2, "err")):
        opened = os.open(f"{command.name}.{ending}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, stream)
        os.close(opened)
    sys.stdout, sys.stderr = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(2), "w")
    with contextlib.suppress(SystemExit):
        code = int(main([*command.arguments, "--json", "--index", ".rag"]))
        sys.stdout.flush()
        sys.stderr.flush()
        return code
    return 99


# ------------------------------------------------------------ a sound index


def _sound_index(folder: Path) -> None:
    """Two versions of two segments, dead documents, access groups, a superseded document, traces and a session."""
    from ragcli.index.publishing import change
    from tests.cli.running import here

    _write_tree(folder / "tree")
    merged, change.SMALL = change.SMALL, 0
    try:
        for _ in range(2):
            done = here("ingest", "tree", "--index", ".rag", "--max-delete", "100", cwd=folder)
            assert done.code == 0, done.err
            (folder / "tree" / "it" / "wifi.md").write_text("# Wi-fi\n\nThe guest network is called Harbour.\n")
            (folder / "tree" / "old.md").unlink(missing_ok=True)
    finally:
        change.SMALL = merged
    for question in (_QUESTION, "What is the guest network called?"):
        done = here("ask", question, "--session", "talk", "--index", ".rag", cwd=folder)
        assert done.code == 0, done.err
    assert len(list((folder / ".rag" / "versions" / "v000002" / "segments").iterdir())) == 2
    assert (folder / ".rag" / "versions" / "v000002" / "dead" / "000001.npy").exists()


def _write_tree(tree: Path) -> None:
    texts = {
        "hr/remote.md": "# Remote work\n\nYou can work remotely up to two days per week.\n\n## Limits\n\nTwo days.\n",
        "hr/remote-2024.md": "---\nstatus: superseded\n---\n# Remote work\n\nOne remote day per week.\n",
        "hr/new.md": "---\nsupersedes: [remote-2024]\neffective_date: 2026-01-01\n---\n# New\n\nSee remote work.\n",
        "hr/pay.md": "---\nacl: [hr]\n---\n# Pay\n\nSalaries are paid on the 25th.\n",
        "it/wifi.md": "# Wi-fi\n\nThe guest network is called Jetty.\n",
        "old.md": "# Old\n\nThis page goes away.\n",
    }
    texts |= {f"more/page{n}.md": f"# Page {n}\n\nPage {n} tells of remote thing number {n}.\n" for n in range(20)}
    for name, text in texts.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
