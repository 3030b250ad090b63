"""Past questions, kept under the index folder as JSON Lines: one file a day, appended to, removed when it is old.

A trace holds only what its asker was shown. ``feedback.jsonl`` holds verdicts by trace id; the last one counts.
"""

from __future__ import annotations

import dataclasses
import json
import os
import typing
from collections.abc import Callable, Collection, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from ragcli.codec import decode, encode
from ragcli.errors import DiskError, NotFound
from ragcli.records import Trace, Verdict
from ragcli.regular_files import check_file, check_folder, json_lines, make_folder, open_regular

_FEEDBACK = "feedback.jsonl"


class Traces:
    """The traces of one index, in ``folder`` (``<index>/traces``), which need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def append(self, trace: Trace) -> None:
        """Adds one trace. Raises StoreError when the folder cannot be written."""
        self._append(f"{trace.created[:10]}.jsonl", encode(trace))

    def feedback(self, trace_id: str, verdict: Verdict) -> Trace:
        """Records a user's verdict. ``trace_id`` may be a unique beginning. Raises NotFound for an unknown one."""
        trace = self.get(trace_id)
        self._append(_FEEDBACK, {"trace_id": trace.trace_id, "feedback": verdict})
        return dataclasses.replace(trace, feedback=verdict)

    def get(self, trace_id: str) -> Trace:
        """The trace with this id, or the only one whose id starts so. Raises NotFound."""
        matching = [trace for trace in self if trace.trace_id.startswith(trace_id)] if trace_id else []
        exact = [trace for trace in matching if trace.trace_id == trace_id]
        if len(exact or matching) != 1:
            found = f"{len(matching)} traces start with" if matching else "no trace has the id"
            raise NotFound(f"{found} {trace_id!r}", hint="rag log lists them")
        return (exact or matching)[0]

    def __iter__(self) -> Iterator[Trace]:
        """Every trace, oldest first, with its feedback. A torn last line (a killed process) is passed over."""
        verdicts: dict[str, Verdict] = {}
        for row in self._rows(_FEEDBACK):
            if row.get("feedback") in typing.get_args(Verdict):
                verdicts[str(row.get("trace_id"))] = row["feedback"]
        for name in self._days():
            for row in self._rows(name):
                try:
                    trace = decode(Trace, row)
                except TypeError:
                    continue
                yield dataclasses.replace(trace, feedback=verdicts.get(trace.trace_id, trace.feedback))

    def remove_old(self, keep_days: int, today: date) -> int:
        """Removes the files of days more than ``keep_days`` before ``today``; how many went."""
        oldest = (today - timedelta(days=keep_days)).isoformat()
        old = [name for name in self._days() if name.removesuffix(".jsonl") < oldest]
        for name in old:
            (self.folder / name).unlink(missing_ok=True)
        return len(old)

    def forget(self, doc_ids: Collection[str]) -> int:
        """Removes every trace that touched one of the documents; how many went."""
        gone = {trace.trace_id for trace in self if touches(trace, frozenset(doc_ids))}
        for name in (*self._days(), _FEEDBACK) if gone else ():
            self._rewrite(name, lambda row: row.get("trace_id") not in gone)
        return len(gone)

    def _days(self) -> list[str]:
        if not check_folder(self.folder):
            return []
        return sorted(path.name for path in self.folder.glob("????-??-??.jsonl"))

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        yield from json_lines(self.folder / name)

    def _append(self, name: str, row: Any) -> None:
        line = (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
        try:
            make_folder(self.folder)
            handle = open_regular(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, line)  # one write: lines of several processes do not mix
            finally:
                os.close(handle)
        except OSError as error:
            raise DiskError(
                f"cannot write the trace to {self.folder / name}: {error.strerror}", hint="trace.enabled: false"
            ) from error

    def _rewrite(self, name: str, wanted: Callable[[dict[str, Any]], bool]) -> None:
        path = self.folder / name
        if not check_file(path):
            return
        kept = [json.dumps(row, ensure_ascii=False) + "\n" for row in self._rows(name) if wanted(row)]
        aside = path.with_suffix(".new")
        aside.unlink(missing_ok=True)
        with os.fdopen(open_regular(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.writelines(kept)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)


def touches(trace: Trace, doc_ids: frozenset[str]) -> bool:
    """Whether a trace shows one of the documents."""
    chunk_ids = [chunk_id for chunk_id, _ in trace.hits] + [*trace.passages, *trace.cited]
    chunk_ids += [chunk_id for step in trace.steps for chunk_id in step.chunk_ids]
    return any(chunk_id.rpartition("#")[0] in doc_ids for chunk_id in chunk_ids)
