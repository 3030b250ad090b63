"""What a set of chunks looks like in numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragcli.records import Chunk

SMALL_TOKENS = 20
BIN_TOKENS = 25


@dataclass(frozen=True, slots=True)
class ChunkStatistics:
    """Counts over chunks; sizes are tokens of the chunk's own text.

    ``histogram`` maps the lower end of each bin of ``BIN_TOKENS`` to its count, without empty bins. ``small`` chunks
    have fewer than ``SMALL_TOKENS``; ``orphans`` have neither a title nor a heading to say where they come from.
    """

    chunks: int = 0
    tokens: int = 0
    smallest: int = 0
    median: int = 0
    largest: int = 0
    histogram: tuple[tuple[int, int], ...] = ()
    small: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()


def statistics(chunks: Iterable[Chunk]) -> ChunkStatistics:
    """The statistics of the chunks, in one pass; ``small`` and ``orphans`` are chunk ids in the order given."""
    sizes: list[int] = []
    small: list[str] = []
    orphans: list[str] = []
    for chunk in chunks:
        sizes.append(chunk.token_count)
        if chunk.token_count < SMALL_TOKENS:
            small.append(chunk.chunk_id)
        if not chunk.prefix:
            orphans.append(chunk.chunk_id)
    if not sizes:
        return ChunkStatistics()
    sizes.sort()
    bins: dict[int, int] = {}
    for size in sizes:
        bins[size // BIN_TOKENS * BIN_TOKENS] = bins.get(size // BIN_TOKENS * BIN_TOKENS, 0) + 1
    return ChunkStatistics(
        chunks=len(sizes),
        tokens=sum(sizes),
        smallest=sizes[0],
        median=sizes[len(sizes) // 2],
        largest=sizes[-1],
        histogram=tuple(sorted(bins.items())),
        small=tuple(small),
        orphans=tuple(orphans),
    )
