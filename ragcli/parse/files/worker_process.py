"""A parsing process as the ingest sees it: asked file by file, ended when it takes too long, started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

import ragcli
from ragcli import telemetry
from ragcli.codec import decode, encode
from ragcli.config import IngestConfig
from ragcli.parse.conditions import Conditions, setting
from ragcli.parse.files.walk import SourceFile
from ragcli.parse.parsed import Parsed
from ragcli.records import Document, FileReport

# The process counts its own processor time, so that a crowded machine costs no file. By the clock it may take this
# many times as long: that ends one which waits for something that never comes.
_WALL_FACTOR = 10
_START_SECONDS = 300.0
_OUT_OF_TIME = -getattr(signal, "SIGPROF", 0)


class WorkerProcess:
    """One parsing process, started again after it was killed."""

    def __init__(self, config: IngestConfig) -> None:
        self._config = config
        self._conditions = Conditions(config)
        self._process: subprocess.Popen[str] | None = None
        self._starting = threading.Lock()
        self._ended = False
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker

    def parse(self, file: SourceFile) -> Parsed:
        """The file's outcome; a process that does not answer in time or dies gives a skipped report."""
        answer, reason, limit = self._ask({"path": os.fspath(file.path), "doc_id": file.relative})
        if answer is None:
            conditions = self._conditions.state(map(setting, limit))
            return Parsed(file, "", (), (FileReport(file.relative, skipped=reason, conditions=conditions),))
        documents = tuple(decode(Document, item) for item in answer["documents"])
        return Parsed(file, answer["sha256"], documents, tuple(decode(FileReport, item) for item in answer["reports"]))

    def _ask(self, job: dict[str, str]) -> tuple[dict[str, Any] | None, str, tuple[str, ...]]:
        """The answer; without one the reason, and the settings that a longer life hangs on."""
        process = self._running()
        if process is None:
            return None, "stopped", ()
        allowed = self._config.timeout_seconds * _WALL_FACTOR
        watch = _Watch(process, max(allowed, _START_SECONDS) if allowed else 0)
        sent = _write(process, json.dumps(job))
        line = _read(process) if sent else ""
        while line == "{}\n":  # the file is begun, or a page of it is done: the time counts anew
            watch.again(allowed)
            line = _read(process)
        watch.stop()
        if line.endswith("\n"):
            return json.loads(line), "", ()
        self._process = None
        return None, *self._obituary(process.wait(), watch.killed)

    def _obituary(self, code: int, killed: bool) -> tuple[str, tuple[str, ...]]:
        """Why the process died, and the setting that killed it."""
        if code == _OUT_OF_TIME or killed:
            what = "" if code == _OUT_OF_TIME else " and still waits for something"
            reason = f"took longer than ingest.timeout_seconds = {self._config.timeout_seconds:g}{what}, stopped"
            return reason, ("timeout_seconds",)
        return f"the parser died on it: {self._last_words() if code > 0 else _cause(code)}", ("memory_mb",)

    def _last_words(self) -> str:
        """The last line the process wrote to standard error: the error that ended it."""
        self._complaints.seek(0)
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        self._complaints.seek(0)
        self._complaints.truncate()
        return lines[-1][:300] if lines else "no reason given"

    def _running(self) -> subprocess.Popen[str] | None:
        """The process, started when there is none; None once the worker was ended."""
        with self._starting:
            return None if self._ended else self._started()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-P", "-m", "ragcli.parse.files.worker"]  # -P: no module of the working folder
            threads = {"OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}
            environment = {**os.environ, **telemetry.OFF, **threads, "PYTHONPATH": _package_path()}
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                encoding="ascii",
                env=environment,
                start_new_session=True,  # Ctrl-C reaches the parent alone, which then ends its workers
            )
            _write(self._process, json.dumps({"config": encode(self._config)}))
        return self._process

    def kill(self) -> None:
        """End the process for good, whatever it is doing; the thread that waits for it goes on at once."""
        # Under the lock: a thread that has just taken its next file would start a process that nobody ends.
        with self._starting:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process and release what it held."""
        self._complaints.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                _close(stream)


def _close(stream: IO[str] | None) -> None:
    try:
        if stream is not None:
            stream.close()
    except OSError:
        pass


class _Watch:
    """Kills a process that shows no progress for a time; 0 seconds: never."""

    def __init__(self, process: subprocess.Popen[str], seconds: float) -> None:
        self._process = process
        self.killed = False
        self._timer: threading.Timer | None = None
        self.again(seconds)

    def again(self, seconds: float) -> None:
        """Count from now."""
        self.stop()
        if seconds:
            self._timer = threading.Timer(seconds, self._kill)
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """Count no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _kill(self) -> None:
        self.killed = True
        self._process.kill()


def _read(process: subprocess.Popen[str]) -> str:
    """The next answer; what came of it (no line end) when the process died."""
    if process.stdout is None:
        return ""
    try:
        return process.stdout.readline()
    except (OSError, ValueError):
        return ""


def _write(process: subprocess.Popen[str], line: str) -> bool:
    try:
        if process.stdin is not None:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            return True
    except OSError:
        pass
    return False


def _package_path() -> str:
    """The folder that holds the package this process runs, so that a worker runs the same."""
    folder = str(Path(ragcli.__file__).resolve().parent.parent)
    return os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])


def _cause(code: int) -> str:
    if code == -9:
        return "killed by the system, probably for want of memory"
    return f"signal {-code}, often a sign of want of memory (ingest.memory_mb)"
