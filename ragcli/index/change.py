"""What a publish has to do: the staged documents against those of the version before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.index.compaction import Step, plan
from ragcli.index.staging import Entry
from ragcli.index.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between the staged documents and the version before.

    ``gone`` are the (segment, row) of documents there that are removed or replaced, ``incoming`` those to write.
    """

    incoming: tuple[Entry, ...]
    gone: tuple[tuple[int, int], ...]
    added: int
    changed: int
    removed: int

    def __bool__(self) -> bool:
        return bool(self.incoming or self.gone)


def compare(entries: Mapping[str, Entry], view: View | None) -> Change:
    """The staged documents against those of a version: what is new, changed and gone."""
    gone: list[tuple[int, int]] = []
    same: set[str] = set()
    changed = removed = 0
    for segment, row, doc_id, entry_key in view.documents() if view is not None else ():
        entry = entries.get(doc_id)
        if entry is not None and entry.entry_key == entry_key:
            same.add(doc_id)
            continue
        gone.append((segment, row))
        changed += entry is not None
        removed += entry is None
    incoming = tuple(entry for doc_id, entry in entries.items() if doc_id not in same)
    return Change(incoming, tuple(gone), added=len(incoming) - changed, changed=changed, removed=removed)


def dead_rows(view: View | None, change: Change) -> list[NDArray[np.int64]]:
    """Per segment of the version before: rows of documents that are not part of the next one."""
    import numpy as np

    if view is None:
        return []
    dead = []
    for place, living in enumerate(view.living):
        before = np.zeros(0, dtype=np.int64) if living is None else np.flatnonzero(~living)
        gone = np.asarray([row for segment, row in change.gone if segment == place], dtype=np.int64)
        dead.append(np.union1d(before, gone).astype(np.int64))
    return dead


def steps(view: View | None, dead: Sequence[NDArray[np.int64]], change: Change) -> list[Step]:
    """The segments of the next version."""
    total = [segment.chunk_count for segment in view.segments] if view else []
    living = [
        segment.chunk_count - int(segment.sizes[rows].sum())
        for segment, rows in zip(view.segments if view else (), dead, strict=True)
    ]
    empty = [
        segment.document_count == len(rows) for segment, rows in zip(view.segments if view else (), dead, strict=True)
    ]
    # A document without chunks still counts: a segment goes only when no document of it lives.
    living = [count or (0 if gone else 1) for count, gone in zip(living, empty, strict=True)]
    new = sum(entry.chunk_count for entry in change.incoming)
    return plan(living, total, new or len(change.incoming))
