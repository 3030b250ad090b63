"""How texts are grouped for an encoder: neighbours in length, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def by_length(lengths: Sequence[int], size: int, first: int = 0) -> Iterator[list[int]]:
    """Positions of ``lengths`` in batches of at most ``size``, longest first (so memory peaks at once, not at the
    end), equal lengths in order; ``first`` is added to every position."""
    order = sorted(range(len(lengths)), key=lambda position: (-lengths[position], position))
    for start in range(0, len(order), size):
        yield [first + position for position in order[start : start + size]]
