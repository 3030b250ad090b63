from __future__ import annotations

from dataclasses import replace

import pytest

from ragcli.index.dense.costs import Costs
from ragcli.index.manifest import SegmentInfo

INFO = SegmentInfo("000001", 100, 1_000_000, recall_at_10=0.99, ef=200, ef_per_hit=2, candidates_per_hit=10)
WHOLE = Costs(INFO, depth=10, selected=1_000_000, filtered=False, ef=200)


def some(selected: int, depth: int = 10) -> Costs:
    return replace(WHOLE, selected=selected, depth=depth, filtered=True)


def test_few_rows_are_picked_and_many_found_by_scoring_all() -> None:
    assert some(1_000).exact == 2_500
    assert some(399_999).exact < 1_000_000
    assert some(400_001).exact == some(900_000).exact == WHOLE.exact == 1_000_000


def test_codes_cost_a_tenth_of_a_scan_and_their_candidates() -> None:
    assert WHOLE.codes == 100_000 + 2_500
    assert replace(WHOLE, depth=400).codes == 100_000 + 10_000
    assert replace(WHOLE, info=replace(INFO, candidates_per_hit=0)).codes is None


def test_a_filter_asks_the_graph_for_more_hits_than_wanted() -> None:
    assert next(WHOLE.attempts()) == (10, 200)
    assert next(replace(WHOLE, depth=300).attempts()) == (300, 600)
    # three quarters are let through: 10 / .75 × 1.25 + 32 = 48, then four times as many, as wide as 4,096
    assert list(some(750_000).attempts()) == [(48, 200), (192, 384), (768, 1_536)]
    assert list(some(750_000).attempts(most=20_000)) == [(48, 200), (192, 384)]


def test_the_graph_is_asked_for_no_more_than_live_in_it() -> None:
    small = replace(INFO, chunks=150, dead_chunks=10)
    assert list(replace(some(120, depth=100), info=small).attempts()) == [(140, 280)]
    assert list(replace(WHOLE, depth=10, info=small).attempts()) == [(10, 200), (40, 200), (140, 280)]


@pytest.mark.parametrize(
    ("chunks", "share", "graph"),
    [
        *((1_000, share, False) for share in (0.01, 0.1, 0.5, 0.8, 1.0)),
        *((10_000, share, share == 1) for share in (0.01, 0.1, 0.5, 0.8, 1.0)),
        *((100_000, share, share >= 0.5) for share in (0.01, 0.1, 0.5, 0.8, 1.0)),
        *((1_000_000, share, share >= 0.1) for share in (0.01, 0.1, 0.5, 0.8, 1.0)),
    ],
)
def test_the_graph_is_for_what_would_take_long_to_score(chunks: int, share: float, graph: bool) -> None:
    """A hundred hits, from as many chunks and with as large a share of them let through."""
    info = replace(INFO, chunks=chunks)
    costs = Costs(info, depth=100, selected=int(share * chunks), filtered=share < 1, ef=100)
    assert (costs.graph is not None and costs.graph < costs.exact) == graph


def test_the_graph_is_no_wider_than_its_limit() -> None:
    assert WHOLE.graph == 200 * 40
    assert replace(WHOLE, info=replace(INFO, recall_at_10=None)).graph is None
    assert replace(WHOLE, depth=2_049).graph is None  # 4,098 wide
    assert replace(WHOLE, depth=2_048).graph == 4_096 * 40
    assert some(10_000, depth=100).graph is None
