"""How texts are grouped for an encoder: neighbours in length, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_ENOUGH = 256  # tokens that fill a batch well: smaller ones lose more to the start of a run than padding would cost
_MOST = 1024  # tokens after which a batch outgrows a processor's caches: twice as many run up to a tenth slower
_SHORTEST = 0.8  # of the longest in a batch


def by_length(lengths: Sequence[int], size: int, first: int = 0) -> Iterator[list[int]]:
    """Positions of ``lengths`` in batches of at most ``size``, longest first (so memory peaks at once, not at the
    end), equal lengths in order; ``first`` is added to every position.

    A batch also ends before it holds too many tokens, padding counted, and, when it holds enough, where a text is much
    shorter than its longest.
    """
    order = sorted(range(len(lengths)), key=lambda position: (-lengths[position], position))
    batch: list[int] = []
    for position in order:
        longest = lengths[batch[0]] if batch else 0
        padded = len(batch) * longest
        full = len(batch) == size or (batch and padded + longest > _MOST)
        if full or (padded >= _ENOUGH and lengths[position] < _SHORTEST * longest):
            yield [first + each for each in batch]
            batch = []
        batch.append(position)
    if batch:
        yield [first + each for each in batch]
