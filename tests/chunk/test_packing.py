"""The packing finds the cheapest way: against every way there is."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from ragcli.chunk.packing import pack

UNITS = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from([0.0, 0.1, 0.3, 0.6, 100.0]), st.integers(0, 3)),
    min_size=1,
    max_size=8,
)


def price(ranges: list[tuple[int, int]], units: list[tuple[int, float, int]], limit: int, minimum: int) -> float:
    """What a way of cutting costs, as the module's first paragraph and ``pack`` say."""
    total = 0.0
    for first, last in ranges:
        size = sum(unit[0] for unit in units[first:last]) + units[first][2]
        if size > limit and last - first > 1:
            return float("inf")
        empty = max(0, limit - size) / limit
        total += 1 + empty**2 + (units[first][1] if first else 0) + (0.5 if size < minimum else 0)
    return total


@given(UNITS, st.integers(8, 30), st.integers(0, 20))
def test_no_way_of_cutting_is_cheaper(units: list[tuple[int, float, int]], limit: int, minimum: int) -> None:
    def size(first: int, last: int) -> int:
        return sum(unit[0] for unit in units[first:last])

    found = pack([u[1] for u in units], [u[2] for u in units], size, limit=limit, minimum=minimum)
    assert [first for first, _ in found] == [0, *(last for _, last in found[:-1])] and found[-1][1] == len(units)
    inner = range(1, len(units))
    ways = [
        list(zip([0, *cuts], [*cuts, len(units)], strict=True))
        for count in range(len(units))
        for cuts in combinations(inner, count)
    ]
    best = min(price(way, units, limit, minimum) for way in ways)
    assert abs(price(found, units, limit, minimum) - best) < 1e-9


def test_equally_cheap_ways_leave_the_shortest_chunk_last() -> None:
    def size(first: int, last: int) -> int:
        return 15 * (last - first)

    assert pack([0.0] * 5, [0] * 5, size, limit=30) == [(0, 2), (2, 4), (4, 5)]
    assert pack([], [], size, limit=30) == []
