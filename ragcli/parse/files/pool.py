"""Parses many files in parallel processes; a file that hangs or dies is killed, named and skipped."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future

from ragcli.config import IngestConfig
from ragcli.interfaces import Progress
from ragcli.parse.files.walk import SourceFile
from ragcli.parse.files.worker_process import WorkerProcess
from ragcli.parse.parsed import Parsed

_AHEAD = 16


def parse_files(
    files: Iterable[SourceFile], config: IngestConfig, progress: Progress | None = None
) -> Iterator[Parsed]:
    """Each file's outcome, in the order of ``files``; never raises for what a file holds.

    Files are parsed in ``config.workers`` processes (one per core for 0), each file within ``timeout_seconds`` of
    processor time and ``memory_mb``.
    """
    waiting = list(files)
    size = min(config.workers or os.cpu_count() or 1, max(1, len(waiting)))
    jobs: queue.SimpleQueue[tuple[SourceFile, Future[Parsed]] | None] = queue.SimpleQueue()
    workers = [WorkerProcess(config) for _ in range(size)]
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


def _serve(jobs: queue.SimpleQueue[tuple[SourceFile, Future[Parsed]] | None], worker: WorkerProcess) -> None:
    try:
        while (job := jobs.get()) is not None:
            file, future = job
            try:
                future.set_result(worker.parse(file))
            except (OSError, ValueError, RuntimeError) as error:
                future.set_exception(error)
    finally:
        worker.close()
