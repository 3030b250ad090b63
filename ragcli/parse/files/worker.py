"""The process that parses: reads jobs as JSON lines on standard input, answers with JSON lines on standard output.

It runs apart so that a file that hangs, eats memory or crashes a library costs itself only. ``python -m
ragcli.parse.files.worker``; the first line it gets is its settings.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ragcli.codec import decode, encode
from ragcli.config import IngestConfig
from ragcli.errors import ConfigError, ParseError, RagError
from ragcli.parse.conditions import Conditions, setting
from ragcli.parse.language import load_languages
from ragcli.parse.reading import context_for, read
from ragcli.parse.registry import others
from ragcli.parse.source import Source, too_large
from ragcli.records import Document, FileReport
from ragcli.regular_files import read_at_most


def main() -> None:
    """Answer jobs until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # a library that prints must not garble the answers
    jobs = sys.stdin
    settings = json.loads(jobs.readline())
    config = decode(IngestConfig, settings["config"])
    _limit_memory(config.memory_mb)
    load_languages()  # before the first file: its time is not the file's
    try:
        others(config.parsers)
    except ConfigError as error:
        sys.exit(error.message)  # the last words of this process, which stand in the report

    def tick() -> None:
        _allow(config.timeout_seconds)
        _send(answers, {})

    for line in jobs:
        job = json.loads(line)
        tick()
        answer = _answer(job["path"], job["doc_id"], config, tick)
        _allow(0)
        _send(answers, answer)


def _allow(seconds: float) -> None:
    """Let the system end this process after so much processor time from now; 0: never. Not on Windows."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _answer(path: str, doc_id: str, config: IngestConfig, tick: Callable[[], None]) -> dict[str, Any]:
    documents: list[Document] = []
    reports: list[FileReport] = []
    digest = ""
    try:
        data = read_at_most(Path(path), int(config.max_file_mb * 1_000_000))
        if (reason := too_large(len(data), config)) is not None:  # it has grown since it was found
            raise ParseError(f"{doc_id}: {reason}")
        digest = _sha256(data)
        for item in read(Source(doc_id, data), context_for(config, tick)):
            if isinstance(item, Document):
                documents.append(item)
            else:
                reports.append(item)
    except OSError as error:
        reports.append(FileReport(doc_id, skipped=f"cannot be read: {error.strerror or error}"))
    except MemoryError:
        documents.clear()
        reason = f"needs more memory than ingest.memory_mb = {config.memory_mb}"
        reports = [FileReport(doc_id, skipped=reason, conditions=Conditions(config).state([setting("memory_mb")]))]
    except ParseError as error:
        reports.append(FileReport(doc_id, skipped=error.message))
    return {"sha256": digest, "documents": encode(documents), "reports": encode(reports)}


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _send(answers: IO[str], answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer, ensure_ascii=True, separators=(",", ":")))
    answers.write("\n")
    answers.flush()


def _limit_memory(megabytes: int) -> None:
    """Let allocations fail beyond the limit, where the system can (not on Windows; macOS ignores it)."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        limit = megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError, RagError):
        main()
