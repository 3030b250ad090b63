"""What a publish has to do: the staged documents against those of the version before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.index.segments.view import View
from ragcli.records import Entry

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


def steps(view: View | None, dead: Sequence[NDArray[np.int64]], change: Change) -> list[SegmentStep]:
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


# Which segments of the version before are kept as they are and which are written anew. Pure.
#
# A publish adds one segment. So that many small publishes do not leave many small segments, it takes in the segments
# at the end that are no larger than what it writes anyway: each chunk is written again about log₂(chunks) times.
# A segment of which more than half is dead is written again by itself.

SMALL = 1_000
"""Segments up to this many chunks are always taken in: writing them again costs under a second."""


@dataclass(frozen=True, slots=True)
class SegmentStep:
    """One segment of the next version: the old ones in it, whether it is only linked, whether new documents follow."""

    sources: tuple[int, ...]
    linked: bool
    new: bool = False


def plan(living: Sequence[int], total: Sequence[int], new: int) -> list[SegmentStep]:
    """The segments of the next version, in order.

    ``living`` and ``total`` are chunk counts of the segments there are, after this publish's removals; ``new`` is the
    number of chunks to add, 0 when there is nothing to write.
    """
    end, size = len(total), new
    if new:
        while end and living[end - 1] <= max(size, SMALL):
            end -= 1
            size += living[end]
    steps = [_old_step(place, living[place], total[place]) for place in range(end) if living[place]]
    if new:
        steps.append(
            SegmentStep(tuple(place for place in range(end, len(total)) if living[place]), linked=False, new=True)
        )
    return steps


def _old_step(place: int, living: int, total: int) -> SegmentStep:
    return SegmentStep((place,), linked=2 * living >= total)
