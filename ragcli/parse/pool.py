"""Parses many files in parallel processes; a file that hangs or dies is killed, named and skipped."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import IO, Any

from ragcli.codec import decode, encode
from ragcli.config import IngestConfig
from ragcli.interfaces import Progress
from ragcli.parse.walk import SourceFile
from ragcli.records import Document, FileReport

_AHEAD = 16


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one file gave. ``sha256`` is empty when its bytes could not be read; the file's own report is the last."""

    file: SourceFile
    sha256: str
    documents: tuple[Document, ...]
    reports: tuple[FileReport, ...]


def parse_files(
    files: Iterable[SourceFile], config: IngestConfig, progress: Progress | None = None
) -> Iterator[Parsed]:
    """Each file's outcome, in the order of ``files``; never raises for what a file holds.

    Files are parsed in ``config.workers`` processes (one per core for 0), each file within ``timeout_seconds`` and
    ``memory_mb``.
    """
    waiting = list(files)
    size = min(config.workers or os.cpu_count() or 1, max(1, len(waiting)))
    jobs: queue.SimpleQueue[tuple[SourceFile, Future[Parsed]] | None] = queue.SimpleQueue()
    workers = [_Worker(config) for _ in range(size)]
    threads = [threading.Thread(target=_serve, args=(jobs, worker), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    ahead: deque[Future[Parsed]] = deque()
    finished = False
    try:
        for done, parsed in enumerate(_in_order(waiting, jobs, ahead, size * _AHEAD), 1):
            if progress is not None:
                progress("parse", done, len(waiting))
            yield parsed
        finished = True
    finally:
        while not jobs.empty():
            jobs.get()
        for _ in threads:
            jobs.put(None)
        for worker in workers if not finished else ():
            worker.kill()
        for thread in threads:
            thread.join()


def _in_order(
    files: list[SourceFile],
    jobs: queue.SimpleQueue[tuple[SourceFile, Future[Parsed]] | None],
    ahead: deque[Future[Parsed]],
    limit: int,
) -> Iterator[Parsed]:
    for file in files:
        future: Future[Parsed] = Future()
        ahead.append(future)
        jobs.put((file, future))
        if len(ahead) >= limit:
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()


def _serve(jobs: queue.SimpleQueue[tuple[SourceFile, Future[Parsed]] | None], worker: _Worker) -> None:
    try:
        while (job := jobs.get()) is not None:
            file, future = job
            try:
                future.set_result(worker.parse(file))
            except (OSError, ValueError, RuntimeError) as error:
                future.set_exception(error)
    finally:
        worker.close()


class _Worker:
    """One parsing process, started again after it was killed."""

    def __init__(self, config: IngestConfig) -> None:
        self._config = config
        self._process: subprocess.Popen[str] | None = None
        self._starting = threading.Lock()
        self._ended = False
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker

    def parse(self, file: SourceFile) -> Parsed:
        """The file's outcome; a process that does not answer in time or dies gives a skipped report."""
        answer, reason = self._ask({"path": os.fspath(file.path), "doc_id": file.relative})
        if answer is None:
            return Parsed(file, "", (), (FileReport(file.relative, skipped=reason),))
        documents = tuple(decode(Document, item) for item in answer["documents"])
        return Parsed(file, answer["sha256"], documents, tuple(decode(FileReport, item) for item in answer["reports"]))

    def _ask(self, job: dict[str, str]) -> tuple[dict[str, Any] | None, str]:
        process = self._running()
        if process is None:
            return None, "stopped"
        watch = _Watch(process, self._config.timeout_seconds)
        sent = _write(process, json.dumps(job))
        line = _read(process) if sent else ""
        while line == "{}\n":  # a page is done: the time counts anew
            watch.again()
            line = _read(process)
        watch.stop()
        if line.endswith("\n"):
            return json.loads(line), ""
        self._process = None
        code = process.wait()
        if watch.killed:
            return None, f"took longer than ingest.timeout_seconds = {self._config.timeout_seconds:g}, stopped"
        return None, f"the parser died on it: {self._last_words() if code > 0 else _cause(code)}"

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
            command = [sys.executable, "-m", "ragcli.parse.worker"]
            environment = {**os.environ, "OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": _package_path()}
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
        self._process, self._seconds = process, seconds
        self.killed = False
        self._timer: threading.Timer | None = None
        self.again()

    def again(self) -> None:
        """Count from now."""
        self.stop()
        if self._seconds:
            self._timer = threading.Timer(self._seconds, self._kill)
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
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    return os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])


def _cause(code: int) -> str:
    if code == -9:
        return "killed by the system, probably for want of memory"
    return f"signal {-code}, often a sign of want of memory (ingest.memory_mb)"
