"""Which segments of the version before are kept as they are and which are written anew. Pure.

A publish adds one segment. So that many small publishes do not leave many small segments, it takes in the segments at
the end that are no larger than what it writes anyway: each chunk is written again about log₂(chunks) times in its life.
A segment of which more than half is dead is written again by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SMALL = 1_000
"""Segments up to this many chunks are always taken in: writing them again costs under a second."""


@dataclass(frozen=True, slots=True)
class Step:
    """One segment of the next version: the old ones in it, whether it is only linked, whether new documents follow."""

    sources: tuple[int, ...]
    linked: bool
    new: bool = False


def plan(living: Sequence[int], total: Sequence[int], new: int) -> list[Step]:
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
        steps.append(Step(tuple(place for place in range(end, len(total)) if living[place]), linked=False, new=True))
    return steps


def _old_step(place: int, living: int, total: int) -> Step:
    return Step((place,), linked=2 * living >= total)
