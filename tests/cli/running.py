"""Runs ``rag`` as a user would, in a process of its own, or here where streams and signals are not the point."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ran:
    """What a process left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as exactly one JSON value and one newline."""
        assert self.out.endswith("\n") and self.out.count("\n") == 1, self.out
        return json.loads(self.out)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child: no settings of the person who runs the tests, no network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "ANTHROPIC_", "OPENAI_"))}
    return kept | {"PYTHONPATH": str(REPOSITORY), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"} | dict(extra or {})


def rag(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = "") -> Ran:
    """Run ``rag`` to its end."""
    command = [sys.executable, "-m", "ragcli", *arguments]
    done = subprocess.run(
        command, cwd=cwd, env=environment(env), input=stdin, capture_output=True, text=True, timeout=300, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def start(*arguments: str, cwd: Path, before: Callable[[], object] = int, after: Callable[[], object] = int) -> int:
    """``rag`` in a forked child, without the start of an interpreter: its process id.

    It calls ``before`` first and ``after`` last, leaves ``out.txt`` and ``err.txt`` in ``cwd``, and ends with the code.
    """
    from ragcli.cli.main import main

    child = os.fork()
    if child:
        return child
    os.chdir(cwd)
    for descriptor, name in ((1, "out.txt"), (2, "err.txt")):
        opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, descriptor)
    sys.stdout, sys.stderr = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(2), "w")
    code = 99
    try:
        before()
        code = int(main(list(arguments)))
        sys.stdout.flush()
        sys.stderr.flush()
        after()
    finally:
        os._exit(code)


def here(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> Ran:
    """``rag`` in this process: the same code and streams without the start of an interpreter."""
    from ragcli.cli.main import main

    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with (
            contextlib.chdir(cwd),
            mock.patch.dict(os.environ, environment(env), clear=True),
            contextlib.redirect_stdout(streams[0]),
            contextlib.redirect_stderr(streams[1]),
        ):
            code = int(main(list(arguments)))
    finally:
        signal.signal(signal.SIGTERM, handler)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return Ran(code, out, err)
