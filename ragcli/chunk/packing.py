"""Which units go together: the cheapest way to cut a sequence into chunks of bounded size.

A dynamic programme over the cuts. Every chunk costs one, plus the square of the share of it that stays empty (so that
chunks are few and even rather than full ones followed by a crumb), plus the price of the cut before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

EMPTY_WEIGHT = 1.0
CRUMB_PRICE = 0.5

Size = Callable[[int, int], int]
"""Tokens of the chunk made of units ``first`` to ``last`` (excluded), without what it repeats from before."""


def pack(
    joints: Sequence[float], leads: Sequence[int], size: Size, *, limit: int, minimum: int = 0
) -> list[tuple[int, int]]:
    """Ranges of units, in order, that hold them all.

    ``joints[i]`` is the price of a cut before unit ``i``, ``leads[i]`` the tokens that a chunk repeats when it begins
    there. No range of more than one unit is larger than ``limit`` with its lead; one smaller than ``minimum`` costs
    extra. ``size`` must not fall when a unit is added at either end. Of equally cheap
    ways the one whose last chunk is shortest is taken, so the result is always the same.
    """
    count = len(joints)
    cost = [0.0] * (count + 1)
    origin = [0] * (count + 1)
    for last in range(1, count + 1):
        best, chosen = float("inf"), last - 1
        for first in range(last - 1, -1, -1):
            tokens = size(first, last)
            if tokens > limit and first < last - 1:
                break
            tokens += leads[first]
            if tokens > limit and first < last - 1:
                continue
            empty = max(0.0, 1.0 - tokens / limit)
            price = cost[first] + 1.0 + EMPTY_WEIGHT * empty * empty + (joints[first] if first else 0.0)
            if tokens < minimum:
                price += CRUMB_PRICE
            if price < best:
                best, chosen = price, first
        cost[last], origin[last] = best, chosen
    ranges: list[tuple[int, int]] = []
    last = count
    while last:
        ranges.append((origin[last], last))
        last = origin[last]
    return ranges[::-1]
