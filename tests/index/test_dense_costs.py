from __future__ import annotations

from dataclasses import replace

import pytest

from ragcli.index.dense.costs import Costs
from ragcli.index.manifest import SegmentInfo

INFO = SegmentInfo("000001", 100, 1_000_000, recall_at_10=0.99, ef=200, ef_per_hit=2, candidates_per_hit=10)
WHOLE = Costs(INFO, dimension=100, depth=10, selected=1_000_000, whole=True, filtered=False, ef=200)


def some(selected: int, depth: int = 10) -> Costs:
    return replace(WHOLE, selected=selected, depth=depth, whole=False, filtered=True)


def test_a_scan_in_order_costs_less_than_one_of_picked_rows() -> None:
    assert WHOLE.exact == pytest.approx(1_000_000 * 100 * 1.6e-10)
    assert some(1_000_000).exact == pytest.approx(1_000_000 * 100 * 4e-10)


def test_codes_serve_where_they_save_two_thirds() -> None:
    # 1,000 candidates of 100 values: 4e-5 s, and the codes of a million rows 1.5e-3 s
    assert WHOLE.scan() == (pytest.approx(1.54e-3), "quantised")
    assert some(115_000).scan()[1] == "exact"  # 4.6e-3 s, less than three times 1.54e-3
    assert some(116_000).scan()[1] == "quantised"
    assert replace(WHOLE, info=replace(INFO, candidates_per_hit=0)).scan() == (WHOLE.exact, "exact")


def test_candidates_grow_until_scoring_every_row_costs_no_more() -> None:
    assert list(some(20_000).candidates()) == [1_000, 4_000, 16_000]
    assert list(some(1_000).candidates()) == []
    assert next(iter(some(20_000, depth=300).candidates())) == 3_000


def test_a_filter_asks_the_graph_for_more_hits_than_wanted() -> None:
    assert next(WHOLE.attempts()) == (10, 200)
    assert next(replace(WHOLE, depth=300).attempts()) == (300, 600)
    # three quarters are let through: 10 / .75 × 1.25 + 32 = 48, then four times as many, as wide as 4,096
    assert list(some(750_000).attempts()) == [(48, 200), (192, 384), (768, 1_536)]


def test_the_graph_is_asked_for_no_more_than_live_in_it() -> None:
    small = replace(INFO, chunks=150, dead_chunks=10)
    assert list(replace(some(120, depth=100), info=small).attempts()) == [(140, 280)]
    assert list(replace(WHOLE, depth=10, info=small).attempts()) == [(10, 200), (40, 200), (140, 280)]


def test_the_graph_is_for_filters_that_let_half_through_and_no_wider_than_its_limit() -> None:
    assert some(500_000).graph == pytest.approx(200 * 4e-6)
    assert some(499_999).graph is None
    assert WHOLE.graph is not None
    assert replace(WHOLE, info=replace(INFO, dead_chunks=600_000), selected=400_000).graph is not None
    assert replace(WHOLE, info=replace(INFO, recall_at_10=None)).graph is None
    assert replace(WHOLE, depth=2_049).graph is None  # 4,098 wide
    assert replace(WHOLE, depth=2_048).graph == pytest.approx(4_096 * 4e-6)
